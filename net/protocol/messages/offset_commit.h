// offset_commit.h: OffsetCommit, API key 8, versions 2 to 10, flexible since 8: what a group has consumed.
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

struct OffsetCommitRequest {
  static constexpr std::string_view kName = "OffsetCommitRequest";
  static constexpr Versions kVersions{.key = 8, .min = 2, .max = 10, .flexible_since = 8};

  struct OffsetCommitRequestPartition {
    int32_t partition_index = 0;
    int64_t committed_offset = 0;
    int32_t committed_leader_epoch = -1;
    std::optional<std::string> committed_metadata = "";

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("committedOffset", m.committed_offset);
      v.field("committedLeaderEpoch", m.committed_leader_epoch, {.since = 6, .ignorable = true}, -1);
      v.field("committedMetadata", m.committed_metadata, {}, kEmpty);
    }
    friend bool operator==(const OffsetCommitRequestPartition&, const OffsetCommitRequestPartition&) = default;
  };

  struct OffsetCommitRequestTopic {
    std::string name;
    Uuid topic_id;
    std::vector<OffsetCommitRequestPartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name, {.until = 9, .ignorable = true});
      v.field("topicId", m.topic_id, {.since = 10, .ignorable = true});
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const OffsetCommitRequestTopic&, const OffsetCommitRequestTopic&) = default;
  };

  std::string group_id;
  int32_t generation_id_or_member_epoch = -1;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  int64_t retention_time_ms = -1;
  std::vector<OffsetCommitRequestTopic> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("generationIdOrMemberEpoch", m.generation_id_or_member_epoch, {}, -1);
    v.field("memberId", m.member_id);
    v.field("groupInstanceId", m.group_instance_id, {.since = 7});
    v.field("retentionTimeMs", m.retention_time_ms, {.until = 4, .ignorable = true}, -1);
    v.field("topics", m.topics);
  }
  friend bool operator==(const OffsetCommitRequest&, const OffsetCommitRequest&) = default;
};

struct OffsetCommitResponse {
  static constexpr std::string_view kName = "OffsetCommitResponse";
  static constexpr Versions kVersions{.key = 8, .min = 2, .max = 10, .flexible_since = 8};

  struct OffsetCommitResponsePartition {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
    }
    friend bool operator==(const OffsetCommitResponsePartition&, const OffsetCommitResponsePartition&) = default;
  };

  struct OffsetCommitResponseTopic {
    std::string name;
    Uuid topic_id;
    std::vector<OffsetCommitResponsePartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name, {.until = 9, .ignorable = true});
      v.field("topicId", m.topic_id, {.since = 10, .ignorable = true});
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const OffsetCommitResponseTopic&, const OffsetCommitResponseTopic&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<OffsetCommitResponseTopic> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 3, .ignorable = true});
    v.field("topics", m.topics);
  }
  friend bool operator==(const OffsetCommitResponse&, const OffsetCommitResponse&) = default;
};

}  // namespace leat
