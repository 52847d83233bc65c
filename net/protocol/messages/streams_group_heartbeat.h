// streams_group_heartbeat.h: StreamsGroupHeartbeat, API key 88, versions 0 to 1, flexible: the one call of members of
// streams groups (KIP-1071).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct StreamsGroupHeartbeatRequest {
  static constexpr std::string_view kName = "StreamsGroupHeartbeatRequest";
  static constexpr Versions kVersions{.key = 88, .min = 0, .max = 1, .flexible_since = 0};

  struct KeyValue {
    std::string key;
    std::string value;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("key", m.key);
      v.field("value", m.value);
    }
    friend bool operator==(const KeyValue&, const KeyValue&) = default;
  };

  struct TopicInfo {
    std::string name;
    int32_t partitions = 0;
    int16_t replication_factor = 0;
    std::vector<KeyValue> topic_configs;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
      v.field("replicationFactor", m.replication_factor);
      v.field("topicConfigs", m.topic_configs);
    }
    friend bool operator==(const TopicInfo&, const TopicInfo&) = default;
  };

  struct CopartitionGroup {
    std::vector<int16_t> source_topics;
    std::vector<int16_t> source_topic_regex;
    std::vector<int16_t> repartition_source_topics;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("sourceTopics", m.source_topics);
      v.field("sourceTopicRegex", m.source_topic_regex);
      v.field("repartitionSourceTopics", m.repartition_source_topics);
    }
    friend bool operator==(const CopartitionGroup&, const CopartitionGroup&) = default;
  };

  struct Subtopology {
    std::string subtopology_id;
    std::vector<std::string> source_topics;
    std::vector<std::string> source_topic_regex;
    std::vector<TopicInfo> state_changelog_topics;
    std::vector<std::string> repartition_sink_topics;
    std::vector<TopicInfo> repartition_source_topics;
    std::vector<CopartitionGroup> copartition_groups;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("subtopologyId", m.subtopology_id);
      v.field("sourceTopics", m.source_topics);
      v.field("sourceTopicRegex", m.source_topic_regex);
      v.field("stateChangelogTopics", m.state_changelog_topics);
      v.field("repartitionSinkTopics", m.repartition_sink_topics);
      v.field("repartitionSourceTopics", m.repartition_source_topics);
      v.field("copartitionGroups", m.copartition_groups);
    }
    friend bool operator==(const Subtopology&, const Subtopology&) = default;
  };

  struct Topology {
    int32_t epoch = 0;
    std::vector<Subtopology> subtopologies;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("epoch", m.epoch);
      v.field("subtopologies", m.subtopologies);
    }
    friend bool operator==(const Topology&, const Topology&) = default;
  };

  struct TaskIds {
    std::string subtopology_id;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("subtopologyId", m.subtopology_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TaskIds&, const TaskIds&) = default;
  };

  struct Endpoint {
    std::string host;
    uint16_t port = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("host", m.host);
      v.field("port", m.port);
    }
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
  };

  struct TaskOffset {
    std::string subtopology_id;
    int32_t partition = 0;
    int64_t offset = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("subtopologyId", m.subtopology_id);
      v.field("partition", m.partition);
      v.field("offset", m.offset);
    }
    friend bool operator==(const TaskOffset&, const TaskOffset&) = default;
  };

  std::string group_id;
  std::string member_id;
  int32_t member_epoch = 0;
  int32_t endpoint_information_epoch = 0;
  std::optional<std::string> instance_id;
  std::optional<std::string> rack_id;
  int32_t rebalance_timeout_ms = -1;
  std::optional<Topology> topology;
  std::optional<std::vector<TaskIds>> active_tasks;
  std::optional<std::vector<TaskIds>> standby_tasks;
  std::optional<std::vector<TaskIds>> warmup_tasks;
  std::optional<std::string> process_id;
  std::optional<Endpoint> user_endpoint;
  std::optional<std::vector<KeyValue>> client_tags;
  std::optional<std::vector<TaskOffset>> task_offsets;
  std::optional<std::vector<TaskOffset>> task_end_offsets;
  bool shutdown_application = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
    v.field("memberEpoch", m.member_epoch);
    v.field("endpointInformationEpoch", m.endpoint_information_epoch);
    v.field("instanceId", m.instance_id);
    v.field("rackId", m.rack_id);
    v.field("rebalanceTimeoutMs", m.rebalance_timeout_ms, {}, -1);
    v.field("topology", m.topology);
    v.field("activeTasks", m.active_tasks);
    v.field("standbyTasks", m.standby_tasks);
    v.field("warmupTasks", m.warmup_tasks);
    v.field("processId", m.process_id);
    v.field("userEndpoint", m.user_endpoint);
    v.field("clientTags", m.client_tags);
    v.field("taskOffsets", m.task_offsets);
    v.field("taskEndOffsets", m.task_end_offsets);
    v.field("shutdownApplication", m.shutdown_application);
  }
  friend bool operator==(const StreamsGroupHeartbeatRequest&, const StreamsGroupHeartbeatRequest&) = default;
};

