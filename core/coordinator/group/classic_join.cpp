// classic_join.cpp: JoinGroup: who gets into a classic group, and with which answer when at once. A member that gets in
// waits for the end of the join phase (classic_rebalance.cpp).
#include <algorithm>
#include <utility>

#include "core/coordinator/group/classic_group.h"

namespace leat {
namespace {

// A new member cannot send heartbeats while its join is parked, nor do we see that its client has gone: it may have
// timed out and asked again, as another new member. Then the first one is a phantom, and goes after this time.
constexpr int32_t kNewMemberTimeoutMs = 5 * 60 * 1000;

ClassicTerms terms_of(const JoinGroup& request) {
  return {.protocols = request.protocols,
          .session_timeout_ms = request.session_timeout_ms,
          .rebalance_timeout_ms = request.rebalance_timeout_ms};
}

}  // namespace

void ClassicGroup::join(GroupStep& step, Ticket ticket, const JoinGroup& request) {
  if (!session_timeout_is_allowed(step.rules(), request.session_timeout_ms)) {
    return fail_join(step, ticket, GroupErrc::kInvalidSessionTimeout, request.member_id);
  }
  if (!has_room_for(step.rules(), request)) return turn_away(step, ticket, request);
  if (!speaks_with(request)) {
    return fail_join(step, ticket, GroupErrc::kInconsistentGroupProtocol, request.member_id);
  }
  if (request.member_id.empty()) {
    join_unknown(step, ticket, request);
  } else {
    join_known(step, ticket, request);
  }
}

// --- room -----------------------------------------------------------------------------------------------------------

// While members join, those that have joined count and not those that are in: after group.max.size was lowered the last
// to come back are turned away. A static member that comes back under a new id takes its own place; Kafka does so in
// consumer groups only (KAFKA-20601), and locks restarted members out of a full classic group.
bool ClassicGroup::has_room_for(const GroupRules& rules, const JoinGroup& request) const {
  const std::string* own_id = request.member_id.empty() && request.instance_id
                                  ? members_.id_of_instance(*request.instance_id)
                                  : &request.member_id;
  const ClassicMember* own = own_id == nullptr ? nullptr : members_.find(*own_id);
  const auto count_max = static_cast<size_t>(std::max(rules.max_size, 0));
  switch (state_) {
    case ClassicState::kEmptyGroup:
      return true;
    case ClassicState::kPreparingRebalance:
      return (own != nullptr && own->join) || members_.waiting_join_count() < count_max;
    case ClassicState::kCompletingRebalance:
    case ClassicState::kStable:
      return own != nullptr || members_.size() < count_max;
  }
  return false;
}

void ClassicGroup::turn_away(GroupStep& step, Ticket ticket, const JoinGroup& request) {
  fail_join(step, ticket, GroupErrc::kGroupMaxSizeReached, "");
  if (pending_.contains(request.member_id)) forget_pending(step, request.member_id);
  if (members_.find(request.member_id) != nullptr) remove_member(step, request.member_id);
  complete_join_if_all_joined(step);  // it may have been the one that the others waited for
}

// A group has one protocol type, and a protocol that all its members speak. A member that changes its own protocols is
// held to that, too.
bool ClassicGroup::speaks_with(const JoinGroup& request) const {
  if (is_empty()) return !request.protocol_type.empty() && !request.protocols.empty();
  return request.protocol_type == protocol_type_ &&
         std::ranges::any_of(request.protocols,
                             [this](const NamedProtocol& spoken) { return members_.all_speak(spoken.name); });
}

// --- members without an id ------------------------------------------------------------------------------------------

void ClassicGroup::join_unknown(GroupStep& step, Ticket ticket, const JoinGroup& request) {
  if (request.instance_id) {
    const std::string* old_id = members_.id_of_instance(*request.instance_id);
    if (old_id != nullptr) return take_over_static(step, ticket, request, std::string(*old_id));
    return join_as(step, ticket, request, make_member_id(*request.instance_id, step.random()));
  }
  if (request.member_id_round) return hand_out_id(step, ticket, request);
  join_as(step, ticket, request, make_member_id(request.client.id, step.random()));
}

// A client whose first join is lost asks again without an id. Were it let in at once, each attempt would add a member
// that the rest of the group waits for.
void ClassicGroup::hand_out_id(GroupStep& step, Ticket ticket, const JoinGroup& request) {
  const std::string member_id = make_member_id(request.client.id, step.random());
  const std::optional<std::string> displaced = pending_.add(member_id);
  if (displaced) step.deadlines().cancel(key_of(DeadlineKind::kPendingMember, *displaced));
  step.deadlines().set(key_of(DeadlineKind::kPendingMember, member_id), step.now_ms() + request.session_timeout_ms);
  fail_join(step, ticket, GroupErrc::kMemberIdRequired, member_id);
}

void ClassicGroup::join_as(GroupStep& step, Ticket ticket, const JoinGroup& request, const std::string& member_id) {
  if (pending_.contains(member_id)) forget_pending(step, member_id);
  if (members_.empty()) protocol_type_ = request.protocol_type;
  if (!leader_) leader_ = member_id;
  if (state_ == ClassicState::kPreparingRebalance && is_initial_) member_came_during_delay_ = true;
  ClassicMember member;
  member.id = member_id;
  member.instance_id = request.instance_id;
  member.client = request.client;
  member.terms = terms_of(request);
  member.is_new = true;
  members_.add(std::move(member));
  step.deadlines().set(key_of(DeadlineKind::kSession, member_id), step.now_ms() + kNewMemberTimeoutMs);
  park_join(step, ticket, member_id);
  rebalance_or_complete(step);
}

// --- members with an id ---------------------------------------------------------------------------------------------

void ClassicGroup::join_known(GroupStep& step, Ticket ticket, const JoinGroup& request) {
  // Ids are handed out to dynamic members alone; with an instance id it is nobody's.
  if (pending_.contains(request.member_id) && !request.instance_id) {
    return join_as(step, ticket, request, request.member_id);
  }
  const GroupErrc fence = check_member({request.member_id, request.instance_id});
  if (fence != GroupErrc::kNone) return fail_join(step, ticket, fence, request.member_id);
  const bool is_unchanged = members_.at(request.member_id).terms.protocols == request.protocols;
  switch (state_) {
    case ClassicState::kEmptyGroup:
      return fail_join(step, ticket, GroupErrc::kUnknownMemberId, request.member_id);
    case ClassicState::kPreparingRebalance:
      return rejoin(step, ticket, request);
    case ClassicState::kCompletingRebalance:
      // The answer to its join was lost, most likely.
      if (is_unchanged) return step.reply(ticket, current_generation(request.member_id));
      return rejoin(step, ticket, request);
    case ClassicState::kStable:
      // A leader that joins has seen something that its assignment depends on, and no member's metadata tells.
      if (!is_unchanged || leader_ == request.member_id) return rejoin(step, ticket, request);
      return step.reply(ticket, current_generation(request.member_id));
  }
}

void ClassicGroup::rejoin(GroupStep& step, Ticket ticket, const JoinGroup& request) {
  members_.set_terms(request.member_id, terms_of(request));
  park_join(step, ticket, request.member_id);
  rebalance_or_complete(step);
}

// --- static members (KIP-345) ---------------------------------------------------------------------------------------

// The instance comes back without its member id: it was restarted. It gets a new id, which fences what may be left of
// the old process, and keeps its place, its assignment, and its leadership.
void ClassicGroup::take_over_static(GroupStep& step, Ticket ticket, const JoinGroup& request,
                                    const std::string& old_id) {
  const std::string new_id = make_member_id(*request.instance_id, step.random());
  const std::string leader_before = leader_.value_or("");
  if (const auto parked = members_.take_join(old_id)) fail_join(step, *parked, GroupErrc::kFencedInstanceId, old_id);
  if (const auto parked = members_.take_sync(old_id)) fail_sync(step, *parked, GroupErrc::kFencedInstanceId);
  step.deadlines().cancel(key_of(DeadlineKind::kSession, old_id));
  members_.rename(old_id, new_id);
  if (leader_ == old_id) leader_ = new_id;
  members_.set_terms(new_id, terms_of(request));
  arm_session(step, members_.at(new_id));

  if (state_ == ClassicState::kStable && members_.elect_protocol() == protocol_.value_or("")) {
    return keep_generation(step, ticket, request, new_id, leader_before);
  }
  // In CompletingRebalance the leader may have been told of the old id already, and would assign to that.
  park_join(step, ticket, new_id);
  rebalance_or_complete(step);
}

void ClassicGroup::keep_generation(GroupStep& step, Ticket ticket, const JoinGroup& request,
                                   const std::string& member_id, const std::string& leader_before) {
  write(step, live_value());
  JoinGroupReply reply = current_generation(member_id);
  if (request.may_skip_assignment) {  // KIP-814: a leader may look at the subscriptions, and does not assign
    reply.skip_assignment = leader_ == member_id;
  } else {  // one that does not know of this is told of a leader that is no more, lest it assign anew
    reply.leader = leader_before;
    reply.members.clear();
  }
  step.reply(ticket, std::move(reply));
}

// --- answers --------------------------------------------------------------------------------------------------------

void ClassicGroup::park_join(GroupStep& step, Ticket ticket, const std::string& member_id) {
  const std::optional<Ticket> superseded = members_.park_join(member_id, ticket);
  // Its client gave up on that request, or it would not ask again. Whoever still reads the answer may retry with it.
  if (superseded) fail_join(step, *superseded, GroupErrc::kRebalanceInProgress, member_id);
}

JoinGroupReply ClassicGroup::current_generation(const std::string& member_id) const {
  JoinGroupReply reply;
  reply.generation = generation_;
  reply.protocol_type = protocol_type_;
  reply.protocol = protocol_;
  reply.leader = leader_.value_or("");
  reply.member_id = member_id;
  if (leader_ == member_id) reply.members = joined_members();
  return reply;
}

std::vector<JoinedMember> ClassicGroup::joined_members() const {
  std::vector<JoinedMember> joined;
  joined.reserve(members_.size());
  for (const auto& [id, member] : members()) {
    const Bytes* metadata = member.metadata_for(protocol_.value_or(""));
    joined.push_back({id, member.instance_id, metadata == nullptr ? Bytes() : *metadata});
  }
  return joined;
}

}  // namespace leat
