// topic_partition.h: names of partitions, offsets by partition, and what is asked about both.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

namespace leat::client {

struct TopicPartition {
  std::string topic;
  int32_t partition = 0;

  friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

struct OffsetAndMetadata {
  int64_t offset = -1;  // of the next record to be read
  int32_t leader_epoch = -1;
  std::string metadata = {};  // the committer's own words
};
using Offsets = std::map<TopicPartition, OffsetAndMetadata>;

struct OffsetAndTimestamp {
  int64_t offset = -1;  // -1: there is none
  int64_t timestamp_ms = -1;
  int32_t leader_epoch = -1;
};

enum class IsolationLevel : int8_t { kReadUncommitted = 0, kReadCommitted = 1 };  // of open transactions

// Whether a broker may make a topic that is asked about and not there, where its settings leave that open.
enum class AutoCreate : uint8_t { kNo, kYes };

// What to ask a partition's leader for instead of a timestamp.
inline constexpr int64_t kLatestOffset = -1;
inline constexpr int64_t kEarliestOffset = -2;
inline constexpr int64_t kMaxTimestampOffset = -3;

}  // namespace leat::client
