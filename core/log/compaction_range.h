// compaction_range.h: whether compaction is due for a log, of which segments, and when segments must end for its sake.
//   [log start, first dirty)   clean: compaction has been here; a key is there once at most
//   [first dirty, end)         dirty: sealed, durable, below the last stable offset, older than min.compaction.lag.ms
//   [end, log end)             not yet; the active segment always
// Due, as in Apache Kafka: when the dirty share of clean and dirty bytes is above min.cleanable.dirty.ratio; when the
// oldest dirty record has waited for max.compaction.lag.ms; and, beyond Kafka, when the first tombstone of the clean
// part has had its delete.retention.ms, so that a quiet partition gets rid of its tombstones too.
// Internal logs (committed offsets, transactions) are read from begin to end before the broker serves them. So their
// active segment ends at kEagerSegmentBytes: after a pass nothing but live records and one such segment is left, and
// the next pass is due when as much again as the live records is dirty. The time to start is bounded by what lives.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/strong.h"
#include "core/log/partition_log.h"

namespace leat {

inline constexpr int64_t kEagerSegmentBytes = int64_t{4} << 20;
inline constexpr int64_t kNoHorizon = INT64_MAX;

// When a segment of the log ends: `config` with the smaller of the limits that compaction asks for.
LogConfig rolling_config(const LogConfig& config, LogKind kind) noexcept;

// A sealed segment.
struct CompactionSegment {
  Offset base_offset;
  Offset next_base_offset;
  int64_t size_bytes = 0;
  int64_t max_timestamp_ms = kNoTimestamp;
  int64_t first_timestamp_ms = kNoTimestamp;  // of its first batch; not known after a restart
  int64_t last_append_ms = kNoTimestamp;
  int64_t delete_horizon_ms = kNoHorizon;  // when the first tombstone that has a date may go
  bool is_settled = false;                 // durable, its indexes in their files, nothing of it under way
};

struct CompactionQuestion {
  const LogConfig& config;
  Offset cleaned;
  Offset log_start;
  Offset last_stable;
  int64_t now_ms;
  Offset blocked_at = kNoOffset;  // a transaction begins in the segment that begins there
};

enum class CompactionReason : uint8_t { kDirty, kLag, kTombstones };
std::string_view to_string(CompactionReason reason) noexcept;

struct CompactionRange {
  size_t first_segment = 0;  // those wholly below the log start are retention's
  size_t segment_count = 0;
  Offset first_dirty;
  Offset end;
  CompactionReason reason = CompactionReason::kDirty;
};

// `sealed`: all but the active one, oldest first. nullopt: nothing is due.
std::optional<CompactionRange> range_to_compact(std::span<const CompactionSegment> sealed,
                                                const CompactionQuestion& question);

// How many of `segments`, from the first on, become one segment: as many as their bytes now, an index of them, and
// relative offsets allow.
size_t segments_merged(std::span<const CompactionSegment> segments, const LogConfig& config) noexcept;

}  // namespace leat
