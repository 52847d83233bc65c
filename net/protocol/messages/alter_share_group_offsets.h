// alter_share_group_offsets.h: AlterShareGroupOffsets, API key 91, version 0, flexible: start offsets of a share group
// set.
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

struct AlterShareGroupOffsetsRequest {
  static constexpr std::string_view kName = "AlterShareGroupOffsetsRequest";
  static constexpr Versions kVersions{.key = 91, .min = 0, .max = 0, .flexible_since = 0};

  struct AlterShareGroupOffsetsRequestPartition {
    int32_t partition_index = 0;
    int64_t start_offset = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("startOffset", m.start_offset);
    }
    friend bool operator==(const AlterShareGroupOffsetsRequestPartition&,
                           const AlterShareGroupOffsetsRequestPartition&) = default;
  };

  struct AlterShareGroupOffsetsRequestTopic {
    std::string topic_name;
    std::vector<AlterShareGroupOffsetsRequestPartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicName", m.topic_name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const AlterShareGroupOffsetsRequestTopic&,
                           const AlterShareGroupOffsetsRequestTopic&) = default;
  };

  std::string group_id;
  std::vector<AlterShareGroupOffsetsRequestTopic> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("topics", m.topics);
  }
  friend bool operator==(const AlterShareGroupOffsetsRequest&, const AlterShareGroupOffsetsRequest&) = default;
};

struct AlterShareGroupOffsetsResponse {
  static constexpr std::string_view kName = "AlterShareGroupOffsetsResponse";
  static constexpr Versions kVersions{.key = 91, .min = 0, .max = 0, .flexible_since = 0};

  struct AlterShareGroupOffsetsResponsePartition {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
    }
    friend bool operator==(const AlterShareGroupOffsetsResponsePartition&,
                           const AlterShareGroupOffsetsResponsePartition&) = default;
  };

  struct AlterShareGroupOffsetsResponseTopic {
    std::string topic_name;
    Uuid topic_id;
    std::vector<AlterShareGroupOffsetsResponsePartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicName", m.topic_name);
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const AlterShareGroupOffsetsResponseTopic&,
                           const AlterShareGroupOffsetsResponseTopic&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::vector<AlterShareGroupOffsetsResponseTopic> responses;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("responses", m.responses);
  }
  friend bool operator==(const AlterShareGroupOffsetsResponse&, const AlterShareGroupOffsetsResponse&) = default;
};

}  // namespace leat
