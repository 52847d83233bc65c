// time_lookup.cpp: searching by time: segments, then batch headers, then the records of one batch.
#include "core/log/time_lookup.h"

#include <algorithm>

#include "core/base/bytes.h"
#include "core/log/batch_scanner.h"
#include "core/log/index_files.h"
#include "core/log/sound_walk.h"
#include "core/record/record.h"

namespace leat {
namespace {

// What one batch may unpack to: max.decompressed.message.bytes of later Kafkas.
constexpr int64_t kUnpackedBytesMax = int64_t{128} << 20;

struct Wanted {
  int64_t timestamp_ms;
  Offset log_start;
  Offset high_watermark;
};

Result<Slice> read_batch(File& file, Position position, int64_t size_bytes) {
  BlockRef block = BlockRef::allocate(static_cast<size_t>(size_bytes));
  TRY(count, file.read_at(position, {block.data(), static_cast<size_t>(size_bytes)}));
  if (static_cast<int64_t>(count) < size_bytes)
    return fail(Errc::kCorrupt, file.path() + ": a batch ends beyond the file");
  return Slice(std::move(block), 0, count);
}

// The first record of the batch that counts and is at or after the time.
Result<std::optional<TimestampOffset>> search_batch(const BatchView& batch, const Wanted& wanted) {
  // Compaction may have taken any of a batch's records, so that only a full one need not be asked.
  const bool is_full = batch.record_count() == int64_t{batch.last_offset_delta()} + 1;
  if (is_full && batch.timestamp_type() == TimestampType::kLogAppendTime) {
    const Offset offset = std::max(batch.base_offset(), wanted.log_start);
    return std::optional(TimestampOffset{offset, batch.max_timestamp(), batch.leader_epoch()});
  }
  TRY(records, BatchRecords::open(batch, kUnpackedBytesMax));
  while (true) {
    TRY(record, records.next());
    if (!record) return std::optional<TimestampOffset>();
    const int64_t timestamp_ms = records.timestamp_of(*record);
    const Offset offset = records.offset_of(*record);
    if (timestamp_ms < wanted.timestamp_ms || offset < wanted.log_start || offset >= wanted.high_watermark) continue;
    return std::optional(TimestampOffset{offset, timestamp_ms, batch.leader_epoch()});
  }
}

SoundWalk::Range range_of(const SegmentSnapshot& segment, Position begin) {
  return {.begin = std::min(begin, Position(segment.size_bytes)),
          .end = segment.size_bytes,
          .offset_min = segment.base_offset,
          .bound = segment.bound};
}

// Damaged batches are passed over, also those whose records alone are damaged: nobody could be given them.
Result<std::optional<TimestampOffset>> search_segment(File& file, const SegmentSnapshot& segment, Position begin,
                                                      const Wanted& wanted) {
  SoundWalk walk(file, range_of(segment, begin));
  while (true) {
    TRY(scanned, walk.next());
    if (!scanned) return std::optional<TimestampOffset>();
    const BatchView& header = scanned->batch;
    if (header.base_offset() >= wanted.high_watermark) return std::optional<TimestampOffset>();
    if (header.max_timestamp() < wanted.timestamp_ms || header.last_offset() < wanted.log_start) continue;
    TRY(bytes, read_batch(file, scanned->position, header.size_bytes()));
    const auto found = search_batch(BatchView(bytes.view()), wanted);
    if (found && *found) return *found;
  }
}

// Retention has taken the segment since the look-up was planned.
bool is_gone(const Result<std::shared_ptr<File>>& opened) noexcept {
  return !opened && opened.error().code == Errc::kOffsetOutOfRange;
}

class LookupByTime final : public TimeLookup {
 public:
  LookupByTime(TimeLookupPlan plan, int64_t timestamp_ms) : plan_(std::move(plan)), timestamp_ms_(timestamp_ms) {}

  Result<std::optional<TimestampOffset>> execute() override {
    const Wanted wanted{timestamp_ms_, plan_.log_start, plan_.high_watermark};
    for (const TimeLookupSegment& segment : plan_.segments) {
      const Result<std::shared_ptr<File>> file = open_segment(plan_.files, plan_.directory, segment.snapshot);
      if (is_gone(file)) continue;
      if (!file) return fail(file.error());
      TRY(begin, begin_of(**file, segment.snapshot));
      TRY(found, search_segment(**file, segment.snapshot, begin, wanted));
      if (found) return found;
    }
    return std::optional<TimestampOffset>();
  }

 private:
  // Everything before it is older. The files are derived: an entry that has rotted, believed, would hide records that
  // are good, so it must be true of the batch that it names.
  Result<Position> begin_of(File& file, const SegmentSnapshot& segment) const {
    if (segment.position) return *segment.position;
    const std::optional<TimeIndexEntry> entry =
        lookup_time_entry(plan_.files, plan_.directory, segment.base_offset, timestamp_ms_);
    if (!entry) return Position(0);
    const Offset named = segment.base_offset + int64_t{entry->relative_offset};
    const Position hint = lookup_position(plan_.files, plan_.directory, segment.base_offset, named);
    SoundWalk::Range range = range_of(segment, hint);
    TRY(begin, checked_begin(file, range, named));
    range.begin = begin;
    SoundWalk walk(file, range);
    while (true) {
      TRY(scanned, walk.next());
      if (!scanned || scanned->batch.last_offset() > named) return Position(0);
      if (scanned->batch.last_offset() < named) continue;
      return scanned->batch.max_timestamp() == entry->timestamp_ms ? begin : Position(0);
    }
  }

