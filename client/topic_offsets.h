// topic_offsets.h: offsets of a topic's partitions by timestamp, asked of each partition's leader. Thread: the
// client's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/simple_client.h"

namespace leat {

inline constexpr int64_t kLatestOffset = -1;
inline constexpr int64_t kEarliestOffset = -2;

struct PartitionOffset {
  int64_t offset = -1;  // -1: no record at or after the timestamp
  int64_t timestamp_ms = -1;
};

using Topic = MetadataResponse::MetadataResponseTopic;

// By partition; only those in `partitions`, or all when it is empty. Fails on the first partition in error.
Result<std::map<int32_t, PartitionOffset>> list_offsets(SimpleClient& client, const Topic& topic, int64_t timestamp_ms,
                                                        const std::vector<int32_t>& partitions = {});

// For an offset that a partition does not have: says which there are.
Error offset_outside(const TopicPartition& partition, int64_t offset, int64_t log_start, int64_t log_end);

// Partitions by the broker that leads them. kNotFound names one that the topic does not have.
Result<std::map<int32_t, std::vector<int32_t>>> partitions_by_leader(const Topic& topic,
                                                                     const std::vector<int32_t>& partitions);

}  // namespace leat
