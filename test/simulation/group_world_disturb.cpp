// group_world_disturb.cpp: what happens in a world of groups until it grows calm.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "test/simulation/group_world.h"
#include "test/simulation/group_world_classic.h"
#include "test/simulation/group_world_consumer.h"

namespace leat {

namespace {

constexpr uint64_t kTopicNames = 5;
constexpr uint64_t kSimpleGroups = 2;
constexpr size_t kIdentitiesMax = 40;

std::string topic_name(uint64_t number) { return fmt::format("topic-{}", number); }

}  // namespace

void GroupWorld::disturb() {
  struct Disturbance {
    uint64_t weight;
    void (GroupWorld::*happens)();
  };
  static constexpr std::array kAll{
      Disturbance{8, &GroupWorld::start_one},
      Disturbance{8, &GroupWorld::stop_one},
      Disturbance{10, &GroupWorld::pause_one},
      Disturbance{10, &GroupWorld::restart_static},
      Disturbance{6, &GroupWorld::move_to_other_protocol},
      Disturbance{6, &GroupWorld::commit_many},
      Disturbance{5, &GroupWorld::crash_broker},
      Disturbance{8, &GroupWorld::change_topics},
      Disturbance{5, &GroupWorld::change_subscription},
      Disturbance{16, &GroupWorld::ask_with_stale_epoch},
      Disturbance{5, &GroupWorld::commit_without_group},
      Disturbance{8, &GroupWorld::administrate},
      Disturbance{1, &GroupWorld::step_wall_clock},
      Disturbance{1, &GroupWorld::check_snapshot},
  };
  if (timeline_.now_ms() >= live_until_ms_) return;
  uint64_t sum = 0;
  for (const Disturbance& one : kAll) sum += one.weight;
  uint64_t choice = random_.below(sum);
  for (const Disturbance& one : kAll) {
    if (choice < one.weight) {
      (this->*one.happens)();
      break;
    }
    choice -= one.weight;
  }
  timeline_.after(random_below(random_, pace_ms_), [this] { disturb(); });
}

// --- members --------------------------------------------------------------------------------------------------------

std::vector<std::string> GroupWorld::choose_topics() {
  std::vector<std::string> names;
  const uint64_t least = random_.below(kTopicNames);
  for (uint64_t i = 0; i < kTopicNames; ++i) {
    if (i == least || random_.one_in(2)) names.push_back(topic_name(i));
  }
  return names;
}

SimMember::Plan GroupWorld::plan_member(const Group& group, bool is_classic) {
  SimMember::Plan plan;
  plan.group_id = group.id;
  plan.client_id = fmt::format("c{}", next_name_++);
  plan.topics = choose_topics();
  plan.is_old = random_.one_in(5);
  plan.rebalance_timeout_ms = 4000 + random_below(random_, 8000);
  if (is_classic) {
    plan.session_timeout_ms = 6000 + random_below(random_, 6000);
    plan.heartbeat_interval_ms = plan.session_timeout_ms / 4;
    return plan;
  }
  plan.session_timeout_ms = rules_.consumer_session_timeout_ms;
  plan.heartbeat_interval_ms = rules_.consumer_heartbeat_interval_ms;
  if (random_.one_in(3)) plan.assignor = random_.one_in(2) ? "range" : "uniform";
  return plan;
}

// Not for static members: one that says nothing of a pattern goes on with that of the member before it.
void GroupWorld::subscribe_by_pattern(SimMember::Plan& plan) {
  plan.pattern = random_.below(std::size(kSimPatterns));
  if (random_.one_in(2)) plan.topics.clear();
  counts_.add(GroupHappening::kPatternSubscription);
}

SimMember* GroupWorld::start_member(Group& group, std::optional<std::string> instance_id) {
  if (mood_.is_calm) return nullptr;
  const bool speaks_both = group.speaks == Speaks::kBoth;
  const bool is_classic = speaks_both ? group.prefers_classic != random_.one_in(4) : group.speaks == Speaks::kClassic;
  SimMember::Plan plan = plan_member(group, is_classic);
  plan.instance_id = std::move(instance_id);
  if (!plan.instance_id && random_.one_in(3)) plan.instance_id = fmt::format("i{}", next_name_++);
  if (!is_classic && !plan.is_old && !plan.instance_id && random_.one_in(4)) subscribe_by_pattern(plan);
  const SimMember::Parts parts{.timeline = timeline_,
                               .random = random_,
                               .broker = broker_,
                               .topics = topics_,
                               .rules = rules_,
                               .claims = claims_,
                               .notes = notes_,
                               .counts = counts_,
                               .mood = mood_};
  if (is_classic)
    members_.push_back(std::make_unique<ClassicSimMember>(parts, std::move(plan)));
  else
    members_.push_back(std::make_unique<ConsumerSimMember>(parts, std::move(plan)));
  SimMember* const member = members_.back().get();
  group.members.push_back(member);
  tell("starts: " + member->to_string());
  member->start();
  return member;
}

SimMember* GroupWorld::any_member() {
  std::vector<SimMember*> alive;
  for (const std::unique_ptr<SimMember>& member : members_) {
    if (member->is_alive()) alive.push_back(member.get());
  }
  return alive.empty() ? nullptr : alive[random_.below(alive.size())];
}

GroupWorld::Group* GroupWorld::find_group(std::string_view group_id) {
  const auto found =
      std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) { return group.id == group_id; });
  return found == groups_.end() ? nullptr : &*found;
}

