// segment.cpp: bookkeeping of a segment, and when it must end.
#include "core/log/segment.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/log/partition_log.h"

namespace leat {

std::optional<Position> Segment::Reading::find(Offset next_offset) noexcept {
  for (const Place& place : places_) {
    if (place.next_offset != next_offset) continue;
    is_used_ = true;
    return place.position;
  }
  return std::nullopt;
}

void Segment::Reading::put(Offset next_offset, Position position) noexcept {
  if (find(next_offset)) return;
  places_[oldest_] = {next_offset, position};
  oldest_ = (oldest_ + 1) % places_.size();
}

void Segment::add_batch(const BatchPlace& place, int64_t index_interval_bytes, int64_t now_ms) {
  ENSURE(place.position.v >= size_bytes, "position {} size {}", place.position.v, size_bytes);
  if (first_append_ms == kNoTimestamp) {
    first_append_ms = now_ms;
    // A stamp from the future would make the segment look young for as long.
    first_timestamp_ms = std::min(place.max_timestamp_ms, now_ms);
  }
  last_append_ms = now_ms;
  if (place.max_timestamp_ms > max_timestamp_ms) {
    max_timestamp_ms = place.max_timestamp_ms;
    max_timestamp_offset = place.last_offset;
  }
  // Beyond 2 GiB, which only a foreign file can reach, there are no entries, and reads walk.
  if (bytes_since_index_entry > index_interval_bytes && place.position.v <= INT32_MAX) {
    index.append(place.last_offset, place.position);
    if (max_timestamp_ms >= 0) time_index.append(max_timestamp_ms, max_timestamp_offset);
    bytes_since_index_entry = 0;
  }
  bytes_since_index_entry += place.size_bytes;
  size_bytes = place.position.v + place.size_bytes;
}

void Segment::complete_time_index() {
  if (max_timestamp_ms >= 0 && index_home == IndexHome::kMemory)
    time_index.append(max_timestamp_ms, max_timestamp_offset);
}

void Segment::restart_indexes() {
  index = OffsetIndex(base_offset);
  time_index = TimeIndex(base_offset);
  index_home = IndexHome::kMemory;
  index_entries_written = 0;
  time_entries_written = 0;
  bytes_since_index_entry = 0;
  max_timestamp_ms = kNoTimestamp;
  max_timestamp_offset = kNoOffset;
  first_append_ms = kNoTimestamp;
  size_bytes = 0;
}

RollReason roll_reason(const Segment& segment, const RollQuestion& question, const LogConfig& config,
                       int64_t jitter_ms) noexcept {
  if (segment.size_bytes == 0 && question.last_offset - segment.base_offset <= INT32_MAX) return RollReason::kNone;
  if (question.last_offset - segment.base_offset > INT32_MAX) return RollReason::kOffsetRange;
  const int64_t segment_bytes = std::min<int64_t>(config.segment_bytes, INT32_MAX);
  if (segment.size_bytes + question.batch_bytes > segment_bytes) return RollReason::kSize;
  const auto full = [&config](size_t size, size_t entry) {
    return static_cast<int64_t>(size + entry) > config.segment_index_bytes;
  };
  if (full(segment.index.size_bytes(), kIndexEntryBytes) ||
      full(segment.time_index.size_bytes(), kTimeIndexEntryBytes)) {
    return RollReason::kIndexFull;
  }
  // As Kafka: by the records' own time when they have one, so that history loaded today is cut into segments that
  // expire in turn; else by ours.
  const bool stamped = segment.first_timestamp_ms >= 0 && question.max_timestamp_ms >= 0;
  const int64_t age_ms = stamped ? std::min(question.max_timestamp_ms, question.now_ms) - segment.first_timestamp_ms
                                 : question.now_ms - segment.first_append_ms;
  return age_ms > config.segment_ms - jitter_ms ? RollReason::kAge : RollReason::kNone;
}

}  // namespace leat
