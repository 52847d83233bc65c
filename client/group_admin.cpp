// group_admin.cpp: ListGroups, ConsumerGroupDescribe with DescribeGroups for what is no consumer group, DeleteGroups.
#include "client/group_admin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "client/group_coordinator.h"
#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"
#include "net/protocol/messages/consumer_group_describe.h"
#include "net/protocol/messages/delete_groups.h"
#include "net/protocol/messages/describe_groups.h"
#include "net/protocol/messages/list_groups.h"

namespace leat {
namespace {

constexpr int16_t kListVersionWithStates = 4;
constexpr int16_t kListVersionWithTypes = 5;

bool equal_in_any_case(std::string_view a, std::string_view b) noexcept {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool passes(const std::vector<std::string>& wanted, std::string_view value) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(),
                                       [value](const std::string& one) { return equal_in_any_case(one, value); });
}

Result<ListGroupsRequest> list_request(int16_t version, const GroupFilter& filter) {
  if ((!filter.states.empty() && version < kListVersionWithStates) ||
      (!filter.types.empty() && version < kListVersionWithTypes)) {
    return fail(Errc::kUnsupported, "this broker does not tell states or types of groups; list them without a filter");
  }
  ListGroupsRequest request;
  request.states_filter = filter.states;
  request.types_filter = filter.types;
  return request;
}

Result<ListGroupsResponse> list_on(BrokerConnection& broker, const GroupFilter& filter) {
  TRY(version, broker.version_of(ApiKey::kListGroups));
  TRY(request, list_request(version, filter));
  const auto ask = [&broker, &request] { return broker.call<ListGroupsResponse>(request); };
  const auto error_of = [](const ListGroupsResponse& answer) { return answer.error_code; };
  TRY(response, ask_patiently(ask, error_of));
  if (response.error_code == ErrorCode::kNone) return std::move(response);
  return fail(to_error(response.error_code, "groups cannot be listed"));
}

Error missing(const std::string& group_id) {
  return {Errc::kNotFound,
          fmt::format("group '{}' does not exist (GROUP_ID_NOT_FOUND). See: leat group list", group_id)};
}

template <class Topic>
std::vector<TopicPartition> flattened(const std::vector<Topic>& topics, std::string (*name_of)(const Topic&)) {
  std::vector<TopicPartition> partitions;
  for (const auto& topic : topics) {
    for (const int32_t partition : topic.partitions) {
      partitions.push_back({.topic = name_of(topic), .partition = partition});
    }
  }
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

std::vector<TopicPartition> flattened(const ConsumerGroupDescribeResponse::Assignment& assignment) {
  return flattened(
      assignment.topic_partitions,
      +[](const ConsumerGroupDescribeResponse::TopicPartitions& topic) { return topic.topic_name; });
}

// What a leader gave its members is theirs to understand: of other than consumers, and of broken ones, nothing is said.
std::vector<TopicPartition> flattened(const std::string& protocol_type, const Bytes& assignment) {
  if (protocol_type != kConsumerProtocolType || assignment.empty()) return {};
  const Result<ConsumerProtocolAssignment> decoded = decode_value<ConsumerProtocolAssignment>(assignment);
  if (!decoded) return {};
  return flattened(
      decoded->assigned_partitions,
      +[](const ConsumerProtocolAssignment::TopicPartition& topic) { return topic.topic; });
}

// nullopt: no group of this kind has the name.
Result<std::optional<GroupDetails>> describe_as_consumer(SimpleClient& client, const std::string& group_id) {
  TRY(coordinator, find_coordinator(client, group_id));
  if (!coordinator->version_of(ApiKey::kConsumerGroupDescribe)) return std::optional<GroupDetails>();
  ConsumerGroupDescribeRequest request;
  request.group_ids.push_back(group_id);
  const auto error_of = [](const ConsumerGroupDescribeResponse& answer) {
    return answer.groups.empty() ? ErrorCode::kNone : answer.groups.front().error_code;
  };
  TRY(response, ask_coordinator<ConsumerGroupDescribeResponse>(client, group_id, request, error_of));
  const ErrorCode code = error_of(response);
  if (response.groups.empty() || code == ErrorCode::kGroupIdNotFound || code == ErrorCode::kUnsupportedVersion) {
    return std::optional<GroupDetails>();
  }
  const auto& described = response.groups.front();
  if (code != ErrorCode::kNone) {
    return fail(to_error(code, fmt::format("group '{}'", group_id), described.error_message));
  }
  GroupDetails group;
  group.group_id = group_id;
  group.type = "consumer";
  group.state = described.group_state;
  group.protocol_type = kConsumerProtocolType;
  group.assignor = described.assignor_name;
  group.group_epoch = described.group_epoch;
  group.assignment_epoch = described.assignment_epoch;
  for (const auto& member : described.members) {
    group.members.push_back({.member_id = member.member_id,
                             .instance_id = member.instance_id,
                             .client_id = member.client_id,
                             .client_host = member.client_host,
                             .member_epoch = member.member_epoch,
                             .assigned = flattened(member.assignment),
                             .target = flattened(member.target_assignment)});
  }
  return std::optional<GroupDetails>(std::move(group));
}

Result<GroupDetails> describe_as_classic(SimpleClient& client, const std::string& group_id) {
  DescribeGroupsRequest request;
  request.groups.push_back(group_id);
  const auto error_of = [](const DescribeGroupsResponse& answer) {
    return answer.groups.empty() ? ErrorCode::kGroupIdNotFound : answer.groups.front().error_code;
  };
  TRY(response, ask_coordinator<DescribeGroupsResponse>(client, group_id, request, error_of));
  const ErrorCode code = error_of(response);
  if (code == ErrorCode::kGroupIdNotFound) return fail(missing(group_id));
  const auto& described = response.groups.front();
  if (code != ErrorCode::kNone) {
    return fail(to_error(code, fmt::format("group '{}'", group_id), described.error_message));
  }
  if (described.group_state == "Dead") return fail(missing(group_id));  // how older brokers say it
  GroupDetails group;
  group.group_id = group_id;
  group.type = "classic";
  group.state = described.group_state;
  group.protocol_type = described.protocol_type;
  group.assignor = described.protocol_data;
  for (const auto& member : described.members) {
    group.members.push_back({.member_id = member.member_id,
                             .instance_id = member.group_instance_id,
                             .client_id = member.client_id,
                             .client_host = member.client_host,
                             .member_epoch = -1,
                             .assigned = flattened(described.protocol_type, member.member_assignment),
                             .target = {}});
  }
  return group;
}

}  // namespace

Result<std::vector<GroupSummary>> list_groups(SimpleClient& client, const GroupFilter& filter) {
  TRY(metadata, client.metadata(std::vector<std::string>{}, AutoCreate::kNo));
  std::vector<GroupSummary> groups;
  for (const auto& node : metadata.brokers) {
    TRY(broker, client.broker(node.node_id));
    TRY(response, list_on(*broker, filter));
    for (const auto& listed : response.groups) {
      if (!passes(filter.states, listed.group_state) || !passes(filter.types, listed.group_type)) continue;
      groups.push_back({.group_id = listed.group_id,
                        .type = listed.group_type,
                        .state = listed.group_state,
                        .protocol_type = listed.protocol_type});
    }
  }
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.group_id < b.group_id; });
  return groups;
}