GroupWorld::Group& GroupWorld::group_of(const SimMember& member) { return *find_group(member.plan().group_id); }

void GroupWorld::start_one() {
  size_t alive = 0;
  for (const std::unique_ptr<SimMember>& member : members_) alive += member->is_alive() ? 1 : 0;
  if (alive < members_wanted_ || random_.one_in(3)) start_member(any_group(), std::nullopt);
}

void GroupWorld::stop_one() {
  SimMember* const member = any_member();
  if (member == nullptr) return;
  const bool says_so = random_.one_in(2);
  tell((says_so ? "leaves: " : "dies: ") + member->to_string());
  if (says_so)
    member->leave();
  else
    member->stop_silently();
}

void GroupWorld::pause_one() {
  SimMember* const member = any_member();
  if (member == nullptr) return;
  const int64_t session_ms = member->plan().session_timeout_ms;
  const int64_t duration_ms =
      random_.one_in(2) ? random_below(random_, session_ms) : session_ms + random_below(random_, session_ms);
  tell(fmt::format("pauses for {} ms: {}", duration_ms, member->to_string()));
  member->pause(duration_ms);
}

// The old one goes before the new one comes, or after, or is fenced by it.
void GroupWorld::restart_static() {
  std::vector<SimMember*> holders;
  for (const std::unique_ptr<SimMember>& member : members_) {
    if (member->is_alive() && member->plan().instance_id) holders.push_back(member.get());
  }
  if (holders.empty()) return;
  SimMember* const old = holders[random_.below(holders.size())];
  tell("restarts: " + old->to_string());
  const uint64_t manner = random_.below(4);
  if (manner == 0) old->stop_silently();
  if (manner == 1) old->leave();
  if (manner == 2) timeline_.after(random_below(random_, int64_t{4000}), [old] { old->stop_silently(); });
  const int64_t away_ms = manner < 2 ? random_below(random_, int64_t{random_.one_in(3) ? 12'000 : 1500}) : 0;
  timeline_.after(away_ms, [this, &group = group_of(*old), instance_id = old->plan().instance_id] {
    start_member(group, instance_id);
  });
}

// All members of a group of both kinds go over, one after the other: some as new members, static ones in their place.
void GroupWorld::move_to_other_protocol() {
  Group& group = any_group();
  if (group.speaks != Speaks::kBoth) return;
  group.prefers_classic = !group.prefers_classic;
  tell(fmt::format("{} moves to the {} protocol", group.id, group.prefers_classic ? "classic" : "consumer"));
  for (SimMember* const member : group.members) {
    if (!member->is_alive() || member->is_classic() == group.prefers_classic) continue;
    const bool steps_in = member->plan().instance_id && random_.one_in(2);
    timeline_.after(random_below(random_, int64_t{5000}), [this, member, steps_in, &group] {
      if (!member->is_alive()) return;
      start_member(group, steps_in ? member->plan().instance_id : std::nullopt);
      if (!steps_in) member->leave();
    });
  }
}

void GroupWorld::commit_many() {
  for (const std::unique_ptr<SimMember>& member : members_) {
    if (member->is_alive() && random_.one_in(4)) member->commit_some();
  }
}

void GroupWorld::change_subscription() {
  SimMember* const member = any_member();
  if (member == nullptr) return;
  counts_.add(GroupHappening::kResubscription);
  member->subscribe_to(choose_topics());
}

// --- topics and clocks ----------------------------------------------------------------------------------------------

void GroupWorld::make_topic() {
  const std::string name = topic_name(random_.below(kTopicNames));
  if (topics_.find(name)) return;
  const int32_t partitions = is_crowded_ ? 30 + random_below(random_, 60) : 1 + random_below(random_, 12);
  if (!ever_made_.insert(name).second) counts_.add(GroupHappening::kTopicMadeAgain);
  topics_.make(name, partitions, random_);
  tell(fmt::format("{} is made with {} partitions", name, partitions));
}

void GroupWorld::delete_topic(const CatalogTopic& topic) {
  counts_.add(GroupHappening::kTopicDeleted);
  tell(topic.name + " is deleted");
  topics_.remove(topic);
  broker_.topic_gone(topic);
}

void GroupWorld::change_topics() {
  const std::optional<CatalogTopic> topic = topics_.find(topic_name(random_.below(kTopicNames)));
  if (!topic) {
    make_topic();
  } else if (random_.one_in(2)) {
    counts_.add(GroupHappening::kTopicGrown);
    topics_.grow(topic->name, 1 + random_below(random_, 3));
  } else {
    delete_topic(*topic);
    if (random_.one_in(2)) make_topic();
  }
  broker_.topics_changed();
}

void GroupWorld::step_wall_clock() {
  constexpr int64_t kDayMs = 86'400'000;
  counts_.add(GroupHappening::kWallClockStep);
  broker_.step_wall_clock(random_below(random_, 20 * kDayMs) - 10 * kDayMs);
}

// --- requests from elsewhere ----------------------------------------------------------------------------------------

void GroupWorld::remember_identity() {
  const SimMember* const member = any_member();
  if (member == nullptr || member->epoch() <= 0 || identities_.size() >= kIdentitiesMax) return;
  identities_.push_back({.group_id = member->plan().group_id,
                         .member_id = member->member_id(),
                         .instance_id = member->plan().instance_id,
                         .epoch = member->epoch(),
                         .is_classic = member->is_classic()});
}

// A request that was under way for long, or a client that came back from a long pause. What is not stale any more when
// it comes to the broker's door is taken back there.
void GroupWorld::ask_with_stale_epoch() {
  remember_identity();
  if (identities_.empty() || topics_.all().empty()) return;
  const StaleIdentity& who = identities_[random_.below(identities_.size())];
  if (random_.one_in(2)) {
    const CatalogTopic& topic = topics_.all().begin()->second;
    CommitOffsets commit;
    commit.group_id = who.group_id;
    commit.generation_or_epoch = who.epoch;
    commit.member_id = who.member_id;
    commit.instance_id = who.instance_id;
    commit.offsets = {{.topic = topic.name,
                       .topic_id = topic.id,
                       .partition = random_below(random_, topic.partition_count),
                       .offset = ++mood_.last_offset,
                       .metadata = "stale"}};
    stale_tickets_.insert(broker_.send(*this, std::move(commit)));
  } else if (who.is_classic) {
    stale_tickets_.insert(broker_.send(*this, GroupHeartbeat{.group_id = who.group_id,
                                                             .generation = who.epoch,
                                                             .member_id = who.member_id,
                                                             .instance_id = who.instance_id}));
  } else {
    ConsumerHeartbeat heartbeat;
    heartbeat.group_id = who.group_id;
    heartbeat.member_id = who.member_id;
    heartbeat.member_epoch = who.epoch;
    heartbeat.instance_id = who.instance_id;
    stale_tickets_.insert(broker_.send(*this, std::move(heartbeat)));
  }
}

// Mostly to groups that have no members, ever; sometimes to one that has.
void GroupWorld::commit_without_group() {
  if (topics_.all().empty()) return;
  CommitOffsets commit;
  commit.group_id = random_.one_in(4) ? any_group().id : fmt::format("simple-{}", random_.below(kSimpleGroups));
  for (const auto& [name, topic] : topics_.all()) {
    commit.offsets.push_back({.topic = name,
                              .topic_id = {},
                              .partition = random_below(random_, topic.partition_count),
                              .offset = ++mood_.last_offset,
                              .metadata = {}});
  }
  broker_.send(*this, std::move(commit));
}

void GroupWorld::remove_static_member() {
  const SimMember* const member = any_member();
  if (member == nullptr || !member->plan().instance_id) return;
  broker_.send(*this, LeaveGroup{.group_id = member->plan().group_id,
                                 .members = {{.member_id = "", .instance_id = member->plan().instance_id}}});
}

void GroupWorld::delete_offsets() {
  DeleteOffsets event;
  event.group_id = random_.one_in(2) ? any_group().id : fmt::format("simple-{}", random_.below(kSimpleGroups));
  for (const auto& [key, offset] : broker_.ledger().offsets()) {
    if (key.group_id == event.group_id && random_.one_in(2)) event.partitions.emplace_back(key.topic, key.partition);
  }
  if (!event.partitions.empty()) broker_.send(*this, std::move(event));
}

void GroupWorld::fetch_offsets(const std::string& group_id) {
  FetchOffsets all;
  all.group_id = group_id;
  broker_.send(*this, std::move(all));
  FetchOffsets some;
  some.group_id = group_id;
  some.topics.emplace();
  for (const auto& [name, topic] : topics_.all()) {
    FetchOffsetsTopic& asked = some.topics->emplace_back(FetchOffsetsTopic{.topic = name, .partitions = {}});
    for (int32_t partition = 0; partition < topic.partition_count; ++partition) asked.partitions.push_back(partition);
  }
  broker_.send(*this, std::move(some));
}

void GroupWorld::administrate() {
  const std::string group_id =
      random_.one_in(2) ? any_group().id : fmt::format("simple-{}", random_.below(kSimpleGroups));
  switch (random_.below(8)) {
    case 0:
      broker_.send(*this, DeleteGroup{.group_id = group_id});
      break;
    case 1:
      delete_offsets();
      break;
    case 2:
      describe_groups();
      break;
    case 3:
    case 4:
      remove_static_member();
      break;
    default:
      fetch_offsets(group_id);
      break;
  }
}

}  // namespace leat
