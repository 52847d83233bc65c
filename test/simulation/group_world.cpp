// group_world.cpp: how a world begins, grows calm, settles and ends.
#include "test/simulation/group_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "test/simulation/group_world_expect.h"

namespace leat {

namespace {

// One seed in forty has hundreds of members; one in four lets offsets expire in between.
bool is_crowded(uint64_t seed) { return seed % 40 == 17; }
bool forgets_soon(uint64_t seed) { return seed % 4 == 2; }

constexpr int64_t kQuietMs = 60'000;  // longer than any session and any rebalance
constexpr int64_t kSettleMaxMs = 400'000;
constexpr int64_t kStillMs = 30'000;  // in which a settled group changes no more

}  // namespace

GroupWorld::GroupWorld(uint64_t seed, Telling telling)
    : seed_(seed),
      telling_(telling),
      random_(seed * 2 + 1),
      broker_({.timeline = timeline_,
               .random = random_,
               .topics = topics_,
               .rules = rules_,
               .counts = counts_,
               .observer = *this},
              seed) {
  choose_rules();
  make_groups();
}

GroupWorld::~GroupWorld() = default;

void GroupWorld::tell(const std::string& line) const {
  if (telling_ == Telling::kTold)
    std::fprintf(stderr, "seed %llu, %8.3f s: %s\n", static_cast<unsigned long long>(seed_),
                 static_cast<double>(timeline_.now_ms()) / 1000, line.c_str());
}

void GroupWorld::choose_rules() {
  rules_.min_session_timeout_ms = 1000;
  rules_.initial_rebalance_delay_ms = random_.one_in(2) ? 0 : 200 + random_below(random_, 3000);
  rules_.consumer_session_timeout_ms = 6000 + random_below(random_, 6000);
  rules_.consumer_heartbeat_interval_ms = 1000 + random_below(random_, 1500);
  rules_.regex_refresh_interval_ms = 15'000;
  if (forgets_soon(seed_)) {
    rules_.offsets_retention_ms = 30'000;
    rules_.offsets_check_interval_ms = 10'000;
  }
}

void GroupWorld::make_groups() {
  constexpr Speaks kAll[]{Speaks::kBoth, Speaks::kClassic, Speaks::kConsumer, Speaks::kBoth};
  is_crowded_ = is_crowded(seed_);
  const uint64_t count = is_crowded_ ? 2 + random_.below(3) : 1 + random_.below(4);
  for (uint64_t i = 0; i < count; ++i) {
    groups_.push_back({.id = fmt::format("group-{}", i),
                       .speaks = kAll[(seed_ + i) % std::size(kAll)],
                       .prefers_classic = random_.one_in(2),
                       .members = {}});
  }
  members_wanted_ = is_crowded_ ? 150 + random_.below(200) : 2 + random_.below(7 * count);
  live_until_ms_ = 40'000 + random_below(random_, int64_t{60'000});
  pace_ms_ = is_crowded_ ? 600 : 1500;
}

void GroupWorld::run() {
  broker_.start();
  const uint64_t topics = 1 + random_.below(4);
  for (uint64_t i = 0; i < topics; ++i) make_topic();
  tell(fmt::format("{} groups, {} members wanted, {} topics", groups_.size(), members_wanted_, topics));
  for (size_t i = 0; i < members_wanted_; ++i) {
    timeline_.after(random_below(random_, live_until_ms_ / 4), [this] { start_member(any_group(), std::nullopt); });
  }
  disturb();
  timeline_.run_for(live_until_ms_);
  calm();
  settle();
  finish();
}

// Of two that hold one instance id the older gives way: they would fence each other, or wait for each other, for ever.
void GroupWorld::calm() {
  tell("calm");
  mood_.is_calm = true;
  broker_.calm();
  for (const Group& group : groups_) {
    std::map<std::string, SimMember*> newest;
    for (SimMember* member : group.members) {
      if (!member->is_alive()) continue;
      member->resume();
      if (!member->plan().instance_id) continue;
      SimMember*& holder = newest[*member->plan().instance_id];
      if (holder != nullptr) holder->stop_silently();
      holder = member;
    }
  }
}

