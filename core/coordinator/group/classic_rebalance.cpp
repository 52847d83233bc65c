// classic_rebalance.cpp: the join phase of a classic group: it begins when membership changes, and ends when all have
// joined or time is up, with a new generation: members that know each other, a protocol, a leader.
#include <algorithm>
#include <utility>

#include "core/coordinator/group/classic_group.h"

namespace leat {

void ClassicGroup::on_deadline(GroupStep& step, const DeadlineKey& key) {
  switch (key.kind) {
    case DeadlineKind::kSession:
      return expire_session(step, key.member_id);
    case DeadlineKind::kPendingMember:
      return expire_pending(step, key.member_id);
    case DeadlineKind::kInitialDelay:
      return extend_initial_delay(step);
    case DeadlineKind::kRebalance:
      if (state_ == ClassicState::kPreparingRebalance) return complete_join(step);
      return expire_owed_syncs(step);
    case DeadlineKind::kRegexRefresh:
    case DeadlineKind::kOffsetExpiry:
      return;
  }
}

void ClassicGroup::loaded(GroupStep& step) {
  if (members_.empty()) return;
  for (const auto& [id, member] : members()) arm_session(step, member);
  const bool was_converted = recorded_ && !recorded_->leader;
  const auto count_max = static_cast<size_t>(std::max(step.rules().max_size, 0));
  if (was_converted || members_.size() > count_max) prepare_rebalance(step);
}

// --- begin ----------------------------------------------------------------------------------------------------------

void ClassicGroup::rebalance_or_complete(GroupStep& step) {
  if (state_ == ClassicState::kPreparingRebalance) {
    complete_join_if_all_joined(step);
  } else {
    prepare_rebalance(step);
  }
}

void ClassicGroup::prepare_rebalance(GroupStep& step) {
  if (state_ == ClassicState::kCompletingRebalance) {
    members_.clear_assignments();
    fail_syncs(step, GroupErrc::kRebalanceInProgress);
  }
  members_.forgive_syncs();
  step.deadlines().cancel(key_of(DeadlineKind::kRebalance));
  is_initial_ = is_empty();
  member_came_during_delay_ = false;
  set_state(ClassicState::kPreparingRebalance, step.wall_ms());
  if (!is_initial_) {
    if (all_have_joined()) return complete_join(step);
    step.deadlines().set(key_of(DeadlineKind::kRebalance), step.now_ms() + members_.rebalance_timeout_ms());
    return;
  }
  // Members of a new group come one by one: without a delay each of them would cost the others a rebalance.
  initial_delay_ms_ = step.rules().initial_rebalance_delay_ms;
  initial_remaining_ms_ = std::max(members_.rebalance_timeout_ms() - initial_delay_ms_, 0);
  if (initial_delay_ms_ <= 0) return complete_join(step);
  step.deadlines().set(key_of(DeadlineKind::kInitialDelay), step.now_ms() + initial_delay_ms_);
}

void ClassicGroup::extend_initial_delay(GroupStep& step) {
  if (state_ != ClassicState::kPreparingRebalance || !is_initial_) return;
  if (!member_came_during_delay_ || initial_remaining_ms_ == 0) return complete_join(step);
  member_came_during_delay_ = false;
  const int32_t delay_ms = std::min(step.rules().initial_rebalance_delay_ms, initial_remaining_ms_);
  initial_remaining_ms_ = std::max(initial_remaining_ms_ - initial_delay_ms_, 0);
  initial_delay_ms_ = delay_ms;
  step.deadlines().set(key_of(DeadlineKind::kInitialDelay), step.now_ms() + delay_ms);
}

// --- end ------------------------------------------------------------------------------------------------------------

// An id that was handed out is a member to come.
bool ClassicGroup::all_have_joined() const noexcept {
  return members_.waiting_join_count() == members_.size() && pending_.empty();
}

void ClassicGroup::complete_join_if_all_joined(GroupStep& step) {
  if (state_ != ClassicState::kPreparingRebalance || is_initial_ || !all_have_joined()) return;
  complete_join(step);
}

void ClassicGroup::complete_join(GroupStep& step) {
  step.deadlines().cancel(key_of(DeadlineKind::kRebalance));
  step.deadlines().cancel(key_of(DeadlineKind::kInitialDelay));
  // A static member may be away for as long as its session lasts.
  std::vector<std::string> lost_ids;
  for (const auto& [id, member] : members()) {
    if (!member.join && !member.is_static()) lost_ids.push_back(id);
  }
  for (const std::string& id : lost_ids) remove_member(step, id);

  if (members_.empty()) return become_empty(step);
  if (!elect_joined_leader()) {  // only static members are left, and all are away: until one comes, or none is left
    step.deadlines().set(key_of(DeadlineKind::kRebalance), step.now_ms() + members_.rebalance_timeout_ms());
    return;
  }
  begin_generation(step);
}

bool ClassicGroup::elect_joined_leader() {
  if (leader_ && members_.at(*leader_).join) return true;
  const auto joined = std::ranges::find_if(members(), [](const auto& entry) { return entry.second.join.has_value(); });
  if (joined == members().end()) return false;
  leader_ = joined->first;
  return true;
}

void ClassicGroup::begin_generation(GroupStep& step) {
  generation_ = generation_ == INT32_MAX ? 1 : generation_ + 1;
  protocol_ = members_.elect_protocol();
  read_subscriptions();
  is_initial_ = false;
  set_state(ClassicState::kCompletingRebalance, step.wall_ms());
  for (const auto& [id, member] : members()) {
    if (const auto parked = members_.take_join(id)) step.reply(*parked, current_generation(id));
    members_.end_join_phase(id);
    arm_session(step, member);
  }
  step.deadlines().set(key_of(DeadlineKind::kRebalance), step.now_ms() + members_.rebalance_timeout_ms());
}

// The protocol type stays: by it offsets' retention tells a group that was left from a simple consumer's.
void ClassicGroup::become_empty(GroupStep& step) {
  GroupMetadataValue value;
  value.protocol_type = protocol_type_;
  value.generation = generation_ == INT32_MAX ? 1 : generation_ + 1;
  value.protocol.reset();
  value.leader.reset();
  value.current_state_timestamp = step.wall_ms();
  write(step, std::move(value));
}

}  // namespace leat
