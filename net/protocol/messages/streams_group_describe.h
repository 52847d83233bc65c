// streams_group_describe.h: StreamsGroupDescribe, API key 89, versions 0 to 1, flexible: streams groups with topology,
// members and tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct StreamsGroupDescribeRequest {
  static constexpr std::string_view kName = "StreamsGroupDescribeRequest";
  static constexpr Versions kVersions{.key = 89, .min = 0, .max = 1, .flexible_since = 0};

  std::vector<std::string> group_ids;
  bool include_authorized_operations = false;
  bool include_topology_description = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupIds", m.group_ids);
    v.field("includeAuthorizedOperations", m.include_authorized_operations);
    v.field("includeTopologyDescription", m.include_topology_description, {.since = 1});
  }
  friend bool operator==(const StreamsGroupDescribeRequest&, const StreamsGroupDescribeRequest&) = default;
};

struct StreamsGroupDescribeResponse {
  static constexpr std::string_view kName = "StreamsGroupDescribeResponse";
  static constexpr Versions kVersions{.key = 89, .min = 0, .max = 1, .flexible_since = 0};

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

  struct Subtopology {
    std::string subtopology_id;
    std::vector<std::string> source_topics;
    std::vector<std::string> repartition_sink_topics;
    std::vector<TopicInfo> state_changelog_topics;
    std::vector<TopicInfo> repartition_source_topics;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("subtopologyId", m.subtopology_id);
      v.field("sourceTopics", m.source_topics);
      v.field("repartitionSinkTopics", m.repartition_sink_topics);
      v.field("stateChangelogTopics", m.state_changelog_topics);
      v.field("repartitionSourceTopics", m.repartition_source_topics);
    }
    friend bool operator==(const Subtopology&, const Subtopology&) = default;
  };

  struct Topology {
    int32_t epoch = 0;
    std::optional<std::vector<Subtopology>> subtopologies;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("epoch", m.epoch);
      v.field("subtopologies", m.subtopologies);
    }
    friend bool operator==(const Topology&, const Topology&) = default;
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

  struct Assignment {
    std::vector<TaskIds> active_tasks;
    std::vector<TaskIds> standby_tasks;
    std::vector<TaskIds> warmup_tasks;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("activeTasks", m.active_tasks);
      v.field("standbyTasks", m.standby_tasks);
      v.field("warmupTasks", m.warmup_tasks);
    }
    friend bool operator==(const Assignment&, const Assignment&) = default;
  };

  struct Member {
    std::string member_id;
    int32_t member_epoch = 0;
    std::optional<std::string> instance_id;
    std::optional<std::string> rack_id;
    std::string client_id;
    std::string client_host;
    int32_t topology_epoch = 0;
    std::string process_id;
    std::optional<Endpoint> user_endpoint;
    std::vector<KeyValue> client_tags;
    std::vector<TaskOffset> task_offsets;
    std::vector<TaskOffset> task_end_offsets;
    Assignment assignment;
    Assignment target_assignment;
    bool is_classic = false;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("memberId", m.member_id);
      v.field("memberEpoch", m.member_epoch);
      v.field("instanceId", m.instance_id);
      v.field("rackId", m.rack_id);
      v.field("clientId", m.client_id);
      v.field("clientHost", m.client_host);
      v.field("topologyEpoch", m.topology_epoch);
      v.field("processId", m.process_id);
      v.field("userEndpoint", m.user_endpoint);
      v.field("clientTags", m.client_tags);
      v.field("taskOffsets", m.task_offsets);
      v.field("taskEndOffsets", m.task_end_offsets);
      v.field("assignment", m.assignment);
      v.field("targetAssignment", m.target_assignment);
      v.field("isClassic", m.is_classic);
    }
    friend bool operator==(const Member&, const Member&) = default;
  };

  struct TopologyDescriptionNode {
    std::string name;
    int8_t node_type = 0;
    std::vector<std::string> source_topics;
    std::optional<std::string> sink_topic;
    std::vector<std::string> stores;
    std::vector<std::string> successors;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("nodeType", m.node_type);
      v.field("sourceTopics", m.source_topics);
      v.field("sinkTopic", m.sink_topic);
      v.field("stores", m.stores);
      v.field("successors", m.successors);
    }
    friend bool operator==(const TopologyDescriptionNode&, const TopologyDescriptionNode&) = default;
  };

  struct TopologyDescriptionSubtopology {
    std::string subtopology_id;
    std::vector<TopologyDescriptionNode> nodes;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("subtopologyId", m.subtopology_id);
      v.field("nodes", m.nodes);
    }
    friend bool operator==(const TopologyDescriptionSubtopology&, const TopologyDescriptionSubtopology&) = default;
  };

  struct TopologyDescriptionGlobalStore {
    TopologyDescriptionNode source;
    TopologyDescriptionNode processor;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("source", m.source);
      v.field("processor", m.processor);
    }
    friend bool operator==(const TopologyDescriptionGlobalStore&, const TopologyDescriptionGlobalStore&) = default;
  };

  struct TopologyDescription {
    std::vector<TopologyDescriptionSubtopology> subtopologies;
    std::vector<TopologyDescriptionGlobalStore> global_stores;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("subtopologies", m.subtopologies);
      v.field("globalStores", m.global_stores);
    }
    friend bool operator==(const TopologyDescription&, const TopologyDescription&) = default;
  };

  struct DescribedGroup {
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    std::string group_id;
    std::string group_state;
    int32_t group_epoch = 0;
    int32_t assignment_epoch = 0;
    std::optional<Topology> topology;
    std::vector<Member> members;
    int32_t authorized_operations = INT32_MIN;
    std::optional<TopologyDescription> topology_description;
    int8_t topology_description_status = 0;
    std::optional<std::string> assignor_name;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("groupId", m.group_id);
      v.field("groupState", m.group_state);
      v.field("groupEpoch", m.group_epoch);
      v.field("assignmentEpoch", m.assignment_epoch);
      v.field("topology", m.topology);
      v.field("members", m.members);
      v.field("authorizedOperations", m.authorized_operations, {}, INT32_MIN);
      v.field("topologyDescription", m.topology_description, {.since = 1});
      v.field("topologyDescriptionStatus", m.topology_description_status, {.since = 1});
      v.field("assignorName", m.assignor_name, {.since = 1, .ignorable = true});
    }
    friend bool operator==(const DescribedGroup&, const DescribedGroup&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<DescribedGroup> groups;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("groups", m.groups);
  }
  friend bool operator==(const StreamsGroupDescribeResponse&, const StreamsGroupDescribeResponse&) = default;
};

}  // namespace leat
