// group_world_classic.cpp: the classic client, request by request.
#include "test/simulation/group_world_classic.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <variant>

#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"
#include "test/simulation/group_world_expect.h"

namespace leat {

namespace {

constexpr int16_t kSubscriptionVersion = 3;
constexpr std::string_view kProtocol = "range";

// Of `count` partitions the share of the member at `place` among `members` of them: first and count.
std::pair<int32_t, int32_t> range_share(int32_t count, int32_t members, int32_t place) {
  const int32_t each = count / members;
  const int32_t more = count % members;
  return {each * place + std::min(place, more), each + (place < more ? 1 : 0)};
}

}  // namespace

// The leader has everything assigned again when topics changed. The others do so too if nothing comes of it for some
// turns: a restarted leader of an old version is told of its predecessor, so that nobody knows that it leads.
void ClassicSimMember::act() {
  constexpr int32_t kPatienceTurns = 3;
  turns_behind_ = state_ == State::kIn && is_assigned_by_old_topics() ? turns_behind_ + 1 : 0;
  const bool is_behind = turns_behind_ > (is_leader_ ? 0 : kPatienceTurns);
  const bool must_rejoin = is_behind || now_ms() >= rejoin_at_ms_ || has_share_of_another();
  if (state_ == State::kOut || must_rejoin)
    join();
  else
    heartbeat();
}

bool ClassicSimMember::is_assigned_by_old_topics() const {
  const GroupNotes::Assigned* assigned = parts_.notes.assigned(plan_.group_id, epoch_);
  const bool is_by_coordinator = parts_.broker.ledger().is_consumer(plan_.group_id);
  return !is_by_coordinator && assigned != nullptr && assigned->topics_version != parts_.topics.version();
}

// A static member that stepped in for one with another subscription has the share of that one: the generation goes on.
// As the Java client, it joins again when it was given what it does not follow. Unlike that, also when nobody was given
// what it follows: there a user has to see to it, for Kafka's coordinator and ours do not.
bool ClassicSimMember::has_share_of_another() const {
  if (state_ != State::kIn || parts_.broker.ledger().is_consumer(plan_.group_id)) return false;
  const GroupNotes::Assigned* assigned = parts_.notes.assigned(plan_.group_id, epoch_);
  if (assigned == nullptr) return false;
  const bool is_followed = std::ranges::all_of(owned(), [this](const SimPartition& partition) {
    const std::optional<CatalogTopic> topic = parts_.topics.find(partition.first);
    return !topic || follows(topic->name);
  });
  return !is_followed || std::ranges::any_of(plan_.topics, [&](const std::string& name) {
    return parts_.topics.find(name) && !assigned->topic_ids.contains(name);
  });
}

// With the generation in it, as the Java client has it: so a follower that rejoins in a later generation has changed,
// and the coordinator rebalances.
Bytes ClassicSimMember::subscription() const {
  ConsumerProtocolSubscription subscription;
  subscription.topics = plan_.topics;
  subscription.generation_id = epoch_;
  const Result<std::vector<uint8_t>> bytes = encode_value(subscription, kSubscriptionVersion);
  expect(bytes.has_value(), [] { return std::string("the model's subscription cannot be encoded"); });
  return *bytes;
}

void ClassicSimMember::join() {
  own({});
  given_.clear();
  rejoin_at_ms_ = INT64_MAX;
  state_ = State::kJoining;
  JoinGroup event;
  event.group_id = plan_.group_id;
  event.member_id = member_id_;
  event.instance_id = plan_.instance_id;
  event.protocol_type = "consumer";
  event.protocols = {{.name = std::string(kProtocol), .metadata = subscription()}};
  event.session_timeout_ms = plan_.session_timeout_ms;
  event.rebalance_timeout_ms = plan_.rebalance_timeout_ms;
  event.member_id_round = !plan_.is_old;
  event.may_skip_assignment = !plan_.is_old;
  event.client = {.id = plan_.client_id, .host = "/127.0.0.1"};
  ask(std::move(event));
}

void ClassicSimMember::sync(const JoinGroupReply& joined) {
  state_ = State::kSyncing;
  SyncGroup event;
  event.group_id = plan_.group_id;
  event.generation = joined.generation;
  event.member_id = member_id_;
  event.instance_id = plan_.instance_id;
  if (!plan_.is_old) {
    event.protocol_type = joined.protocol_type;
    event.protocol = joined.protocol;
  }
  if (is_leader_ && joined.skip_assignment) parts_.counts.add(GroupHappening::kAssignmentSkipped);
  if (is_leader_ && !joined.skip_assignment && !joined.members.empty()) event.assignments = give_out(joined.members);
  ask(std::move(event));
}

std::vector<std::pair<std::string, Bytes>> ClassicSimMember::give_out(const std::vector<JoinedMember>& members) {
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> followers;  // by topic: order, member id
  std::map<std::string, ConsumerProtocolAssignment> assignments;
  for (const JoinedMember& member : members) {
    const Result<ConsumerProtocolSubscription> subscription =
        decode_value<ConsumerProtocolSubscription>(member.metadata);
    expect(subscription.has_value(), [&] { return "not the metadata that was sent: of " + member.member_id; });
    expect(assignments.try_emplace(member.member_id).second,
           [&] { return fmt::format("{} twice among the members of a generation", member.member_id); });
    for (const std::string& topic : subscription->topics)
      followers[topic].emplace_back(member.instance_id.value_or("~" + member.member_id), member.member_id);
  }
  GroupNotes::Assigned note{.topics_version = parts_.topics.version(), .topic_ids = {}};
  for (auto& [name, order] : followers) {
    const std::optional<CatalogTopic> topic = parts_.topics.find(name);
    if (!topic) continue;
    note.topic_ids[name] = topic->id;
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < order.size(); ++i) {
      const auto [first, count] =
          range_share(topic->partition_count, static_cast<int32_t>(order.size()), static_cast<int32_t>(i));
      if (count == 0) continue;
      ConsumerProtocolAssignment::TopicPartition share{.topic = name, .partitions = {}};
      for (int32_t partition = first; partition < first + count; ++partition) share.partitions.push_back(partition);
      assignments[order[i].second].assigned_partitions.push_back(std::move(share));
    }
  }
  parts_.notes.note_assigned(plan_.group_id, epoch_, std::move(note));
  std::vector<std::pair<std::string, Bytes>> result;
  for (const auto& [member_id, assignment] : assignments) {
    const Result<std::vector<uint8_t>> bytes = encode_value(assignment, kSubscriptionVersion);
    expect(bytes.has_value(), [] { return std::string("the model's assignment cannot be encoded"); });
    result.emplace_back(member_id, *bytes);
  }
  return result;
}

