// consumer_group_records.h: Records of `__consumer_offsets`, types 3 to 8 and 16: consumer groups (KIP-848). Keys and
// values have an int16 before them: core/codec/prefixed.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/uuid.h"
#include "core/codec/schema.h"

namespace leat {

struct ConsumerGroupMetadataKey {
  static constexpr std::string_view kName = "ConsumerGroupMetadataKey";
  static constexpr Versions kVersions{.key = 3, .min = 0, .max = 0};

  std::string group_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
  }
  friend bool operator==(const ConsumerGroupMetadataKey&, const ConsumerGroupMetadataKey&) = default;
};

struct ConsumerGroupMetadataValue {
  static constexpr std::string_view kName = "ConsumerGroupMetadataValue";
  static constexpr Versions kVersions{.key = 3, .min = 0, .max = 0, .flexible_since = 0};

  int32_t epoch = 0;
  int64_t metadata_hash = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("epoch", m.epoch);
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "metadataHash", m.metadata_hash);
  }
  friend bool operator==(const ConsumerGroupMetadataValue&, const ConsumerGroupMetadataValue&) = default;
};

struct ConsumerGroupPartitionMetadataKey {
  static constexpr std::string_view kName = "ConsumerGroupPartitionMetadataKey";
  static constexpr Versions kVersions{.key = 4, .min = 0, .max = 0};

  std::string group_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
  }
  friend bool operator==(const ConsumerGroupPartitionMetadataKey&, const ConsumerGroupPartitionMetadataKey&) = default;
};

struct ConsumerGroupPartitionMetadataValue {
  static constexpr std::string_view kName = "ConsumerGroupPartitionMetadataValue";
  static constexpr Versions kVersions{.key = 4, .min = 0, .max = 0, .flexible_since = 0};

  struct PartitionMetadata {
    int32_t partition = 0;
    std::vector<std::string> racks;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partition", m.partition);
      v.field("racks", m.racks);
    }
    friend bool operator==(const PartitionMetadata&, const PartitionMetadata&) = default;
  };

  struct TopicMetadata {
    Uuid topic_id;
    std::string topic_name;
    int32_t num_partitions = 0;
    std::vector<PartitionMetadata> partition_metadata;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("topicName", m.topic_name);
      v.field("numPartitions", m.num_partitions);
      v.field("partitionMetadata", m.partition_metadata);
    }
    friend bool operator==(const TopicMetadata&, const TopicMetadata&) = default;
  };

  std::vector<TopicMetadata> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics);
  }
  friend bool operator==(const ConsumerGroupPartitionMetadataValue&,
                         const ConsumerGroupPartitionMetadataValue&) = default;
};

struct ConsumerGroupMemberMetadataKey {
  static constexpr std::string_view kName = "ConsumerGroupMemberMetadataKey";
  static constexpr Versions kVersions{.key = 5, .min = 0, .max = 0};

  std::string group_id;
  std::string member_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
  }
  friend bool operator==(const ConsumerGroupMemberMetadataKey&, const ConsumerGroupMemberMetadataKey&) = default;
};

struct ConsumerGroupMemberMetadataValue {
  static constexpr std::string_view kName = "ConsumerGroupMemberMetadataValue";
  static constexpr Versions kVersions{.key = 5, .min = 0, .max = 0, .flexible_since = 0};

  struct ClassicProtocol {
    std::string name;
    Bytes metadata;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("metadata", m.metadata);
    }
    friend bool operator==(const ClassicProtocol&, const ClassicProtocol&) = default;
  };

  struct ClassicMemberMetadata {
    int32_t session_timeout_ms = 0;
    std::vector<ClassicProtocol> supported_protocols;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("sessionTimeoutMs", m.session_timeout_ms);
      v.field("supportedProtocols", m.supported_protocols);
    }
    friend bool operator==(const ClassicMemberMetadata&, const ClassicMemberMetadata&) = default;
  };

  std::optional<std::string> instance_id = "";
  std::optional<std::string> rack_id = "";
  std::string client_id;
  std::string client_host;
  std::vector<std::string> subscribed_topic_names;
  std::optional<std::string> subscribed_topic_regex = "";
  int32_t rebalance_timeout_ms = -1;
  std::optional<std::string> server_assignor = "";
  std::optional<ClassicMemberMetadata> classic_member_metadata = ClassicMemberMetadata{};

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("instanceId", m.instance_id, {}, kEmpty);
    v.field("rackId", m.rack_id, {}, kEmpty);
    v.field("clientId", m.client_id);
    v.field("clientHost", m.client_host);
    v.field("subscribedTopicNames", m.subscribed_topic_names);
    v.field("subscribedTopicRegex", m.subscribed_topic_regex, {}, kEmpty);
    v.field("rebalanceTimeoutMs", m.rebalance_timeout_ms, {}, -1);
    v.field("serverAssignor", m.server_assignor, {}, kEmpty);
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "classicMemberMetadata", m.classic_member_metadata, {}, kEmpty);
  }
  friend bool operator==(const ConsumerGroupMemberMetadataValue&, const ConsumerGroupMemberMetadataValue&) = default;
};

