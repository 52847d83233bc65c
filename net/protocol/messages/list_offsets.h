// list_offsets.h: ListOffsets, API key 2, versions 1 to 11, flexible since 6: offsets by timestamp, and the special
// ones: earliest -2, latest -1, max timestamp -3, local ones -4 and below.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct ListOffsetsRequest {
  static constexpr std::string_view kName = "ListOffsetsRequest";
  static constexpr Versions kVersions{.key = 2, .min = 1, .max = 11, .flexible_since = 6};

  struct ListOffsetsPartition {
    int32_t partition_index = 0;
    int32_t current_leader_epoch = -1;
    int64_t timestamp = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("currentLeaderEpoch", m.current_leader_epoch, {.since = 4, .ignorable = true}, -1);
      v.field("timestamp", m.timestamp);
    }
    friend bool operator==(const ListOffsetsPartition&, const ListOffsetsPartition&) = default;
  };

  struct ListOffsetsTopic {
    std::string name;
    std::vector<ListOffsetsPartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const ListOffsetsTopic&, const ListOffsetsTopic&) = default;
  };

  int32_t replica_id = 0;
  int8_t isolation_level = 0;
  std::vector<ListOffsetsTopic> topics;
  int32_t timeout_ms = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("replicaId", m.replica_id);
    v.field("isolationLevel", m.isolation_level, {.since = 2});
    v.field("topics", m.topics);
    v.field("timeoutMs", m.timeout_ms, {.since = 10, .ignorable = true});
  }
  friend bool operator==(const ListOffsetsRequest&, const ListOffsetsRequest&) = default;
};

struct ListOffsetsResponse {
  static constexpr std::string_view kName = "ListOffsetsResponse";
  static constexpr Versions kVersions{.key = 2, .min = 1, .max = 11, .flexible_since = 6};

  struct ListOffsetsPartitionResponse {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;
    int64_t timestamp = -1;
    int64_t offset = -1;
    int32_t leader_epoch = -1;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
      v.field("timestamp", m.timestamp, {}, -1);
      v.field("offset", m.offset, {}, -1);
      v.field("leaderEpoch", m.leader_epoch, {.since = 4}, -1);
    }
    friend bool operator==(const ListOffsetsPartitionResponse&, const ListOffsetsPartitionResponse&) = default;
  };

  struct ListOffsetsTopicResponse {
    std::string name;
    std::vector<ListOffsetsPartitionResponse> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const ListOffsetsTopicResponse&, const ListOffsetsTopicResponse&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<ListOffsetsTopicResponse> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 2, .ignorable = true});
    v.field("topics", m.topics);
  }
  friend bool operator==(const ListOffsetsResponse&, const ListOffsetsResponse&) = default;
};

}  // namespace leat
