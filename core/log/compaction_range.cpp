// compaction_range.cpp: the rules of when and what.
#include "core/log/compaction_range.h"

#include <algorithm>

#include "core/log/retention.h"
#include "core/log/segment.h"
#include "core/log/time_index.h"

namespace leat {
namespace {

int64_t age_time_of(const CompactionSegment& segment, int64_t now_ms) noexcept {
  return age_time({.base_offset = segment.base_offset,
                   .next_base_offset = segment.next_base_offset,
                   .size_bytes = segment.size_bytes,
                   .max_timestamp_ms = segment.max_timestamp_ms,
                   .last_append_ms = segment.last_append_ms},
                  now_ms)
      .time_ms;
}

// Whether the segment's records have been there for min.compaction.lag.ms. A stamp of the future says nothing.
bool is_old_enough(const CompactionSegment& segment, const CompactionQuestion& question) noexcept {
  const int64_t lag_ms = question.config.min_compaction_lag_ms;
  return lag_ms <= 0 || question.now_ms - age_time_of(segment, question.now_ms) >= lag_ms;
}

// Since when the oldest record waits, at the latest: where nobody knows any more, a segment's span is no longer than
// the time after which one ends.
int64_t waits_since_ms(const CompactionSegment& segment, const CompactionQuestion& question) noexcept {
  if (segment.first_timestamp_ms >= 0) return segment.first_timestamp_ms;
  const int64_t span_ms = std::min(question.config.segment_ms, question.config.max_compaction_lag_ms);
  return std::max<int64_t>(age_time_of(segment, question.now_ms) - span_ms, 0);
}

struct Tally {
  size_t count = 0;  // of segments that may be read
  int64_t clean_bytes = 0;
  int64_t dirty_bytes = 0;
  bool waited_long = false;     // a dirty record, for max.compaction.lag.ms
  bool has_tombstones = false;  // in the clean part, that have had their time
  bool is_settled = true;       // all of the clean part
};

Tally take_stock(std::span<const CompactionSegment> segments, const CompactionQuestion& question, Offset first_dirty) {
  Tally tally;
  for (const CompactionSegment& segment : segments) {
    const bool is_clean = segment.next_base_offset <= first_dirty;
    if (!segment.is_settled && is_clean) tally.is_settled = false;
    const bool is_blocked = question.blocked_at != kNoOffset && segment.next_base_offset > question.blocked_at;
    const bool is_stable = segment.next_base_offset <= question.last_stable;
    const bool may_be_cleaned = is_clean || (is_stable && !is_blocked && is_old_enough(segment, question));
    if (!segment.is_settled || !may_be_cleaned) break;
    ++tally.count;
    (is_clean ? tally.clean_bytes : tally.dirty_bytes) += segment.size_bytes;
    const int64_t lag_max_ms = question.config.max_compaction_lag_ms;
    if (!is_clean && segment.size_bytes > 0 && question.now_ms - waits_since_ms(segment, question) > lag_max_ms) {
      tally.waited_long = true;
    }
    if (segment.base_offset < first_dirty && segment.delete_horizon_ms <= question.now_ms) tally.has_tombstones = true;
  }
  return tally;
}

}  // namespace

std::string_view to_string(CompactionReason reason) noexcept {
  switch (reason) {
    case CompactionReason::kDirty:
      return "min.cleanable.dirty.ratio";
    case CompactionReason::kLag:
      return "max.compaction.lag.ms";
    case CompactionReason::kTombstones:
      return "delete.retention.ms";
  }
  return "unknown";
}

LogConfig rolling_config(const LogConfig& config, LogKind kind) noexcept {
  LogConfig rolling = config;
  if (!config.compact) return rolling;
  rolling.segment_ms = std::min(config.segment_ms, config.max_compaction_lag_ms);
  if (kind == LogKind::kInternal) rolling.segment_bytes = std::min(config.segment_bytes, kEagerSegmentBytes);
  return rolling;
}

std::optional<CompactionRange> range_to_compact(std::span<const CompactionSegment> sealed,
                                                const CompactionQuestion& question) {
  CompactionRange range;
  while (range.first_segment < sealed.size() && sealed[range.first_segment].next_base_offset <= question.log_start) {
    ++range.first_segment;
  }
  const auto segments = sealed.subspan(range.first_segment);
  range.first_dirty = std::max(question.cleaned, question.log_start);
  const Tally tally = take_stock(segments, question, range.first_dirty);
  if (!tally.is_settled || tally.count == 0) return std::nullopt;
  const Offset readable_end = segments[tally.count - 1].next_base_offset;
  range.segment_count = tally.count;
  range.end = std::max(readable_end, range.first_dirty);
  const auto dirty = static_cast<double>(tally.dirty_bytes);
  const auto all = static_cast<double>(tally.clean_bytes + tally.dirty_bytes);
  if (tally.dirty_bytes > 0 && dirty / all > question.config.min_cleanable_dirty_ratio) {
    range.reason = CompactionReason::kDirty;
  } else if (tally.dirty_bytes > 0 && tally.waited_long) {
    range.reason = CompactionReason::kLag;
  } else if (tally.has_tombstones) {
    range.reason = CompactionReason::kTombstones;
    range.end = range.first_dirty;
  } else {
    return std::nullopt;
  }
  return range;
}

size_t segments_merged(std::span<const CompactionSegment> segments, const LogConfig& config) noexcept {
  const int64_t bytes_max = std::min<int64_t>(config.segment_bytes, INT32_MAX);
  const int64_t interval = std::max<int64_t>(config.index_interval_bytes, 1);
  int64_t bytes = 0;
  size_t count = 0;
  for (const CompactionSegment& segment : segments) {
    bytes += segment.size_bytes;
    const int64_t index_bytes = (bytes / interval + 1) * static_cast<int64_t>(kTimeIndexEntryBytes);
    const bool fits = bytes <= bytes_max && index_bytes <= config.segment_index_bytes &&
                      segment.next_base_offset <= relative_bound(segments.front().base_offset);
    if (count > 0 && !fits) break;
    ++count;
  }
  return count;
}

}  // namespace leat