struct StreamsGroupHeartbeatResponse {
  static constexpr std::string_view kName = "StreamsGroupHeartbeatResponse";
  static constexpr Versions kVersions{.key = 88, .min = 0, .max = 1, .flexible_since = 0};

  struct Status {
    int8_t status_code = 0;
    std::string status_detail;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("statusCode", m.status_code);
      v.field("statusDetail", m.status_detail);
    }
    friend bool operator==(const Status&, const Status&) = default;
  };

  struct TaskIds {
    std::string subtopology_id;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("subtopologyId", m.subtopology_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TaskIds&, const TaskIds&) = default;
  };

  struct Endpoint {
    std::string host;
    uint16_t port = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("host", m.host);
      v.field("port", m.port);
    }
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
  };

  struct TopicPartition {
    std::string topic;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topic", m.topic);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TopicPartition&, const TopicPartition&) = default;
  };

  struct EndpointToPartitions {
    Endpoint user_endpoint;
    std::vector<TopicPartition> active_partitions;
    std::vector<TopicPartition> standby_partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("userEndpoint", m.user_endpoint);
      v.field("activePartitions", m.active_partitions);
      v.field("standbyPartitions", m.standby_partitions);
    }
    friend bool operator==(const EndpointToPartitions&, const EndpointToPartitions&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::string member_id;
  int32_t member_epoch = 0;
  int32_t heartbeat_interval_ms = 0;
  int32_t acceptable_recovery_lag_legacy = 0;
  int32_t task_offset_interval_ms = 0;
  int64_t acceptable_recovery_lag = -1;
  std::optional<std::vector<Status>> status = std::vector<Status>{};
  std::optional<std::vector<TaskIds>> active_tasks;
  std::optional<std::vector<TaskIds>> standby_tasks;
  std::optional<std::vector<TaskIds>> warmup_tasks;
  bool topology_description_required = false;
  int32_t endpoint_information_epoch = 0;
  std::optional<std::vector<EndpointToPartitions>> partitions_by_user_endpoint;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("memberId", m.member_id);
    v.field("memberEpoch", m.member_epoch);
    v.field("heartbeatIntervalMs", m.heartbeat_interval_ms);
    v.field("acceptableRecoveryLagLegacy", m.acceptable_recovery_lag_legacy, {.until = 0});
    v.field("taskOffsetIntervalMs", m.task_offset_interval_ms);
    v.field("acceptableRecoveryLag", m.acceptable_recovery_lag, {.since = 1, .ignorable = true}, -1);
    v.field("status", m.status, {}, kEmpty);
    v.field("activeTasks", m.active_tasks);
    v.field("standbyTasks", m.standby_tasks);
    v.field("warmupTasks", m.warmup_tasks);
    v.field("topologyDescriptionRequired", m.topology_description_required, {.since = 1});
    v.field("endpointInformationEpoch", m.endpoint_information_epoch);
    v.field("partitionsByUserEndpoint", m.partitions_by_user_endpoint);
  }
  friend bool operator==(const StreamsGroupHeartbeatResponse&, const StreamsGroupHeartbeatResponse&) = default;
};

}  // namespace leat
