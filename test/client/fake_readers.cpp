// fake_readers.cpp: see fake_readers.h.
#include "test/client/fake_readers.h"

#include <algorithm>

#include "core/record/batch_builder.h"
#include "net/protocol/frame.h"
#include "net/protocol/messages/delete_records.h"
#include "net/protocol/messages/find_coordinator.h"
#include "net/protocol/messages/heartbeat.h"
#include "net/protocol/messages/join_group.h"
#include "net/protocol/messages/leave_group.h"
#include "net/protocol/messages/list_offsets.h"
#include "net/protocol/messages/sync_group.h"
#include "test/client/fake_cluster.h"
#include "test/support/catch.h"

namespace leat::test {
namespace {

// The batch that holds `offset`, beginning at a multiple of `count`.
Slice batch_at(const FakePartition& partition, int64_t offset, int64_t count) {
  const int64_t begin = offset / count * count;
  const int64_t end = std::min<int64_t>(begin + count, static_cast<int64_t>(partition.log.size()));
  BatchBuilder builder({.base_offset = Offset(begin), .leader_epoch = partition.leader_epoch});
  for (int64_t at = begin; at < end; ++at) {
    const StoredRecord& record = partition.log[static_cast<size_t>(at)];
    NewRecord added;
    if (record.key) added.key = as_bytes(*record.key);
    added.value = as_bytes(record.value);
    added.timestamp_ms = record.timestamp_ms;
    builder.append(added);
  }
  return *builder.finish();
}

}  // namespace

template <class Request, class Response, class Carry>
std::vector<Piece> FakeReaders::reply(int16_t version, int32_t id, MessageReader& in, Carry carry) {
  Request request;
  REQUIRE(decode(in, version, request));
  Response response = carry(request);
  cluster_.throttle(response);
  return *encode_response(response, version, id);
}

FakeReaders::Found FakeReaders::fetch(int32_t node, const FetchRequest& request, FetchResponse& response) {
  Found found = Found::kNothing;
  for (const auto& asked : request.topics) {
    auto& topic = response.responses.emplace_back();
    topic.topic = asked.topic;
    for (const auto& wanted : asked.partitions) {
      auto& part = topic.partitions.emplace_back();
      part.partition_index = wanted.partition;
      const auto known = cluster_.topics().find(asked.topic);
      part.error_code = next_of(cluster_.fetch_errors);
      if (part.error_code == ErrorCode::kNone &&
          (known == cluster_.topics().end() || wanted.partition >= static_cast<int32_t>(known->second.size()))) {
        part.error_code = ErrorCode::kUnknownTopicOrPartition;
      }
      if (part.error_code == ErrorCode::kNone) {
        const FakePartition& partition = known->second[static_cast<size_t>(wanted.partition)];
        const auto end = static_cast<int64_t>(partition.log.size());
        part.high_watermark = end;
        if (partition.leader != node) part.error_code = ErrorCode::kNotLeaderOrFollower;
        if (partition.leader == node && (wanted.fetch_offset < 0 || wanted.fetch_offset > end)) {
          part.error_code = ErrorCode::kOffsetOutOfRange;
        }
        if (part.error_code == ErrorCode::kNone && wanted.fetch_offset < end) {
          part.records = Records(batch_at(partition, wanted.fetch_offset, records_in_batch));
        }
      }
      if (part.error_code != ErrorCode::kNone || part.records) found = Found::kSomething;
    }
  }
  return found;
}

ConsumerGroupHeartbeatResponse FakeReaders::heartbeat(const ConsumerGroupHeartbeatRequest& request) {
  ConsumerGroupHeartbeatResponse response;
  response.heartbeat_interval_ms = 1'000;
  response.error_code = next_of(heartbeat_errors);
  if (response.error_code == ErrorCode::kFencedMemberEpoch) group_.erase(request.member_id);
  if (response.error_code != ErrorCode::kNone) return response;
  response.member_id = request.member_id;
  response.member_epoch = request.member_epoch;
  if (request.member_epoch < 0) {
    group_.erase(request.member_id);
    members.erase(request.member_id);
    return response;
  }
  if (request.member_epoch == 0 && !group_.contains(request.member_id)) {
    ++epoch_;
    group_[request.member_id];
    members.insert(request.member_id);
  }
  if (!group_.contains(request.member_id)) {
    response.error_code = ErrorCode::kUnknownMemberId;
    return response;
  }
  Member& member = group_[request.member_id];
  if (request.topic_partitions) {
    member.owned.clear();
    for (const auto& topic : *request.topic_partitions) {
      member.owned.insert(topic.partitions.begin(), topic.partitions.end());
    }
  }
  std::set<int32_t> target;
  const auto topic = cluster_.topics().find("orders");
  const auto count = topic == cluster_.topics().end() ? 0 : static_cast<int32_t>(topic->second.size());
  const auto place = std::distance(group_.begin(), group_.find(request.member_id));
  for (int32_t i = 0; i < count; ++i) {
    if (i % static_cast<int32_t>(group_.size()) != place) continue;
    const bool is_free = std::none_of(group_.begin(), group_.end(), [&](const auto& other) {
      return other.first != request.member_id && (other.second.owned.contains(i) || other.second.told.contains(i));
    });
    if (is_free) target.insert(i);
  }
  response.member_epoch = std::max(epoch_, 1);
  if (!member.knows || target != member.told || request.member_epoch == 0) {
    auto& assignment = response.assignment.emplace();
    if (!target.empty()) {
      assignment.topic_partitions.push_back(
          {.topic_id = FakeCluster::topic_id("orders"), .partitions = {target.begin(), target.end()}});
    }
    member.told = target;
    member.knows = true;
  }
  return response;
}

CreateTopicsResponse FakeReaders::create_topics(const CreateTopicsRequest& request) {
  CreateTopicsResponse response;
  for (const auto& asked : request.topics) {
    auto& topic = response.topics.emplace_back();
    topic.name = asked.name;
    topic.error_code = next_of(creation_errors);
    if (topic.error_code != ErrorCode::kNone) continue;
    cluster_.add_topic(asked.name, asked.num_partitions);
    topic.num_partitions = asked.num_partitions;
  }
  return response;
}

OffsetCommitResponse FakeReaders::commit(const OffsetCommitRequest& request) {
  OffsetCommitResponse response;
  for (const auto& topic : request.topics) {
    auto& answered = response.topics.emplace_back();
    answered.name = topic.name;
    for (const auto& partition : topic.partitions) {
      ErrorCode code = next_of(commit_errors);
      // A group with members takes commits of theirs only.
      const bool has_members = !group_.empty() || !classic_member_.empty();
      const bool is_member =
          group_.contains(request.member_id) || (!request.member_id.empty() && request.member_id == classic_member_);
      if (code == ErrorCode::kNone && has_members && !is_member) code = ErrorCode::kUnknownMemberId;
      if (code == ErrorCode::kNone) committed[{topic.name, partition.partition_index}] = partition.committed_offset;
      answered.partitions.push_back({.partition_index = partition.partition_index, .error_code = code});
    }
  }
  return response;
}

OffsetFetchResponse FakeReaders::committed_offsets(const OffsetFetchRequest& request) const {
  OffsetFetchResponse response;
  for (const auto& group : request.groups) {
    auto& answered = response.groups.emplace_back();
    answered.group_id = group.group_id;
    std::map<std::string, std::vector<int32_t>> wanted;
    if (group.topics) {
      for (const auto& topic : *group.topics) wanted[topic.name] = topic.partition_indexes;
    } else {
      for (const auto& [name, offset] : committed) wanted[name.first].push_back(name.second);
    }
    for (const auto& [name, indexes] : wanted) {
      auto& topic = answered.topics.emplace_back();
      topic.name = name;
      for (const int32_t index : indexes) {
        const auto found = committed.find({name, index});
        auto& partition = topic.partitions.emplace_back();
        partition.partition_index = index;
        partition.committed_offset = found == committed.end() ? -1 : found->second;
      }
    }
  }
  return response;
}

std::optional<std::vector<Piece>> FakeReaders::answer(int32_t node, ApiKey key, int16_t version, int32_t id,
                                                      MessageReader& in) {
  if (key == ApiKey::kFindCoordinator) {
    return reply<FindCoordinatorRequest, FindCoordinatorResponse>(version, id, in, [&](const auto& request) {
      FindCoordinatorResponse response;
      auto& found = response.coordinators.emplace_back();
      found.key = request.coordinator_keys.front();
      found.error_code = next_of(coordinator_errors);
      found.node_id = 1;
      found.host = "n1";
      found.port = 9092;
      return response;
    });
  }
  if (key == ApiKey::kListOffsets) {
    return reply<ListOffsetsRequest, ListOffsetsResponse>(version, id, in, [&](const auto& request) {
      ListOffsetsResponse response;
      for (const auto& topic : request.topics) {
        auto& answered = response.topics.emplace_back();
        answered.name = topic.name;
        for (const auto& asked : topic.partitions) {
          const FakePartition& partition = cluster_.partition(topic.name, asked.partition_index);
          auto& part = answered.partitions.emplace_back();
          part.partition_index = asked.partition_index;
          if (partition.leader != node) part.error_code = ErrorCode::kNotLeaderOrFollower;
          if (part.error_code == ErrorCode::kNone) {
            part.offset = asked.timestamp == -1 ? static_cast<int64_t>(partition.log.size()) : 0;
          }
        }
      }
      return response;
    });
  }
  if (key == ApiKey::kDeleteRecords) {  // said to be done, and nothing more
    return reply<DeleteRecordsRequest, DeleteRecordsResponse>(version, id, in, [&](const auto& request) {
      DeleteRecordsResponse response;
      for (const auto& topic : request.topics) {
        auto& answered = response.topics.emplace_back();
        answered.name = topic.name;
        for (const auto& asked : topic.partitions) {
          const bool leads = cluster_.partition(topic.name, asked.partition_index).leader == node;
          ErrorCode code = next_of(deletion_errors);
          if (code == ErrorCode::kNone && !leads) code = ErrorCode::kNotLeaderOrFollower;
          answered.partitions.push_back({.partition_index = asked.partition_index,
                                         .low_watermark = code == ErrorCode::kNone ? asked.offset : -1,
                                         .error_code = code});
        }
      }
      return response;
    });
  }
  if (key == ApiKey::kCreateTopics) {
    return reply<CreateTopicsRequest, CreateTopicsResponse>(
        version, id, in, [&](const auto& request) { return create_topics(request); });
  }
  if (key == ApiKey::kOffsetCommit) {
    return reply<OffsetCommitRequest, OffsetCommitResponse>(version, id, in,
                                                            [&](const auto& request) { return commit(request); });
  }
  if (key == ApiKey::kOffsetFetch) {
    return reply<OffsetFetchRequest, OffsetFetchResponse>(
        version, id, in, [&](const auto& request) { return committed_offsets(request); });
  }
  return answer_member(key, version, id, in);
}

std::optional<std::vector<Piece>> FakeReaders::answer_member(ApiKey key, int16_t version, int32_t id,
                                                             MessageReader& in) {
  if (key == ApiKey::kConsumerGroupHeartbeat) {
    return reply<ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse>(
        version, id, in, [&](const auto& request) { return heartbeat(request); });
  }
  if (key == ApiKey::kJoinGroup) {
    return reply<JoinGroupRequest, JoinGroupResponse>(version, id, in, [&](const auto& request) {
      JoinGroupResponse response;
      response.member_id = request.member_id.empty() ? "m1" : request.member_id;
      if (request.member_id.empty()) {
        response.error_code = ErrorCode::kMemberIdRequired;
        return response;
      }
      ++joins;
      classic_member_ = response.member_id;
      response.generation_id = ++generation_;
      response.protocol_type = request.protocol_type;
      response.protocol_name = request.protocols.front().name;
      response.leader = response.member_id;
      response.members.push_back(
          {.member_id = response.member_id, .group_instance_id = {}, .metadata = request.protocols.front().metadata});
      return response;
    });
  }
  if (key == ApiKey::kSyncGroup) {
    return reply<SyncGroupRequest, SyncGroupResponse>(version, id, in, [&](const auto& request) {
      SyncGroupResponse response;
      if (!request.assignments.empty()) response.assignment = request.assignments.front().assignment;
      return response;
    });
  }
  if (key == ApiKey::kHeartbeat) {
    return reply<HeartbeatRequest, HeartbeatResponse>(version, id, in, [&](const auto&) {
      HeartbeatResponse response;
      response.error_code = next_of(heartbeat_errors);
      return response;
    });
  }
  if (key == ApiKey::kLeaveGroup) {
    return reply<LeaveGroupRequest, LeaveGroupResponse>(version, id, in, [&](const auto&) {
      ++farewells;
      classic_member_.clear();
      return LeaveGroupResponse{};
    });
  }
  return std::nullopt;
}

}  // namespace leat::test
