// describe_share_group_offsets.h: DescribeShareGroupOffsets, API key 90, versions 0 to 1, flexible: start offsets of
// share groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/uuid.h"
#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DescribeShareGroupOffsetsRequest {
  static constexpr std::string_view kName = "DescribeShareGroupOffsetsRequest";
  static constexpr Versions kVersions{.key = 90, .min = 0, .max = 1, .flexible_since = 0};

  struct DescribeShareGroupOffsetsRequestTopic {
    std::string topic_name;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicName", m.topic_name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const DescribeShareGroupOffsetsRequestTopic&,
                           const DescribeShareGroupOffsetsRequestTopic&) = default;
  };

  struct DescribeShareGroupOffsetsRequestGroup {
    std::string group_id;
    std::optional<std::vector<DescribeShareGroupOffsetsRequestTopic>> topics =
        std::vector<DescribeShareGroupOffsetsRequestTopic>{};

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("groupId", m.group_id);
      v.field("topics", m.topics, {}, kEmpty);
    }
    friend bool operator==(const DescribeShareGroupOffsetsRequestGroup&,
                           const DescribeShareGroupOffsetsRequestGroup&) = default;
  };

  std::vector<DescribeShareGroupOffsetsRequestGroup> groups;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groups", m.groups);
  }
  friend bool operator==(const DescribeShareGroupOffsetsRequest&, const DescribeShareGroupOffsetsRequest&) = default;
};

struct DescribeShareGroupOffsetsResponse {
  static constexpr std::string_view kName = "DescribeShareGroupOffsetsResponse";
  static constexpr Versions kVersions{.key = 90, .min = 0, .max = 1, .flexible_since = 0};

  struct DescribeShareGroupOffsetsResponsePartition {
    int32_t partition_index = 0;
    int64_t start_offset = 0;
    int32_t leader_epoch = 0;
    int64_t lag = -1;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("startOffset", m.start_offset);
      v.field("leaderEpoch", m.leader_epoch);
      v.field("lag", m.lag, {.since = 1, .ignorable = true}, -1);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
    }
    friend bool operator==(const DescribeShareGroupOffsetsResponsePartition&,
                           const DescribeShareGroupOffsetsResponsePartition&) = default;
  };

  struct DescribeShareGroupOffsetsResponseTopic {
    std::string topic_name;
    Uuid topic_id;
    std::vector<DescribeShareGroupOffsetsResponsePartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicName", m.topic_name);
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const DescribeShareGroupOffsetsResponseTopic&,
                           const DescribeShareGroupOffsetsResponseTopic&) = default;
  };

  struct DescribeShareGroupOffsetsResponseGroup {
    std::string group_id;
    std::vector<DescribeShareGroupOffsetsResponseTopic> topics;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("groupId", m.group_id);
      v.field("topics", m.topics);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
    }
    friend bool operator==(const DescribeShareGroupOffsetsResponseGroup&,
                           const DescribeShareGroupOffsetsResponseGroup&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<DescribeShareGroupOffsetsResponseGroup> groups;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("groups", m.groups);
  }
  friend bool operator==(const DescribeShareGroupOffsetsResponse&, const DescribeShareGroupOffsetsResponse&) = default;
};

}  // namespace leat
