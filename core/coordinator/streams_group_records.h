// streams_group_records.h: Records of `__consumer_offsets`, types 17 and 19 to 23: streams groups (KIP-1071). Keys and
// values have an int16 before them: core/codec/prefixed.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"

namespace leat {

struct StreamsGroupMetadataKey {
  static constexpr std::string_view kName = "StreamsGroupMetadataKey";
  static constexpr Versions kVersions{.key = 17, .min = 0, .max = 0};

  std::string group_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
  }
  friend bool operator==(const StreamsGroupMetadataKey&, const StreamsGroupMetadataKey&) = default;
};

struct StreamsGroupMetadataValue {
  static constexpr std::string_view kName = "StreamsGroupMetadataValue";
  static constexpr Versions kVersions{.key = 17, .min = 0, .max = 0, .flexible_since = 0};

  struct LastAssignmentConfig {
    std::string key;
    std::string value;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("key", m.key);
      v.field("value", m.value);
    }
    friend bool operator==(const LastAssignmentConfig&, const LastAssignmentConfig&) = default;
  };

  int32_t epoch = 0;
  int64_t metadata_hash = 0;
  int32_t validated_topology_epoch = -1;
  std::optional<std::vector<LastAssignmentConfig>> last_assignment_configs = std::vector<LastAssignmentConfig>{};
  int32_t stored_description_topology_epoch = -1;
  int32_t failed_description_topology_epoch = -1;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("epoch", m.epoch);
    v.field("metadataHash", m.metadata_hash);
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "validatedTopologyEpoch", m.validated_topology_epoch, {}, -1);
    v.tagged(1, "lastAssignmentConfigs", m.last_assignment_configs, {}, kEmpty);
    v.tagged(2, "storedDescriptionTopologyEpoch", m.stored_description_topology_epoch, {}, -1);
    v.tagged(3, "failedDescriptionTopologyEpoch", m.failed_description_topology_epoch, {}, -1);
  }
  friend bool operator==(const StreamsGroupMetadataValue&, const StreamsGroupMetadataValue&) = default;
};

struct StreamsGroupMemberMetadataKey {
  static constexpr std::string_view kName = "StreamsGroupMemberMetadataKey";
  static constexpr Versions kVersions{.key = 19, .min = 0, .max = 0};

  std::string group_id;
  std::string member_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
  }
  friend bool operator==(const StreamsGroupMemberMetadataKey&, const StreamsGroupMemberMetadataKey&) = default;
};

struct StreamsGroupMemberMetadataValue {
  static constexpr std::string_view kName = "StreamsGroupMemberMetadataValue";
  static constexpr Versions kVersions{.key = 19, .min = 0, .max = 0, .flexible_since = 0};

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

  std::optional<std::string> instance_id = "";
  std::optional<std::string> rack_id = "";
  std::string client_id;
  std::string client_host;
  int32_t rebalance_timeout_ms = -1;
  int32_t topology_epoch = 0;
  std::string process_id;
  std::optional<Endpoint> user_endpoint;
  std::vector<KeyValue> client_tags;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("instanceId", m.instance_id, {}, kEmpty);
    v.field("rackId", m.rack_id, {}, kEmpty);
    v.field("clientId", m.client_id);
    v.field("clientHost", m.client_host);
    v.field("rebalanceTimeoutMs", m.rebalance_timeout_ms, {}, -1);
    v.field("topologyEpoch", m.topology_epoch);
    v.field("processId", m.process_id);
    v.field("userEndpoint", m.user_endpoint);
    v.field("clientTags", m.client_tags);
  }
  friend bool operator==(const StreamsGroupMemberMetadataValue&, const StreamsGroupMemberMetadataValue&) = default;
};

struct StreamsGroupTargetAssignmentMetadataKey {
  static constexpr std::string_view kName = "StreamsGroupTargetAssignmentMetadataKey";
  static constexpr Versions kVersions{.key = 20, .min = 0, .max = 0};

  std::string group_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
  }
  friend bool operator==(const StreamsGroupTargetAssignmentMetadataKey&,
                         const StreamsGroupTargetAssignmentMetadataKey&) = default;
};

struct StreamsGroupTargetAssignmentMetadataValue {
  static constexpr std::string_view kName = "StreamsGroupTargetAssignmentMetadataValue";
  static constexpr Versions kVersions{.key = 20, .min = 0, .max = 0, .flexible_since = 0};

  int32_t assignment_epoch = 0;
  int64_t assignment_timestamp = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("assignmentEpoch", m.assignment_epoch);
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "assignmentTimestamp", m.assignment_timestamp);
  }
  friend bool operator==(const StreamsGroupTargetAssignmentMetadataValue&,
                         const StreamsGroupTargetAssignmentMetadataValue&) = default;
};