std::string GroupWorld::unsettled(const Group& group) const {
  const LedgerGroup* in_log = broker_.ledger().find(group.id);
  size_t alive = 0;
  size_t owned = 0;
  for (const SimMember* member : group.members) {
    if (!member->is_alive()) continue;
    ++alive;
    owned += member->owned().size();
    if (!member->is_settled()) return "not settled: " + member->to_string();
  }
  const size_t in_log_count = in_log == nullptr       ? 0
                              : in_log->is_consumer() ? in_log->members.size()
                              : in_log->is_classic()  ? in_log->classic->members.size()
                                                      : 0;
  if (in_log_count != alive) return fmt::format("{} has {} members, not {}", group.id, in_log_count, alive);
  size_t expected = 0;
  for (const auto& entry : topics_.all()) {
    const CatalogTopic& topic = entry.second;
    const bool is_followed = std::any_of(group.members.begin(), group.members.end(), [&](const SimMember* member) {
      return member->is_alive() && member->follows(topic.name);
    });
    if (!is_followed) continue;
    for (int32_t partition = 0; partition < topic.partition_count; ++partition) {
      const std::vector<SimMember*>& owners = claims_.owners(group.id, {topic.id, partition});
      if (owners.size() != 1)
        return fmt::format("{}-{} of {} has {} owners", topic.name, partition, group.id, owners.size());
      if (!owners.front()->follows(topic.name))
        return fmt::format("{} has an owner who does not follow it", topic.name);
    }
    expected += static_cast<size_t>(topic.partition_count);
  }
  return owned == expected ? "" : fmt::format("{} owns {} partitions, there are {}", group.id, owned, expected);
}

std::string GroupWorld::unsettled() const {
  if (!broker_.is_up()) return "the broker is down";
  for (const Group& group : groups_) {
    if (std::string reason = unsettled(group); !reason.empty()) return reason;
  }
  return "";
}

std::map<std::string, int32_t> GroupWorld::epochs() const {
  std::map<std::string, int32_t> result;
  for (const Group& group : groups_) {
    const LedgerGroup* in_log = broker_.ledger().find(group.id);
    if (in_log != nullptr && in_log->epoch() >= 0) result[group.id] = in_log->epoch();
  }
  return result;
}

void GroupWorld::settle() {
  const int64_t limit_ms = timeline_.now_ms() + kSettleMaxMs;
  timeline_.run_for(kQuietMs);
  for (std::string reason = unsettled(); !reason.empty(); reason = unsettled()) {
    expect(timeline_.now_ms() < limit_ms, [&] { return reason; });
    timeline_.run_for(2000);
  }
  tell("settled");
  const std::map<std::string, int32_t> before = epochs();
  timeline_.run_for(kStillMs);
  const std::string reason = unsettled();
  expect(reason.empty(), [&] { return "settled and then not: " + reason; });
  for (const auto& now : epochs()) {
    const auto was = before.find(now.first);
    expect(was != before.end() && was->second == now.second,
           [&] { return fmt::format("{} went on to epoch {} without a cause", now.first, now.second); });
    counts_.add(GroupHappening::kGroupSettled);
  }
}

void GroupWorld::describe_groups() {
  for (const Group& group : groups_) {
    const std::optional<Speaks> kind = kind_in_log(group.id);
    if (kind == Speaks::kConsumer) broker_.send(*this, DescribeConsumerGroup{.group_id = group.id});
    if (kind == Speaks::kClassic) broker_.send(*this, DescribeGroup{.group_id = group.id});
  }
  broker_.send(*this, ListGroups{});
}

// Everybody commits, and then dies at once: nobody is left in any group, nothing is left waiting, and what was
// committed is there, before and after one more start.
void GroupWorld::finish() {
  is_settled_ = true;
  const uint64_t refused = counts_.of(GroupHappening::kCommitRefused);
  for (const std::unique_ptr<SimMember>& member : members_) {
    if (member->is_alive()) member->commit_all();
  }
  describe_groups();
  timeline_.run_for(1000);
  expect(counts_.of(GroupHappening::kCommitRefused) == refused,
         [] { return std::string("a commit of a settled member was refused"); });
  is_settled_ = false;
  for (const std::unique_ptr<SimMember>& member : members_) member->stop_silently();
  timeline_.run_for(kQuietMs);
  expect(broker_.open_requests() == 0,
         [&] { return fmt::format("{} requests were never answered", broker_.open_requests()); });
  for (const Group& group : groups_) {
    const LedgerGroup* in_log = broker_.ledger().find(group.id);
    const bool is_empty =
        in_log == nullptr || (in_log->members.empty() && (!in_log->classic || in_log->classic->members.empty()));
    expect(is_empty, [&] { return group.id + " still has members when all are dead"; });
  }
  broker_.check_snapshot();
  for (int i = 0; i < 2; ++i) {
    for (const Group& group : groups_) fetch_offsets(group.id);
    describe_groups();
    timeline_.run_for(5000);
    if (i == 0) broker_.crash();
    timeline_.run_for(5000);
  }
  broker_.check_snapshot();
}

}  // namespace leat