// Names mean the topics that there were when the shares were given out: by the leader, or, where the group is really a
// consumer group, by the coordinator just now.
SimPartitions ClassicSimMember::decode(const Bytes& assignment) const {
  expect(!assignment.empty(), [&] { return "no assignment at all: " + to_string(); });
  const Result<ConsumerProtocolAssignment> decoded = decode_value<ConsumerProtocolAssignment>(assignment);
  expect(decoded.has_value(), [&] { return "not an assignment: " + to_string(); });
  const bool is_by_coordinator = parts_.broker.ledger().is_consumer(plan_.group_id);
  const GroupNotes::Assigned* note = is_by_coordinator ? nullptr : parts_.notes.assigned(plan_.group_id, epoch_);
  SimPartitions result;
  for (const ConsumerProtocolAssignment::TopicPartition& share : decoded->assigned_partitions) {
    std::optional<Uuid> id;
    if (note != nullptr) {
      const auto known = note->topic_ids.find(share.topic);
      if (known != note->topic_ids.end()) id = known->second;
    } else if (const std::optional<CatalogTopic> topic = parts_.topics.find(share.topic)) {
      id = topic->id;
    }
    if (!id) continue;
    for (const int32_t partition : share.partitions) result.emplace(*id, partition);
  }
  return result;
}

void ClassicSimMember::heartbeat() {
  GroupHeartbeat event;
  event.group_id = plan_.group_id;
  event.generation = epoch_;
  event.member_id = member_id_;
  event.instance_id = plan_.instance_id;
  ask(std::move(event));
  if (parts_.random.one_in(4)) commit_some();
}

// A static member need not say that it goes: it is expected back.
void ClassicSimMember::leave() {
  if (!is_alive()) return;
  const bool says_so = !member_id_.empty() && (!plan_.instance_id || parts_.random.one_in(3));
  if (says_so) {
    tell_once(LeaveGroup{.group_id = plan_.group_id,
                         .members = {{.member_id = member_id_, .instance_id = plan_.instance_id}}});
  }
  die();
}

bool ClassicSimMember::is_settled() const {
  const LedgerGroup* group = parts_.broker.ledger().find(plan_.group_id);
  if (state_ != State::kIn || rejoin_at_ms_ != INT64_MAX || group == nullptr) return false;
  if (has_share_of_another() || is_assigned_by_old_topics()) return false;
  return group->epoch() == epoch_ && group->has_member(member_id_);
}

