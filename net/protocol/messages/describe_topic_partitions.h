// describe_topic_partitions.h: DescribeTopicPartitions, API key 75, version 0, flexible: partitions of topics, page by
// page.
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

struct DescribeTopicPartitionsRequest {
  static constexpr std::string_view kName = "DescribeTopicPartitionsRequest";
  static constexpr Versions kVersions{.key = 75, .min = 0, .max = 0, .flexible_since = 0};

  struct TopicRequest {
    std::string name;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
    }
    friend bool operator==(const TopicRequest&, const TopicRequest&) = default;
  };

  struct Cursor {
    std::string topic_name;
    int32_t partition_index = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicName", m.topic_name);
      v.field("partitionIndex", m.partition_index);
    }
    friend bool operator==(const Cursor&, const Cursor&) = default;
  };

  std::vector<TopicRequest> topics;
  int32_t response_partition_limit = 2000;
  std::optional<Cursor> cursor;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics);
    v.field("responsePartitionLimit", m.response_partition_limit, {}, 2000);
    v.field("cursor", m.cursor);
  }
  friend bool operator==(const DescribeTopicPartitionsRequest&, const DescribeTopicPartitionsRequest&) = default;
};

struct DescribeTopicPartitionsResponse {
  static constexpr std::string_view kName = "DescribeTopicPartitionsResponse";
  static constexpr Versions kVersions{.key = 75, .min = 0, .max = 0, .flexible_since = 0};

  struct DescribeTopicPartitionsResponsePartition {
    ErrorCode error_code = ErrorCode::kNone;
    int32_t partition_index = 0;
    int32_t leader_id = 0;
    int32_t leader_epoch = -1;
    std::vector<int32_t> replica_nodes;
    std::vector<int32_t> isr_nodes;
    std::optional<std::vector<int32_t>> eligible_leader_replicas;
    std::optional<std::vector<int32_t>> last_known_elr;
    std::vector<int32_t> offline_replicas;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("partitionIndex", m.partition_index);
      v.field("leaderId", m.leader_id);
      v.field("leaderEpoch", m.leader_epoch, {}, -1);
      v.field("replicaNodes", m.replica_nodes);
      v.field("isrNodes", m.isr_nodes);
      v.field("eligibleLeaderReplicas", m.eligible_leader_replicas);
      v.field("lastKnownElr", m.last_known_elr);
      v.field("offlineReplicas", m.offline_replicas);
    }
    friend bool operator==(const DescribeTopicPartitionsResponsePartition&,
                           const DescribeTopicPartitionsResponsePartition&) = default;
  };

  struct DescribeTopicPartitionsResponseTopic {
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> name = "";
    Uuid topic_id;
    bool is_internal = false;
    std::vector<DescribeTopicPartitionsResponsePartition> partitions;
    int32_t topic_authorized_operations = INT32_MIN;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("name", m.name, {}, kEmpty);
      v.field("topicId", m.topic_id);
      v.field("isInternal", m.is_internal);
      v.field("partitions", m.partitions);
      v.field("topicAuthorizedOperations", m.topic_authorized_operations, {}, INT32_MIN);
    }
    friend bool operator==(const DescribeTopicPartitionsResponseTopic&,
                           const DescribeTopicPartitionsResponseTopic&) = default;
  };

  struct Cursor {
    std::string topic_name;
    int32_t partition_index = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicName", m.topic_name);
      v.field("partitionIndex", m.partition_index);
    }
    friend bool operator==(const Cursor&, const Cursor&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<DescribeTopicPartitionsResponseTopic> topics;
  std::optional<Cursor> next_cursor;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("topics", m.topics);
    v.field("nextCursor", m.next_cursor);
  }
  friend bool operator==(const DescribeTopicPartitionsResponse&, const DescribeTopicPartitionsResponse&) = default;
};

}  // namespace leat
