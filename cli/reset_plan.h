// reset_plan.h: where the offsets of a group shall go, before anything is changed. Pure.
#pragma once

#include <leat/topic_partition.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace leat::cli {

enum class ResetTo : uint8_t { kEarliest, kLatest, kOffset, kMoment, kShift };

struct ResetTarget {
  ResetTo to;
  int64_t value = 0;  // the offset, the moment in ms since 1970, or how far to shift
};

// What a partition holds and what is committed for it.
struct PartitionState {
  int64_t earliest = 0;
  int64_t latest = 0;
  std::optional<int64_t> at_moment;  // none: no record so late
  std::optional<int64_t> committed;
};

struct PlannedReset {
  client::TopicPartition partition;
  std::optional<int64_t> committed;
  int64_t next;     // never outside what the partition holds
  int64_t log_end;  // so that the lag afterwards can be told
  bool was_outside;
};

// kInvalidArgument: a shift where nothing is committed.
Result<PlannedReset> plan_reset(const client::TopicPartition& partition, const PartitionState& state,
                                const ResetTarget& target);

struct TopicSelection {
  std::string topic;
  std::vector<int32_t> partitions;  // none: all
};

// "orders", all its partitions, or "orders:0,2".
Result<TopicSelection> parse_topic_selection(std::string_view text);

}  // namespace leat::cli
