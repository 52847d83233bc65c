// upkeep_work.cpp: the steps of background work.
#include "core/log/upkeep_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/log/file_names.h"
#include "core/log/sound_walk.h"

namespace leat {

void UpkeepWork::execute() noexcept {
  const Result<void> done = run();
  if (!done) error = done.error();
}

Result<void> UpkeepWork::run() {
  for (AgeCheckStep& step : age_checks) {
    const Result<void> checked = check_age(step);
    if (checked) continue;
    // A sector that has gone bad must not keep the segment, and all behind it, for ever.
    step.failed = true;
    damaged.push_back(
        fmt::format("{}; retention goes by the time of the segment's last append", checked.error().context));
  }
  if (create_path) TRY(files_.open(*create_path, OpenMode::kCreate));
  TRY(sync_data());
  for (const IndexStep& step : indexes) {
    TRY(write_index(files_, step.index, step.sync, kind_));
    TRY(write_index(files_, step.time_index, step.sync, kind_));
    // Before the recovery point passes the segment its index files must be these, not older ones that come back.
    if (step.sync == IndexSync::kYes) directory_sync = DirectorySync::kNeeded;
  }
  if (epoch_text) TRY(replace_text_file(files_, join_path(directory_, kLeaderEpochFile), *epoch_text, kind_));
  if (snapshot) TRY(write_snapshot());
  TRY(rename_and_remove());
  return directory_sync == DirectorySync::kNeeded ? sync_directory() : Result<void>();
}

Result<void> UpkeepWork::sync_directory() {
  Result<void> synced = files_.sync_directory(directory_);
  if (!synced) sync_failed = true;
  return synced;
}

// The index is derived data: a flipped bit in it must not make a segment look old. Where it does not agree with the
// batch it names, the batches are asked.
Result<void> UpkeepWork::check_age(AgeCheckStep& step) {
  const SegmentSnapshot& segment = step.snapshot;
  TRY(file, open_segment(files_, directory_, segment));
  const Position hint = lookup_position(files_, directory_, segment.base_offset, step.max_timestamp_offset);
  SoundWalk::Range range{.begin = std::min(hint, Position(segment.size_bytes)),
                         .end = segment.size_bytes,
                         .offset_min = segment.base_offset,
                         .bound = segment.bound};
  SoundWalk near(*file, range);
  while (true) {
    TRY(scanned, near.next());
    if (!scanned || scanned->batch.last_offset() > step.max_timestamp_offset) break;
    if (scanned->batch.last_offset() == step.max_timestamp_offset &&
        scanned->batch.max_timestamp() == step.max_timestamp_ms)
      return {};
  }
  range.begin = Position(0);
  SoundWalk all(*file, range);
  step.max_timestamp_ms = kNoTimestamp;
  while (true) {
    TRY(scanned, all.next());
    if (!scanned) return {};
    if (scanned->batch.max_timestamp() <= step.max_timestamp_ms) continue;
    step.max_timestamp_ms = scanned->batch.max_timestamp();
    step.max_timestamp_offset = scanned->batch.last_offset();
  }
}

Result<void> UpkeepWork::sync_data() {
  for (SyncStep& step : syncs) {
    if (!step.file) {
      TRY(opened, files_.open(step.path, OpenMode::kReadWrite));
      step.file = std::move(opened);
    }
    const Result<void> synced = step.file->sync(kind_);
    if (!synced) {
      sync_failed = true;
      return synced;
    }
  }
  return {};
}

// Its folder is not synced: if the new name is lost the old snapshot is still there, or the log is read.
Result<void> UpkeepWork::write_snapshot() {
  const std::string path = segment_path(directory_, snapshot->offset, kSnapshotSuffix);
  const std::string temporary = path + std::string(kTemporarySuffix);
  {
    TRY(file, files_.open(temporary, OpenMode::kCreate));
    TRY(file->truncate(0));
    const std::array<ByteView, 1> pieces{ByteView(snapshot->bytes)};
    TRY(file->write_at(Position(0), pieces));
    TRY(file->sync(kind_));
  }
  TRY(files_.rename(temporary, path));
  for (const Offset offset : snapshot->superseded) {
    TRY(remove_if_there(files_, segment_path(directory_, offset, kSnapshotSuffix)));
  }
  return {};
}

// What is not there needs no renaming: a segment without transactions has no transaction index. Where a crash may
// bring names back in any order, what stays must be there for good before the first segment goes, and each segment must
// be gone for good before the next one goes: else an old one could come back in front of a hole, or nothing at all. And
// a log that was removed while its index came back under its old name would look like a segment that somebody took.
Result<void> UpkeepWork::rename_and_remove() {
  for (const auto& [from, to] : renames) {
    if (from.ends_with(kLogSuffix)) TRY(sync_directory());
    const Result<void> renamed = files_.rename(from, to);
    if (!renamed && renamed.error().code != Errc::kNotFound) return renamed;
  }
  if (!renames.empty() && !removals.empty()) TRY(sync_directory());
  for (const std::string& path : removals) TRY(remove_if_there(files_, path));
  return {};
}

}  // namespace leat
