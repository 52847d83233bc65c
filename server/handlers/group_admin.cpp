// group_admin.cpp: groups as an administrator asks for them.
//   ListGroups 0-5       filters by state since 4, by type since 5
//     a shard that is reading its log       COORDINATOR_LOAD_IN_PROGRESS for all: half a list would be taken for whole
//   DescribeGroups 0-6   classic groups, each with its own error; a group that is not there is Dead, since 6 an error
//   DeleteGroups 0-3     each once, in the order of the request
// Gaps: none. The errors of each group are decided by its machine (core/coordinator/group).
#include <set>

#include "server/handlers/group_errors.h"
#include "server/handlers/group_handlers.h"
#include "server/handlers/group_questions.h"

namespace leat {

Task<ListGroupsResponse> handle_list_groups(Broker& broker, Request /*request*/, ListGroupsRequest message) {
  ListGroups event;
  event.states = std::move(message.states_filter);
  event.types = std::move(message.types_filter);
  Task<ListGroupsReply> listing = broker.groups->list_groups(std::move(event));
  ListGroupsReply reply = co_await listing;
  ListGroupsResponse response;
  response.error_code = error_code_of(reply.error);
  if (reply.error != GroupErrc::kNone) co_return response;
  response.groups.reserve(reply.groups.size());
  for (ListedGroup& group : reply.groups) {
    ListGroupsResponse::ListedGroup& listed = response.groups.emplace_back();
    listed.group_id = std::move(group.group_id);
    listed.protocol_type = std::move(group.protocol_type);
    listed.group_state = std::move(group.state);
    listed.group_type = std::move(group.type);
  }
  co_return response;
}

namespace {

using DescribedGroup = DescribeGroupsResponse::DescribedGroup;

constexpr int16_t kMissingIsErrorSince = 6;
constexpr int16_t kOperationsSince = 3;

DescribedGroup described_group(std::string group_id, DescribeGroupReply& reply, int16_t version) {
  DescribedGroup group;
  group.group_id = std::move(group_id);
  group.error_code = error_code_of(reply.fault.code);
  if (version >= kMissingIsErrorSince && !reply.fault.message.empty()) group.error_message = reply.fault.message;
  group.group_state = std::move(reply.state);
  group.protocol_type = std::move(reply.protocol_type);
  group.protocol_data = std::move(reply.protocol);
  group.members.reserve(reply.members.size());
  for (DescribedClassicMember& described : reply.members) {
    DescribeGroupsResponse::DescribedGroupMember& member = group.members.emplace_back();
    member.member_id = std::move(described.member_id);
    member.group_instance_id = std::move(described.instance_id);
    member.client_id = std::move(described.client.id);
    member.client_host = std::move(described.client.host);
    member.member_metadata = std::move(described.metadata);
    member.member_assignment = std::move(described.assignment);
  }
  return group;
}

}  // namespace

Task<DescribeGroupsResponse> handle_describe_groups(Broker& broker, Request request, DescribeGroupsRequest message) {
  const int16_t version = request.version;
  std::vector<DescribeGroup> events;
  events.reserve(message.groups.size());
  for (const std::string& group_id : message.groups) {
    events.push_back({.group_id = group_id, .missing_is_an_error = version >= kMissingIsErrorSince});
  }
  Task<std::vector<DescribeGroupReply>> asking = ask_all(broker, std::move(events));
  std::vector<DescribeGroupReply> replies = co_await asking;
  DescribeGroupsResponse response;
  const bool with_operations = message.include_authorized_operations && version >= kOperationsSince;
  for (size_t i = 0; i < replies.size(); ++i) {
    DescribedGroup group = described_group(std::move(message.groups[i]), replies[i], version);
    if (with_operations && group.error_code == ErrorCode::kNone) group.authorized_operations = kGroupOperations;
    response.groups.push_back(std::move(group));
  }
  co_return response;
}

Task<DeleteGroupsResponse> handle_delete_groups(Broker& broker, Request /*request*/, DeleteGroupsRequest message) {
  std::vector<std::string> group_ids;
  std::set<std::string_view> seen;
  for (const std::string& group_id : message.groups_names) {
    if (seen.insert(group_id).second) group_ids.push_back(group_id);
  }
  std::vector<DeleteGroup> events;
  events.reserve(group_ids.size());
  for (const std::string& group_id : group_ids) events.push_back({.group_id = group_id});
  Task<std::vector<DeleteGroupReply>> asking = ask_all(broker, std::move(events));
  const std::vector<DeleteGroupReply> replies = co_await asking;
  DeleteGroupsResponse response;
  for (size_t i = 0; i < replies.size(); ++i) {
    DeleteGroupsResponse::DeletableGroupResult& result = response.results.emplace_back();
    result.group_id = std::move(group_ids[i]);
    result.error_code = error_code_of(replies[i].error);
  }
  co_return response;
}

}  // namespace leat
