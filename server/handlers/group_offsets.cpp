// group_offsets.cpp: committed offsets. What is wrong with a group or member is decided by the group's machine
// (core/coordinator/group), what is wrong with a topic here.
//   OffsetCommit 2-10   by name, since 10 by id; answers keep the order of the request
//     no such topic or partition       UNKNOWN_TOPIC_OR_PARTITION in the partition (by id UNKNOWN_TOPIC_ID)
//     an error of the whole            in each partition that was sent on
//   OffsetFetch 1-10    one group, since 8 several; null topics are all, since 2; by name, since 10 by id
//     a name that is not there         no offset, as if none had been committed
//     an id that is not there          UNKNOWN_TOPIC_ID in its partitions
//     an error of the whole            in the group, at version 1 in each partition
//   OffsetDelete 0
//     no such topic or partition       UNKNOWN_TOPIC_OR_PARTITION in the partition
//     an error of the whole            no topics are listed
// Gaps: pending offsets of transactions, of which there are none yet.
#include <map>

#include "server/handlers/group_errors.h"
#include "server/handlers/group_handlers.h"
#include "server/handlers/group_questions.h"
#include "server/metadata_store.h"

namespace leat {

namespace {

using ServedTopic = MetadataStore::ServedTopic;

constexpr int16_t kTopicIdsSince = 10;  // of OffsetCommit and OffsetFetch
constexpr int16_t kEpochErrorsSince = 9;
constexpr int16_t kRetentionUntil = 4;
constexpr int64_t kBrokersRetention = -1;

bool is_there(const std::optional<ServedTopic>& topic, int32_t partition) noexcept {
  return topic && partition >= 0 && partition < topic->partition_count;
}

using CommitTopic = OffsetCommitRequest::OffsetCommitRequestTopic;
using CommittedTopic = OffsetCommitResponse::OffsetCommitResponseTopic;

// The topic's answer, with the errors of what is not there; the rest goes on into `offsets`, in order.
CommittedTopic begin_commit(const MetadataStore& metadata, CommitTopic& topic, bool by_id,
                            std::vector<OffsetToCommit>& offsets) {
  const std::optional<ServedTopic> found =
      by_id ? metadata.find_topic(topic.topic_id) : metadata.find_topic(topic.name);
  const ErrorCode absence = by_id && !found ? ErrorCode::kUnknownTopicId : ErrorCode::kUnknownTopicOrPartition;
  CommittedTopic answer;
  answer.partitions.reserve(topic.partitions.size());
  for (auto& asked : topic.partitions) {
    const bool good = is_there(found, asked.partition_index);
    answer.partitions.push_back(
        {.partition_index = asked.partition_index, .error_code = good ? ErrorCode::kNone : absence});
    if (!good) continue;
    OffsetToCommit& offset = offsets.emplace_back();
    offset.topic = found->state->name;
    offset.topic_id = found->state->id;
    offset.partition = asked.partition_index;
    offset.offset = asked.committed_offset;
    offset.leader_epoch = asked.committed_leader_epoch;
    offset.metadata = std::move(asked.committed_metadata).value_or("");
  }
  answer.name = std::move(topic.name);
  answer.topic_id = topic.topic_id;
  return answer;
}

void end_commit(const CommitOffsetsReply& reply, OffsetCommitResponse& response) {
  size_t next = 0;
  for (CommittedTopic& topic : response.topics) {
    for (auto& partition : topic.partitions) {
      if (partition.error_code != ErrorCode::kNone) continue;  // it was not sent on
      const bool is_whole = reply.error != GroupErrc::kNone || next >= reply.partitions.size();
      partition.error_code = error_code_of(is_whole ? reply.error : reply.partitions[next++]);
    }
  }
}

}  // namespace

Task<OffsetCommitResponse> handle_offset_commit(Broker& broker, Request request, OffsetCommitRequest message) {
  OffsetCommitResponse response;
  CommitOffsets event;
  response.topics.reserve(message.topics.size());
  for (CommitTopic& topic : message.topics) {
    const bool by_id = request.version >= kTopicIdsSince;
    response.topics.push_back(begin_commit(*broker.metadata, topic, by_id, event.offsets));
  }
  if (event.offsets.empty()) co_return response;
  event.group_id = std::move(message.group_id);
  event.generation_or_epoch = message.generation_id_or_member_epoch;
  event.member_id = std::move(message.member_id);
  event.instance_id = std::move(message.group_instance_id);
  const bool has_retention = request.version <= kRetentionUntil && message.retention_time_ms != kBrokersRetention;
  if (has_retention) event.retention_ms = message.retention_time_ms;
  event.by_member_epoch_known = request.version >= kEpochErrorsSince;
  Task<CommitOffsetsReply> committing = broker.groups->ask(std::move(event));
  const CommitOffsetsReply reply = co_await committing;
  end_commit(reply, response);
  co_return response;
}

namespace {

constexpr int16_t kGroupsSince = 8;
constexpr int16_t kGroupErrorSince = 2;

using AskedTopic = OffsetFetchRequest::OffsetFetchRequestTopics;
using AskedGroup = OffsetFetchRequest::OffsetFetchRequestGroup;
using FetchedTopic = OffsetFetchResponse::OffsetFetchResponseTopics;
using FetchedPartition = OffsetFetchResponse::OffsetFetchResponsePartitions;
using FetchedGroup = OffsetFetchResponse::OffsetFetchResponseGroup;

// Below version 8 as one group of the later form.
std::vector<AskedGroup> asked_groups(OffsetFetchRequest& message, int16_t version) {
  if (version >= kGroupsSince) return std::move(message.groups);
  std::vector<AskedGroup> groups(1);
  AskedGroup& only = groups.front();
  only.group_id = std::move(message.group_id);
  if (!message.topics) {
    only.topics.reset();
    return groups;
  }
  for (auto& topic : *message.topics) {
    AskedTopic& asked = only.topics->emplace_back();
    asked.name = std::move(topic.name);
    asked.partition_indexes = std::move(topic.partition_indexes);
  }
  return groups;
}

FetchedPartition no_offset(int32_t partition, ErrorCode code) {
  FetchedPartition answer;
  answer.partition_index = partition;
  answer.committed_offset = -1;
  answer.error_code = code;
  return answer;
}

FetchedPartition fetched(const CommittedOffset& offset) {
  FetchedPartition answer;
  answer.partition_index = offset.partition;
  answer.committed_offset = offset.offset;
  answer.committed_leader_epoch = offset.leader_epoch;
  answer.metadata = offset.metadata;
  answer.error_code = error_code_of(offset.error);
  return answer;
}

// Ids become names; an id that is not there stays without one, and is not asked for.
FetchOffsets fetch_event(const MetadataStore& metadata, AskedGroup& group, bool by_id, bool require_stable) {
  FetchOffsets event;
  event.group_id = group.group_id;
  event.member_id = group.member_id;
  event.member_epoch = group.member_epoch;
  event.require_stable = require_stable;
  if (!group.topics) return event;
  event.topics.emplace();
  for (AskedTopic& topic : *group.topics) {
    if (by_id) {
      const std::optional<ServedTopic> found = metadata.find_topic(topic.topic_id);
      topic.name = found ? found->state->name : "";
      if (!found) continue;
    }
    event.topics->push_back({.topic = topic.name, .partitions = topic.partition_indexes});
  }
  return event;
}

std::vector<FetchedTopic> asked_topics(std::vector<AskedTopic>& asked, const FetchOffsetsReply& reply, bool by_id) {
  std::vector<FetchedTopic> topics;
  topics.reserve(asked.size());
  size_t next = 0;
  for (AskedTopic& topic : asked) {
    FetchedTopic& answer = topics.emplace_back();
    const bool is_unknown = by_id && topic.name.empty();  // it was not sent on
    for (const int32_t partition : topic.partition_indexes) {
      const ErrorCode code = is_unknown ? ErrorCode::kUnknownTopicId : ErrorCode::kNone;
      const bool has_offset = !is_unknown && next < reply.offsets.size();
      answer.partitions.push_back(has_offset ? fetched(reply.offsets[next++]) : no_offset(partition, code));
    }
    answer.topic_id = topic.topic_id;
    answer.name = topic.name;
  }
  return topics;
}

// Without an id a topic cannot be named at version 10: then it is left out, as Kafka does.
std::vector<FetchedTopic> all_topics(const MetadataStore& metadata, const FetchOffsetsReply& reply, bool by_id) {
  std::map<std::string_view, std::vector<FetchedPartition>> by_name;
  for (const CommittedOffset& offset : reply.offsets) by_name[offset.topic].push_back(fetched(offset));
  std::vector<FetchedTopic> topics;
  for (auto& [name, partitions] : by_name) {
    FetchedTopic answer;
    if (by_id) {
      const std::optional<ServedTopic> found = metadata.find_topic(name);
      if (!found) continue;
      answer.topic_id = found->state->id;
    }
    answer.name = name;
    answer.partitions = std::move(partitions);
    topics.push_back(std::move(answer));
  }
  return topics;
}

FetchedGroup fetched_group(const MetadataStore& metadata, AskedGroup& asked, const FetchOffsetsReply& reply,
                           int16_t version) {
  const bool by_id = version >= kTopicIdsSince;
  FetchedGroup group;
  group.group_id = std::move(asked.group_id);
  if (reply.error == GroupErrc::kNone) {
    group.topics = asked.topics ? asked_topics(*asked.topics, reply, by_id) : all_topics(metadata, reply, by_id);
    return group;
  }
  const ErrorCode code = error_code_of(reply.error);
  if (version >= kGroupErrorSince) {
    group.error_code = code;
    return group;
  }
  if (!asked.topics) return group;
  for (AskedTopic& topic : *asked.topics) {
    FetchedTopic& answer = group.topics.emplace_back();
    for (const int32_t partition : topic.partition_indexes) answer.partitions.push_back(no_offset(partition, code));
    answer.name = std::move(topic.name);
  }
  return group;
}

void set_only_group(FetchedGroup& group, OffsetFetchResponse& response) {
  response.error_code = group.error_code;
  for (FetchedTopic& topic : group.topics) {
    OffsetFetchResponse::OffsetFetchResponseTopic& answer = response.topics.emplace_back();
    answer.name = std::move(topic.name);
    for (FetchedPartition& partition : topic.partitions) {
      answer.partitions.push_back({.partition_index = partition.partition_index,
                                   .committed_offset = partition.committed_offset,
                                   .committed_leader_epoch = partition.committed_leader_epoch,
                                   .metadata = std::move(partition.metadata),
                                   .error_code = partition.error_code});
    }
  }
}

}  // namespace

Task<OffsetFetchResponse> handle_offset_fetch(Broker& broker, Request request, OffsetFetchRequest message) {
  const int16_t version = request.version;
  std::vector<AskedGroup> groups = asked_groups(message, version);
  std::vector<FetchOffsets> events;
  events.reserve(groups.size());
  for (AskedGroup& group : groups) {
    events.push_back(fetch_event(*broker.metadata, group, version >= kTopicIdsSince, message.require_stable));
  }
  Task<std::vector<FetchOffsetsReply>> asking = ask_all(broker, std::move(events));
  const std::vector<FetchOffsetsReply> replies = co_await asking;
  OffsetFetchResponse response;
  for (size_t i = 0; i < replies.size(); ++i) {
    FetchedGroup group = fetched_group(*broker.metadata, groups[i], replies[i], version);
    if (version < kGroupsSince) {
      set_only_group(group, response);
    } else {
      response.groups.push_back(std::move(group));
    }
  }
  co_return response;
}

namespace {

using DeleteTopic = OffsetDeleteRequest::OffsetDeleteRequestTopic;
using DeletedTopic = OffsetDeleteResponse::OffsetDeleteResponseTopic;

DeletedTopic begin_delete(const MetadataStore& metadata, DeleteTopic& topic,
                          std::vector<std::pair<std::string, int32_t>>& partitions) {
  const std::optional<ServedTopic> found = metadata.find_topic(topic.name);
  DeletedTopic answer;
  for (const auto& asked : topic.partitions) {
    const bool good = is_there(found, asked.partition_index);
    answer.partitions.push_back({.partition_index = asked.partition_index,
                                 .error_code = good ? ErrorCode::kNone : ErrorCode::kUnknownTopicOrPartition});
    if (good) partitions.emplace_back(topic.name, asked.partition_index);
  }
  answer.name = std::move(topic.name);
  return answer;
}

}  // namespace

Task<OffsetDeleteResponse> handle_offset_delete(Broker& broker, Request /*request*/, OffsetDeleteRequest message) {
  OffsetDeleteResponse response;
  DeleteOffsets event;
  event.group_id = std::move(message.group_id);
  for (DeleteTopic& topic : message.topics) {
    response.topics.push_back(begin_delete(*broker.metadata, topic, event.partitions));
  }
  // Asked also when nothing is left to delete: the group may be wrong.
  Task<DeleteOffsetsReply> deleting = broker.groups->ask(std::move(event));
  const DeleteOffsetsReply reply = co_await deleting;
  response.error_code = error_code_of(reply.error);
  if (reply.error != GroupErrc::kNone) {
    response.topics.clear();
    co_return response;
  }
  size_t next = 0;
  for (DeletedTopic& topic : response.topics) {
    for (auto& partition : topic.partitions) {
      if (partition.error_code == ErrorCode::kNone && next < reply.partitions.size())
        partition.error_code = error_code_of(reply.partitions[next++]);
    }
  }
  co_return response;
}

}  // namespace leat
