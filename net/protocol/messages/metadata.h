// metadata.h: Metadata, API key 3, versions 0 to 13, flexible since 9: brokers, topics and partition leaders; it may
// create topics.
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

struct MetadataRequest {
  static constexpr std::string_view kName = "MetadataRequest";
  static constexpr Versions kVersions{.key = 3, .min = 0, .max = 13, .flexible_since = 9};

  struct MetadataRequestTopic {
    Uuid topic_id;
    std::optional<std::string> name = "";

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id, {.since = 10, .ignorable = true});
      v.field("name", m.name, {.null_since = 10}, kEmpty);
    }
    friend bool operator==(const MetadataRequestTopic&, const MetadataRequestTopic&) = default;
  };

  std::optional<std::vector<MetadataRequestTopic>> topics = std::vector<MetadataRequestTopic>{};
  bool allow_auto_topic_creation = true;
  bool include_cluster_authorized_operations = false;
  bool include_topic_authorized_operations = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics, {.null_since = 1}, kEmpty);
    v.field("allowAutoTopicCreation", m.allow_auto_topic_creation, {.since = 4}, true);
    v.field("includeClusterAuthorizedOperations", m.include_cluster_authorized_operations, {.since = 8, .until = 10});
    v.field("includeTopicAuthorizedOperations", m.include_topic_authorized_operations, {.since = 8});
  }
  friend bool operator==(const MetadataRequest&, const MetadataRequest&) = default;
};

struct MetadataResponse {
  static constexpr std::string_view kName = "MetadataResponse";
  static constexpr Versions kVersions{.key = 3, .min = 0, .max = 13, .flexible_since = 9};

  struct MetadataResponseBroker {
    int32_t node_id = 0;
    std::string host;
    int32_t port = 0;
    std::optional<std::string> rack;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("nodeId", m.node_id);
      v.field("host", m.host);
      v.field("port", m.port);
      v.field("rack", m.rack, {.since = 1, .ignorable = true});
    }
    friend bool operator==(const MetadataResponseBroker&, const MetadataResponseBroker&) = default;
  };

  struct MetadataResponsePartition {
    ErrorCode error_code = ErrorCode::kNone;
    int32_t partition_index = 0;
    int32_t leader_id = 0;
    int32_t leader_epoch = -1;
    std::vector<int32_t> replica_nodes;
    std::vector<int32_t> isr_nodes;
    std::vector<int32_t> offline_replicas;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("partitionIndex", m.partition_index);
      v.field("leaderId", m.leader_id);
      v.field("leaderEpoch", m.leader_epoch, {.since = 7, .ignorable = true}, -1);
      v.field("replicaNodes", m.replica_nodes);
      v.field("isrNodes", m.isr_nodes);
      v.field("offlineReplicas", m.offline_replicas, {.since = 5, .ignorable = true});
    }
    friend bool operator==(const MetadataResponsePartition&, const MetadataResponsePartition&) = default;
  };

  struct MetadataResponseTopic {
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> name = "";
    Uuid topic_id;
    bool is_internal = false;
    std::vector<MetadataResponsePartition> partitions;
    int32_t topic_authorized_operations = INT32_MIN;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("name", m.name, {.null_since = 12}, kEmpty);
      v.field("topicId", m.topic_id, {.since = 10, .ignorable = true});
      v.field("isInternal", m.is_internal, {.since = 1, .ignorable = true});
      v.field("partitions", m.partitions);
      v.field("topicAuthorizedOperations", m.topic_authorized_operations, {.since = 8}, INT32_MIN);
    }
    friend bool operator==(const MetadataResponseTopic&, const MetadataResponseTopic&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<MetadataResponseBroker> brokers;
  std::optional<std::string> cluster_id;
  int32_t controller_id = -1;
  std::vector<MetadataResponseTopic> topics;
  int32_t cluster_authorized_operations = INT32_MIN;
  ErrorCode error_code = ErrorCode::kNone;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 3, .ignorable = true});
    v.field("brokers", m.brokers);
    v.field("clusterId", m.cluster_id, {.since = 2, .ignorable = true});
    v.field("controllerId", m.controller_id, {.since = 1, .ignorable = true}, -1);
    v.field("topics", m.topics);
    v.field("clusterAuthorizedOperations", m.cluster_authorized_operations, {.since = 8, .until = 10}, INT32_MIN);
    v.field("errorCode", m.error_code, {.since = 13, .ignorable = true});
  }
  friend bool operator==(const MetadataResponse&, const MetadataResponse&) = default;
};

}  // namespace leat