struct StreamsGroupTargetAssignmentMemberKey {
  static constexpr std::string_view kName = "StreamsGroupTargetAssignmentMemberKey";
  static constexpr Versions kVersions{.key = 21, .min = 0, .max = 0};

  std::string group_id;
  std::string member_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
  }
  friend bool operator==(const StreamsGroupTargetAssignmentMemberKey&,
                         const StreamsGroupTargetAssignmentMemberKey&) = default;
};

struct StreamsGroupTargetAssignmentMemberValue {
  static constexpr std::string_view kName = "StreamsGroupTargetAssignmentMemberValue";
  static constexpr Versions kVersions{.key = 21, .min = 0, .max = 0, .flexible_since = 0};

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

  std::vector<TaskIds> active_tasks;
  std::vector<TaskIds> standby_tasks;
  std::vector<TaskIds> warmup_tasks;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("activeTasks", m.active_tasks);
    v.field("standbyTasks", m.standby_tasks);
    v.field("warmupTasks", m.warmup_tasks);
  }
  friend bool operator==(const StreamsGroupTargetAssignmentMemberValue&,
                         const StreamsGroupTargetAssignmentMemberValue&) = default;
};

struct StreamsGroupCurrentMemberAssignmentKey {
  static constexpr std::string_view kName = "StreamsGroupCurrentMemberAssignmentKey";
  static constexpr Versions kVersions{.key = 22, .min = 0, .max = 0};

  std::string group_id;
  std::string member_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
  }
  friend bool operator==(const StreamsGroupCurrentMemberAssignmentKey&,
                         const StreamsGroupCurrentMemberAssignmentKey&) = default;
};

struct StreamsGroupCurrentMemberAssignmentValue {
  static constexpr std::string_view kName = "StreamsGroupCurrentMemberAssignmentValue";
  static constexpr Versions kVersions{.key = 22, .min = 0, .max = 0, .flexible_since = 0};

  struct TaskIds {
    std::string subtopology_id;
    std::vector<int32_t> partitions;
    std::optional<std::vector<int32_t>> assignment_epochs = std::vector<int32_t>{};

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("subtopologyId", m.subtopology_id);
      v.field("partitions", m.partitions);
    }
    template <class Self, class Visitor>
    static void visit_tags(Self& m, Visitor& v) {
      v.tagged(0, "assignmentEpochs", m.assignment_epochs, {}, kEmpty);
    }
    friend bool operator==(const TaskIds&, const TaskIds&) = default;
  };

  int32_t member_epoch = 0;
  int32_t previous_member_epoch = 0;
  int8_t state = 0;
  std::vector<TaskIds> active_tasks;
  std::vector<TaskIds> standby_tasks;
  std::vector<TaskIds> warmup_tasks;
  std::vector<TaskIds> active_tasks_pending_revocation;
  std::vector<TaskIds> standby_tasks_pending_revocation;
  std::vector<TaskIds> warmup_tasks_pending_revocation;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("memberEpoch", m.member_epoch);
    v.field("previousMemberEpoch", m.previous_member_epoch);
    v.field("state", m.state);
    v.field("activeTasks", m.active_tasks);
    v.field("standbyTasks", m.standby_tasks);
    v.field("warmupTasks", m.warmup_tasks);
    v.field("activeTasksPendingRevocation", m.active_tasks_pending_revocation);
    v.field("standbyTasksPendingRevocation", m.standby_tasks_pending_revocation);
    v.field("warmupTasksPendingRevocation", m.warmup_tasks_pending_revocation);
  }
  friend bool operator==(const StreamsGroupCurrentMemberAssignmentValue&,
                         const StreamsGroupCurrentMemberAssignmentValue&) = default;
};

struct StreamsGroupTopologyKey {
  static constexpr std::string_view kName = "StreamsGroupTopologyKey";
  static constexpr Versions kVersions{.key = 23, .min = 0, .max = 0};

  std::string group_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
  }
  friend bool operator==(const StreamsGroupTopologyKey&, const StreamsGroupTopologyKey&) = default;
};

struct StreamsGroupTopologyValue {
  static constexpr std::string_view kName = "StreamsGroupTopologyValue";
  static constexpr Versions kVersions{.key = 23, .min = 0, .max = 0, .flexible_since = 0};

  struct TopicConfig {
    std::string key;
    std::string value;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("key", m.key);
      v.field("value", m.value);
    }
    friend bool operator==(const TopicConfig&, const TopicConfig&) = default;
  };

  struct TopicInfo {
    std::string name;
    int32_t partitions = 0;
    int16_t replication_factor = 0;
    std::vector<TopicConfig> topic_configs;

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

  int32_t epoch = 0;
  std::vector<Subtopology> subtopologies;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("epoch", m.epoch);
    v.field("subtopologies", m.subtopologies);
  }
  friend bool operator==(const StreamsGroupTopologyValue&, const StreamsGroupTopologyValue&) = default;
};

}  // namespace leat
