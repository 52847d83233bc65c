// consumer_member.h: a member of a consumer group, as its records say: what it told of itself, and what it owns.
// Invariant: no partition is in both `assigned` and `pending_revocation` of one member.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/uuid.h"
#include "core/coordinator/consumer_group_records.h"
#include "core/coordinator/group/assignor.h"
#include "core/coordinator/group/group_event.h"

namespace leat {

// Kafka's numbers: they stand in the log. Any other number there is read as kUnknown.
enum class MemberState : int8_t {
  kStable = 0,                // owns what the target of its epoch gives it
  kUnrevokedPartitions = 1,   // has to give up some partitions before it can move on
  kUnreleasedPartitions = 2,  // waits for partitions that others still hold
  kUnknown = 127,             // of a later version: the member has to begin anew
};

// Epochs in which a heartbeat says something else than where the member stands.
inline constexpr int32_t kJoinEpoch = 0;
inline constexpr int32_t kLeaveEpoch = -1;
inline constexpr int32_t kStaticLeaveEpoch = -2;  // also that of a static member while it is away

// Topic, partition: the epoch in which the member got it. No empty topics.
using PartitionEpochs = std::map<Uuid, std::map<int32_t, int32_t>>;

struct CurrentAssignment {
  int32_t member_epoch = kJoinEpoch;
  int32_t previous_member_epoch = -1;  // accepted, too: the answer that brought the newer one may have been lost
  MemberState state = MemberState::kStable;
  PartitionEpochs assigned;
  PartitionEpochs pending_revocation;

  friend bool operator==(const CurrentAssignment&, const CurrentAssignment&) = default;
};

using MemberMetadata = ConsumerGroupMemberMetadataValue;

struct ConsumerMember {
  std::string id;
  MemberMetadata metadata;  // its topic names are sorted, each once
  CurrentAssignment current;

  bool is_classic() const noexcept { return metadata.classic_member_metadata.has_value(); }
  int32_t epoch() const noexcept { return current.member_epoch; }
  std::string_view regex() const noexcept { return regex_of(metadata); }  // "": none
  bool is_reconciled_to(int32_t target_epoch) const noexcept {
    return current.state == MemberState::kStable && current.member_epoch == target_epoch;
  }

  static std::string_view regex_of(const MemberMetadata& metadata) noexcept {
    return metadata.subscribed_topic_regex ? std::string_view(*metadata.subscribed_topic_regex) : std::string_view();
  }
  friend bool operator==(const ConsumerMember&, const ConsumerMember&) = default;
};

// Of a member that has said nothing yet. The record's own defaults are empty strings where Kafka writes null.
MemberMetadata blank_member_metadata();
// Sorted, each once: lists in records and requests may be neither.
std::vector<std::string> sorted_names(std::vector<std::string> names);

// The epoch in which the member got a partition that it holds, assigned or still to be revoked.
std::optional<int32_t> held_since(const CurrentAssignment& current, const Uuid& topic, int32_t partition);
// All that the member may still use: what it is to give up, too, until it has.
PartitionsByTopic held_partitions(const CurrentAssignment& current);
std::vector<TopicPartitions> to_topic_partitions(const PartitionEpochs& partitions);
std::vector<TopicPartitions> to_topic_partitions(const PartitionsByTopic& partitions);

ConsumerGroupCurrentMemberAssignmentValue to_record_value(const CurrentAssignment& current);
CurrentAssignment from_record_value(const ConsumerGroupCurrentMemberAssignmentValue& value);
ConsumerGroupTargetAssignmentMemberValue to_record_value(const PartitionsByTopic& target);
PartitionsByTopic from_record_value(const ConsumerGroupTargetAssignmentMemberValue& value);

}  // namespace leat
