// group_world_checks.cpp: what must hold in each step of a world of groups, and what the world learns from it about who
// is owed nothing any more.
#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "test/simulation/group_world.h"
#include "test/simulation/group_world_expect.h"

namespace leat {

namespace {

const GroupReply* reply_to(Ticket ticket, const GroupOutput& output) {
  for (const auto& [answered, reply] : output.replies) {
    if (answered == ticket) return &reply;
  }
  return nullptr;
}

GroupErrc error_of(const GroupReply& reply) {
  if (const auto* heard = std::get_if<ConsumerHeartbeatReply>(&reply)) return heard->fault.code;
  if (const auto* heard = std::get_if<GroupHeartbeatReply>(&reply)) return heard->error;
  if (const auto* commit = std::get_if<CommitOffsetsReply>(&reply)) {
    const bool is_refused = std::any_of(commit->partitions.begin(), commit->partitions.end(),
                                        [](GroupErrc error) { return error != GroupErrc::kNone; });
    return commit->error == GroupErrc::kNone && is_refused ? commit->partitions.front() : commit->error;
  }
  return GroupErrc::kNone;
}

}  // namespace

// --- stale requests -------------------------------------------------------------------------------------------------

int32_t GroupWorld::classic_generation(const std::string& group_id) const {
  const LedgerGroup* group = broker_.ledger().find(group_id);
  const int32_t in_log = group != nullptr && group->is_classic() ? group->classic->generation : -1;
  return std::max(in_log, notes_.generation(group_id));
}

bool GroupWorld::is_stale(const std::string& group_id, const std::string& member_id, int32_t epoch) const {
  const LedgerGroup* group = broker_.ledger().find(group_id);
  if (group == nullptr || !group->is_consumer()) return epoch < classic_generation(group_id);
  const auto member = group->members.find(member_id);
  return member == group->members.end() || epoch < member->second.epoch;
}

bool GroupWorld::still_wanted(Ticket ticket, const GroupEvent& event) {
  if (!stale_tickets_.contains(ticket)) return true;
  if (const auto* commit = std::get_if<CommitOffsets>(&event))
    return is_stale(commit->group_id, commit->member_id, commit->generation_or_epoch);
  if (const auto* heartbeat = std::get_if<GroupHeartbeat>(&event))
    return is_stale(heartbeat->group_id, heartbeat->member_id, heartbeat->generation);
  const auto& heartbeat = std::get<ConsumerHeartbeat>(event);
  return is_stale(heartbeat.group_id, heartbeat.member_id, heartbeat.member_epoch);
}

void GroupWorld::on_produced(Ticket ticket, const GroupReply& reply) {
  if (stale_tickets_.erase(ticket) == 0) return;
  const bool is_refused = error_of(reply) != GroupErrc::kNone;
  // A commit of an older epoch may be good: check_committer says when.
  expect(is_refused || std::holds_alternative<CommitOffsetsReply>(reply),
         [] { return std::string("a heartbeat with a stale epoch was accepted"); });
  if (is_refused) counts_.add(GroupHappening::kStaleRequestRefused);
}

// --- what each step may do ------------------------------------------------------------------------------------------

void GroupWorld::before_records(const GroupEvent* event, const std::vector<GroupRecord>& records) {
  replaceable_.clear();
  if (event != nullptr) watch_instance(*event);
  for (const GroupRecord& record : records) {
    const auto* offset = std::get_if<OffsetCommitRecord>(&record);
    if (offset == nullptr || offset->value) continue;
    const LedgerOffsetKey key{offset->key.group, offset->key.topic, offset->key.partition};
    if (broker_.ledger().offset(key) == nullptr) continue;
    expect(may_offset_go(event, key), [&] {
      return fmt::format("the offset of {} in {}-{} went without a cause (event {})", key.group_id, key.topic,
                         key.partition, event == nullptr ? -1 : static_cast<int>(event->index()));
    });
  }
}

bool GroupWorld::may_offset_go(const GroupEvent* event, const LedgerOffsetKey& key) const {
  if (event == nullptr) return is_orphan(key) || may_offset_expire(key);
  if (const auto* gone = std::get_if<TopicGone>(event)) return gone->topic == key.topic;
  if (const auto* deletion = std::get_if<DeleteGroup>(event)) return deletion->group_id == key.group_id;
  if (const auto* deletion = std::get_if<DeleteOffsets>(event)) return deletion->group_id == key.group_id;
  return std::holds_alternative<TimePassed>(*event) && may_offset_expire(key);
}

// At a start: the topic went while the broker was down, and may have been made again.
bool GroupWorld::is_orphan(const LedgerOffsetKey& key) const {
  const std::optional<CatalogTopic> topic = topics_.find(key.topic);
  const Uuid& id = broker_.ledger().offset(key)->topic_id;
  return !topic || (!id.is_zero() && id != topic->id);
}

// Never while somebody is in the group who follows the topic. In a classic group that its members left the time counts
// from then, as in Kafka, even for what was committed later.
bool GroupWorld::may_offset_expire(const LedgerOffsetKey& key) const {
  int64_t since_ms = broker_.ledger().offset(key)->committed_wall_ms;
  const LedgerGroup* group = broker_.ledger().find(key.group_id);
  if (group != nullptr && group->is_classic() && group->classic->members.empty())
    since_ms = std::min(since_ms, group->classic->current_state_timestamp);
  return broker_.wall_ms() >= since_ms + rules_.offsets_retention_ms && !is_followed(key.group_id, key.topic);
}

bool GroupWorld::is_followed(std::string_view group_id, std::string_view topic) const {
  return std::any_of(members_.begin(), members_.end(), [&](const std::unique_ptr<SimMember>& member) {
    return member->plan().group_id == group_id && member->surely_follows(topic);
  });
}

bool GroupWorld::has_guaranteed_member(std::string_view group_id) const {
  return std::any_of(members_.begin(), members_.end(), [&](const std::unique_ptr<SimMember>& member) {
    return member->plan().group_id == group_id && member->is_guaranteed();
  });
}

void GroupWorld::on_step(const GroupRequester* from, const GroupEvent* event, Ticket ticket,
                         const GroupOutput& output) {
  take_conversions(output.records);
  if (event == nullptr) return;
  for (const GroupRecord& record : output.records) {
    const auto* offset = std::get_if<OffsetCommitRecord>(&record);
    const bool went = offset != nullptr && !offset->value && std::holds_alternative<TimePassed>(*event);
    if (went) counts_.add(GroupHappening::kOffsetExpired);
  }
  const GroupReply* reply = reply_to(ticket, output);
  exclude_replaced(from, *event, reply);
  if (reply == nullptr) return;
  if (const auto* commit = std::get_if<CommitOffsets>(event))
    check_commit(from, *commit, std::get<CommitOffsetsReply>(*reply), output);
  if (const auto* fetch = std::get_if<FetchOffsets>(event)) check_fetch(*fetch, std::get<FetchOffsetsReply>(*reply));
  if (const auto* deletion = std::get_if<DeleteOffsets>(event))
    check_deleted_offsets(*deletion, std::get<DeleteOffsetsReply>(*reply));
  if (const auto* deletion = std::get_if<DeleteGroup>(event))
    check_deleted_group(*deletion, std::get<DeleteGroupReply>(*reply));
  if (const auto* gone = std::get_if<TopicGone>(event)) check_gone_topic(*gone);
  if (const auto* asked = std::get_if<DescribeGroup>(event))
    check_description(*asked, std::get<DescribeGroupReply>(*reply));
  if (const auto* asked = std::get_if<DescribeConsumerGroup>(event))
    check_description(*asked, std::get<DescribeConsumerGroupReply>(*reply));
  if (error_of(*reply) == GroupErrc::kFencedMemberEpoch) counts_.add(GroupHappening::kEpochFenced);
}

void GroupWorld::on_crash() {
  tell("the broker crashes");
  note_kinds();
  notes_.forget_generations();
}

void GroupWorld::on_start() {
  tell("the broker starts");
  note_kinds();
}

// --- conversions ----------------------------------------------------------------------------------------------------

std::optional<GroupWorld::Speaks> GroupWorld::kind_in_log(std::string_view group_id) const {
  const LedgerGroup* group = broker_.ledger().find(group_id);
  if (group == nullptr || (!group->is_consumer() && !group->is_classic())) return std::nullopt;
  return group->is_consumer() ? Speaks::kConsumer : Speaks::kClassic;
}

void GroupWorld::note_kinds() {
  kinds_.clear();
  for (const Group& group : groups_) {
    if (const std::optional<Speaks> kind = kind_in_log(group.id)) kinds_[group.id] = *kind;
  }
}

void GroupWorld::take_conversions(const std::vector<GroupRecord>& records) {
  for (const GroupRecord& record : records) {
    Group* const group = find_group(group_id_of(record));
    if (group == nullptr) continue;
    const auto known = kinds_.find(group->id);
    const std::optional<Speaks> before = known == kinds_.end() ? std::nullopt : std::optional(known->second);
    const std::optional<Speaks> now = kind_in_log(group->id);
    if (before == now) continue;
    take_conversion(*group, before, broker_.ledger().find(group->id));
    if (now)
      kinds_[group->id] = *now;
    else
      kinds_.erase(group->id);
  }
}

// Whoever is not a member of the new group in its epoch is fenced from now on, though it does not know yet.
void GroupWorld::take_conversion(Group& group, std::optional<Speaks> before, const LedgerGroup* now) {
  const bool is_consumer = now != nullptr && now->is_consumer();
  if (!before && !is_consumer) return;  // a classic group's first record: its generation goes on
  const bool brings_classic_members =
      is_consumer && std::any_of(now->members.begin(), now->members.end(),
                                 [](const auto& member) { return member.second.is_classic; });
  const bool keeps_members =
      now != nullptr && (is_consumer ? brings_classic_members : now->is_classic() && !now->classic->members.empty());
  if (keeps_members) {
    tell(fmt::format("{} is {}graded at epoch {}", group.id, is_consumer ? "up" : "down", now->epoch()));
    counts_.add(is_consumer ? GroupHappening::kUpgrade : GroupHappening::kDowngrade);
  }
  for (SimMember* member : group.members) {
    const bool stays =
        keeps_members && now->has_member(member->member_id()) && (is_consumer || member->epoch() == now->epoch());
    if (!stays) member->exclude();
  }
  notes_.forget_generation(group.id);
}

// --- static members -------------------------------------------------------------------------------------------------

void GroupWorld::watch_instance(const GroupEvent& event) {
  const auto watch = [this](const std::string& group_id, const std::optional<std::string>& instance_id,
                            const std::string& member_id) {
    Group* const group = find_group(group_id);
    const LedgerGroup* in_log = broker_.ledger().find(group_id);
    if (group == nullptr || in_log == nullptr || !instance_id) return;
    for (const SimMember* member : group->members) {
      const bool is_another = member->plan().instance_id == instance_id && member->member_id() != member_id;
      if (is_another && in_log->has_member(member->member_id())) replaceable_.push_back(member);
    }
  };
  if (const auto* join = std::get_if<JoinGroup>(&event)) watch(join->group_id, join->instance_id, join->member_id);
  if (const auto* heartbeat = std::get_if<ConsumerHeartbeat>(&event))
    watch(heartbeat->group_id, heartbeat->instance_id, heartbeat->member_id);
}

// A new static member takes the place of the one before when its join is taken, though the answer may come later.
void GroupWorld::exclude_replaced(const GroupRequester* from, const GroupEvent& event, const GroupReply* reply) {
  const auto* leave = std::get_if<LeaveGroup>(&event);
  if (leave != nullptr && reply != nullptr) exclude_removed(*leave, std::get<LeaveGroupReply>(*reply));
  std::string group_id;
  std::optional<std::string> instance_id;
  if (const auto* join = std::get_if<JoinGroup>(&event)) {
    const auto* joined = reply == nullptr ? nullptr : &std::get<JoinGroupReply>(*reply);
    if (joined != nullptr && joined->error != GroupErrc::kNone) return;
    group_id = join->group_id;
    instance_id = join->instance_id;
  } else if (const auto* heartbeat = std::get_if<ConsumerHeartbeat>(&event)) {
    if (heartbeat->member_epoch != 0 || reply == nullptr || error_of(*reply) != GroupErrc::kNone) return;
    group_id = heartbeat->group_id;
    instance_id = heartbeat->instance_id;
  }
  Group* const group = find_group(group_id);
  if (group == nullptr || !instance_id) return;
  for (SimMember* member : group->members) {
    if (member != from && member->plan().instance_id == instance_id) member->exclude();
  }
  const LedgerGroup* in_log = broker_.ledger().find(group_id);
  for (const SimMember* member : replaceable_) {
    if (in_log == nullptr || in_log->has_member(member->member_id())) continue;
    const bool is_by_classic = std::holds_alternative<JoinGroup>(event);
    counts_.add(is_by_classic ? GroupHappening::kInstanceReplaced : GroupHappening::kInstanceReturned);
  }
}

void GroupWorld::exclude_removed(const LeaveGroup& event, const LeaveGroupReply& reply) {
  Group* const group = find_group(event.group_id);
  if (group == nullptr || reply.error != GroupErrc::kNone) return;
  expect(reply.members.size() == event.members.size(),
         [] { return std::string("a reply to LeaveGroup is not in step with it"); });
  for (size_t i = 0; i < event.members.size(); ++i) {
    const LeavingMember& leaving = event.members[i];
    if (reply.members[i] != GroupErrc::kNone) continue;
    if (leaving.member_id.empty()) counts_.add(GroupHappening::kMemberRemoved);
    for (SimMember* member : group->members) {
      const bool is_it = leaving.member_id.empty() ? member->plan().instance_id == leaving.instance_id
                                                   : member->member_id() == leaving.member_id;
      if (is_it) member->exclude();
    }
  }
}

// --- descriptions ---------------------------------------------------------------------------------------------------

void GroupWorld::check_description(const DescribeGroup& event, const DescribeGroupReply& reply) const {
  if (reply.fault.code != GroupErrc::kNone) return;
  const std::string_view state = reply.state;
  const bool is_known = state == "Empty" || state == "PreparingRebalance" || state == "CompletingRebalance" ||
                        state == "Stable" || state == "Dead";
  expect(is_known, [&] { return fmt::format("{} is in a state '{}'", event.group_id, state); });
  if (is_settled_ && kind_in_log(event.group_id) == Speaks::kClassic) {
    const LedgerGroup& group = *broker_.ledger().find(event.group_id);
    expect(state == (group.classic->members.empty() ? "Empty" : "Stable"),
           [&] { return fmt::format("{} is settled and {}", event.group_id, state); });
    expect(reply.members.size() == group.classic->members.size(),
           [&] { return fmt::format("{} shows {} members", event.group_id, reply.members.size()); });
  }
}

void GroupWorld::check_description(const DescribeConsumerGroup& event, const DescribeConsumerGroupReply& reply) const {
  if (kind_in_log(event.group_id) != Speaks::kConsumer) {
    expect(reply.fault.code == GroupErrc::kGroupIdNotFound,
           [&] { return event.group_id + " is described as a consumer group, and is none"; });
    return;
  }
  const LedgerGroup& group = *broker_.ledger().find(event.group_id);
  const std::string_view state = reply.state;
  const bool is_known = state == "Empty" || state == "Assigning" || state == "Reconciling" || state == "Stable";
  expect(is_known, [&] { return fmt::format("{} is in a state '{}'", event.group_id, state); });
  expect(reply.group_epoch == group.epoch() && reply.members.size() == group.members.size(),
         [&] { return event.group_id + " is described otherwise than it stands in the log"; });
  if (is_settled_) {
    expect(state == (group.members.empty() ? "Empty" : "Stable"),
           [&] { return fmt::format("{} is settled and {}", event.group_id, state); });
  }
}

}  // namespace leat