  TimeLookupPlan plan_;
  int64_t timestamp_ms_;
};

class LookupOfMax final : public TimeLookup {
 public:
  explicit LookupOfMax(TimeLookupPlan plan) : plan_(std::move(plan)) {}

  Result<std::optional<TimestampOffset>> execute() override {
    // From the segment with the greatest timestamp down: its records may all lie outside what counts.
    // Of which that is not certain come first.
    const auto promises_more = [](const TimeLookupSegment& a, const TimeLookupSegment& b) {
      if (a.max_is_unchecked != b.max_is_unchecked) return a.max_is_unchecked;
      return a.max_timestamp_ms > b.max_timestamp_ms;
    };
    std::stable_sort(plan_.segments.begin(), plan_.segments.end(), promises_more);
    std::optional<TimestampOffset> best;
    for (const TimeLookupSegment& segment : plan_.segments) {
      if (segment.snapshot.size_bytes == 0 || segment.max_timestamp_ms < 0) continue;
      if (best && best->timestamp_ms > segment.max_timestamp_ms && !segment.max_is_unchecked) break;
      const Result<std::shared_ptr<File>> file = open_segment(plan_.files, plan_.directory, segment.snapshot);
      if (is_gone(file)) continue;
      if (!file) return fail(file.error());
      TRY(found, max_of_segment(**file, segment));
      if (found && (!best || found->timestamp_ms > best->timestamp_ms ||
                    (found->timestamp_ms == best->timestamp_ms && found->offset < best->offset))) {
        best = found;
      }
    }
    return best;
  }

 private:
  // The index names the batch; it is searched for only when a part of it does not count, or the index is wrong.
  Result<std::optional<TimestampOffset>> max_of_segment(File& file, const TimeLookupSegment& segment) {
    const SegmentSnapshot& snapshot = segment.snapshot;
    const Position begin = segment.max_position ? *segment.max_position
                                                : lookup_position(plan_.files, plan_.directory, snapshot.base_offset,
                                                                  segment.max_timestamp_offset);
    BatchScanner scanner(file, std::min(begin, Position(snapshot.size_bytes)), snapshot.size_bytes,
                         BatchScanner::Depth::kHeaders);
    while (true) {
      TRY(scanned, scanner.next());
      if (!scanned || scanned->batch.last_offset() > segment.max_timestamp_offset) break;
      const BatchView& header = scanned->batch;
      if (header.last_offset() != segment.max_timestamp_offset || header.max_timestamp() != segment.max_timestamp_ms)
        continue;
      const bool counts_whole = header.base_offset() >= plan_.log_start && header.last_offset() < plan_.high_watermark;
      if (!counts_whole) break;
      TRY(bytes, read_batch(file, scanned->position, header.size_bytes()));
      const auto found =
          search_batch(BatchView(bytes.view()), {segment.max_timestamp_ms, plan_.log_start, plan_.high_watermark});
      if (found && *found) return *found;
      break;  // an empty batch, which compaction left for its producer's sake, or a damaged one
    }
    return search_for_max(file, snapshot);
  }

  // Of each batch whose header promises more than the best so far, record by record.
  Result<std::optional<TimestampOffset>> search_for_max(File& file, const SegmentSnapshot& segment) {
    std::optional<TimestampOffset> best;
    SoundWalk walk(file, range_of(segment, Position(0)));
    while (true) {
      TRY(scanned, walk.next());
      if (!scanned || scanned->batch.base_offset() >= plan_.high_watermark) return best;
      const BatchView& header = scanned->batch;
      if (header.last_offset() < plan_.log_start || header.max_timestamp() < 0) continue;
      if (best && header.max_timestamp() <= best->timestamp_ms) continue;
      const Position position = scanned->position;
      TRY(bytes, read_batch(file, position, header.size_bytes()));
      const auto greatest = greatest_of_batch(BatchView(bytes.view()));
      if (!greatest || !*greatest) continue;
      if (!best || (*greatest)->timestamp_ms > best->timestamp_ms) best = *greatest;
    }
  }

  Result<std::optional<TimestampOffset>> greatest_of_batch(const BatchView& batch) const {
    TRY(records, BatchRecords::open(batch, kUnpackedBytesMax));
    std::optional<TimestampOffset> best;
    while (true) {
      TRY(record, records.next());
      if (!record) return best;
      const TimestampOffset seen{records.offset_of(*record), records.timestamp_of(*record), batch.leader_epoch()};
      const bool counts =
          seen.offset >= plan_.log_start && seen.offset < plan_.high_watermark && seen.timestamp_ms >= 0;
      if (counts && (!best || seen.timestamp_ms > best->timestamp_ms)) best = seen;
    }
  }

  TimeLookupPlan plan_;
};

}  // namespace

std::unique_ptr<TimeLookup> make_lookup_by_time(TimeLookupPlan plan, int64_t timestamp_ms) {
  return std::make_unique<LookupByTime>(std::move(plan), timestamp_ms);
}

std::unique_ptr<TimeLookup> make_lookup_of_max(TimeLookupPlan plan) {
  return std::make_unique<LookupOfMax>(std::move(plan));
}

}  // namespace leat