struct ConsumerGroupTargetAssignmentMetadataKey {
  static constexpr std::string_view kName = "ConsumerGroupTargetAssignmentMetadataKey";
  static constexpr Versions kVersions{.key = 6, .min = 0, .max = 0};

  std::string group_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
  }
  friend bool operator==(const ConsumerGroupTargetAssignmentMetadataKey&,
                         const ConsumerGroupTargetAssignmentMetadataKey&) = default;
};

struct ConsumerGroupTargetAssignmentMetadataValue {
  static constexpr std::string_view kName = "ConsumerGroupTargetAssignmentMetadataValue";
  static constexpr Versions kVersions{.key = 6, .min = 0, .max = 0, .flexible_since = 0};

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
  friend bool operator==(const ConsumerGroupTargetAssignmentMetadataValue&,
                         const ConsumerGroupTargetAssignmentMetadataValue&) = default;
};

struct ConsumerGroupTargetAssignmentMemberKey {
  static constexpr std::string_view kName = "ConsumerGroupTargetAssignmentMemberKey";
  static constexpr Versions kVersions{.key = 7, .min = 0, .max = 0};

  std::string group_id;
  std::string member_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
  }
  friend bool operator==(const ConsumerGroupTargetAssignmentMemberKey&,
                         const ConsumerGroupTargetAssignmentMemberKey&) = default;
};

struct ConsumerGroupTargetAssignmentMemberValue {
  static constexpr std::string_view kName = "ConsumerGroupTargetAssignmentMemberValue";
  static constexpr Versions kVersions{.key = 7, .min = 0, .max = 0, .flexible_since = 0};

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
  friend bool operator==(const ConsumerGroupTargetAssignmentMemberValue&,
                         const ConsumerGroupTargetAssignmentMemberValue&) = default;
};

struct ConsumerGroupCurrentMemberAssignmentKey {
  static constexpr std::string_view kName = "ConsumerGroupCurrentMemberAssignmentKey";
  static constexpr Versions kVersions{.key = 8, .min = 0, .max = 0};

  std::string group_id;
  std::string member_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
  }
  friend bool operator==(const ConsumerGroupCurrentMemberAssignmentKey&,
                         const ConsumerGroupCurrentMemberAssignmentKey&) = default;
};

struct ConsumerGroupCurrentMemberAssignmentValue {
  static constexpr std::string_view kName = "ConsumerGroupCurrentMemberAssignmentValue";
  static constexpr Versions kVersions{.key = 8, .min = 0, .max = 0, .flexible_since = 0};

  struct TopicPartitions {
    Uuid topic_id;
    std::vector<int32_t> partitions;
    std::optional<std::vector<int32_t>> assignment_epochs = std::vector<int32_t>{};

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    template <class Self, class Visitor>
    static void visit_tags(Self& m, Visitor& v) {
      v.tagged(0, "assignmentEpochs", m.assignment_epochs, {}, kEmpty);
    }
    friend bool operator==(const TopicPartitions&, const TopicPartitions&) = default;
  };

  int32_t member_epoch = 0;
  int32_t previous_member_epoch = 0;
  int8_t state = 0;
  std::vector<TopicPartitions> assigned_partitions;
  std::vector<TopicPartitions> partitions_pending_revocation;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("memberEpoch", m.member_epoch);
    v.field("previousMemberEpoch", m.previous_member_epoch);
    v.field("state", m.state);
    v.field("assignedPartitions", m.assigned_partitions);
    v.field("partitionsPendingRevocation", m.partitions_pending_revocation);
  }
  friend bool operator==(const ConsumerGroupCurrentMemberAssignmentValue&,
                         const ConsumerGroupCurrentMemberAssignmentValue&) = default;
};

struct ConsumerGroupRegularExpressionKey {
  static constexpr std::string_view kName = "ConsumerGroupRegularExpressionKey";
  static constexpr Versions kVersions{.key = 16, .min = 0, .max = 0};

  std::string group_id;
  std::string regular_expression;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("regularExpression", m.regular_expression);
  }
  friend bool operator==(const ConsumerGroupRegularExpressionKey&, const ConsumerGroupRegularExpressionKey&) = default;
};

struct ConsumerGroupRegularExpressionValue {
  static constexpr std::string_view kName = "ConsumerGroupRegularExpressionValue";
  static constexpr Versions kVersions{.key = 16, .min = 0, .max = 0, .flexible_since = 0};

  std::vector<std::string> topics;
  int64_t version = 0;
  int64_t timestamp = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics);
    v.field("version", m.version);
    v.field("timestamp", m.timestamp);
  }
  friend bool operator==(const ConsumerGroupRegularExpressionValue&,
                         const ConsumerGroupRegularExpressionValue&) = default;
};

}  // namespace leat
