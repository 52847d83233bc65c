// topic_offsets.cpp: one ListOffsets to each leader.
#include "client/topic_offsets.h"

#include <fmt/format.h>

#include <algorithm>

#include "net/protocol/messages/list_offsets.h"

namespace leat {

Result<std::map<int32_t, std::vector<int32_t>>> partitions_by_leader(const Topic& topic,
                                                                     const std::vector<int32_t>& partitions) {
  std::map<int32_t, std::vector<int32_t>> by_leader;
  for (const auto& partition : topic.partitions) {
    const bool wanted = partitions.empty() ||
                        std::find(partitions.begin(), partitions.end(), partition.partition_index) != partitions.end();
    if (wanted) by_leader[partition.leader_id].push_back(partition.partition_index);
  }
  for (const int32_t wanted : partitions) {
    const bool there = std::any_of(topic.partitions.begin(), topic.partitions.end(),
                                   [wanted](const auto& partition) { return partition.partition_index == wanted; });
    if (!there) {
      return fail(Errc::kNotFound,
                  fmt::format("topic '{}' has no partition {} (UNKNOWN_TOPIC_OR_PARTITION): it has 0 to {}",
                              topic.name.value_or(""), wanted, static_cast<int64_t>(topic.partitions.size()) - 1));
    }
  }
  return by_leader;
}

Result<std::map<int32_t, PartitionOffset>> list_offsets(SimpleClient& client, const Topic& topic, int64_t timestamp_ms,
                                                        const std::vector<int32_t>& partitions) {
  std::map<int32_t, PartitionOffset> offsets;
  TRY(by_leader, partitions_by_leader(topic, partitions));
  for (const auto& [leader, indexes] : by_leader) {
    ListOffsetsRequest request;
    request.replica_id = -1;
    auto& asked = request.topics.emplace_back();
    asked.name = topic.name.value_or("");
    for (const int32_t index : indexes) {
      asked.partitions.push_back({.partition_index = index, .current_leader_epoch = -1, .timestamp = timestamp_ms});
    }
    TRY(broker, client.broker(leader));
    TRY(response, broker->call<ListOffsetsResponse>(request));
    for (const auto& answered : response.topics) {
      for (const auto& partition : answered.partitions) {
        if (partition.error_code != ErrorCode::kNone) {
          return fail(to_error(partition.error_code, fmt::format("{}-{}", answered.name, partition.partition_index)));
        }
        offsets[partition.partition_index] = {.offset = partition.offset, .timestamp_ms = partition.timestamp};
      }
    }
  }
  return offsets;
}

Error offset_outside(const TopicPartition& partition, int64_t offset, int64_t log_start, int64_t log_end) {
  return {Errc::kOffsetOutOfRange,
          fmt::format("{} has no offset {} (OFFSET_OUT_OF_RANGE): its log begins at {} and ends at {}, where the next "
                      "record will be. Begin there, in between, at --from-beginning or at --since TIME",
                      partition, offset, log_start, log_end)};
}

}  // namespace leat
