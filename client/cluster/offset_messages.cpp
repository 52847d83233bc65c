// offset_messages.cpp: see offset_messages.h.
#include "client/cluster/offset_messages.h"

#include <fmt/format.h>

namespace leat::client::detail {
namespace {

constexpr int16_t kFetchVersionStable = 7;
constexpr int16_t kFetchVersionOfGroups = 8;

template <class Topics>
ErrorCode first_error(const Topics& topics) {
  for (const auto& topic : topics) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code != ErrorCode::kNone) return partition.error_code;
    }
  }
  return ErrorCode::kNone;
}

template <class Topics>
std::optional<Error> collect(const Topics& topics, Offsets& found) {
  for (const auto& topic : topics) {
    for (const auto& partition : topic.partitions) {
      // A topic that is gone has no commits, whichever way the broker says so.
      if (partition.error_code == ErrorCode::kUnknownTopicOrPartition) continue;
      const TopicPartition name{.topic = topic.name, .partition = partition.partition_index};
      if (partition.error_code != ErrorCode::kNone) {
        return Error::from_broker(partition.error_code,
                                  fmt::format("committed offset of {}-{}", name.topic, name.partition));
      }
      if (partition.committed_offset < 0) continue;
      found[name] = {.offset = partition.committed_offset,
                     .leader_epoch = partition.committed_leader_epoch,
                     .metadata = partition.metadata.value_or("")};
    }
  }
  return std::nullopt;
}

}  // namespace

OffsetFetchRequest make_offset_fetch(const std::string& group_id,
                                     const std::optional<std::vector<TopicPartition>>& partitions, int16_t version) {
  OffsetFetchRequest request;
  request.require_stable = version >= kFetchVersionStable;
  if (version < kFetchVersionOfGroups) {
    request.group_id = group_id;
    if (!partitions) request.topics.reset();
    for (const TopicPartition& name : partitions.value_or(std::vector<TopicPartition>{})) {
      if (request.topics->empty() || request.topics->back().name != name.topic) {
        request.topics->emplace_back().name = name.topic;
      }
      request.topics->back().partition_indexes.push_back(name.partition);
    }
    return request;
  }
  auto& group = request.groups.emplace_back();
  group.group_id = group_id;
  if (!partitions) group.topics.reset();
  for (const TopicPartition& name : partitions.value_or(std::vector<TopicPartition>{})) {
    if (group.topics->empty() || group.topics->back().name != name.topic) {
      group.topics->emplace_back().name = name.topic;
    }
    group.topics->back().partition_indexes.push_back(name.partition);
  }
  return request;
}

ErrorCode error_of_offset_fetch(const OffsetFetchResponse& response) {
  if (response.error_code != ErrorCode::kNone) return response.error_code;
  for (const auto& group : response.groups) {
    if (group.error_code != ErrorCode::kNone) return group.error_code;
    if (const ErrorCode code = first_error(group.topics); code != ErrorCode::kNone) return code;
  }
  return first_error(response.topics);
}

Result<Offsets> offsets_in(const OffsetFetchResponse& response, const std::string& group_id) {
  Offsets found;
  ErrorCode refused = response.error_code;
  if (!response.groups.empty()) refused = response.groups.front().error_code;
  if (refused != ErrorCode::kNone) return Error::from_broker(refused, fmt::format("offsets of group '{}'", group_id));
  std::optional<Error> failed = collect(response.topics, found);
  for (const auto& group : response.groups) {
    if (!failed) failed = collect(group.topics, found);
  }
  if (failed) return *std::move(failed);
  return found;
}

OffsetCommitRequest make_offset_commit(const std::string& group_id, const Committer& committer,
                                       const Offsets& offsets) {
  OffsetCommitRequest request;
  request.group_id = group_id;
  request.generation_id_or_member_epoch = committer.generation_or_epoch;
  request.member_id = committer.member_id;
  request.group_instance_id = committer.instance_id;
  for (const auto& [name, committed] : offsets) {
    if (request.topics.empty() || request.topics.back().name != name.topic) {
      request.topics.emplace_back().name = name.topic;
    }
    auto& partition = request.topics.back().partitions.emplace_back();
    partition.partition_index = name.partition;
    partition.committed_offset = committed.offset;
    partition.committed_leader_epoch = committed.leader_epoch;
    partition.committed_metadata = committed.metadata;
  }
  return request;
}

ErrorCode error_of_offset_commit(const OffsetCommitResponse& response) { return first_error(response.topics); }

}  // namespace leat::client::detail
