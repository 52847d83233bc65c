// group_offsets.cpp: OffsetFetch and OffsetCommit, in the versions that name topics.
#include "client/group_offsets.h"

#include <fmt/format.h>

#include "client/group_coordinator.h"
#include "net/protocol/messages/offset_commit.h"
#include "net/protocol/messages/offset_fetch.h"

namespace leat {
namespace {

constexpr int16_t kVersionWithNames = 9;  // of both; later ones want topic ids
constexpr int16_t kFetchVersionStable = 7;
constexpr int16_t kFetchVersionOfGroups = 8;

OffsetFetchRequest fetch_request(int16_t version, const std::string& group_id,
                                 const std::vector<TopicSelection>& only) {
  OffsetFetchRequest request;
  request.require_stable = version >= kFetchVersionStable;
  if (version < kFetchVersionOfGroups) {
    request.group_id = group_id;
    if (only.empty()) request.topics.reset();
    for (const TopicSelection& one : only) {
      request.topics->push_back({.name = one.topic, .partition_indexes = one.partitions});
    }
    return request;
  }
  auto& group = request.groups.emplace_back();
  group.group_id = group_id;
  if (only.empty()) group.topics.reset();
  for (const TopicSelection& one : only) {
    group.topics->push_back({.name = one.topic, .topic_id = {}, .partition_indexes = one.partitions});
  }
  return request;
}

template <class Topics>
ErrorCode first_error(const Topics& topics) {
  for (const auto& topic : topics) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code != ErrorCode::kNone) return partition.error_code;
    }
  }
  return ErrorCode::kNone;
}

ErrorCode error_of_fetch(const OffsetFetchResponse& response) {
  if (response.error_code != ErrorCode::kNone) return response.error_code;
  for (const auto& group : response.groups) {
    if (group.error_code != ErrorCode::kNone) return group.error_code;
    if (const ErrorCode code = first_error(group.topics); code != ErrorCode::kNone) return code;
  }
  return first_error(response.topics);
}

// A topic that is gone has no commits, whichever way the broker says so.
template <class Topics>
Result<void> collect(const Topics& topics, CommittedPositions& found) {
  for (const auto& topic : topics) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code == ErrorCode::kUnknownTopicOrPartition) continue;
      const TopicPartition name{.topic = topic.name, .partition = partition.partition_index};
      if (partition.error_code != ErrorCode::kNone) {
        return fail(to_error(partition.error_code, fmt::format("committed offset of {}", name)));
      }
      if (partition.committed_offset < 0) continue;
      found[name] = partition.committed_offset;
    }
  }
  return {};
}

}  // namespace

Result<CommittedPositions> fetch_committed(SimpleClient& client, const std::string& group_id,
                                           const std::vector<TopicSelection>& only) {
  TRY(coordinator, find_coordinator(client, group_id));
  TRY(version, coordinator->version_of(ApiKey::kOffsetFetch, kVersionWithNames));
  TRY(response, ask_coordinator<OffsetFetchResponse>(client, group_id, fetch_request(version, group_id, only),
                                                     error_of_fetch, {.version_max = kVersionWithNames}));
  ErrorCode refused = response.error_code;
  if (!response.groups.empty()) refused = response.groups.front().error_code;
  if (refused != ErrorCode::kNone) return fail(to_error(refused, fmt::format("offsets of group '{}'", group_id)));
  CommittedPositions found;
  TRY(collect(response.topics, found));
  for (const auto& group : response.groups) TRY(collect(group.topics, found));
  return found;
}

Result<std::vector<RefusedOffset>> commit_offsets(SimpleClient& client, const std::string& group_id,
                                                  const Committer& committer,
                                                  const std::map<TopicPartition, int64_t>& offsets) {
  OffsetCommitRequest request;
  request.group_id = group_id;
  request.generation_id_or_member_epoch = committer.generation_or_epoch;
  request.member_id = committer.member_id;
  request.group_instance_id = committer.instance_id;
  for (const auto& [name, offset] : offsets) {
    if (request.topics.empty() || request.topics.back().name != name.topic) {
      request.topics.emplace_back().name = name.topic;
    }
    auto& partition = request.topics.back().partitions.emplace_back();
    partition.partition_index = name.partition;
    partition.committed_offset = offset;
  }
  const auto error_of = [](const OffsetCommitResponse& answer) { return first_error(answer.topics); };
  TRY(response,
      ask_coordinator<OffsetCommitResponse>(client, group_id, request, error_of, {.version_max = kVersionWithNames}));
  std::vector<RefusedOffset> refused;
  for (const auto& topic : response.topics) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code == ErrorCode::kNone) continue;
      refused.push_back(
          {.partition = {.topic = topic.name, .partition = partition.partition_index}, .error = partition.error_code});
    }
  }
  return refused;
}

}  // namespace leat
