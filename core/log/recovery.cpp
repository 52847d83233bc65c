// recovery.cpp: opening a partition's folder: small files, sealed segments, the clean path, producer state.
#include "core/log/recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/log/cleaned_segment.h"
#include "core/log/file_names.h"
#include "core/log/index_files.h"
#include "core/log/producer_snapshot.h"
#include "core/log/recovery_run.h"
#include "core/log/sound_walk.h"

namespace leat {

std::string encode_partition_metadata(const Uuid& topic_id) {
  return fmt::format("version: 0\ntopic_id: {}\n", topic_id.to_string());
}

Result<Uuid> decode_partition_metadata(std::string_view text, std::string_view path) {
  constexpr std::string_view kVersionLine = "version: 0\n";
  constexpr std::string_view kTopicId = "topic_id: ";
  if (text.starts_with(kVersionLine)) {
    text.remove_prefix(kVersionLine.size());
    if (text.starts_with(kTopicId)) {
      text.remove_prefix(kTopicId.size());
      const std::optional<Uuid> id = Uuid::parse(text.substr(0, text.find_first_of("\r\n")));
      if (id) return *id;
    }
  }
  return fail(Errc::kCorrupt, fmt::format("{}: expected \"version: 0\" and \"topic_id: ID\"", path));
}

Result<RecoveredLog> recover_folder(const PartitionLog::Open& open, const RecoveryHints& hints,
                                    RecoveryReport& report) {
  return RecoveryRun(open, hints, report).run();
}

std::string RecoveryRun::log_path(const Segment& segment) const {
  return segment_path(directory_, segment.base_offset, kLogSuffix);
}

size_t RecoveryRun::segment_of(Offset offset) const noexcept {
  size_t index = log_.segments.size() - 1;
  while (index > 0 && log_.segments[index]->base_offset > offset) --index;
  return index;
}

Offset RecoveryRun::bound_of(size_t index) const noexcept {
  return index + 1 < log_.segments.size() ? log_.segments[index + 1]->base_offset : Offset(INT64_MAX);
}

Result<RecoveredLog> RecoveryRun::run() {
  TRY(content, read_folder(files_, directory_));
  content_ = std::move(content);
  if (!foreign()) hints_ = with_known_point(files_, directory_, content_, hints_);
  TRY(complete_swaps());
  TRY(clear_leftovers());
  TRY(read_small_files());
  TRY(list_segments());
  point_ = foreign() ? Offset(INT64_MAX) : hints_.recovery_point;
  const bool trust = hints_.clean_shutdown && !foreign();
  if (trust) {
    TRY(verdict, trust_active());
    trusted_ = verdict;
    if (trusted_ == Trusted::kNo)
      report_.notes.push_back(fmt::format("{}: not as a clean stop leaves it, scanning", directory_));
  }
  if (trusted_ == Trusted::kYes) {
    TRY(recover_clean());
  } else {
    TRY(recover_unclean());
  }
  TRY(settle_gaps());
  TRY(settle_offsets());
  settle_epochs();
  TRY(fill_hole());
  TRY(settle_snapshots());
  if (directory_changed_) TRY(files_.sync_directory(directory_));
  settle_names();
  keep_room();
  return std::move(log_);
}

// Behind the last batch of a segment that compaction has made.
Result<Offset> RecoveryRun::end_of_swap(Offset base_offset) {
  TRY(file, files_.open(segment_path(directory_, base_offset, kLogSuffix) + std::string(kSwapSuffix), OpenMode::kRead));
  TRY(size, file->size());
  BatchScanner scanner(*file, Position(0), size, BatchScanner::Depth::kHeaders);
  Offset end = base_offset;
  while (true) {
    TRY(scanned, scanner.next());
    if (!scanned) return end;
    end = std::max(end, scanned->batch.next_offset());
  }
}

// A crash came after a compacted segment had begun to count, and before it had its name. Segments whose place it takes
// may have lost their logs and not yet their indexes: those go first, or they would look like what is left of a segment
// that somebody removed.
Result<void> RecoveryRun::complete_swaps() {
  if (content_.swaps.empty()) return {};
  if (!foreign()) TRY(clear_lone_indexes({}));
  for (const Offset base_offset : content_.swaps) {
    const std::string name = segment_file_name(base_offset, kLogSuffix) + std::string(kSwapSuffix);
    if (foreign()) {
      report_.notes.push_back(fmt::format("{}/{}: left alone", directory_, name));
      continue;
    }
    TRY(end, end_of_swap(base_offset));
    SegmentSwap swap;
    swap.base_offset = base_offset;
    swap.stage = SwapStage::kNamed;
    for (const auto& [other, info] : content_.logs) {
      if (other > base_offset && other < end) swap.others.push_back(other);
    }
    TRY(carry_out(files_, directory_, swap));
    report_.notes.push_back(fmt::format("{}/{}: compaction was interrupted, completed", directory_, name));
  }
  if (foreign()) return {};
  TRY(content, read_folder(files_, directory_));
  content_ = std::move(content);
  return {};
}

// Of a segment that retention was removing the index goes before the log, which explains it.
Result<void> RecoveryRun::clear_leftovers() {
  if (!foreign()) TRY(clear_removed_indexes());
  for (const std::string& name : content_.strays)
    report_.notes.push_back(fmt::format("{}/{}: unknown, left alone", directory_, name));
  for (const std::string& name : content_.leftovers) {
    if (foreign()) {
      report_.notes.push_back(fmt::format("{}/{}: left alone", directory_, name));
      continue;
    }
    TRY(files_.remove(join_path(directory_, name)));
    report_.notes.push_back(fmt::format("{}/{}: leftover of interrupted work, removed", directory_, name));
  }
  return {};
}

Result<void> RecoveryRun::read_small_files() {
  log_.topic_id = open_.topic_id;
  if (content_.has_metadata) {
    const std::string path = join_path(directory_, kPartitionMetadataFile);
    TRY(text, read_text_file(files_, path));
    const Result<Uuid> id = decode_partition_metadata(text, path);
    if (!id && open_.topic_id.is_zero() && foreign()) return fail(id.error());
    if (!id && open_.topic_id.is_zero()) {
      report_.notes.push_back(fmt::format("{}; left to a start, which knows the topic's id", id.error().context));
    } else if (!id) {
      report_.notes.push_back(fmt::format("{}; written again", id.error().context));
      content_.has_metadata = false;
    } else if (open_.topic_id.is_zero()) {
      log_.topic_id = *id;
    } else if (*id != open_.topic_id) {
      return fail(Errc::kInvalidArgument,
                  fmt::format("{}: expected topic id {}, found {}: the folder belongs to another topic", path,
                              open_.topic_id.to_string(), id->to_string()));
    }
  }
  if (!content_.has_metadata && !log_.topic_id.is_zero()) {
    TRY(replace_text_file(files_, join_path(directory_, kPartitionMetadataFile),
                          encode_partition_metadata(log_.topic_id), sync_kind()));
  }
  if (!content_.has_epochs) return {};
  const std::string path = join_path(directory_, kLeaderEpochFile);
  TRY(text, read_text_file(files_, path));  // an epoch that clients saw, and no record bears, stands nowhere else
  Result<LeaderEpochCache> epochs = LeaderEpochCache::decode(text, path);
  epochs_are_known_ = epochs.has_value();
  if (epochs) {
    log_.epochs = std::move(*epochs);
  } else {
    report_.notes.push_back(fmt::format("{}; rebuilt from the log", epochs.error().context));
  }
  return {};
}

Result<void> RecoveryRun::list_segments() {
  for (const auto& [base, info] : content_.logs) {
    auto segment = std::make_shared<Segment>(base);
    segment->size_bytes = info.size_bytes;
    segment->last_append_ms = std::min(info.modified_ms, open_.now_ms);
    log_.segments.push_back(std::move(segment));
  }
  if (!log_.segments.empty()) return {};
  // The folder was made and never written, or its files are lost: offsets go on where they were.
  const Offset base = std::max(hints_.log_start, foreign() ? Offset(0) : hints_.recovery_point);
  if (base > Offset(0)) {
    TRY(lose(fmt::format("{}: no segments, expected records up to offset {}", directory_, base.v)));
  }
  log_.segments.push_back(std::make_shared<Segment>(base));
  content_.logs[base] = FileInfo{};
  if (foreign()) return {};
  // Its name carries the log end over the next start.
  TRY(files_.open(log_path(*log_.segments.back()), OpenMode::kCreate));
  directory_changed_ = true;
  return {};
}

// Of a segment that will not be scanned: its indexes are in their files, or are rebuilt.
Result<void> RecoveryRun::check_sealed(size_t index) {
  Segment& segment = *log_.segments[index];
  const auto index_size = content_.index_sizes.find(segment.base_offset);
  const auto time_size = content_.time_index_sizes.find(segment.base_offset);
  const bool there = index_size != content_.index_sizes.end() && time_size != content_.time_index_sizes.end() &&
                     index_size->second % static_cast<int64_t>(kIndexEntryBytes) == 0 &&
                     time_size->second % static_cast<int64_t>(kTimeIndexEntryBytes) == 0;
  segment.synced_bytes = segment.size_bytes;
  if (there) {
    const auto last = read_last_time_entry(files_, segment_path(directory_, segment.base_offset, kTimeIndexSuffix));
    // A last entry of zeros is Kafka's preallocation, or a page that never came to disk.
    const bool sound = last && (!*last || ((*last)->timestamp_ms > 0 &&
                                           segment.base_offset + int64_t{(*last)->relative_offset} < bound_of(index)));
    if (sound) {
      segment.index_home = Segment::IndexHome::kFile;
      if (*last) {
        segment.max_timestamp_ms = (*last)->timestamp_ms;
        segment.max_timestamp_offset = segment.base_offset + int64_t{(*last)->relative_offset};
        segment.max_timestamp_unchecked = true;
      }
      return {};
    }
  }
  return rebuild_indexes(segment);
}

Result<void> RecoveryRun::rebuild_indexes(Segment& segment) {
  const int64_t size = file_size(segment);
  const int64_t last_append_ms = segment.last_append_ms;
  segment.restart_indexes();
  TRY(file, files_.open(log_path(segment), OpenMode::kRead));
  SoundWalk walk(*file, {.begin = Position(0),
                         .end = size,
                         .offset_min = segment.base_offset,
                         .bound = relative_bound(segment.base_offset)});
  while (true) {
    TRY(scanned, walk.next());
    if (!scanned) break;
    const BatchView& batch = scanned->batch;
    segment.add_batch({.position = scanned->position,
                       .size_bytes = batch.size_bytes(),
                       .base_offset = batch.base_offset(),
                       .last_offset = batch.last_offset(),
                       .max_timestamp_ms = batch.max_timestamp()},
                      open_.config.index_interval_bytes, last_append_ms);
  }
  segment.size_bytes = size;
  segment.complete_time_index();
  ++report_.indexes_rebuilt;
  report_.notes.push_back(fmt::format("{}: indexes were missing or bad, rebuilt", log_path(segment)));
  return {};
}

// After a clean stop the active segment ends with a whole batch, not below the recovery point, and its index leads
// there.
Result<RecoveryRun::Trusted> RecoveryRun::trust_active() {
  Segment& segment = *log_.segments.back();
  const int64_t size = segment.size_bytes;
  next_offset_ = segment.base_offset;
  if (size > 0) {
    const IndexState state = load_indexes(files_, directory_, segment, size);
    if (state == IndexState::kMissingOrBad) {
      if (size > open_.config.index_interval_bytes) {
        ++report_.indexes_rebuilt;
        report_.notes.push_back(fmt::format("{}: indexes were missing or bad, rebuilt", log_path(segment)));
      }
      segment.restart_indexes();
    }
    TRY(file, files_.open(log_path(segment), OpenMode::kRead));
    TRY(trusted, walk_active_tail(*file, segment, size));
    if (trusted == Trusted::kNo) return Trusted::kNo;
  }
  segment.synced_bytes = size;
  return next_offset_ < hints_.recovery_point ? Trusted::kNo : Trusted::kYes;
}

Result<RecoveryRun::Trusted> RecoveryRun::walk_active_tail(File& file, Segment& segment, int64_t size) {
  const std::optional<Position> last = segment.index.last_position();
  const Offset indexed = segment.index.last_offset();
  const Position begin = last.value_or(Position(0));
  const int64_t modified_ms = content_.logs.at(segment.base_offset).modified_ms;
  segment.size_bytes = begin.v;
  segment.bytes_since_index_entry = 0;
  BatchScanner scanner(file, begin, size, BatchScanner::Depth::kHeaders);
  while (true) {
    TRY(scanned, scanner.next());
    if (!scanned) break;
    const BatchView& batch = scanned->batch;
    const bool indexed_is_there = scanned->position != begin || !last || batch.last_offset() == indexed;
    if (!indexed_is_there || batch.base_offset() < next_offset_ ||
        batch.last_offset() - segment.base_offset > INT32_MAX) {
      return Trusted::kNo;
    }
    segment.add_batch({.position = scanned->position,
                       .size_bytes = batch.size_bytes(),
                       .base_offset = batch.base_offset(),
                       .last_offset = batch.last_offset(),
                       .max_timestamp_ms = batch.max_timestamp()},
                      open_.config.index_interval_bytes, std::min(modified_ms, open_.now_ms));
    next_offset_ = batch.next_offset();
    last_epoch_ = batch.leader_epoch();
  }
  if (scanner.stop() != BatchScanner::Stop::kEnd) return Trusted::kNo;
  if (begin.v > 0) {  // how old the segment is, its first batch says
    std::array<uint8_t, kBatchHeaderBytes> header{};
    TRY(count, file.read_at(Position(0), header));
    if (count == header.size()) segment.first_timestamp_ms = std::min(BatchView(header).max_timestamp(), open_.now_ms);
  }
  return Trusted::kYes;
}

// The file has no checksum. Below what the last batch bears it cannot be right, nor beyond the log.
void RecoveryRun::doubt_epochs() {
  if (!epochs_are_known_) return;
  const Offset begin = log_.epochs.empty() ? Offset(0) : log_.epochs.starts().back().start_offset;
  if (log_.epochs.latest() >= last_epoch_ && begin <= log_.log_end) return;
  report_.notes.push_back(fmt::format(
      "{}: ends with leader epoch {} from offset {} on, the log with a record of {} and at {}; rebuilt from the log",
      join_path(directory_, kLeaderEpochFile), log_.epochs.latest(), begin, last_epoch_, log_.log_end));
  log_.epochs = {};
  epochs_are_known_ = false;
}

Result<void> RecoveryRun::recover_clean() {
  for (size_t i = 0; i + 1 < log_.segments.size(); ++i) TRY(check_sealed(i));
  log_.log_end = next_offset_;
  doubt_epochs();
  TRY(choose_snapshot(next_offset_));
  const Offset replay_from = epochs_are_known_ ? snapshot_offset_ : log_.segments.front()->base_offset;
  if (replay_from < next_offset_) {
    TRY(replay_state(replay_from, log_.segments.size() - 1, Position(log_.segments.back()->size_bytes)));
  }
  return {};
}

Result<void> RecoveryRun::recover_unclean() {
  // The segment that was active when the point was set, also when the point lies at its very end: of sealed ones the
  // index files were synced before, of this one not.
  const size_t first = foreign() || point_ == Offset(0) ? 0 : segment_of(point_ - 1);
  for (size_t i = 0; i < first; ++i) TRY(check_sealed(i));
  TRY(choose_snapshot(foreign() ? log_.segments.front()->base_offset : point_));
  TRY(begin, prepare_first_scanned(*log_.segments[first]));
  const Offset replay_from = epochs_are_known_ ? snapshot_offset_ : log_.segments.front()->base_offset;
  TRY(replay_state(replay_from, first, begin));
  epoch_ = kNoLeaderEpoch;
  for (size_t i = first; i < log_.segments.size(); ++i) {
    TRY(going, scan_segment(i, i == first ? begin : Position(0)));
    if (going == Going::kLogEnds) break;
  }
  log_.log_end = next_offset_;
  return {};
}

// The newest good snapshot at or below an offset; without one the whole log is read. Newer ones speak of records that
// may be gone: they are passed over, and replaced in time.
Result<void> RecoveryRun::choose_snapshot(Offset at_most) {
  snapshot_offset_ = log_.segments.front()->base_offset;
  for (auto offset = content_.snapshots.rbegin(); offset != content_.snapshots.rend(); ++offset) {
    if (*offset > at_most || *offset < log_.segments.front()->base_offset) continue;
    const std::string path = segment_path(directory_, *offset, kSnapshotSuffix);
    const Result<std::string> text = read_text_file(files_, path, size_t{1} << 30);
    Result<ProducerState> state =
        text ? decode_producer_snapshot(as_bytes(*text), path, open_.now_ms) : fail(text.error());
    if (state) {
      log_.producers = std::move(*state);
      snapshot_offset_ = *offset;
      return {};
    }
    report_.notes.push_back(fmt::format("{}; passed over", state.error().context));
  }
  return {};
}

// Producer state and epochs of the batches from an offset on, up to a position of a segment, which is where a scan
// begins.
Result<void> RecoveryRun::replay_state(Offset from, size_t end_segment, Position end_position) {
  const size_t begin_segment = segment_of(from);
  for (size_t i = begin_segment; i <= end_segment; ++i) {
    const Segment& segment = *log_.segments[i];
    const int64_t end = i == end_segment ? end_position.v : segment.size_bytes;
    Position begin(0);
    if (i == begin_segment) {
      begin = segment.index_home == Segment::IndexHome::kMemory
                  ? segment.index.lookup(from)
                  : lookup_position(files_, directory_, segment.base_offset, from);
    }
    if (begin.v != end) TRY(replay_segment(segment, begin, end, from));
  }
  return {};
}

Result<void> RecoveryRun::replay_segment(const Segment& segment, Position hint, int64_t end, Offset from) {
  TRY(file, files_.open(log_path(segment), OpenMode::kRead));
  SoundWalk::Range range{
      .begin = hint, .end = end, .offset_min = segment.base_offset, .bound = relative_bound(segment.base_offset)};
  TRY(begin, checked_begin(*file, range, from));
  range.begin = begin;
  SoundWalk walk(*file, range);
  while (true) {
    TRY(scanned, walk.next());
    if (walk.damage()) {
      tell_of_damage(fmt::format("{} at {}: {}", log_path(segment), walk.damage()->position.v, walk.damage()->what));
    }
    if (!scanned) return {};
    remember(scanned->batch);
  }
}

// Where damage is everywhere, millions of lines would fill memory and the server's log.
void RecoveryRun::tell_of_damage(std::string line) {
  constexpr int kLinesMax = 100;
  if (damage_lines_ == kLinesMax) return;
  if (++damage_lines_ == kLinesMax) line += "; there may be more: leat log verify shows all";
  report_.damaged.push_back(std::move(line));
}

// Records were durable, and are gone.
Result<void> RecoveryRun::lose(std::string line) {
  if (hints_.on_loss == OnLoss::kRefuse) return fail(Errc::kCorrupt, std::move(line));
  report_.damaged.push_back(std::move(line));
  return {};
}

void RecoveryRun::remember(const BatchView& batch) {
  last_epoch_ = batch.leader_epoch();
  if (batch.base_offset() >= snapshot_offset_) log_.producers.add(batch, batch.base_offset(), open_.now_ms);
  if (log_.epochs.assign(batch.leader_epoch(), batch.base_offset())) log_.epoch_file = RecoveredLog::EpochFile::kStale;
}

}  // namespace leat
