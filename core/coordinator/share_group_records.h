// share_group_records.h: Records of `__consumer_offsets`, types 10 to 15: share groups (KIP-932); and of
// `__share_group_state`, types 0 and 1: their positions. Keys and values have an int16 before them:
// core/codec/prefixed.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/uuid.h"
#include "core/codec/schema.h"

namespace leat {

struct ShareGroupMemberMetadataKey {
  static constexpr std::string_view kName = "ShareGroupMemberMetadataKey";
  static constexpr Versions kVersions{.key = 10, .min = 0, .max = 0};

  std::string group_id;
  std::string member_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
  }
  friend bool operator==(const ShareGroupMemberMetadataKey&, const ShareGroupMemberMetadataKey&) = default;
};

struct ShareGroupMemberMetadataValue {
  static constexpr std::string_view kName = "ShareGroupMemberMetadataValue";
  static constexpr Versions kVersions{.key = 10, .min = 0, .max = 0, .flexible_since = 0};

  std::optional<std::string> rack_id = "";
  std::string client_id;
  std::string client_host;
  std::vector<std::string> subscribed_topic_names;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("rackId", m.rack_id, {}, kEmpty);
    v.field("clientId", m.client_id);
    v.field("clientHost", m.client_host);
    v.field("subscribedTopicNames", m.subscribed_topic_names);
  }
  friend bool operator==(const ShareGroupMemberMetadataValue&, const ShareGroupMemberMetadataValue&) = default;
};

struct ShareGroupMetadataKey {
  static constexpr std::string_view kName = "ShareGroupMetadataKey";
  static constexpr Versions kVersions{.key = 11, .min = 0, .max = 0};

  std::string group_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
  }
  friend bool operator==(const ShareGroupMetadataKey&, const ShareGroupMetadataKey&) = default;
};

struct ShareGroupMetadataValue {
  static constexpr std::string_view kName = "ShareGroupMetadataValue";
  static constexpr Versions kVersions{.key = 11, .min = 0, .max = 0, .flexible_since = 0};

  int32_t epoch = 0;
  int64_t metadata_hash = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("epoch", m.epoch);
    v.field("metadataHash", m.metadata_hash);
  }
  friend bool operator==(const ShareGroupMetadataValue&, const ShareGroupMetadataValue&) = default;
};

struct ShareGroupTargetAssignmentMetadataKey {
  static constexpr std::string_view kName = "ShareGroupTargetAssignmentMetadataKey";
  static constexpr Versions kVersions{.key = 12, .min = 0, .max = 0};

  std::string group_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
  }
  friend bool operator==(const ShareGroupTargetAssignmentMetadataKey&,
                         const ShareGroupTargetAssignmentMetadataKey&) = default;
};

struct ShareGroupTargetAssignmentMetadataValue {
  static constexpr std::string_view kName = "ShareGroupTargetAssignmentMetadataValue";
  static constexpr Versions kVersions{.key = 12, .min = 0, .max = 0, .flexible_since = 0};

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
  friend bool operator==(const ShareGroupTargetAssignmentMetadataValue&,
                         const ShareGroupTargetAssignmentMetadataValue&) = default;
};

struct ShareGroupTargetAssignmentMemberKey {
  static constexpr std::string_view kName = "ShareGroupTargetAssignmentMemberKey";
  static constexpr Versions kVersions{.key = 13, .min = 0, .max = 0};

  std::string group_id;
  std::string member_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
  }
  friend bool operator==(const ShareGroupTargetAssignmentMemberKey&,
                         const ShareGroupTargetAssignmentMemberKey&) = default;
};

struct ShareGroupTargetAssignmentMemberValue {
  static constexpr std::string_view kName = "ShareGroupTargetAssignmentMemberValue";
  static constexpr Versions kVersions{.key = 13, .min = 0, .max = 0, .flexible_since = 0};

  struct TopicPartition {
    Uuid topic_id;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TopicPartition&, const TopicPartition&) = default;
  };

  std::vector<TopicPartition> topic_partitions;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topicPartitions", m.topic_partitions);
  }
  friend bool operator==(const ShareGroupTargetAssignmentMemberValue&,
                         const ShareGroupTargetAssignmentMemberValue&) = default;
};

struct ShareGroupCurrentMemberAssignmentKey {
  static constexpr std::string_view kName = "ShareGroupCurrentMemberAssignmentKey";
  static constexpr Versions kVersions{.key = 14, .min = 0, .max = 0};

  std::string group_id;
  std::string member_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
  }
  friend bool operator==(const ShareGroupCurrentMemberAssignmentKey&,
                         const ShareGroupCurrentMemberAssignmentKey&) = default;
};

struct ShareGroupCurrentMemberAssignmentValue {
  static constexpr std::string_view kName = "ShareGroupCurrentMemberAssignmentValue";
  static constexpr Versions kVersions{.key = 14, .min = 0, .max = 0, .flexible_since = 0};

  struct TopicPartitions {
    Uuid topic_id;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TopicPartitions&, const TopicPartitions&) = default;
  };

  int32_t member_epoch = 0;
  int32_t previous_member_epoch = 0;
  int8_t state = 0;
  std::vector<TopicPartitions> assigned_partitions;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("memberEpoch", m.member_epoch);
    v.field("previousMemberEpoch", m.previous_member_epoch);
    v.field("state", m.state);
    v.field("assignedPartitions", m.assigned_partitions);
  }
  friend bool operator==(const ShareGroupCurrentMemberAssignmentValue&,
                         const ShareGroupCurrentMemberAssignmentValue&) = default;
};

