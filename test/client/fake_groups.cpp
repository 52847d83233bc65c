// fake_groups.cpp: answers as a broker would give that has nobody else in the group.
#include "test/client/fake_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"
#include "net/protocol/frame.h"
#include "net/protocol/messages/delete_groups.h"
#include "net/protocol/messages/find_coordinator.h"
#include "net/protocol/messages/heartbeat.h"
#include "net/protocol/messages/leave_group.h"

namespace leat::test {
namespace {

constexpr const char* kMemberId = "m1";
constexpr const char* kTopic = "orders";

template <class Request>
Request decoded(const Slice& body, int16_t version) {
  MessageReader in(body);
  Request request;
  (void)decode(in, version, request);
  return request;
}

FindCoordinatorResponse coordinator(const FindCoordinatorRequest& request, const FakeGroups::Node& self,
                                    ErrorCode error) {
  FindCoordinatorResponse response;
  for (const std::string& key : request.coordinator_keys) {
    response.coordinators.push_back({.key = key,
                                     .node_id = error == ErrorCode::kNone ? self.id : -1,
                                     .host = self.host,
                                     .port = self.port,
                                     .error_code = error,
                                     .error_message = std::nullopt});
  }
  return response;
}

std::string topics_in(const Bytes& subscription) {
  const Result<ConsumerProtocolSubscription> read = decode_value<ConsumerProtocolSubscription>(subscription);
  return read ? fmt::format("{}", fmt::join(read->topics, ",")) : "?";
}

std::string partitions_in(const Bytes& assignment) {
  const Result<ConsumerProtocolAssignment> read = decode_value<ConsumerProtocolAssignment>(assignment);
  if (!read) return "?";
  std::string text;
  for (const auto& topic : read->assigned_partitions) {
    text += fmt::format(" {}:{}", topic.topic, fmt::join(topic.partitions, ","));
  }
  return text;
}

}  // namespace

bool FakeGroups::offers(ApiKey key) const noexcept {
  const bool is_of_it = key == ApiKey::kConsumerGroupHeartbeat || key == ApiKey::kConsumerGroupDescribe;
  return script_.speaks_consumer_protocol || !is_of_it;
}

std::vector<std::string> FakeGroups::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

void FakeGroups::note(std::string line) {
  const std::lock_guard lock(mutex_);
  log_.push_back(std::move(line));
}

bool FakeGroups::has_come(Turn::When when) const noexcept {
  switch (when) {
    case Turn::When::kAtOnce:
      return true;
    case Turn::When::kAfterReading:
      return has_read_;
    case Turn::When::kAfterCommit:
      return has_committed_;
    case Turn::When::kAfterOwning:
      return has_owned_;
  }
  return false;
}

ErrorCode FakeGroups::next_turn() {
  if (turns_taken_ == script_.turns.size() || !has_come(script_.turns[turns_taken_].when)) return ErrorCode::kNone;
  const Turn& turn = script_.turns[turns_taken_++];
  has_read_ = has_committed_ = has_owned_ = false;
  if (turn.assignment) script_.assignment = *turn.assignment;
  return turn.error;
}

ConsumerGroupHeartbeatResponse FakeGroups::on_heartbeat(const ConsumerGroupHeartbeatRequest& request) {
  if (request.member_epoch <= 0 || request.topic_partitions) {
    std::string line = fmt::format("heartbeat {}", request.member_epoch);
    if (request.topic_partitions) {
      line += " owns";
      for (const auto& topic : *request.topic_partitions) line += fmt::format(" {}", fmt::join(topic.partitions, ","));
    }
    note(std::move(line));
  }
  if (request.member_epoch > 0 && request.topic_partitions) has_owned_ = true;
  ConsumerGroupHeartbeatResponse response;
  if (request.member_id.empty()) response.error_code = ErrorCode::kInvalidRequest;
  if (request.member_epoch >= 0 && !request.member_id.empty()) response.error_code = next_turn();
  if (response.error_code != ErrorCode::kNone) return response;
  if (request.member_epoch == 0) {
    ++epoch_;
    told_.reset();
  }
  response.member_id = request.member_id;
  response.member_epoch = request.member_epoch < 0 ? request.member_epoch : epoch_;
  response.heartbeat_interval_ms = script_.heartbeat_interval_ms;
  if (request.member_epoch >= 0 && told_ != script_.assignment) {
    auto& topics = response.assignment.emplace().topic_partitions;
    if (!script_.assignment.empty()) topics.push_back({.topic_id = {}, .partitions = script_.assignment});
    told_ = script_.assignment;
  }
  return response;
}

JoinGroupResponse FakeGroups::on_join(const JoinGroupRequest& request) {
  note(fmt::format("join '{}' {} of {}", request.member_id, request.protocols.at(0).name,
                   topics_in(request.protocols.at(0).metadata)));
  JoinGroupResponse response;
  response.member_id = kMemberId;
  if (request.member_id.empty() && !request.group_instance_id) {
    response.error_code = ErrorCode::kMemberIdRequired;
    return response;
  }
  response.generation_id = ++epoch_;
  response.protocol_type = request.protocol_type;
  response.protocol_name = request.protocols.at(0).name;
  response.leader = kMemberId;
  response.members.push_back({.member_id = kMemberId,
                              .group_instance_id = request.group_instance_id,
                              .metadata = request.protocols.at(0).metadata});
  return response;
}

SyncGroupResponse FakeGroups::on_sync(const SyncGroupRequest& request) {
  SyncGroupResponse response;
  std::string line = fmt::format("sync {}", request.generation_id);
  for (const auto& one : request.assignments) {
    line += fmt::format(" {}{}", one.member_id, partitions_in(one.assignment));
    response.assignment = one.assignment;
  }
  note(std::move(line));
  response.protocol_type = request.protocol_type;
  response.protocol_name = request.protocol_name;
  return response;
}

OffsetCommitResponse FakeGroups::on_commit(const OffsetCommitRequest& request) {
  OffsetCommitResponse response;
  std::string line = "commit";
  for (const auto& topic : request.topics) {
    auto& answered = response.topics.emplace_back();
    answered.name = topic.name;
    for (const auto& partition : topic.partitions) {
      line += fmt::format(" {}:{}", partition.partition_index, partition.committed_offset);
      answered.partitions.push_back({.partition_index = partition.partition_index, .error_code = script_.commit_error});
      if (!script_.forgets_commits) script_.committed[partition.partition_index] = partition.committed_offset;
    }
  }
  has_committed_ = true;
  note(fmt::format("{} at {}", line, request.generation_id_or_member_epoch));
  return response;
}

OffsetFetchResponse FakeGroups::on_fetch(const OffsetFetchRequest& request) const {
  OffsetFetchResponse response;
  const auto& asked = request.groups.at(0);
  auto& group = response.groups.emplace_back();
  group.group_id = asked.group_id;
  auto& topic = group.topics.emplace_back();
  topic.name = kTopic;
  std::vector<int32_t> partitions;
  if (asked.topics) {
    partitions = asked.topics->at(0).partition_indexes;
  } else {
    for (const auto& [partition, offset] : script_.committed) partitions.push_back(partition);
  }
  for (const int32_t index : partitions) {
    auto& partition = topic.partitions.emplace_back();
    partition.partition_index = index;
    const auto found = script_.committed.find(index);
    partition.committed_offset = found == script_.committed.end() ? -1 : found->second;
  }
  return response;
}

ConsumerGroupDescribeResponse FakeGroups::described_consumer(const std::string& group_id) const {
  ConsumerGroupDescribeResponse response;
  for (const auto& group : script_.consumer_groups) {
    if (group.group_id == group_id) response.groups.push_back(group);
  }
  if (response.groups.empty()) response.groups.emplace_back().error_code = ErrorCode::kGroupIdNotFound;
  return response;
}

DescribeGroupsResponse FakeGroups::described_classic(const std::string& group_id) const {
  DescribeGroupsResponse response;
  for (const auto& group : script_.classic_groups) {
    if (group.group_id == group_id) response.groups.push_back(group);
  }
  if (response.groups.empty()) response.groups.emplace_back().error_code = ErrorCode::kGroupIdNotFound;
  return response;
}

std::vector<Piece> FakeGroups::answer(ApiKey key, int16_t version, int32_t correlation_id, const Slice& body,
                                      const Node& self) {
  const auto encoded = [&](const auto& response) { return *encode_response(response, version, correlation_id); };
  switch (key) {
    case ApiKey::kFindCoordinator: {
      const bool away = script_.coordinator_errors-- > 0;
      return encoded(coordinator(decoded<FindCoordinatorRequest>(body, version), self,
                                 away ? ErrorCode::kCoordinatorNotAvailable : ErrorCode::kNone));
    }
    case ApiKey::kConsumerGroupHeartbeat:
      return encoded(on_heartbeat(decoded<ConsumerGroupHeartbeatRequest>(body, version)));
    case ApiKey::kJoinGroup:
      return encoded(on_join(decoded<JoinGroupRequest>(body, version)));
    case ApiKey::kSyncGroup:
      return encoded(on_sync(decoded<SyncGroupRequest>(body, version)));
    case ApiKey::kHeartbeat: {
      HeartbeatResponse response;
      response.error_code = next_turn();
      return encoded(response);
    }
    case ApiKey::kLeaveGroup:
      note("leave " + decoded<LeaveGroupRequest>(body, version).members.at(0).member_id);
      return encoded(LeaveGroupResponse());
    case ApiKey::kOffsetCommit:
      return encoded(on_commit(decoded<OffsetCommitRequest>(body, version)));
    case ApiKey::kOffsetFetch:
      return encoded(on_fetch(decoded<OffsetFetchRequest>(body, version)));
    case ApiKey::kListGroups: {
      ListGroupsResponse response;
      response.groups = script_.listed;
      return encoded(response);
    }
    case ApiKey::kConsumerGroupDescribe:
      return encoded(described_consumer(decoded<ConsumerGroupDescribeRequest>(body, version).group_ids.at(0)));
    case ApiKey::kDescribeGroups:
      return encoded(described_classic(decoded<DescribeGroupsRequest>(body, version).groups.at(0)));
    case ApiKey::kDeleteGroups: {
      DeleteGroupsResponse response;
      auto& result = response.results.emplace_back();
      result.group_id = decoded<DeleteGroupsRequest>(body, version).groups_names.at(0);
      if (const auto error = script_.delete_errors.find(result.group_id); error != script_.delete_errors.end()) {
        result.error_code = error->second;
      } else {
        note("delete " + result.group_id);
      }
      return encoded(response);
    }
    default:
      return {};
  }
}

}  // namespace leat::test
