// assignors.cpp: see assignors.h.
#include "client/consumer/assignors.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "client/range_assignment.h"

namespace leat::client::detail {
namespace {

using Counts = std::map<std::string, int32_t>;

bool stands_before(const AssignedMember& a, const AssignedMember& b) {
  const bool a_dynamic = !a.instance_id.has_value();
  const bool b_dynamic = !b.instance_id.has_value();
  return std::tie(a_dynamic, a.instance_id, a.member_id) < std::tie(b_dynamic, b.instance_id, b.member_id);
}

bool subscribes(const AssignedMember& member, const std::string& topic) {
  return std::find(member.topics.begin(), member.topics.end(), topic) != member.topics.end();
}

Shares by_range(const std::vector<AssignedMember>& members, const Counts& counts) {
  std::vector<RangeMember> ranged;
  for (const AssignedMember& member : members) {
    ranged.push_back({.member_id = member.member_id, .instance_id = member.instance_id, .topics = member.topics});
  }
  Shares shares;
  for (const auto& [member_id, topics] : assign_by_range(std::move(ranged), counts)) {
    auto& share = shares[member_id];
    for (const auto& [topic, partitions] : topics) {
      for (const int32_t partition : partitions) share.push_back({.topic = topic, .partition = partition});
    }
  }
  return shares;
}

// All partitions in a row, each to the next member that is subscribed to its topic.
Shares by_round_robin(const std::vector<AssignedMember>& members, const Counts& counts) {
  Shares shares;
  size_t next = 0;
  for (const auto& [topic, count] : counts) {
    const bool wanted = std::any_of(members.begin(), members.end(),
                                    [&topic = topic](const auto& member) { return subscribes(member, topic); });
    if (!wanted) continue;
    for (int32_t partition = 0; partition < count; ++partition) {
      while (!subscribes(members[next % members.size()], topic)) ++next;
      shares[members[next++ % members.size()].member_id].push_back({.topic = topic, .partition = partition});
    }
  }
  return shares;
}

class Sticky {
 public:
  Sticky(const std::vector<AssignedMember>& members, const Counts& counts) : members_(members), counts_(counts) {
    for (const AssignedMember& member : members_) shares_[member.member_id];
    keep_owned();
    give_unowned();
    balance();
  }

  Shares without_moves() {
    for (auto& entry : shares_) {
      std::erase_if(entry.second, [&](const TopicPartition& partition) {
        const auto owner = owners_.find(partition);
        return owner != owners_.end() && owner->second != entry.first;
      });
    }
    Shares shares;
    for (auto& [member_id, share] : shares_) shares[member_id].assign(share.begin(), share.end());
    return shares;
  }

 private:
  bool exists(const TopicPartition& partition) const {
    const auto count = counts_.find(partition.topic);
    return count != counts_.end() && partition.partition >= 0 && partition.partition < count->second;
  }

  // Of two members that claim the same partition the one of the newer generation has it; in one generation neither.
  void keep_owned() {
    std::map<TopicPartition, std::pair<int32_t, const AssignedMember*>> claims;
    for (const AssignedMember& member : members_) {
      for (const TopicPartition& partition : member.owned) {
        if (!exists(partition)) continue;
        const auto [claim, is_new] = claims.try_emplace(partition, member.generation, &member);
        if (is_new) continue;
        if (claim->second.first == member.generation) claim->second.second = nullptr;
        if (claim->second.first < member.generation) claim->second = {member.generation, &member};
      }
    }
    for (const auto& [partition, claim] : claims) {
      const AssignedMember* const owner = claim.second;
      if (owner == nullptr) continue;
      owners_[partition] = owner->member_id;
      if (subscribes(*owner, partition.topic)) shares_[owner->member_id].insert(partition);
    }
  }

  const AssignedMember* least_loaded(const std::string& topic) const {
    const AssignedMember* least = nullptr;
    for (const AssignedMember& member : members_) {
      if (!subscribes(member, topic)) continue;
      if (least == nullptr || shares_.at(member.member_id).size() < shares_.at(least->member_id).size()) {
        least = &member;
      }
    }
    return least;
  }

  void give_unowned() {
    std::set<TopicPartition> kept;
    for (const auto& [member_id, share] : shares_) kept.insert(share.begin(), share.end());
    for (const auto& [topic, count] : counts_) {
      for (int32_t index = 0; index < count; ++index) {
        const TopicPartition partition{.topic = topic, .partition = index};
        if (kept.contains(partition)) continue;
        if (const AssignedMember* const taker = least_loaded(topic)) shares_[taker->member_id].insert(partition);
      }
    }
  }

  // Moves one at a time from who has two more than who could have it. Each move makes the sum of squares smaller, so it
  // ends.
  void balance() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (const AssignedMember& giver : members_) moved = relieve(giver) || moved;
    }
  }
  bool relieve(const AssignedMember& giver) {
    auto& share = shares_[giver.member_id];
    bool moved = false;
    for (auto at = share.end(); at != share.begin();) {
      --at;
      const AssignedMember* const taker = least_loaded(at->topic);
      if (taker == nullptr || shares_.at(taker->member_id).size() + 1 >= share.size()) continue;
      shares_[taker->member_id].insert(*at);
      at = share.erase(at);
      moved = true;
    }
    return moved;
  }

  const std::vector<AssignedMember>& members_;
  const Counts& counts_;
  std::map<std::string, std::set<TopicPartition>> shares_;
  std::map<TopicPartition, std::string> owners_;
};

}  // namespace

std::string_view assignor_name(ClassicAssignor assignor) noexcept {
  switch (assignor) {
    case ClassicAssignor::kRange:
      return "range";
    case ClassicAssignor::kRoundRobin:
      return "roundrobin";
    case ClassicAssignor::kCooperativeSticky:
      return "cooperative-sticky";
  }
  return "range";
}

std::optional<ClassicAssignor> assignor_named(std::string_view name) noexcept {
  for (const ClassicAssignor assignor :
       {ClassicAssignor::kRange, ClassicAssignor::kRoundRobin, ClassicAssignor::kCooperativeSticky}) {
    if (assignor_name(assignor) == name) return assignor;
  }
  return std::nullopt;
}

Shares share_out(ClassicAssignor assignor, std::vector<AssignedMember> members, const Counts& partition_counts) {
  std::sort(members.begin(), members.end(), stands_before);
  Shares shares;
  switch (assignor) {
    case ClassicAssignor::kRange:
      shares = by_range(members, partition_counts);
      break;
    case ClassicAssignor::kRoundRobin:
      shares = by_round_robin(members, partition_counts);
      break;
    case ClassicAssignor::kCooperativeSticky:
      shares = Sticky(members, partition_counts).without_moves();
      break;
  }
  for (const AssignedMember& member : members) shares[member.member_id];
  for (auto& [member_id, share] : shares) std::sort(share.begin(), share.end());
  return shares;
}

}  // namespace leat::client::detail
