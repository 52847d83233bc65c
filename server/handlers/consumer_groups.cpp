// consumer_groups.cpp: the consumer group protocol (KIP-848). What is wrong with a request is decided by the group's
// machine (core/coordinator/group), with a text.
//   ConsumerGroupHeartbeat 0-1   version 0 members are given their id; 1 brings patterns
//   ConsumerGroupDescribe 0-1    each group with its own error; partitions of topics that are gone are left out
// Gaps: none.
#include "server/handlers/group_errors.h"
#include "server/handlers/group_handlers.h"
#include "server/handlers/group_questions.h"
#include "server/metadata_store.h"

namespace leat {

namespace {

constexpr int16_t kOwnMemberIdSince = 1;

std::vector<TopicPartitions> partitions_of(std::vector<ConsumerGroupHeartbeatRequest::TopicPartitions>& topics) {
  std::vector<TopicPartitions> partitions;
  partitions.reserve(topics.size());
  for (auto& topic : topics) {
    partitions.push_back({.topic_id = topic.topic_id, .partitions = std::move(topic.partitions)});
  }
  return partitions;
}

ConsumerHeartbeat heartbeat_event(const Request& request, ConsumerGroupHeartbeatRequest& message) {
  ConsumerHeartbeat event;
  event.group_id = std::move(message.group_id);
  event.member_id = std::move(message.member_id);
  event.member_epoch = message.member_epoch;
  event.instance_id = std::move(message.instance_id);
  event.rack_id = std::move(message.rack_id);
  event.rebalance_timeout_ms = message.rebalance_timeout_ms;
  event.subscribed_topic_names = std::move(message.subscribed_topic_names);
  event.subscribed_topic_regex = std::move(message.subscribed_topic_regex);
  event.server_assignor = std::move(message.server_assignor);
  if (message.topic_partitions) event.owned_partitions = partitions_of(*message.topic_partitions);
  event.member_id_is_ours_to_make = request.version < kOwnMemberIdSince;
  event.client = group_client_of(request);
  return event;
}

std::optional<std::string> text_of(const GroupFault& fault) {
  if (fault.code == GroupErrc::kNone) return std::nullopt;
  if (!fault.message.empty()) return fault.message;
  return std::string(error_message(error_code_of(fault.code)));
}

}  // namespace

Task<ConsumerGroupHeartbeatResponse> handle_consumer_group_heartbeat(Broker& broker, Request request,
                                                                     ConsumerGroupHeartbeatRequest message) {
  ConsumerHeartbeat event = heartbeat_event(request, message);
  Task<ConsumerHeartbeatReply> beating = broker.groups->ask(std::move(event));
  ConsumerHeartbeatReply reply = co_await beating;
  ConsumerGroupHeartbeatResponse response;
  response.error_code = error_code_of(reply.fault.code);
  response.error_message = text_of(reply.fault);
  if (reply.fault.code != GroupErrc::kNone) co_return response;
  response.member_id = std::move(reply.member_id);
  response.member_epoch = reply.member_epoch;
  response.heartbeat_interval_ms = reply.heartbeat_interval_ms;
  if (!reply.assignment) co_return response;
  response.assignment.emplace();
  for (TopicPartitions& topic : *reply.assignment) {
    response.assignment->topic_partitions.push_back(
        {.topic_id = topic.topic_id, .partitions = std::move(topic.partitions)});
  }
  co_return response;
}

namespace {

using DescribedGroup = ConsumerGroupDescribeResponse::DescribedGroup;
using Member = ConsumerGroupDescribeResponse::Member;

constexpr int8_t kClassicMember = 0;
constexpr int8_t kConsumerMember = 1;

ConsumerGroupDescribeResponse::Assignment named(const MetadataStore& metadata, std::vector<TopicPartitions>& topics) {
  ConsumerGroupDescribeResponse::Assignment assignment;
  for (TopicPartitions& topic : topics) {
    const std::optional<MetadataStore::ServedTopic> found = metadata.find_topic(topic.topic_id);
    if (!found) continue;
    assignment.topic_partitions.push_back(
        {.topic_id = topic.topic_id, .topic_name = found->state->name, .partitions = std::move(topic.partitions)});
  }
  return assignment;
}

Member member_of(const MetadataStore& metadata, DescribedConsumerMember& described) {
  Member member;
  member.member_id = std::move(described.member_id);
  member.instance_id = std::move(described.instance_id);
  member.rack_id = std::move(described.rack_id);
  member.member_epoch = described.member_epoch;
  member.client_id = std::move(described.client.id);
  member.client_host = std::move(described.client.host);
  member.subscribed_topic_names = std::move(described.subscribed_topic_names);
  member.subscribed_topic_regex = std::move(described.subscribed_topic_regex);
  member.assignment = named(metadata, described.assignment);
  member.target_assignment = named(metadata, described.target_assignment);
  member.member_type = described.is_classic ? kClassicMember : kConsumerMember;
  return member;
}

DescribedGroup described_group(const MetadataStore& metadata, std::string group_id, DescribeConsumerGroupReply& reply) {
  DescribedGroup group;
  group.group_id = std::move(group_id);
  group.error_code = error_code_of(reply.fault.code);
  // Without a text of the machine's the client has its own, as it has for Kafka, and a tool prints the same.
  if (!reply.fault.message.empty()) group.error_message = std::move(reply.fault.message);
  if (reply.fault.code != GroupErrc::kNone) return group;
  group.group_state = std::move(reply.state);
  group.group_epoch = reply.group_epoch;
  group.assignment_epoch = reply.assignment_epoch;
  group.assignor_name = std::move(reply.assignor);
  for (DescribedConsumerMember& member : reply.members) group.members.push_back(member_of(metadata, member));
  return group;
}

}  // namespace

Task<ConsumerGroupDescribeResponse> handle_consumer_group_describe(Broker& broker, Request /*request*/,
                                                                   ConsumerGroupDescribeRequest message) {
  std::vector<DescribeConsumerGroup> events;
  events.reserve(message.group_ids.size());
  for (const std::string& group_id : message.group_ids) events.push_back({.group_id = group_id});
  Task<std::vector<DescribeConsumerGroupReply>> asking = ask_all(broker, std::move(events));
  std::vector<DescribeConsumerGroupReply> replies = co_await asking;
  ConsumerGroupDescribeResponse response;
  for (size_t i = 0; i < replies.size(); ++i) {
    DescribedGroup group = described_group(*broker.metadata, std::move(message.group_ids[i]), replies[i]);
    const bool is_there = group.error_code == ErrorCode::kNone;
    if (is_there && message.include_authorized_operations) group.authorized_operations = kGroupOperations;
    response.groups.push_back(std::move(group));
  }
  co_return response;
}

}  // namespace leat
