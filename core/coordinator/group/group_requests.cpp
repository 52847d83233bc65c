// group_requests.cpp: membership: classic and consumer protocol, and how groups begin, end and change.
#include "core/coordinator/group/group_requests.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "core/coordinator/group/group_conversion.h"

namespace leat {
namespace {

template <class Reply>
Reply failed(GroupErrc error) {
  Reply reply;
  reply.error = error;
  return reply;
}

}  // namespace

void settle_group(GroupTable& table, GroupStep& step, const std::string& group_id) {
  const ConsumerGroup* consumer = table.find_consumer(group_id);
  if (consumer != nullptr && consumer->wants_downgrade(step.rules())) return downgrade(table, step, group_id);
  if (!table.is_of_no_use(group_id)) return;
  step.deadlines().cancel_all_of(group_id);
  table.forget(group_id);
}

void end_group(GroupTable& table, GroupStep& step, const std::string& group_id) {
  step.deadlines().cancel_all_of(group_id);
  if (const ConsumerGroup* consumer = table.find_consumer(group_id)) {
    std::vector<GroupRecord> tombstones = consumer->tombstones();
    for (GroupRecord& tombstone : tombstones) step.write(std::move(tombstone));
  } else if (const ClassicGroup* classic = table.find_classic(group_id); classic != nullptr && classic->recorded()) {
    step.write(ClassicGroupRecord{.key = {.group = group_id}, .value = {}});
  } else {
    table.forget(group_id);
  }
}

// --- classic protocol -----------------------------------------------------------------------------------------------

void GroupRequests::operator()(JoinGroup& event) {
  if (event.group_id.empty()) return refuse_join(event, GroupErrc::kInvalidGroupId);
  if (!session_timeout_is_allowed(step_.rules(), event.session_timeout_ms)) {
    return refuse_join(event, GroupErrc::kInvalidSessionTimeout);
  }
  ConsumerGroup* consumer = table_.find_consumer(event.group_id);
  if (consumer != nullptr && !consumer->is_empty()) {
    consumer->classic_join(step_, ticket_, event);
  } else {
    join_classic(event);
  }
  settle_group(table_, step_, event.group_id);
}

void GroupRequests::refuse_join(const JoinGroup& event, GroupErrc error) {
  JoinGroupReply reply = failed<JoinGroupReply>(error);
  reply.member_id = event.member_id;
  step_.reply(ticket_, std::move(reply));
}

// An empty consumer group gives way: whoever comes first says what the group is.
void GroupRequests::join_classic(const JoinGroup& event) {
  ClassicGroup* group = table_.find_classic(event.group_id);
  if (group == nullptr) {
    if (!event.member_id.empty()) return refuse_join(event, GroupErrc::kUnknownMemberId);
    if (table_.find(event.group_id) != nullptr) end_group(table_, step_, event.group_id);
    group = table_.find_classic(event.group_id);  // a simple one, if it has offsets
    if (group == nullptr) group = &table_.make_classic(event.group_id);
  }
  group->join(step_, ticket_, event);
}

void GroupRequests::operator()(SyncGroup& event) {
  if (event.group_id.empty()) return step_.reply(ticket_, failed<SyncGroupReply>(GroupErrc::kInvalidGroupId));
  if (ClassicGroup* classic = table_.find_classic(event.group_id)) return classic->sync(step_, ticket_, event);
  if (ConsumerGroup* consumer = table_.find_consumer(event.group_id)) {
    return consumer->classic_sync(step_, ticket_, event);
  }
  step_.reply(ticket_, failed<SyncGroupReply>(GroupErrc::kUnknownMemberId));
}

void GroupRequests::operator()(GroupHeartbeat& event) {
  if (event.group_id.empty()) return step_.reply(ticket_, failed<GroupHeartbeatReply>(GroupErrc::kInvalidGroupId));
  if (ClassicGroup* classic = table_.find_classic(event.group_id)) return classic->heartbeat(step_, ticket_, event);
  if (ConsumerGroup* consumer = table_.find_consumer(event.group_id)) {
    return consumer->classic_heartbeat(step_, ticket_, event);
  }
  step_.reply(ticket_, failed<GroupHeartbeatReply>(GroupErrc::kUnknownMemberId));
}

void GroupRequests::operator()(LeaveGroup& event) {
  if (event.group_id.empty()) return step_.reply(ticket_, failed<LeaveGroupReply>(GroupErrc::kInvalidGroupId));
  if (ClassicGroup* classic = table_.find_classic(event.group_id)) {
    classic->leave(step_, ticket_, event);
  } else if (ConsumerGroup* consumer = table_.find_consumer(event.group_id)) {
    consumer->classic_leave(step_, ticket_, event);
  } else {
    LeaveGroupReply reply;
    reply.members.assign(event.members.size(), GroupErrc::kUnknownMemberId);
    return step_.reply(ticket_, std::move(reply));
  }
  settle_group(table_, step_, event.group_id);
}

// --- consumer protocol ----------------------------------------------------------------------------------------------

void GroupRequests::operator()(ConsumerHeartbeat& event) {
  GroupFault fault = ConsumerGroup::fault_of(event, step_.rules());
  if (fault.code != GroupErrc::kNone) return refuse_heartbeat(std::move(fault));
  if (event.member_epoch == kJoinEpoch) return join_consumer(event);
  if (ConsumerGroup* group = table_.find_consumer(event.group_id)) {
    group->heartbeat(step_, ticket_, event);
    return settle_group(table_, step_, event.group_id);
  }
  const bool is_classic = table_.find(event.group_id) != nullptr;
  const std::string_view kind = event.member_epoch > 0 ? "Consumer group" : "Group";
  refuse_heartbeat({.code = GroupErrc::kGroupIdNotFound,
                    .message = is_classic ? fmt::format("Group {} is not a consumer group.", event.group_id)
                                          : fmt::format("{} {} not found.", kind, event.group_id)});
}

void GroupRequests::refuse_heartbeat(GroupFault fault) {
  ConsumerHeartbeatReply reply;
  reply.fault = std::move(fault);
  step_.reply(ticket_, std::move(reply));
}

void GroupRequests::join_consumer(const ConsumerHeartbeat& event) {
  if (table_.find_classic(event.group_id) != nullptr) {
    GroupFault fault = make_way_for_consumer(table_, step_, event);
    if (fault.code != GroupErrc::kNone) return refuse_heartbeat(std::move(fault));
  }
  ConsumerGroup* group = table_.find_consumer(event.group_id);
  if (group == nullptr) group = &table_.make_consumer(event.group_id);
  group->heartbeat(step_, ticket_, event);
  settle_group(table_, step_, event.group_id);
}

}  // namespace leat
