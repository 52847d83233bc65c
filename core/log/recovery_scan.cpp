// recovery_scan.cpp: the scan of what the recovery point does not cover, and what happens to bytes that are no batches.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/check.h"
#include "core/log/batch_search.h"
#include "core/log/file_names.h"
#include "core/log/index_files.h"
#include "core/log/recovery_run.h"
#include "core/log/side_file.h"

namespace leat {

// The indexes of the first segment to be scanned count up to the recovery point; the scan begins at the last entry
// below it.
Result<Position> RecoveryRun::prepare_first_scanned(Segment& segment) {
  const int64_t size = segment.size_bytes;
  next_offset_ = segment.base_offset;
  if (foreign() || point_ <= segment.base_offset || size <= open_.config.index_interval_bytes) {
    segment.restart_indexes();
    return Position(0);
  }
  const IndexState state = load_indexes(files_, directory_, segment, size);
  const auto begin_again = [this, &segment] {
    segment.restart_indexes();
    ++report_.indexes_rebuilt;
    report_.notes.push_back(fmt::format("{}: indexes were missing or bad, rebuilt", log_path(segment)));
    return Position(0);
  };
  if (state == IndexState::kMissingOrBad) return begin_again();
  segment.index.truncate_to_offset(point_);
  segment.time_index.truncate_to_offset(point_);
  // The two files were not synced, so one may have lost what the other kept. The time index speaks of what lies up to
  // its last entry; what the offset index knows beyond that is read again, or its greatest timestamp would be
  // forgotten.
  const std::optional<TimeIndexEntry> last_time = segment.time_index.last();
  segment.index.truncate_to_offset(last_time ? segment.base_offset + (int64_t{last_time->relative_offset} + 1)
                                             : segment.base_offset);
  const Position begin = segment.index.last_position().value_or(Position(0));
  if (begin.v == 0) {
    segment.restart_indexes();
    return begin;
  }
  // Both columns may be sane and yet speak of another file: what they lead to must be the batch they name.
  TRY(file, files_.open(log_path(segment), OpenMode::kRead));
  BatchScanner scanner(*file, begin, size, BatchScanner::Depth::kHeaders);
  TRY(scanned, scanner.next());
  if (!scanned || scanned->batch.last_offset() != segment.index.last_offset()) return begin_again();
  std::array<uint8_t, kBatchHeaderBytes> first{};
  TRY(count, file->read_at(Position(0), first));
  if (count < first.size()) return begin_again();
  segment.first_timestamp_ms = std::min(BatchView(first).max_timestamp(), open_.now_ms);
  segment.first_append_ms = segment.last_append_ms;
  segment.index_entries_written = std::min(segment.index_entries_written, segment.index.entry_count());
  segment.time_entries_written = std::min(segment.time_entries_written, segment.time_index.entry_count());
  segment.max_timestamp_ms = last_time->timestamp_ms;
  segment.max_timestamp_offset = segment.base_offset + int64_t{last_time->relative_offset};
  segment.size_bytes = begin.v;
  return begin;
}

Result<RecoveryRun::Going> RecoveryRun::scan_segment(size_t index, Position begin) {
  Segment& segment = *log_.segments[index];
  const int64_t size = file_size(segment);
  next_offset_ = std::max(next_offset_, segment.base_offset);
  if (size == 0) return Going::kOn;
  if (begin.v == 0) segment.restart_indexes();
  TRY(file, files_.open(log_path(segment), foreign() ? OpenMode::kRead : OpenMode::kReadWrite));
  // The process before may have died of a failed sync: then the page cache can show bytes that the disk never took and
  // that no later sync will write. What is scanned is what the disk has; pages that are still dirty stay.
  const bool promised = effective_flush_policy(open_.config) != FlushPolicy::kNone;
  if (promised) file->drop_cache(begin, size - begin.v);
  const SegmentWalk::Range range{.begin = begin,
                                 .end = size,
                                 .next_offset = next_offset_,
                                 .bound = std::min(bound_of(index), relative_bound(segment.base_offset)),
                                 .point = point_,
                                 .epoch = epoch_};
  Scan scan{.index = index, .segment = segment, .file = *file, .walk = SegmentWalk(*file, range), .size = size};
  Going going = Going::kOn;
  while (going == Going::kOn) {
    TRY(next, scan_one(scan));
    going = next;
  }
  report_.scanned_bytes += size - begin.v;
  TRY(make_durable(scan));
  if (index + 1 < log_.segments.size()) segment.complete_time_index();
  return going;
}

Result<RecoveryRun::Going> RecoveryRun::scan_one(Scan& scan) {
  TRY(step, scan.walk.next());
  switch (step) {
    case SegmentWalk::Step::kBatch:
      keep(scan, scan.walk.batch());
      return Going::kOn;
    case SegmentWalk::Step::kFault:
      return on_fault(scan);
    case SegmentWalk::Step::kEnd:
      break;
  }
  return Going::kSegmentEnds;
}

void RecoveryRun::keep(Scan& scan, const ScannedBatch& scanned) {
  const BatchView& batch = scanned.batch;
  scan.segment.add_batch({.position = scanned.position,
                          .size_bytes = batch.size_bytes(),
                          .base_offset = batch.base_offset(),
                          .last_offset = batch.last_offset(),
                          .max_timestamp_ms = batch.max_timestamp()},
                         open_.config.index_interval_bytes, scan.segment.last_append_ms);
  next_offset_ = batch.next_offset();
  epoch_ = std::max(epoch_, batch.leader_epoch());
  if (next_offset_ > point_) scan.kept_beyond_point = true;
  remember(batch);
}

Result<RecoveryRun::Going> RecoveryRun::on_fault(Scan& scan) {
  const SegmentWalk::Fault& fault = scan.walk.fault();
  const Position at = fault.position;
  RecoveryInput input = fault.input;
  const bool matters = !input.below_point && !(input.complete && input.crc_ok);
  if (matters) {
    TRY(follows, valid_follows(scan, at + 1));
    input.valid_follows = follows;
  }
  const Verdict verdict = recovery_verdict(input);
  switch (verdict) {
    case Verdict::kKeep:
      ENSURE(false, "a kept batch is no fault");
    case Verdict::kReport:
      tell_of_damage(fmt::format("{} at {}: {}", log_path(scan.segment), at.v, fault.what));
      return step_over(scan);
    case Verdict::kSaveAside:
      TRY(lose(fmt::format("{} at {}: {}; valid batches in or behind it {}", log_path(scan.segment), at.v, fault.what,
                           hints_.on_loss == OnLoss::kRefuse ? "would be lost" : "are saved aside")));
      break;
    case Verdict::kCutTail:
      break;
  }
  TRY(cut(scan, at, verdict));
  return Going::kLogEnds;
}

// Damage in durable bytes: the scan goes on at the next batch that is good, and the bytes stay.
Result<RecoveryRun::Going> RecoveryRun::step_over(Scan& scan) {
  TRY(damage, scan.walk.step_over());
  if (damage.batch) {
    scan.segment.add_batch(*damage.batch, open_.config.index_interval_bytes, scan.segment.last_append_ms);
    next_offset_ = damage.batch->last_offset + 1;
    return Going::kOn;
  }
  const bool ends_the_segment = damage.begin.v + damage.size_bytes == scan.size;
  if (!ends_the_segment) return Going::kOn;
  if (scan.index + 1 == log_.segments.size()) active_is_damaged_ = true;
  scan.segment.size_bytes = scan.size;
  return Going::kSegmentEnds;
}

Result<bool> RecoveryRun::valid_follows(const Scan& scan, Position after) {
  TRY(here, find_valid_batch(scan.file, {.begin = after,
                                         .end = scan.size,
                                         .offset_min = next_offset_,
                                         .offset_limit = relative_bound(scan.segment.base_offset)}));
  if (here.found || here.gave_up) return true;
  for (size_t i = scan.index + 1; i < log_.segments.size(); ++i) {
    const Segment& later = *log_.segments[i];
    if (file_size(later) == 0) continue;
    TRY(file, files_.open(log_path(later), OpenMode::kRead));
    TRY(there, find_valid_batch(*file, {.begin = Position(0),
                                        .end = file_size(later),
                                        .offset_min = next_offset_,
                                        .offset_limit = relative_bound(later.base_offset)}));
    if (there.found || there.gave_up) return true;
  }
  return false;
}

// Raises the floor above every offset of a valid batch in bytes that are cut.
Result<void> RecoveryRun::note_valid_offsets(File& file, Position begin, int64_t size, Offset offset_limit) {
  for (Position from = begin; from.v < size;) {
    TRY(result,
        find_valid_batch(file, {.begin = from, .end = size, .offset_min = next_offset_, .offset_limit = offset_limit}));
    if (!result.found) return {};
    offset_floor_ = std::max(offset_floor_, result.found->next_offset);
    from = result.found->position + result.found->size_bytes;
    BatchScanner scanner(file, from, size, BatchScanner::Depth::kWhole);
    while (true) {
      TRY(scanned, scanner.next());
      if (!scanned) break;
      TRY(crc_ok, scanner.crc_matches(*scanned));
      if (!crc_ok || scanned->batch.base_offset() < next_offset_ || scanned->batch.last_offset() >= offset_limit) break;
      offset_floor_ = std::max(offset_floor_, scanned->batch.next_offset());
      from = scanner.position();
    }
    from += 1;
  }
  return {};
}

Result<void> RecoveryRun::cut(Scan& scan, Position at, Verdict verdict) {
  ENSURE(!foreign() && at.v >= scan.segment.size_bytes, "{} cut at {}, kept {}", log_path(scan.segment), at.v,
         scan.segment.size_bytes);
  if (verdict == Verdict::kSaveAside) {
    TRY(note_valid_offsets(scan.file, at, scan.size, relative_bound(scan.segment.base_offset)));
    TRY(save_aside(files_, scan.file, at, scan.size - at.v, sync_kind()));
    report_.saved_aside_bytes += scan.size - at.v;
  } else {
    report_.cut_bytes += scan.size - at.v;
  }
  TRY(drop_later_segments(scan.index, verdict));
  TRY(scan.file.truncate(at.v));
  // Under every policy: cut bytes that came back below a later recovery point would be damage for ever.
  TRY(scan.file.sync(sync_kind()));
  scan.segment.size_bytes = at.v;
  scan.kept_beyond_point = true;
  directory_changed_ = true;
  return {};
}

Result<void> RecoveryRun::drop_later_segments(size_t index, Verdict verdict) {
  for (size_t i = index + 1; i < log_.segments.size(); ++i) {
    const Segment& later = *log_.segments[i];
    const std::string path = log_path(later);
    const int64_t size = file_size(later);
    if (size == 0 || verdict == Verdict::kCutTail) {
      TRY(files_.remove(path));
      report_.cut_bytes += size;
    } else {
      TRY(file, files_.open(path, OpenMode::kRead));
      TRY(note_valid_offsets(*file, Position(0), size, relative_bound(later.base_offset)));
      TRY(files_.rename(path, side_file_path(path, Position(0))));
      report_.saved_aside_bytes += size;
      tell_of_damage(fmt::format("{}: follows a damaged segment, saved aside", path));
    }
    for (const std::string_view suffix : {kIndexSuffix, kTimeIndexSuffix}) {
      TRY(remove_if_there(files_, segment_path(directory_, later.base_offset, suffix)));
    }
  }
  log_.segments.resize(index + 1);
  return {};
}

// What recovery keeps is durable before anybody sees it, where the policy promises durability at all: without that a
// reader could have seen what a second crash takes away.
Result<void> RecoveryRun::make_durable(Scan& scan) {
  const bool promised = effective_flush_policy(open_.config) != FlushPolicy::kNone;
  if (!promised || !scan.kept_beyond_point || foreign()) return {};
  TRY(scan.file.sync(sync_kind()));
  scan.segment.synced_bytes = scan.segment.size_bytes;
  directory_changed_ = true;
  return {};
}

}  // namespace leat