Result<GroupDetails> describe_group(SimpleClient& client, const std::string& group_id) {
  TRY(as_consumer, describe_as_consumer(client, group_id));
  if (as_consumer) return *std::move(as_consumer);
  return describe_as_classic(client, group_id);
}

Result<void> delete_group(SimpleClient& client, const std::string& group_id) {
  DeleteGroupsRequest request;
  request.groups_names.push_back(group_id);
  const auto error_of = [](const DeleteGroupsResponse& answer) {
    return answer.results.empty() ? ErrorCode::kGroupIdNotFound : answer.results.front().error_code;
  };
  TRY(response, ask_coordinator<DeleteGroupsResponse>(client, group_id, request, error_of));
  const ErrorCode code = error_of(response);
  if (code == ErrorCode::kNone) return {};
  if (code == ErrorCode::kGroupIdNotFound) return fail(missing(group_id));
  if (code == ErrorCode::kNonEmptyGroup) {
    return fail(Errc::kPolicyViolation,
                fmt::format("group '{}' has members (NON_EMPTY_GROUP): stop its consumers first. Who they are: leat "
                            "group describe {}",
                            group_id, group_id));
  }
  return fail(
      to_error(code, fmt::format("group '{}' was not deleted", group_id), response.results.front().error_message));
}

}  // namespace leat
