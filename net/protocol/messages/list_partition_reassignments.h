// list_partition_reassignments.h: ListPartitionReassignments, API key 46, version 0, flexible: moves of replicas under
// way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct ListPartitionReassignmentsRequest {
  static constexpr std::string_view kName = "ListPartitionReassignmentsRequest";
  static constexpr Versions kVersions{.key = 46, .min = 0, .max = 0, .flexible_since = 0};

  struct ListPartitionReassignmentsTopics {
    std::string name;
    std::vector<int32_t> partition_indexes;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitionIndexes", m.partition_indexes);
    }
    friend bool operator==(const ListPartitionReassignmentsTopics&, const ListPartitionReassignmentsTopics&) = default;
  };

  int32_t timeout_ms = 60000;
  std::optional<std::vector<ListPartitionReassignmentsTopics>> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("timeoutMs", m.timeout_ms, {}, 60000);
    v.field("topics", m.topics);
  }
  friend bool operator==(const ListPartitionReassignmentsRequest&, const ListPartitionReassignmentsRequest&) = default;
};

struct ListPartitionReassignmentsResponse {
  static constexpr std::string_view kName = "ListPartitionReassignmentsResponse";
  static constexpr Versions kVersions{.key = 46, .min = 0, .max = 0, .flexible_since = 0};

  struct OngoingPartitionReassignment {
    int32_t partition_index = 0;
    std::vector<int32_t> replicas;
    std::vector<int32_t> adding_replicas;
    std::vector<int32_t> removing_replicas;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("replicas", m.replicas);
      v.field("addingReplicas", m.adding_replicas);
      v.field("removingReplicas", m.removing_replicas);
    }
    friend bool operator==(const OngoingPartitionReassignment&, const OngoingPartitionReassignment&) = default;
  };

  struct OngoingTopicReassignment {
    std::string name;
    std::vector<OngoingPartitionReassignment> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const OngoingTopicReassignment&, const OngoingTopicReassignment&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::vector<OngoingTopicReassignment> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("topics", m.topics);
  }
  friend bool operator==(const ListPartitionReassignmentsResponse&,
                         const ListPartitionReassignmentsResponse&) = default;
};

}  // namespace leat
