// uniform_assignor.cpp: Kafka's server-side `uniform`: first evenness, then stickiness. Members with the same
// subscription form a cohort (cohort_shares.h). The cohorts' shares of each topic are decided by number alone; then
// each cohort gives up what is above its shares, each member what is above its quota, and what is free is dealt to the
// members that have room. In a group that is subscribed alike there is one cohort and nothing to decide: the cost is a
// look at each partition, and as few of them move as an even assignment allows.
// Invariant: a partition is in at most one member's hands (is_owned_), and loads, `held` and hands agree.
#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>

#include "core/base/check.h"
#include "core/coordinator/group/assignor.h"
#include "core/coordinator/group/cohort_shares.h"

namespace leat {
namespace {

class UniformAssignment {
 public:
  explicit UniformAssignment(const AssignorInput& input);
  Assignment make();

 private:
  struct Member {
    size_t cohort = 0;
    std::map<size_t, std::vector<int32_t>> hands;  // by topic; no empty ones
    int64_t load = 0;                              // partitions in hands
    int64_t quota = 0;
  };

  void form_cohorts();
  void take_over(size_t member);
  void drop_above_shares(Cohort& cohort);
  void drop_topic(Cohort& cohort, const CohortShare& share);
  void set_quotas(const Cohort& cohort);
  void drop_above_quota(Member& member);
  void drop_one(Member& member, size_t topic);
  void deal(const Cohort& cohort);
  std::vector<int32_t> free_partitions(size_t topic, int64_t count);
  Assignment result();

