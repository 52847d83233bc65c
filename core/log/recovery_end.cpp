// recovery_end.cpp: where a recovered log ends and goes on: offsets that are not used again, holes that readers must be
// carried across, leader epochs, snapshots, and which names are durable.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/log/file_names.h"
#include "core/log/index_files.h"
#include "core/log/recovery_run.h"
#include "core/log/sound_walk.h"

namespace leat {

Result<void> RecoveryRun::settle_offsets() {
  const Offset kept_end = log_.log_end;
  // Offsets that were durable or visible once are not used again.
  Offset end = std::max(kept_end, offset_floor_);
  if (!foreign()) end = std::max(end, hints_.recovery_point);
  const Offset log_start = believed_log_start(end);
  if (!foreign() && hints_.recovery_point > kept_end) {
    TRY(lose(fmt::format("{}: records up to offset {} were durable, the log ends at {}", directory_,
                         hints_.recovery_point.v, kept_end.v)));
  }
  const Segment& active = *log_.segments.back();
  // Two segments cannot have one name: behind a segment of nothing but damage an offset is given up.
  if (active_is_damaged_) end = std::max(end, active.base_offset + 1);
  const bool must_go_on_elsewhere = (end > kept_end || active_is_damaged_) && active.base_offset < end;
  log_.log_end = end;
  const bool is_cleaned = !foreign() && hints_.cleaned <= end;
  log_.cleaned = is_cleaned ? hints_.cleaned : Offset(0);
  log_.log_start = std::clamp(log_start, log_.segments.front()->base_offset, end);
  // What was scanned is durable where the policy promises that, but its indexes are in memory until a checkpoint writes
  // them: the recovery point moves then, for below it index files are believed.
  log_.recovery_point = trusted_ == Trusted::kYes || foreign() ? end : std::min(hints_.recovery_point, end);
  TRY(hole, begin_of_hole(kept_end));
  if (hole && std::max(*hole, log_.log_start) < end) {
    hole_ = std::max(*hole, log_.log_start);
    TRY(tell_of_hole(kept_end));
  } else if (must_go_on_elsewhere) {
    TRY(go_on_at(end));
  }
  return {};
}

// A log start is only written down when all below it is durable (PartitionLog::durable_log_start). One beyond the end
// of the log would hide every record, and retention would remove them.
Offset RecoveryRun::believed_log_start(Offset log_end) {
  if (hints_.log_start <= log_end) return hints_.log_start;
  report_.damaged.push_back(fmt::format(
      "{}: {} says that the log begins at offset {}, but it ends at {}: not believed, what is there is served",
      directory_, kLogStartFile, hints_.log_start.v, log_end.v));
  return Offset(0);
}

// In front of a segment that is empty: bytes that were set aside have been told of.
Result<void> RecoveryRun::tell_of_hole(Offset kept_end) {
  const Offset end = std::min(log_.log_end, hints_.recovery_point);
  if (hints_.recovery_point > kept_end || *hole_ >= end || !content_.asides.empty()) return {};
  return lose(fmt::format("{}: nothing stands for offsets {} to {}, whose records were durable", directory_, hole_->v,
                          end.v - 1));
}

// A new segment, empty. Its name carries the log end over the next crash: what told us may be gone by then.
Result<void> RecoveryRun::go_on_at(Offset base_offset) {
  log_.segments.back()->complete_time_index();
  log_.segments.push_back(std::make_shared<Segment>(base_offset));
  if (foreign()) return {};
  TRY(files_.open(log_path(*log_.segments.back()), OpenMode::kCreate));
  directory_changed_ = true;
  return {};
}

// Behind the last batch there may be offsets of records that are gone, up to the log end: a reader that comes there, or
// was there, would wait until somebody appends. nullopt: damaged bytes stand there, of which readers are told.
Result<std::optional<Offset>> RecoveryRun::begin_of_hole(Offset kept_end) {
  if (foreign() || active_is_damaged_) return std::optional<Offset>();
  size_t count = log_.segments.size();
  while (count > 0 && log_.segments[count - 1]->size_bytes == 0) --count;
  if (count == 0) return std::optional(log_.segments.front()->base_offset);
  if (count == log_.segments.size()) return std::optional(kept_end);
  TRY(sealed, end_of_sealed(count - 1));
  return sealed.damage ? std::optional<Offset>() : std::optional(sealed.end);
}

// Behind the last batch of a segment that others follow. On the way there its greatest timestamp, as the time index has
// it, is held against the batches: it mostly belongs to the last one.
Result<RecoveryRun::SealedEnd> RecoveryRun::end_of_sealed(size_t index) {
  Segment& segment = *log_.segments[index];
  const Offset bound = std::min(bound_of(index), relative_bound(segment.base_offset));
  const Position hint = segment.index_home == Segment::IndexHome::kMemory
                            ? segment.index.lookup(bound - 1)
                            : lookup_position(files_, directory_, segment.base_offset, bound - 1);
  TRY(file, files_.open(log_path(segment), OpenMode::kRead));
  SoundWalk::Range range{.begin = hint, .end = segment.size_bytes, .offset_min = segment.base_offset, .bound = bound};
  TRY(begin, checked_begin(*file, range, bound - 1));
  range.begin = begin;
  SoundWalk walk(*file, range);
  SealedEnd sealed{.end = segment.base_offset};
  while (true) {
    TRY(scanned, walk.next());
    if (!scanned) break;
    sealed.end = scanned->batch.next_offset();
    sealed.epoch = scanned->batch.leader_epoch();
    check_greatest_timestamp(segment, scanned->batch);
  }
  if (walk.damage()) sealed.damage = fmt::format("at {}: {}", walk.damage()->position.v, walk.damage()->what);
  return sealed;
}

// An index that is too short names one that is not the greatest; which one is, only a walk over all could tell.
void RecoveryRun::check_greatest_timestamp(Segment& segment, const BatchView& batch) noexcept {
  if (batch.max_timestamp() > segment.max_timestamp_ms) {
    segment.max_timestamp_ms = batch.max_timestamp();
    segment.max_timestamp_offset = batch.last_offset();
    segment.max_timestamp_unchecked = true;
  } else if (batch.max_timestamp() == segment.max_timestamp_ms && batch.last_offset() == segment.max_timestamp_offset) {
    segment.max_timestamp_unchecked = false;
  }
}

// A batch without records carries readers across. It stands for the last offsets of the hole, as many as a batch and a
// segment can have; what lies before it is a gap in the middle, which readers cross as they do those of compaction. It
// gets a segment of its own, written beside and renamed: no crash leaves a part of it, and its end carries the log end.
Result<void> RecoveryRun::fill_hole() {
  if (!hole_) return {};
  const Offset end = log_.log_end;
  size_t index = log_.segments.size() - 1;
  while (log_.segments[index]->base_offset >= end) --index;
  const Offset base_offset = std::max({*hole_, end - INT32_MAX, log_.segments[index]->base_offset});
  const Result<void> written = cover(index, base_offset, end, log_.leader_epoch);
  if (!written && written.error().code == Errc::kNoSpace) {  // what is there can be served nevertheless
    report_.notes.push_back(
        fmt::format("{}: offsets {} to {} are lost, and the disk has no room for a batch in their place: readers who "
                    "are there wait for the next record",
                    directory_, hole_->v, end.v - 1));
    return log_.segments.back()->base_offset < end ? go_on_at(end) : Result<void>();
  }
  if (!written) return written;
  report_.notes.push_back(fmt::format("{}: offsets {} to {} are lost; a batch without records carries readers across",
                                      directory_, hole_->v, end.v - 1));
  return {};
}

// By a segment behind the one that is named, or in that one's file, when it is empty and begins there.
Result<void> RecoveryRun::cover(size_t index, Offset base_offset, Offset end, int32_t epoch) {
  std::shared_ptr<Segment> segment = log_.segments[index];
  ENSURE(segment->base_offset < base_offset || segment->size_bytes == 0, "{}: {}", directory_, base_offset.v);
  const Slice batch = batch_without_records(base_offset, end, epoch);
  TRY(replace_text_file(files_, segment_path(directory_, base_offset, kLogSuffix), as_text(batch.view()), sync_kind()));
  if (segment->base_offset < base_offset) {
    segment->complete_time_index();
    segment = std::make_shared<Segment>(base_offset);
    log_.segments.insert(log_.segments.begin() + static_cast<ptrdiff_t>(index) + 1, segment);
  }
  segment->restart_indexes();
  segment->add_batch({.position = Position(0),
                      .size_bytes = static_cast<int64_t>(batch.size()),
                      .base_offset = base_offset,
                      .last_offset = end - 1},
                     open_.config.index_interval_bytes, open_.now_ms);
  segment->synced_bytes = segment->size_bytes;
  directory_changed_ = true;
  return {};
}

void RecoveryRun::settle_epochs() {
  using EpochFile = RecoveredLog::EpochFile;
  // Records of an epoch below one that stands before them are out of order: the next scan would put them aside.
  const int32_t held = std::max({log_.epochs.latest(), hints_.leader_epoch, last_epoch_, 0});
  // After a crash something that a client saw may be gone, also when nothing is left to show it: a new epoch tells.
  const bool rises = trusted_ == Trusted::kNo && open_.kind != LogKind::kJournal && held < INT32_MAX;
  log_.leader_epoch = rises ? held + 1 : held;
  const Offset begin = hole_.value_or(log_.log_end);
  if (trusted_ == Trusted::kNo) log_.epochs.truncate_to_end(begin);
  log_.epochs.truncate_to_start(log_.log_start);
  if (!log_.epochs.assign(log_.leader_epoch, begin)) return;
  if (hole_) {  // the batch that covers it bears the epoch
    log_.epoch_file = EpochFile::kStale;
  } else if (log_.epoch_file == EpochFile::kCurrent) {
    log_.epoch_file = EpochFile::kLacksUnused;
  }
}

// A snapshot from beyond the end speaks of records that are gone, and would be believed when others have their offsets.
Result<void> RecoveryRun::settle_snapshots() {
  for (const Offset offset : content_.snapshots) {
    if (offset <= log_.log_end || foreign()) {
      log_.snapshots.push_back(offset);
    } else {
      TRY(files_.remove(segment_path(directory_, offset, kSnapshotSuffix)));
    }
  }
  bool written = report_.indexes_rebuilt == 0 && snapshot_offset_ == log_.log_end && !hole_;
  if (trusted_ == Trusted::kNo) written = written && is_as_it_was_closed();
  const bool is_empty =
      log_.segments.size() == 1 && log_.segments.front()->size_bytes == 0 && log_.producers.size() == 0;
  log_.checkpointed = written || is_empty ? log_.log_end : kNoOffset;
  return {};
}

// After a crash, of a log that ends where its recovery point is: what the scan has put together may be in the files of
// the active segment already. Those of sealed ones were written and synced before the point passed them.
bool RecoveryRun::is_as_it_was_closed() {
  const bool is_untouched = !foreign() && hints_.recovery_point == log_.log_end && report_.cut_bytes == 0 &&
                            report_.saved_aside_bytes == 0 && !active_is_damaged_;
  if (!is_untouched) return false;
  Segment& active = *log_.segments.back();
  if (active.size_bytes == 0) return true;
  active.complete_time_index();
  if (!index_files_hold(files_, directory_, active)) return false;
  active.index_entries_written = active.index.entry_count();
  active.time_entries_written = active.time_index.entry_count();
  return true;
}

// The cut of a torn tail has given back what was kept, and the disk may be full at the next append.
void RecoveryRun::keep_room() {
  if (open_.config.room_ahead_bytes == 0 || foreign()) return;
  const Segment& active = *log_.segments.back();
  const Result<std::unique_ptr<File>> file = files_.open(log_path(active), OpenMode::kReadWrite);
  if (file) (void)(*file)->allocate(active.size_bytes + open_.config.room_ahead_bytes);  // a wish
}

// Whose name is known to survive a loss of power. Not that of a file which is there, but empty: the process before may
// have made it for a write that failed, and what is acknowledged in it from now on would go with its name.
void RecoveryRun::settle_names() {
  for (const auto& segment : log_.segments) {
    const bool was_closed_with_it = trusted_ == Trusted::kYes && segment->size_bytes > 0;
    segment->directory_synced = directory_changed_ || was_closed_with_it;
  }
}

}  // namespace leat
