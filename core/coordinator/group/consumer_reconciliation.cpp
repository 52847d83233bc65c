// consumer_reconciliation.cpp: the rules of the diagram in the header.
#include "core/coordinator/group/consumer_reconciliation.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace leat {
namespace {

bool contains(const PartitionEpochs& partitions, const Uuid& topic, int32_t partition) {
  const auto found = partitions.find(topic);
  return found != partitions.end() && found->second.contains(partition);
}

// A member that did not say what it owns has let go of nothing.
bool still_owns(const std::vector<TopicPartitions>* owned, const PartitionEpochs& revoked) {
  if (revoked.empty()) return false;
  if (owned == nullptr) return true;
  for (const TopicPartitions& topic : *owned) {
    for (const int32_t partition : topic.partitions) {
      if (contains(revoked, topic.topic_id, partition)) return true;
    }
  }
  return false;
}

CurrentAssignment moved_to(const CurrentAssignment& current, int32_t epoch, MemberState state) {
  CurrentAssignment next;
  next.member_epoch = epoch;
  next.previous_member_epoch = current.member_epoch;
  next.state = state;
  return next;
}

struct Difference {
  PartitionEpochs kept;
  PartitionEpochs revoked;  // owned, and no longer in the target
  PartitionsByTopic given;  // in the target, and free
  bool waits = false;       // for others in the target that somebody holds
};

void find_kept_and_revoked(const Reconciliation& in, Difference& difference) {
  static const std::vector<int32_t> none;
  for (const auto& [topic, partitions] : in.current.assigned) {
    const auto found = in.target.find(topic);
    const bool is_wanted = found != in.target.end() && in.subscribed.contains(topic);
    const std::vector<int32_t>& target = is_wanted ? found->second : none;
    for (const auto& [partition, epoch] : partitions) {
      const bool is_kept = std::binary_search(target.begin(), target.end(), partition);
      (is_kept ? difference.kept : difference.revoked)[topic].emplace(partition, epoch);
    }
  }
}

void find_given(const Reconciliation& in, Difference& difference) {
  for (const auto& [topic, partitions] : in.target) {
    if (!in.subscribed.contains(topic)) continue;
    for (const int32_t partition : partitions) {
      if (contains(in.current.assigned, topic, partition)) continue;
      // What the member itself was to revoke it may as well keep: nobody else can hold it.
      if (in.holders.is_held(topic, partition) && !contains(in.current.pending_revocation, topic, partition)) {
        difference.waits = true;
      } else {
        difference.given[topic].push_back(partition);
      }
    }
  }
}

CurrentAssignment next_assignment(const Reconciliation& in, int32_t epoch) {
  Difference difference;
  find_kept_and_revoked(in, difference);
  find_given(in, difference);

  if (still_owns(in.owned, difference.revoked)) {
    CurrentAssignment next = moved_to(in.current, epoch, MemberState::kUnrevokedPartitions);
    next.assigned = std::move(difference.kept);
    next.pending_revocation = std::move(difference.revoked);
    return next;
  }
  CurrentAssignment next = moved_to(in.current, in.target_epoch,
                                    difference.waits ? MemberState::kUnreleasedPartitions : MemberState::kStable);
  next.assigned = std::move(difference.kept);
  for (const auto& [topic, partitions] : difference.given) {
    for (const int32_t partition : partitions) next.assigned[topic].emplace(partition, in.target_epoch);
  }
  return next;
}

// The member stays where it is, but for topics that it no longer wants.
CurrentAssignment without_unwanted(const Reconciliation& in) {
  if (!in.subscription_changed) return in.current;
  CurrentAssignment next = in.current;
  PartitionEpochs revoked = in.current.pending_revocation;
  for (const auto& [topic, partitions] : in.current.assigned) {
    if (in.subscribed.contains(topic)) continue;
    next.assigned.erase(topic);
    revoked[topic].insert(partitions.begin(), partitions.end());
  }
  if (next.assigned.size() == in.current.assigned.size()) return in.current;
  next.previous_member_epoch = in.current.member_epoch;
  if (still_owns(in.owned, revoked)) {
    next.state = MemberState::kUnrevokedPartitions;
    next.pending_revocation = std::move(revoked);
  }
  return next;
}

}  // namespace

void PartitionHolders::add(const CurrentAssignment& current) {
  count(current.assigned, 1);
  count(current.pending_revocation, 1);
}

void PartitionHolders::remove(const CurrentAssignment& current) {
  count(current.assigned, -1);
  count(current.pending_revocation, -1);
}

bool PartitionHolders::is_held(const Uuid& topic, int32_t partition) const {
  const auto found = counts_.find(topic);
  return found != counts_.end() && found->second.contains(partition);
}

void PartitionHolders::count(const PartitionEpochs& partitions, int32_t change) {
  for (const auto& [topic, epochs] : partitions) {
    std::unordered_map<int32_t, int32_t>& counts = counts_[topic];
    for (const auto& [partition, epoch] : epochs) {
      int32_t& holders = counts[partition];
      holders += change;
      ENSURE(holders >= 0, "partition {} of {}", partition, topic.to_string());
      if (holders == 0) counts.erase(partition);
    }
    if (counts.empty()) counts_.erase(topic);
  }
}

CurrentAssignment reconcile(const Reconciliation& input) {
  const CurrentAssignment& current = input.current;
  switch (current.state) {
    case MemberState::kStable:
      if (current.member_epoch == input.target_epoch) return without_unwanted(input);
      return next_assignment(input, current.member_epoch);
    case MemberState::kUnrevokedPartitions:
      if (still_owns(input.owned, current.pending_revocation)) return without_unwanted(input);
      return next_assignment(input, current.member_epoch);
    case MemberState::kUnreleasedPartitions:
      return next_assignment(input, current.member_epoch);
    case MemberState::kUnknown:
      ENSURE(input.owned != nullptr && input.owned->empty());
      return next_assignment(input, input.target_epoch);
  }
  ENSURE(false, "state {}", static_cast<int>(current.state));
  return current;
}

}  // namespace leat
