// txn_offset_commit.h: TxnOffsetCommit, API key 28, versions 0 to 6, flexible since 3: offsets committed in a
// transaction.
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

struct TxnOffsetCommitRequest {
  static constexpr std::string_view kName = "TxnOffsetCommitRequest";
  static constexpr Versions kVersions{.key = 28, .min = 0, .max = 6, .flexible_since = 3};

  struct TxnOffsetCommitRequestPartition {
    int32_t partition_index = 0;
    int64_t committed_offset = 0;
    int32_t committed_leader_epoch = -1;
    std::optional<std::string> committed_metadata = "";

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("committedOffset", m.committed_offset);
      v.field("committedLeaderEpoch", m.committed_leader_epoch, {.since = 2, .ignorable = true}, -1);
      v.field("committedMetadata", m.committed_metadata, {}, kEmpty);
    }
    friend bool operator==(const TxnOffsetCommitRequestPartition&, const TxnOffsetCommitRequestPartition&) = default;
  };

  struct TxnOffsetCommitRequestTopic {
    std::string name;
    Uuid topic_id;
    std::vector<TxnOffsetCommitRequestPartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name, {.until = 5, .ignorable = true});
      v.field("topicId", m.topic_id, {.since = 6, .ignorable = true});
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TxnOffsetCommitRequestTopic&, const TxnOffsetCommitRequestTopic&) = default;
  };

  std::string transactional_id;
  std::string group_id;
  int64_t producer_id = 0;
  int16_t producer_epoch = 0;
  int32_t generation_id_or_member_epoch = -1;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::vector<TxnOffsetCommitRequestTopic> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("transactionalId", m.transactional_id);
    v.field("groupId", m.group_id);
    v.field("producerId", m.producer_id);
    v.field("producerEpoch", m.producer_epoch);
    v.field("generationIdOrMemberEpoch", m.generation_id_or_member_epoch, {.since = 3}, -1);
    v.field("memberId", m.member_id, {.since = 3});
    v.field("groupInstanceId", m.group_instance_id, {.since = 3});
    v.field("topics", m.topics);
  }
  friend bool operator==(const TxnOffsetCommitRequest&, const TxnOffsetCommitRequest&) = default;
};

struct TxnOffsetCommitResponse {
  static constexpr std::string_view kName = "TxnOffsetCommitResponse";
  static constexpr Versions kVersions{.key = 28, .min = 0, .max = 6, .flexible_since = 3};

  struct TxnOffsetCommitResponsePartition {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
    }
    friend bool operator==(const TxnOffsetCommitResponsePartition&, const TxnOffsetCommitResponsePartition&) = default;
  };

  struct TxnOffsetCommitResponseTopic {
    std::string name;
    Uuid topic_id;
    std::vector<TxnOffsetCommitResponsePartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name, {.until = 5, .ignorable = true});
      v.field("topicId", m.topic_id, {.since = 6, .ignorable = true});
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TxnOffsetCommitResponseTopic&, const TxnOffsetCommitResponseTopic&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<TxnOffsetCommitResponseTopic> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("topics", m.topics);
  }
  friend bool operator==(const TxnOffsetCommitResponse&, const TxnOffsetCommitResponse&) = default;
};

}  // namespace leat
