// classic_membership.cpp: who is a member of a classic group, how long without a sign of life, and who leaves.
#include <utility>

#include "core/coordinator/group/classic_group.h"

namespace leat {

// An instance id that another member holds by now: the asking process is the older one, and must not go on.
GroupErrc ClassicGroup::check_member(Fence who) const {
  if (who.instance_id) {
    const std::string* holder = members_.id_of_instance(*who.instance_id);
    if (holder == nullptr) return GroupErrc::kUnknownMemberId;
    if (*holder != who.member_id) return GroupErrc::kFencedInstanceId;
  }
  return members_.find(who.member_id) == nullptr ? GroupErrc::kUnknownMemberId : GroupErrc::kNone;
}

void ClassicGroup::arm_session(GroupStep& step, const ClassicMember& member) const {
  step.deadlines().set(key_of(DeadlineKind::kSession, member.id), step.now_ms() + member.terms.session_timeout_ms);
}

// --- leaving --------------------------------------------------------------------------------------------------------

void ClassicGroup::leave(GroupStep& step, Ticket ticket, const LeaveGroup& request) {
  LeaveGroupReply reply;
  reply.members.reserve(request.members.size());
  const size_t count_before = members_.size();
  for (const LeavingMember& leaving : request.members) reply.members.push_back(leave_one(step, leaving));
  // One rebalance for the whole batch. None for an id that was handed out and given back: Kafka 4.4 rebalances a stable
  // group for that, though nobody in it is concerned.
  if (members_.size() < count_before) {
    rebalance_or_complete(step);
  } else {
    complete_join_if_all_joined(step);
  }
  step.reply(ticket, std::move(reply));
}

GroupErrc ClassicGroup::leave_one(GroupStep& step, const LeavingMember& leaving) {
  std::string member_id = leaving.member_id;
  if (member_id.empty()) {  // an administrator removes a static member, whatever its member id
    const std::string* holder = leaving.instance_id ? members_.id_of_instance(*leaving.instance_id) : nullptr;
    if (holder == nullptr) return GroupErrc::kUnknownMemberId;
    member_id = *holder;
  } else if (pending_.contains(member_id)) {
    forget_pending(step, member_id);
    return GroupErrc::kNone;
  } else {
    const GroupErrc fence = check_member({member_id, leaving.instance_id});
    if (fence != GroupErrc::kNone) return fence;
  }
  remove_member(step, member_id);
  return GroupErrc::kNone;
}

// --- expiry ---------------------------------------------------------------------------------------------------------

void ClassicGroup::expire_session(GroupStep& step, const std::string& member_id) {
  const ClassicMember* member = members_.find(member_id);
  // One that is excused has a new session when its request is answered.
  if (member == nullptr || member->is_excused_from_heartbeats()) return;
  remove_member(step, member_id);
  if (state_ != ClassicState::kPreparingRebalance) return prepare_rebalance(step);
  if (all_have_joined()) complete_join(step);  // an initial delay ends with it, as in Kafka
}

void ClassicGroup::expire_pending(GroupStep& step, const std::string& member_id) {
  if (!pending_.contains(member_id)) return;
  forget_pending(step, member_id);
  if (state_ == ClassicState::kPreparingRebalance && all_have_joined()) complete_join(step);
}

// --- removal --------------------------------------------------------------------------------------------------------

void ClassicGroup::remove_member(GroupStep& step, const std::string& member_id) {
  step.deadlines().cancel(key_of(DeadlineKind::kSession, member_id));
  const ClassicMember gone = members_.remove(member_id);
  // No id in the answer: whose client is still there joins again as a new member.
  if (gone.join) fail_join(step, *gone.join, GroupErrc::kUnknownMemberId, "");
  if (gone.sync) fail_sync(step, *gone.sync, GroupErrc::kUnknownMemberId);
  if (leader_ == gone.id) {
    leader_.reset();
    if (!members_.empty()) leader_ = members().begin()->first;
  }
}

void ClassicGroup::forget_pending(GroupStep& step, const std::string& member_id) {
  step.deadlines().cancel(key_of(DeadlineKind::kPendingMember, member_id));
  pending_.remove(member_id);
}

void ClassicGroup::fail_all(GroupStep& step, GroupErrc error) {
  for (const auto& [id, member] : members()) {
    if (const auto parked = members_.take_join(id)) fail_join(step, *parked, error, id);
    if (const auto parked = members_.take_sync(id)) fail_sync(step, *parked, error);
  }
}

void ClassicGroup::fail_join(GroupStep& step, Ticket ticket, GroupErrc error, std::string member_id) {
  JoinGroupReply reply;
  reply.error = error;
  reply.member_id = std::move(member_id);
  step.reply(ticket, std::move(reply));
}

void ClassicGroup::fail_sync(GroupStep& step, Ticket ticket, GroupErrc error) {
  SyncGroupReply reply;
  reply.error = error;
  step.reply(ticket, std::move(reply));
}

}  // namespace leat
