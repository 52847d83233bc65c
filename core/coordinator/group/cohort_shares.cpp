// cohort_shares.cpp: first every partition that nobody holds goes to the lightest cohort that may own it, topics with
// the fewest possible owners first; then, from the heaviest cohort down, partitions move along the shortest chain that
// leads to a lighter one.
#include "core/coordinator/group/cohort_shares.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "core/base/check.h"

namespace leat {
namespace {

class ShareBalancer {
 public:
  ShareBalancer(std::vector<Cohort>& cohorts, const std::vector<int32_t>& partition_counts);
  void hand_out();
  void even_out();

 private:
  struct Subscriber {
    size_t cohort;
    size_t slot;  // cohorts_[cohort].shares[slot] is its share of the topic
  };
  struct Topic {
    std::vector<Subscriber> subscribers;
    size_t member_count = 0;
    int64_t unheld_count = 0;
    uint64_t search = 0;  // the last one that looked at the subscribers
  };
  // How the search got to a cohort: `from` gives up one of its slot `given`, this one takes it into its slot `taken`.
  struct Arrival {
    uint64_t search = 0;
    size_t from = 0;
    size_t given = 0;
    size_t taken = 0;
  };

  // What a cohort is to own, and what that is for its members when it is spread evenly.
  struct Load {
    int64_t total = 0;
    int64_t least = 0;
    int64_t most = 0;
  };

  void add_load(size_t cohort, int64_t count);
  void hand_out_topic(Topic& topic);
  std::optional<size_t> heaviest() const;
  std::optional<size_t> find_lighter(size_t source);
  void reach_from(size_t cohort);
  void reach_through(size_t cohort, size_t slot);
  void move_one(size_t source, size_t target);
  void settle_reached();

  std::vector<Cohort>& cohorts_;
  std::vector<Topic> topics_;
  std::vector<Load> loads_;          // by cohort
  std::vector<uint8_t> is_settled_;  // by cohort: nothing will change any more
  size_t unsettled_count_;

