// alter_partition_reassignments.h: AlterPartitionReassignments, API key 45, versions 0 to 1, flexible: replicas moved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct AlterPartitionReassignmentsRequest {
  static constexpr std::string_view kName = "AlterPartitionReassignmentsRequest";
  static constexpr Versions kVersions{.key = 45, .min = 0, .max = 1, .flexible_since = 0};

  struct ReassignablePartition {
    int32_t partition_index = 0;
    std::optional<std::vector<int32_t>> replicas;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("replicas", m.replicas);
    }
    friend bool operator==(const ReassignablePartition&, const ReassignablePartition&) = default;
  };

  struct ReassignableTopic {
    std::string name;
    std::vector<ReassignablePartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const ReassignableTopic&, const ReassignableTopic&) = default;
  };

  int32_t timeout_ms = 60000;
  bool allow_replication_factor_change = true;
  std::vector<ReassignableTopic> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("timeoutMs", m.timeout_ms, {}, 60000);
    v.field("allowReplicationFactorChange", m.allow_replication_factor_change, {.since = 1}, true);
    v.field("topics", m.topics);
  }
  friend bool operator==(const AlterPartitionReassignmentsRequest&,
                         const AlterPartitionReassignmentsRequest&) = default;
};

struct AlterPartitionReassignmentsResponse {
  static constexpr std::string_view kName = "AlterPartitionReassignmentsResponse";
  static constexpr Versions kVersions{.key = 45, .min = 0, .max = 1, .flexible_since = 0};

  struct ReassignablePartitionResponse {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
    }
    friend bool operator==(const ReassignablePartitionResponse&, const ReassignablePartitionResponse&) = default;
  };

  struct ReassignableTopicResponse {
    std::string name;
    std::vector<ReassignablePartitionResponse> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const ReassignableTopicResponse&, const ReassignableTopicResponse&) = default;
  };

  int32_t throttle_time_ms = 0;
  bool allow_replication_factor_change = true;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::vector<ReassignableTopicResponse> responses;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("allowReplicationFactorChange", m.allow_replication_factor_change, {.since = 1, .ignorable = true}, true);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("responses", m.responses);
  }
  friend bool operator==(const AlterPartitionReassignmentsResponse&,
                         const AlterPartitionReassignmentsResponse&) = default;
};

}  // namespace leat
