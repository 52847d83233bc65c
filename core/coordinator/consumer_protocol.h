// consumer_protocol.h: what members of classic consumer groups put into the metadata of JoinGroup and the assignment of
// SyncGroup. The broker reads it only to see which topics a group is subscribed to. Each with its version before it:
// core/codec/prefixed.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/codec/message_reader.h"
#include "core/codec/schema.h"

namespace leat {

// The protocol type of classic groups whose members say these.
inline constexpr std::string_view kConsumerProtocolType = "consumer";

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

// With the version before it. One that is not known yet is read as the last that is: later ones only add to it.
template <class Embedded>
std::optional<Embedded> decode_embedded(ByteView bytes) {
  MessageReader in(bytes);
  const int16_t version = in.i16();
  Embedded value;
  if (in.failed() || version < 0) return std::nullopt;
  if (!decode(in, std::min(version, Embedded::kVersions.max), value)) return std::nullopt;
  return value;
}

}  // namespace leat
