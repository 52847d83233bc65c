// classic_groups.cpp: the classic group protocol. Which error an answer bears is decided by the group's machine
// (core/coordinator/group), but for those named here.
//   JoinGroup 0-9    waits for the rebalance; the leader is told of the members, and since 9 whether it must assign
//   SyncGroup 0-5    waits for the leader's assignment
//     version 5+ without protocol type or name     INCONSISTENT_GROUP_PROTOCOL
//   Heartbeat 0-4
//     while the group is being read                no error, as in Kafka: the member would leave for nothing
//   LeaveGroup 0-5   one member, since 3 several; what is wrong with the one is the error of the whole below 3
// Gaps: none.
#include <algorithm>

#include "server/handlers/group_errors.h"
#include "server/handlers/group_handlers.h"
#include "server/handlers/group_questions.h"

namespace leat {

namespace {

constexpr int16_t kMemberIdRoundSince = 4;
constexpr int16_t kProtocolTypeSince = 7;
constexpr int16_t kSkipAssignmentSince = 9;

JoinGroup join_event(const Request& request, JoinGroupRequest& message) {
  JoinGroup event;
  event.group_id = std::move(message.group_id);
  event.member_id = message.member_id;
  event.instance_id = std::move(message.group_instance_id);
  event.protocol_type = std::move(message.protocol_type);
  event.protocols.reserve(message.protocols.size());
  for (JoinGroupRequest::JoinGroupRequestProtocol& protocol : message.protocols) {
    event.protocols.push_back({std::move(protocol.name), std::move(protocol.metadata)});
  }
  event.session_timeout_ms = message.session_timeout_ms;
  event.rebalance_timeout_ms = request.version == 0 ? message.session_timeout_ms : message.rebalance_timeout_ms;
  event.member_id_round = request.version >= kMemberIdRoundSince;
  event.may_skip_assignment = request.version >= kSkipAssignmentSince;
  event.client = group_client_of(request);
  return event;
}

// Versions without null say "".
std::optional<std::string> protocol_name_of(std::optional<std::string> name, int16_t version) {
  if (version < kProtocolTypeSince) return std::move(name).value_or("");
  if (name && name->empty()) return std::nullopt;
  return name;
}

}  // namespace

Task<JoinGroupResponse> handle_join_group(Broker& broker, Request request, JoinGroupRequest message) {
  const int16_t version = request.version;
  JoinGroup event = join_event(request, message);
  Task<JoinGroupReply> joining = broker.groups->ask(std::move(event));
  JoinGroupReply reply = co_await joining;
  JoinGroupResponse response;
  response.error_code = error_code_of(reply.error);
  response.generation_id = reply.generation;
  response.protocol_type = std::move(reply.protocol_type);
  response.protocol_name = protocol_name_of(std::move(reply.protocol), version);
  response.leader = std::move(reply.leader);
  response.skip_assignment = reply.skip_assignment && version >= kSkipAssignmentSince;
  // Errors name the member that asked.
  response.member_id = reply.member_id.empty() ? std::move(message.member_id) : std::move(reply.member_id);
  response.members.reserve(reply.members.size());
  for (JoinedMember& member : reply.members) {
    JoinGroupResponse::JoinGroupResponseMember& listed = response.members.emplace_back();
    listed.member_id = std::move(member.member_id);
    listed.group_instance_id = std::move(member.instance_id);
    listed.metadata = std::move(member.metadata);
  }
  co_return response;
}

namespace {

constexpr int16_t kProtocolGivenSince = 5;

SyncGroup sync_event(SyncGroupRequest& message) {
  SyncGroup event;
  event.group_id = std::move(message.group_id);
  event.generation = message.generation_id;
  event.member_id = std::move(message.member_id);
  event.instance_id = std::move(message.group_instance_id);
  event.protocol_type = std::move(message.protocol_type);
  event.protocol = std::move(message.protocol_name);
  event.assignments.reserve(message.assignments.size());
  for (SyncGroupRequest::SyncGroupRequestAssignment& assignment : message.assignments) {
    event.assignments.emplace_back(std::move(assignment.member_id), std::move(assignment.assignment));
  }
  return event;
}

}  // namespace

Task<SyncGroupResponse> handle_sync_group(Broker& broker, Request request, SyncGroupRequest message) {
  SyncGroupResponse response;
  if (request.version >= kProtocolGivenSince && !(message.protocol_type && message.protocol_name)) {
    response.error_code = ErrorCode::kInconsistentGroupProtocol;
    co_return response;
  }
  SyncGroup event = sync_event(message);
  Task<SyncGroupReply> syncing = broker.groups->ask(std::move(event));
  SyncGroupReply reply = co_await syncing;
  response.error_code = error_code_of(reply.error);
  response.protocol_type = std::move(reply.protocol_type);
  response.protocol_name = std::move(reply.protocol);
  response.assignment = std::move(reply.assignment);
  co_return response;
}

Task<HeartbeatResponse> handle_heartbeat(Broker& broker, Request /*request*/, HeartbeatRequest message) {
  GroupHeartbeat event;
  event.group_id = std::move(message.group_id);
  event.generation = message.generation_id;
  event.member_id = std::move(message.member_id);
  event.instance_id = std::move(message.group_instance_id);
  Task<GroupHeartbeatReply> beating = broker.groups->ask(std::move(event));
  const GroupHeartbeatReply reply = co_await beating;
  HeartbeatResponse response;
  const bool is_loading = reply.error == GroupErrc::kCoordinatorLoadInProgress;
  response.error_code = is_loading ? ErrorCode::kNone : error_code_of(reply.error);
  co_return response;
}

namespace {

constexpr int16_t kManyLeaveSince = 3;

LeaveGroup leave_event(const LeaveGroupRequest& message, int16_t version) {
  LeaveGroup event;
  event.group_id = message.group_id;
  if (version < kManyLeaveSince) event.members.push_back({.member_id = message.member_id, .instance_id = {}});
  for (const LeaveGroupRequest::MemberIdentity& member : message.members) {
    event.members.push_back({.member_id = member.member_id, .instance_id = member.group_instance_id});
  }
  return event;
}

}  // namespace

Task<LeaveGroupResponse> handle_leave_group(Broker& broker, Request request, LeaveGroupRequest message) {
  LeaveGroup event = leave_event(message, request.version);
  Task<LeaveGroupReply> leaving = broker.groups->ask(std::move(event));
  const LeaveGroupReply reply = co_await leaving;
  LeaveGroupResponse response;
  response.error_code = error_code_of(reply.error);
  if (request.version < kManyLeaveSince) {
    if (reply.error == GroupErrc::kNone && !reply.members.empty())
      response.error_code = error_code_of(reply.members.front());
    co_return response;
  }
  const size_t count = std::min(reply.members.size(), message.members.size());
  for (size_t i = 0; i < count; ++i) {
    LeaveGroupResponse::MemberResponse& member = response.members.emplace_back();
    member.member_id = std::move(message.members[i].member_id);
    member.group_instance_id = std::move(message.members[i].group_instance_id);
    member.error_code = error_code_of(reply.members[i]);
  }
  co_return response;
}

}  // namespace leat
