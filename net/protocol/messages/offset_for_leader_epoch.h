// offset_for_leader_epoch.h: OffsetForLeaderEpoch, API key 23, versions 2 to 4, flexible since 4: where a leader epoch
// ended: how clients detect truncation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct OffsetForLeaderEpochRequest {
  static constexpr std::string_view kName = "OffsetForLeaderEpochRequest";
  static constexpr Versions kVersions{.key = 23, .min = 2, .max = 4, .flexible_since = 4};

  struct OffsetForLeaderPartition {
    int32_t partition = 0;
    int32_t current_leader_epoch = -1;
    int32_t leader_epoch = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partition", m.partition);
      v.field("currentLeaderEpoch", m.current_leader_epoch, {}, -1);
      v.field("leaderEpoch", m.leader_epoch);
    }
    friend bool operator==(const OffsetForLeaderPartition&, const OffsetForLeaderPartition&) = default;
  };

  struct OffsetForLeaderTopic {
    std::string topic;
    std::vector<OffsetForLeaderPartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topic", m.topic);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const OffsetForLeaderTopic&, const OffsetForLeaderTopic&) = default;
  };

  int32_t replica_id = -2;
  std::vector<OffsetForLeaderTopic> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("replicaId", m.replica_id, {.since = 3, .ignorable = true}, -2);
    v.field("topics", m.topics);
  }
  friend bool operator==(const OffsetForLeaderEpochRequest&, const OffsetForLeaderEpochRequest&) = default;
};

struct OffsetForLeaderEpochResponse {
  static constexpr std::string_view kName = "OffsetForLeaderEpochResponse";
  static constexpr Versions kVersions{.key = 23, .min = 2, .max = 4, .flexible_since = 4};

  struct EpochEndOffset {
    ErrorCode error_code = ErrorCode::kNone;
    int32_t partition = 0;
    int32_t leader_epoch = -1;
    int64_t end_offset = -1;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("partition", m.partition);
      v.field("leaderEpoch", m.leader_epoch, {}, -1);
      v.field("endOffset", m.end_offset, {}, -1);
    }
    friend bool operator==(const EpochEndOffset&, const EpochEndOffset&) = default;
  };

  struct OffsetForLeaderTopicResult {
    std::string topic;
    std::vector<EpochEndOffset> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topic", m.topic);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const OffsetForLeaderTopicResult&, const OffsetForLeaderTopicResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<OffsetForLeaderTopicResult> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("topics", m.topics);
  }
  friend bool operator==(const OffsetForLeaderEpochResponse&, const OffsetForLeaderEpochResponse&) = default;
};

}  // namespace leat
