// consumer_protocol.h: what members of classic consumer groups put into the metadata of JoinGroup and the assignment of
// SyncGroup. The broker reads it only to see which topics a group is subscribed to. Each with its version before it:
// core/codec/prefixed.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"

namespace leat {

struct ConsumerProtocolSubscription {
  static constexpr std::string_view kName = "ConsumerProtocolSubscription";
  static constexpr Versions kVersions{.min = 0, .max = 3};

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

  std::vector<std::string> topics;
  std::optional<Bytes> user_data;
  std::vector<TopicPartition> owned_partitions;
  int32_t generation_id = -1;
  std::optional<std::string> rack_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics);
    v.field("userData", m.user_data);
    v.field("ownedPartitions", m.owned_partitions, {.since = 1, .ignorable = true});
    v.field("generationId", m.generation_id, {.since = 2, .ignorable = true}, -1);
    v.field("rackId", m.rack_id, {.since = 3, .ignorable = true});
  }
  friend bool operator==(const ConsumerProtocolSubscription&, const ConsumerProtocolSubscription&) = default;
};

struct ConsumerProtocolAssignment {
  static constexpr std::string_view kName = "ConsumerProtocolAssignment";
  static constexpr Versions kVersions{.min = 0, .max = 3};

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

  std::vector<TopicPartition> assigned_partitions;
  std::optional<Bytes> user_data;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("assignedPartitions", m.assigned_partitions);
    v.field("userData", m.user_data);
  }
  friend bool operator==(const ConsumerProtocolAssignment&, const ConsumerProtocolAssignment&) = default;
};

}  // namespace leat