struct ShareGroupStatePartitionMetadataKey {
  static constexpr std::string_view kName = "ShareGroupStatePartitionMetadataKey";
  static constexpr Versions kVersions{.key = 15, .min = 0, .max = 0};

  std::string group_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
  }
  friend bool operator==(const ShareGroupStatePartitionMetadataKey&,
                         const ShareGroupStatePartitionMetadataKey&) = default;
};

struct ShareGroupStatePartitionMetadataValue {
  static constexpr std::string_view kName = "ShareGroupStatePartitionMetadataValue";
  static constexpr Versions kVersions{.key = 15, .min = 0, .max = 0, .flexible_since = 0};

  struct TopicPartitionsInfo {
    Uuid topic_id;
    std::string topic_name;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("topicName", m.topic_name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TopicPartitionsInfo&, const TopicPartitionsInfo&) = default;
  };

  struct TopicInfo {
    Uuid topic_id;
    std::string topic_name;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("topicName", m.topic_name);
    }
    friend bool operator==(const TopicInfo&, const TopicInfo&) = default;
  };

  std::vector<TopicPartitionsInfo> initializing_topics;
  std::vector<TopicPartitionsInfo> initialized_topics;
  std::vector<TopicInfo> deleting_topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("initializingTopics", m.initializing_topics);
    v.field("initializedTopics", m.initialized_topics);
    v.field("deletingTopics", m.deleting_topics);
  }
  friend bool operator==(const ShareGroupStatePartitionMetadataValue&,
                         const ShareGroupStatePartitionMetadataValue&) = default;
};

struct ShareSnapshotKey {
  static constexpr std::string_view kName = "ShareSnapshotKey";
  static constexpr Versions kVersions{.key = 0, .min = 0, .max = 0};

  std::string group_id;
  Uuid topic_id;
  int32_t partition = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("topicId", m.topic_id);
    v.field("partition", m.partition);
  }
  friend bool operator==(const ShareSnapshotKey&, const ShareSnapshotKey&) = default;
};

struct ShareSnapshotValue {
  static constexpr std::string_view kName = "ShareSnapshotValue";
  static constexpr Versions kVersions{.key = 0, .min = 0, .max = 0, .flexible_since = 0};

  struct StateBatch {
    int64_t first_offset = 0;
    int64_t last_offset = 0;
    int8_t delivery_state = 0;
    int16_t delivery_count = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("firstOffset", m.first_offset);
      v.field("lastOffset", m.last_offset);
      v.field("deliveryState", m.delivery_state);
      v.field("deliveryCount", m.delivery_count);
    }
    friend bool operator==(const StateBatch&, const StateBatch&) = default;
  };

  int32_t snapshot_epoch = 0;
  int32_t state_epoch = 0;
  int32_t leader_epoch = 0;
  int64_t start_offset = 0;
  int32_t delivery_complete_count = -1;
  int64_t create_timestamp = 0;
  int64_t write_timestamp = 0;
  std::vector<StateBatch> state_batches;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("snapshotEpoch", m.snapshot_epoch);
    v.field("stateEpoch", m.state_epoch);
    v.field("leaderEpoch", m.leader_epoch);
    v.field("startOffset", m.start_offset);
    v.field("createTimestamp", m.create_timestamp);
    v.field("writeTimestamp", m.write_timestamp);
    v.field("stateBatches", m.state_batches);
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "deliveryCompleteCount", m.delivery_complete_count, {}, -1);
  }
  friend bool operator==(const ShareSnapshotValue&, const ShareSnapshotValue&) = default;
};

struct ShareUpdateKey {
  static constexpr std::string_view kName = "ShareUpdateKey";
  static constexpr Versions kVersions{.key = 1, .min = 0, .max = 0};

  std::string group_id;
  Uuid topic_id;
  int32_t partition = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("topicId", m.topic_id);
    v.field("partition", m.partition);
  }
  friend bool operator==(const ShareUpdateKey&, const ShareUpdateKey&) = default;
};

struct ShareUpdateValue {
  static constexpr std::string_view kName = "ShareUpdateValue";
  static constexpr Versions kVersions{.key = 1, .min = 0, .max = 0, .flexible_since = 0};

  struct StateBatch {
    int64_t first_offset = 0;
    int64_t last_offset = 0;
    int8_t delivery_state = 0;
    int16_t delivery_count = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("firstOffset", m.first_offset);
      v.field("lastOffset", m.last_offset);
      v.field("deliveryState", m.delivery_state);
      v.field("deliveryCount", m.delivery_count);
    }
    friend bool operator==(const StateBatch&, const StateBatch&) = default;
  };

  int32_t snapshot_epoch = 0;
  int32_t leader_epoch = 0;
  int64_t start_offset = 0;
  int32_t delivery_complete_count = -1;
  std::vector<StateBatch> state_batches;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("snapshotEpoch", m.snapshot_epoch);
    v.field("leaderEpoch", m.leader_epoch);
    v.field("startOffset", m.start_offset);
    v.field("stateBatches", m.state_batches);
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "deliveryCompleteCount", m.delivery_complete_count, {}, -1);
  }
  friend bool operator==(const ShareUpdateValue&, const ShareUpdateValue&) = default;
};

}  // namespace leat
