// classic_sync.cpp: the sync phase of a classic group: all wait for the leader's assignment, which is recorded before
// anybody hears of it. And heartbeats, by which members learn of the next join phase.
#include <map>
#include <utility>

#include "core/base/check.h"
#include "core/coordinator/group/classic_group.h"

namespace leat {
namespace {

// A client that does not say which protocol it means (before v5) agrees.
bool contradicts(const std::optional<std::string>& said, std::string_view ours) { return said && *said != ours; }

}  // namespace

GroupErrc ClassicGroup::check_sync(const SyncGroup& request) const {
  const GroupErrc fence = check_member({request.member_id, request.instance_id});
  if (fence != GroupErrc::kNone) return fence;
  if (request.generation != generation_) return GroupErrc::kIllegalGeneration;
  if (contradicts(request.protocol_type, protocol_type_)) return GroupErrc::kInconsistentGroupProtocol;
  if (protocol_ && contradicts(request.protocol, *protocol_)) return GroupErrc::kInconsistentGroupProtocol;
  return GroupErrc::kNone;
}

void ClassicGroup::sync(GroupStep& step, Ticket ticket, const SyncGroup& request) {
  const GroupErrc error = check_sync(request);
  if (error != GroupErrc::kNone) return fail_sync(step, ticket, error);
  switch (state_) {
    case ClassicState::kEmptyGroup:
      return fail_sync(step, ticket, GroupErrc::kUnknownMemberId);
    case ClassicState::kPreparingRebalance:
      return fail_sync(step, ticket, GroupErrc::kRebalanceInProgress);
    case ClassicState::kCompletingRebalance: {
      const std::optional<Ticket> superseded = members_.park_sync(request.member_id, ticket);
      if (superseded) fail_sync(step, *superseded, GroupErrc::kRebalanceInProgress);
      end_sync(step, request.member_id);
      if (leader_ == request.member_id) distribute(step, request);
      return;
    }
    case ClassicState::kStable: {
      end_sync(step, request.member_id);
      SyncGroupReply reply;
      reply.protocol_type = protocol_type_;
      reply.protocol = protocol_;
      reply.assignment = members_.at(request.member_id).assignment;
      step.reply(ticket, std::move(reply));
      arm_session(step, members_.at(request.member_id));  // as a parked one has it: a full session with its assignment
      return;
    }
  }
}

void ClassicGroup::distribute(GroupStep& step, const SyncGroup& request) {
  std::map<std::string_view, const Bytes*> assignments;
  for (const auto& [member_id, assignment] : request.assignments) assignments[member_id] = &assignment;
  GroupMetadataValue value = live_value();
  value.current_state_timestamp = step.wall_ms();
  for (GroupMetadataValue::MemberMetadata& member : value.members) {
    const auto place = assignments.find(member.member_id);
    member.assignment = place == assignments.end() ? Bytes() : *place->second;  // nothing, for whom the leader forgot
  }
  write(step, std::move(value));
  ENSURE(state_ == ClassicState::kStable, "group {} is {}", group_id_, state_name());

  for (const auto& [id, member] : members()) {
    const std::optional<Ticket> parked = members_.take_sync(id);
    if (!parked) continue;
    SyncGroupReply reply;
    reply.protocol_type = protocol_type_;
    reply.protocol = protocol_;
    reply.assignment = member.assignment;
    step.reply(*parked, std::move(reply));
    arm_session(step, member);  // while it was parked its session may have run out unheeded
  }
}

void ClassicGroup::fail_syncs(GroupStep& step, GroupErrc error) {
  for (const auto& [id, member] : members()) {
    const std::optional<Ticket> parked = members_.take_sync(id);
    if (!parked) continue;
    fail_sync(step, *parked, error);
    arm_session(step, member);
  }
}

void ClassicGroup::end_sync(GroupStep& step, const std::string& member_id) {
  members_.end_sync(member_id);
  if (members_.owed_sync_count() == 0) step.deadlines().cancel(key_of(DeadlineKind::kRebalance));
}

// Who joined and never asked for its assignment holds partitions that nobody reads, heartbeats or not. This ends also
// the wait for a leader that does not assign.
void ClassicGroup::expire_owed_syncs(GroupStep& step) {
  std::vector<std::string> lost_ids;
  for (const auto& [id, member] : members()) {
    if (member.owes_sync) lost_ids.push_back(id);
  }
  if (lost_ids.empty()) return;
  for (const std::string& id : lost_ids) remove_member(step, id);
  prepare_rebalance(step);
}

// --- heartbeats -----------------------------------------------------------------------------------------------------

void ClassicGroup::heartbeat(GroupStep& step, Ticket ticket, const GroupHeartbeat& request) {
  GroupHeartbeatReply reply;
  reply.error = check_member({request.member_id, request.instance_id});
  if (reply.error == GroupErrc::kNone && request.generation != generation_) reply.error = GroupErrc::kIllegalGeneration;
  if (reply.error == GroupErrc::kNone) {
    arm_session(step, members_.at(request.member_id));
    // While it waits for its assignment there is nothing that it should do: in CompletingRebalance all is well.
    if (state_ == ClassicState::kPreparingRebalance) reply.error = GroupErrc::kRebalanceInProgress;
  }
  step.reply(ticket, reply);
}

}  // namespace leat