  uint64_t search_ = 0;  // which one is under way
  std::vector<Arrival> arrivals_;
  std::vector<size_t> reached_;  // in the order of distance; the first is where the search began
  uint64_t step_count_ = 0;
};

ShareBalancer::ShareBalancer(std::vector<Cohort>& cohorts, const std::vector<int32_t>& partition_counts)
    : cohorts_(cohorts),
      topics_(partition_counts.size()),
      loads_(cohorts.size()),
      is_settled_(cohorts.size()),
      unsettled_count_(cohorts.size()),
      arrivals_(cohorts.size()) {
  for (size_t i = 0; i < topics_.size(); ++i) topics_[i].unheld_count = partition_counts[i];
  for (size_t cohort = 0; cohort < cohorts_.size(); ++cohort) {
    std::vector<CohortShare>& shares = cohorts_[cohort].shares;
    for (size_t slot = 0; slot < shares.size(); ++slot) {
      CohortShare& share = shares[slot];
      share.wanted = share.held;
      add_load(cohort, share.held);
      Topic& topic = topics_[share.topic];
      topic.subscribers.push_back({.cohort = cohort, .slot = slot});
      topic.member_count += cohorts_[cohort].members.size();
      topic.unheld_count -= share.held;
      ENSURE(topic.unheld_count >= 0, "topic {}", share.topic);
    }
  }
}

void ShareBalancer::add_load(size_t cohort, int64_t count) {
  Load& load = loads_[cohort];
  const auto member_count = static_cast<int64_t>(cohorts_[cohort].members.size());
  load.total += count;
  load.least = load.total / member_count;
  load.most = (load.total + member_count - 1) / member_count;
}

void ShareBalancer::hand_out() {
  std::vector<size_t> order(topics_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](size_t a, size_t b) { return topics_[a].member_count < topics_[b].member_count; });
  for (const size_t index : order) hand_out_topic(topics_[index]);
}

void ShareBalancer::hand_out_topic(Topic& topic) {
  if (topic.subscribers.empty() || topic.unheld_count == 0) return;
  using Candidate = std::pair<int64_t, size_t>;  // load of the lightest member, index into the subscribers
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> lightest;
  for (size_t i = 0; i < topic.subscribers.size(); ++i) {
    lightest.emplace(loads_[topic.subscribers[i].cohort].least, i);
  }
  for (; topic.unheld_count > 0; --topic.unheld_count) {
    const size_t index = lightest.top().second;
    lightest.pop();
    const Subscriber& subscriber = topic.subscribers[index];
    ++cohorts_[subscriber.cohort].shares[subscriber.slot].wanted;
    add_load(subscriber.cohort, 1);
    lightest.emplace(loads_[subscriber.cohort].least, index);
  }
}

// Always from the heaviest cohort. When nothing lighter by two is in its reach, then what it reaches is settled as a
// whole: the loads there are the heaviest one's or one less, and no later chain can begin, end or pass there (it would
// have to end at a load of two less than a cohort that is no heavier, and whatever it enters there it cannot leave).
void ShareBalancer::even_out() {
  while (step_count_ < kShareStepsMax) {
    const std::optional<size_t> source = heaviest();
    if (!source) return;
    if (const std::optional<size_t> target = find_lighter(*source)) {
      move_one(*source, *target);
    } else {
      settle_reached();
    }
    step_count_ += cohorts_.size();
  }
}

std::optional<size_t> ShareBalancer::heaviest() const {
  std::optional<size_t> heaviest;
  for (size_t cohort = 0; cohort < cohorts_.size(); ++cohort) {
    if (is_settled_[cohort] != 0) continue;
    if (!heaviest || loads_[cohort].most > loads_[*heaviest].most) heaviest = cohort;
  }
  return heaviest;
}

// The lightest of the nearest, for each step of a chain may move a partition; nullopt when none is lighter by two.
std::optional<size_t> ShareBalancer::find_lighter(size_t source) {
  ++search_;
  arrivals_[source].search = search_;
  reached_.assign(1, source);
  for (size_t level_begin = 0; level_begin < reached_.size();) {
    const size_t level_end = reached_.size();
    for (size_t i = level_begin; i < level_end; ++i) reach_from(reached_[i]);
    const auto lightest = std::min_element(reached_.begin() + static_cast<std::ptrdiff_t>(level_end), reached_.end(),
                                           [this](size_t a, size_t b) { return loads_[a].least < loads_[b].least; });
    if (lightest != reached_.end() && loads_[*lightest].least + 2 <= loads_[source].most) return *lightest;
    level_begin = level_end;
  }
  return std::nullopt;
}

void ShareBalancer::reach_from(size_t cohort) {
  // What a cohort is to get but does not hold yet is free to go elsewhere, so that comes first.
  const std::vector<CohortShare>& shares = cohorts_[cohort].shares;
  step_count_ += shares.size();
  for (size_t slot = 0; slot < shares.size(); ++slot) {
    if (shares[slot].wanted > shares[slot].held) reach_through(cohort, slot);
  }
  for (size_t slot = 0; slot < shares.size(); ++slot) {
    if (shares[slot].wanted > 0) reach_through(cohort, slot);
  }
}

void ShareBalancer::reach_through(size_t cohort, size_t slot) {
  Topic& topic = topics_[cohorts_[cohort].shares[slot].topic];
  // Where many subscribe to much, all are reached long before all topics are looked through.
  if (topic.search == search_ || reached_.size() == unsettled_count_) return;
  topic.search = search_;
  step_count_ += topic.subscribers.size();
  for (const Subscriber& subscriber : topic.subscribers) {
    Arrival& arrival = arrivals_[subscriber.cohort];
    if (arrival.search == search_ || is_settled_[subscriber.cohort] != 0) continue;
    arrival = {.search = search_, .from = cohort, .given = slot, .taken = subscriber.slot};
    reached_.push_back(subscriber.cohort);
  }
}

void ShareBalancer::move_one(size_t source, size_t target) {
  for (size_t at = target; at != source; at = arrivals_[at].from) {
    const Arrival& arrival = arrivals_[at];
    CohortShare& given = cohorts_[arrival.from].shares[arrival.given];
    ENSURE(given.wanted > 0, "topic {}", given.topic);
    --given.wanted;
    ++cohorts_[at].shares[arrival.taken].wanted;
  }
  add_load(source, -1);
  add_load(target, 1);
}

void ShareBalancer::settle_reached() {
  for (const size_t cohort : reached_) is_settled_[cohort] = 1;
  unsettled_count_ -= reached_.size();
}

}  // namespace

void decide_shares(std::vector<Cohort>& cohorts, const std::vector<int32_t>& partition_counts) {
  ShareBalancer balancer(cohorts, partition_counts);
  balancer.hand_out();
  balancer.even_out();
}

}  // namespace leat
