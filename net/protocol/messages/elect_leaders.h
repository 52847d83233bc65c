// elect_leaders.h: ElectLeaders, API key 43, versions 0 to 2, flexible since 2: preferred (0) or unclean (1) leader
// election.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct ElectLeadersRequest {
  static constexpr std::string_view kName = "ElectLeadersRequest";
  static constexpr Versions kVersions{.key = 43, .min = 0, .max = 2, .flexible_since = 2};

  struct TopicPartitions {
    std::string topic;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topic", m.topic);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TopicPartitions&, const TopicPartitions&) = default;
  };

  int8_t election_type = 0;
  std::optional<std::vector<TopicPartitions>> topic_partitions = std::vector<TopicPartitions>{};
  int32_t timeout_ms = 60000;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("electionType", m.election_type, {.since = 1});
    v.field("topicPartitions", m.topic_partitions, {}, kEmpty);
    v.field("timeoutMs", m.timeout_ms, {}, 60000);
  }
  friend bool operator==(const ElectLeadersRequest&, const ElectLeadersRequest&) = default;
};

struct ElectLeadersResponse {
  static constexpr std::string_view kName = "ElectLeadersResponse";
  static constexpr Versions kVersions{.key = 43, .min = 0, .max = 2, .flexible_since = 2};

  struct PartitionResult {
    int32_t partition_id = 0;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionId", m.partition_id);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
    }
    friend bool operator==(const PartitionResult&, const PartitionResult&) = default;
  };

  struct ReplicaElectionResult {
    std::string topic;
    std::vector<PartitionResult> partition_result;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topic", m.topic);
      v.field("partitionResult", m.partition_result);
    }
    friend bool operator==(const ReplicaElectionResult&, const ReplicaElectionResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::vector<ReplicaElectionResult> replica_election_results;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code, {.since = 1});
    v.field("replicaElectionResults", m.replica_election_results);
  }
  friend bool operator==(const ElectLeadersResponse&, const ElectLeadersResponse&) = default;
};

}  // namespace leat
