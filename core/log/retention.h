// retention.h: which of the oldest segments have had their time. Pure; any thread.
//   by log start   all its records lie below the log start offset (DeleteRecords): whatever cleanup.policy says
//   by time        its newest record is older than retention.ms. A timestamp that is missing, or later than the clock,
//   says
//                  nothing about age: then the time of the segment's last append counts. So a record stamped ten years
//                  ahead keeps its segment for retention.ms after it was written, and no longer.
//   by size        the log would keep at least retention.bytes without it (Kafka's rule: retention.bytes is what is
//   kept at
//                  least, not a ceiling)
// Always from the oldest on, without holes. The active segment is never removed by size; expired by time it is sealed
// first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/strong.h"
#include "core/log/partition_log.h"

namespace leat {

struct SegmentFacts {
  Offset base_offset;
  Offset next_base_offset;  // of the segment behind it; the log end for the active one
  int64_t size_bytes = 0;
  int64_t max_timestamp_ms = kNoTimestamp;
  int64_t last_append_ms = kNoTimestamp;
};

enum class RetentionReason : uint8_t { kLogStart, kTime, kSize };
std::string_view to_string(RetentionReason reason) noexcept;

struct RetentionQuestion {
  const LogConfig& config;
  Offset log_start;
  Offset high_watermark;  // nothing that reaches beyond it goes
  int64_t now_ms;
};

// One reason for each segment to remove, oldest first; `segments` are those of the log, the last one active.
// When as many as there are segments come back, the active one is to be sealed first.
std::vector<RetentionReason> removable_segments(std::span<const SegmentFacts> segments,
                                                const RetentionQuestion& question);

// The time by which a segment's age is judged, and whether its own timestamp was passed over because it lies in the
// future.
struct AgeTime {
  int64_t time_ms;
  bool is_distrusted;
};
AgeTime age_time(const SegmentFacts& segment, int64_t now_ms) noexcept;

}  // namespace leat