// Its session may end it, and a rebalance that it does not hear of: that begins after the last word that its
// generation stands, and waits for it as long as it asked for.
int64_t ClassicSimMember::guaranteed_until_ms() const {
  return std::min(session_contact_ms_ + plan_.session_timeout_ms, stable_contact_ms_ + plan_.rebalance_timeout_ms);
}

void ClassicSimMember::on_control_produced(const GroupReply& reply) {
  if (const auto* joined = std::get_if<JoinGroupReply>(&reply)) {
    if (joined->error != GroupErrc::kNone) return;
    is_excluded_ = false;
    session_contact_ms_ = now_ms();
    if (!parts_.broker.ledger().is_consumer(plan_.group_id))
      parts_.notes.note_generation(plan_.group_id, joined->generation);
  } else if (const auto* synced = std::get_if<SyncGroupReply>(&reply)) {
    if (synced->error != GroupErrc::kNone) return;
    session_contact_ms_ = stable_contact_ms_ = now_ms();
    given_ = decode(synced->assignment);
  } else if (const auto* heard = std::get_if<GroupHeartbeatReply>(&reply)) {
    if (heard->error == GroupErrc::kNone) stable_contact_ms_ = now_ms();
    if (heard->error == GroupErrc::kNone || heard->error == GroupErrc::kRebalanceInProgress)
      session_contact_ms_ = now_ms();
  }
}

void ClassicSimMember::on_control_answered(const GroupReply& reply) {
  if (const auto* joined = std::get_if<JoinGroupReply>(&reply)) take(*joined);
  if (const auto* synced = std::get_if<SyncGroupReply>(&reply)) take(*synced);
  if (const auto* heard = std::get_if<GroupHeartbeatReply>(&reply)) take(*heard);
}

void ClassicSimMember::on_control_lost() {
  if (state_ == State::kIn)
    wake_in(up_to_ms(200));
  else
    go_out(up_to_ms(200));
}

void ClassicSimMember::go_out(int64_t retry_in_ms) {
  state_ = State::kOut;
  wake_in(retry_in_ms);
}

void ClassicSimMember::take(const JoinGroupReply& reply) {
  if (reply.error == GroupErrc::kNone) {
    member_id_ = reply.member_id;
    epoch_ = reply.generation;
    is_leader_ = !reply.leader.empty() && reply.leader == reply.member_id;
    sync(reply);
    return;
  }
  if (reply.error == GroupErrc::kMemberIdRequired) {
    const bool never_uses_it = is_sluggish(12);
    if (never_uses_it) parts_.counts.add(GroupHappening::kMemberIdUnused);
    member_id_ = never_uses_it ? "" : reply.member_id;
    go_out(up_to_ms(20));
    return;
  }
  take_error(reply.error);
}

void ClassicSimMember::take(const SyncGroupReply& reply) {
  if (reply.error != GroupErrc::kNone) {
    take_error(reply.error);
    return;
  }
  state_ = State::kIn;
  own(std::exchange(given_, {}));
  wake_in(plan_.heartbeat_interval_ms);
}

void ClassicSimMember::take(const GroupHeartbeatReply& reply) {
  if (reply.error == GroupErrc::kRebalanceInProgress) {
    // It finishes what it has at hand first, and goes on with its heartbeats meanwhile.
    const bool is_slow = is_sluggish(15);
    if (is_slow) parts_.counts.add(GroupHappening::kSlowRejoin);
    const int64_t needs_ms = up_to_ms(int64_t{is_slow ? plan_.rebalance_timeout_ms * 2 : 200});
    rejoin_at_ms_ = std::min(rejoin_at_ms_, now_ms() + needs_ms);
    wake_in(std::min(int64_t{plan_.heartbeat_interval_ms}, std::max(rejoin_at_ms_ - now_ms(), int64_t{0})));
    return;
  }
  if (reply.error != GroupErrc::kNone) {
    if (reply.error == GroupErrc::kUnknownMemberId) parts_.counts.add(GroupHappening::kSessionExpiry);
    own({});
    take_error(reply.error);
    return;
  }
  check_claims();
  wake_in(plan_.heartbeat_interval_ms);
}

void ClassicSimMember::take_error(GroupErrc error) {
  if (error == GroupErrc::kFencedInstanceId) {
    parts_.counts.add(GroupHappening::kInstanceFenced);
    die();
    return;
  }
  if (error == GroupErrc::kUnknownMemberId) {
    member_id_.clear();
    epoch_ = -1;
  }
  go_out(up_to_ms(100));
}

}  // namespace leat
