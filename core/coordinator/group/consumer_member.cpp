// consumer_member.cpp: between what the log holds of a member and what the group works with.
#include "core/coordinator/group/consumer_member.h"

#include <algorithm>
#include <utility>

namespace leat {
namespace {

using CurrentValue = ConsumerGroupCurrentMemberAssignmentValue;
using TargetValue = ConsumerGroupTargetAssignmentMemberValue;

std::vector<CurrentValue::TopicPartitions> to_record(const PartitionEpochs& partitions) {
  std::vector<CurrentValue::TopicPartitions> topics;
  topics.reserve(partitions.size());
  for (const auto& [topic, epochs] : partitions) {
    CurrentValue::TopicPartitions& out = topics.emplace_back();
    out.topic_id = topic;
    out.assignment_epochs.emplace();
    for (const auto& [partition, epoch] : epochs) {
      out.partitions.push_back(partition);
      out.assignment_epochs->push_back(epoch);
    }
  }
  return topics;
}

// Brokers before 4.3 wrote no epochs for partitions: they count as given in the member's own epoch.
PartitionEpochs from_record(const std::vector<CurrentValue::TopicPartitions>& topics, int32_t member_epoch) {
  PartitionEpochs partitions;
  for (const CurrentValue::TopicPartitions& topic : topics) {
    const bool has_epochs = topic.assignment_epochs && topic.assignment_epochs->size() == topic.partitions.size();
    for (size_t i = 0; i < topic.partitions.size(); ++i) {
      const int32_t epoch = has_epochs ? (*topic.assignment_epochs)[i] : member_epoch;
      partitions[topic.topic_id].emplace(topic.partitions[i], epoch);
    }
  }
  return partitions;
}

MemberState state_of(int8_t number) noexcept {
  switch (number) {
    case 0:
      return MemberState::kStable;
    case 1:
      return MemberState::kUnrevokedPartitions;
    case 2:
      return MemberState::kUnreleasedPartitions;
    default:
      return MemberState::kUnknown;
  }
}

}  // namespace

MemberMetadata blank_member_metadata() {
  MemberMetadata metadata;
  metadata.instance_id.reset();
  metadata.rack_id.reset();
  metadata.server_assignor.reset();
  metadata.classic_member_metadata.reset();
  return metadata;
}

std::vector<std::string> sorted_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<int32_t> held_since(const CurrentAssignment& current, const Uuid& topic, int32_t partition) {
  for (const PartitionEpochs* side : {&current.assigned, &current.pending_revocation}) {
    const auto epochs = side->find(topic);
    if (epochs == side->end()) continue;
    if (const auto found = epochs->second.find(partition); found != epochs->second.end()) return found->second;
  }
  return std::nullopt;
}

PartitionsByTopic held_partitions(const CurrentAssignment& current) {
  PartitionsByTopic held;
  for (const PartitionEpochs* side : {&current.assigned, &current.pending_revocation}) {
    for (const auto& [topic, epochs] : *side) {
      for (const auto& [partition, epoch] : epochs) held[topic].push_back(partition);
    }
  }
  for (auto& [topic, partitions] : held) std::sort(partitions.begin(), partitions.end());
  return held;
}

std::vector<TopicPartitions> to_topic_partitions(const PartitionEpochs& partitions) {
  std::vector<TopicPartitions> topics;
  topics.reserve(partitions.size());
  for (const auto& [topic, epochs] : partitions) {
    TopicPartitions& out = topics.emplace_back();
    out.topic_id = topic;
    out.partitions.reserve(epochs.size());
    for (const auto& [partition, epoch] : epochs) out.partitions.push_back(partition);
  }
  return topics;
}

std::vector<TopicPartitions> to_topic_partitions(const PartitionsByTopic& partitions) {
  std::vector<TopicPartitions> topics;
  topics.reserve(partitions.size());
  for (const auto& [topic, list] : partitions) topics.push_back({.topic_id = topic, .partitions = list});
  return topics;
}

CurrentValue to_record_value(const CurrentAssignment& current) {
  CurrentValue value;
  value.member_epoch = current.member_epoch;
  value.previous_member_epoch = current.previous_member_epoch;
  value.state = static_cast<int8_t>(current.state);
  value.assigned_partitions = to_record(current.assigned);
  value.partitions_pending_revocation = to_record(current.pending_revocation);
  return value;
}

CurrentAssignment from_record_value(const CurrentValue& value) {
  return {.member_epoch = value.member_epoch,
          .previous_member_epoch = value.previous_member_epoch,
          .state = state_of(value.state),
          .assigned = from_record(value.assigned_partitions, value.member_epoch),
          .pending_revocation = from_record(value.partitions_pending_revocation, value.member_epoch)};
}

TargetValue to_record_value(const PartitionsByTopic& target) {
  TargetValue value;
  value.topic_partitions.reserve(target.size());
  for (const auto& [topic, partitions] : target) {
    TargetValue::TopicPartition& out = value.topic_partitions.emplace_back();
    out.topic_id = topic;
    out.partitions = partitions;
  }
  return value;
}

PartitionsByTopic from_record_value(const TargetValue& value) {
  PartitionsByTopic target;
  for (const TargetValue::TopicPartition& topic : value.topic_partitions) {
    if (topic.partitions.empty()) continue;
    std::vector<int32_t>& partitions = target[topic.topic_id];
    partitions.insert(partitions.end(), topic.partitions.begin(), topic.partitions.end());
  }
  for (auto& [topic, partitions] : target) {
    std::sort(partitions.begin(), partitions.end());
    partitions.erase(std::unique(partitions.begin(), partitions.end()), partitions.end());
  }
  return target;
}

}  // namespace leat