  const AssignorInput& input_;
  std::vector<Uuid> topic_ids_;  // sorted; their index is what is called a topic here
  std::unordered_map<Uuid, size_t> topics_;
  std::vector<int32_t> partition_counts_;
  std::vector<std::vector<bool>> is_owned_;  // by topic and partition
  std::vector<int32_t> free_cursor_;         // by topic: all partitions before are owned or dealt
  std::vector<Member> members_;              // in step with the input's
  std::vector<Cohort> cohorts_;              // by their first member
};

CohortShare* find_share(Cohort& cohort, size_t topic) {
  const auto share = std::lower_bound(cohort.shares.begin(), cohort.shares.end(), topic,
                                      [](const CohortShare& a, size_t b) { return a.topic < b; });
  return share != cohort.shares.end() && share->topic == topic ? &*share : nullptr;
}

UniformAssignment::UniformAssignment(const AssignorInput& input) : input_(input), members_(input.members.size()) {
  for (const auto& [id, partition_count] : input.topics) {
    topics_.emplace(id, topic_ids_.size());
    topic_ids_.push_back(id);
    partition_counts_.push_back(partition_count);
    is_owned_.emplace_back(static_cast<size_t>(partition_count));
  }
  free_cursor_.resize(topic_ids_.size());
}

Assignment UniformAssignment::make() {
  form_cohorts();
  for (size_t i = 0; i < members_.size(); ++i) take_over(i);
  decide_shares(cohorts_, partition_counts_);
  for (Cohort& cohort : cohorts_) {
    drop_above_shares(cohort);
    set_quotas(cohort);
    for (const size_t member : cohort.members) drop_above_quota(members_[member]);
  }
  // Only now is all free that will be.
  for (const Cohort& cohort : cohorts_) deal(cohort);
  return result();
}

void UniformAssignment::form_cohorts() {
  const auto by_value = [](const std::vector<Uuid>* a, const std::vector<Uuid>* b) { return *a < *b; };
  std::map<const std::vector<Uuid>*, size_t, decltype(by_value)> by_subscription(by_value);
  for (size_t i = 0; i < members_.size(); ++i) {
    const std::vector<Uuid>& subscription = input_.members[i].topics;
    const auto [place, is_new] = by_subscription.try_emplace(&subscription, cohorts_.size());
    if (is_new) {
      Cohort& cohort = cohorts_.emplace_back();
      for (const Uuid& id : subscription) {
        const auto topic = topics_.find(id);
        ENSURE(topic != topics_.end(), "topic {}", id.to_string());
        cohort.shares.push_back({.topic = topic->second});
      }
    }
    members_[i].cohort = place->second;
    cohorts_[place->second].members.push_back(i);
  }
}

// What the member had, as far as it is there, subscribed to, and not another's already: assignments that clients made
// may overlap.
void UniformAssignment::take_over(size_t member) {
  for (const auto& [id, partitions] : input_.members[member].current) {
    const auto topic = topics_.find(id);
    if (topic == topics_.end()) continue;
    CohortShare* share = find_share(cohorts_[members_[member].cohort], topic->second);
    if (share == nullptr) continue;
    for (const int32_t partition : partitions) {
      if (partition < 0 || partition >= partition_counts_[topic->second]) continue;
      std::vector<bool>& is_owned = is_owned_[topic->second];
      if (is_owned[static_cast<size_t>(partition)]) continue;
      is_owned[static_cast<size_t>(partition)] = true;
      members_[member].hands[topic->second].push_back(partition);
      ++members_[member].load;
      ++share->held;
    }
  }
}

void UniformAssignment::drop_above_shares(Cohort& cohort) {
  for (const CohortShare& share : cohort.shares) {
    if (share.held > share.wanted) drop_topic(cohort, share);
  }
}

void UniformAssignment::drop_topic(Cohort& cohort, const CohortShare& share) {
  std::priority_queue<std::pair<int64_t, size_t>> heaviest;  // load, member
  for (const size_t member : cohort.members) {
    if (members_[member].hands.contains(share.topic)) heaviest.emplace(members_[member].load, member);
  }
  while (share.held > share.wanted) {
    ENSURE(!heaviest.empty(), "topic {}", topic_ids_[share.topic].to_string());
    const size_t member = heaviest.top().second;
    heaviest.pop();
    drop_one(members_[member], share.topic);
    if (members_[member].hands.contains(share.topic)) heaviest.emplace(members_[member].load, member);
  }
}

void UniformAssignment::set_quotas(const Cohort& cohort) {
  int64_t total = 0;
  for (const CohortShare& share : cohort.shares) total += share.wanted;
  const auto member_count = static_cast<int64_t>(cohort.members.size());
  const int64_t least = total / member_count;
  int64_t longer_count = total % member_count;
  // Who has one more than the least keeps it, as long as there is one more to be had.
  for (const size_t member : cohort.members) {
    const bool is_longer = longer_count > 0 && members_[member].load > least;
    members_[member].quota = is_longer ? least + 1 : least;
    if (is_longer) --longer_count;
  }
  for (const size_t member : cohort.members) {
    if (longer_count == 0) break;
    if (members_[member].quota > least) continue;
    ++members_[member].quota;
    --longer_count;
  }
}

// From the topic that the member has the most of, so that whoever comes anew gets some of each.
void UniformAssignment::drop_above_quota(Member& member) {
  if (member.load <= member.quota) return;
  std::priority_queue<std::pair<size_t, size_t>> fullest;  // partitions in hands, topic
  for (const auto& [topic, partitions] : member.hands) fullest.emplace(partitions.size(), topic);
  while (member.load > member.quota) {
    const auto [count, topic] = fullest.top();
    fullest.pop();
    drop_one(member, topic);
    if (count > 1) fullest.emplace(count - 1, topic);
  }
}

void UniformAssignment::drop_one(Member& member, size_t topic) {
  const auto hand = member.hands.find(topic);
  is_owned_[topic][static_cast<size_t>(hand->second.back())] = false;
  hand->second.pop_back();
  if (hand->second.empty()) member.hands.erase(hand);
  --member.load;
  --find_share(cohorts_[member.cohort], topic)->held;
}

// Round after round, one partition for each member that has room: a topic ends up with many members, not with one.
void UniformAssignment::deal(const Cohort& cohort) {
  std::vector<size_t> roomy;
  for (const size_t member : cohort.members) {
    if (members_[member].load < members_[member].quota) roomy.push_back(member);
  }
  size_t turn = 0;
  for (const CohortShare& share : cohort.shares) {
    for (const int32_t partition : free_partitions(share.topic, share.wanted - share.held)) {
      ENSURE(!roomy.empty(), "topic {}", topic_ids_[share.topic].to_string());
      Member& member = members_[roomy[turn]];
      member.hands[share.topic].push_back(partition);
      if (++member.load == member.quota) {
        roomy.erase(roomy.begin() + static_cast<std::ptrdiff_t>(turn));
      } else {
        ++turn;
      }
      if (turn >= roomy.size()) turn = 0;
    }
  }
  ENSURE(roomy.empty(), "{} members have room", roomy.size());
}

// The first ones; nobody is offered them again.
std::vector<int32_t> UniformAssignment::free_partitions(size_t topic, int64_t count) {
  std::vector<int32_t> free;
  int32_t& cursor = free_cursor_[topic];
  for (; static_cast<int64_t>(free.size()) < count; ++cursor) {
    ENSURE(cursor < partition_counts_[topic], "topic {}", topic_ids_[topic].to_string());
    if (!is_owned_[topic][static_cast<size_t>(cursor)]) free.push_back(cursor);
  }
  return free;
}

Assignment UniformAssignment::result() {
  Assignment assignment;
  for (size_t i = 0; i < members_.size(); ++i) {
    PartitionsByTopic& owned = assignment[input_.members[i].id];
    for (auto& [topic, partitions] : members_[i].hands) {
      std::sort(partitions.begin(), partitions.end());
      owned.emplace(topic_ids_[topic], std::move(partitions));
    }
  }
  return assignment;
}

}  // namespace

Assignment assign_uniform(const AssignorInput& input) { return UniformAssignment(input).make(); }

}  // namespace leat
