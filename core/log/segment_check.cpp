// segment_check.cpp: one walk over the batches; the indexes are sorted as the batches are, so each waits with its next
// entry until the walk comes by.
#include "core/log/segment_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/log/batch_search.h"
#include "core/log/file_names.h"
#include "core/log/index_columns.h"
#include "core/log/missing_records.h"
#include "core/log/segment_walk.h"
#include "core/record/compression.h"
#include "core/record/record_stream.h"

namespace leat {
namespace {

constexpr size_t kLinesKept = 20;
constexpr int64_t kUnpackedMax = int64_t{1} << 30;

bool is_rising(const IndexColumns& columns) noexcept {
  const auto not_below = [](const auto& a, const auto& b) { return a.first >= b.first || a.second >= b.second; };
  return std::adjacent_find(columns.entries.begin(), columns.entries.end(), not_below) == columns.entries.end();
}

class SegmentChecker {
 public:
  SegmentChecker(FileSystem& files, const std::string& path, const SegmentCheckOptions& options)
      : files_(files), options_(options) {
    check_.path = path;
  }
  Result<SegmentCheck> run();

 private:
  enum class Going : uint8_t { kOn, kOver };
  Result<void> read_index(std::string_view suffix, Result<IndexColumns> found, IndexColumns& columns);
  Result<void> walk_batches(File& file);
  Result<Going> on_fault(File& file, SegmentWalk& walk);
  void add_damage(DamagedRange range);
  bool is_damaged_at(int64_t position) const noexcept;
  void on_batch(const ScannedBatch& scanned);
  void check_records(const ScannedBatch& scanned);
  void check_indexes(const ScannedBatch& scanned);
  void finish_indexes();

  FileSystem& files_;
  SegmentCheckOptions options_;
  SegmentCheck check_;
  Offset bound_{0};
  Offset next_offset_{0};  // behind the last batch, also a damaged one whose offsets are known
  IndexColumns offsets_;
  IndexColumns times_;
  size_t next_offset_entry_ = 0;
  size_t next_time_entry_ = 0;
};

Result<SegmentCheck> SegmentChecker::run() {
  const std::string_view path = check_.path;
  const auto name = parse_segment_file_name(file_name_of(path));
  if (!name || name->suffix != kLogSuffix) {
    return fail(Errc::kInvalidArgument, fmt::format("'{}' is no segment: its name is not 20 digits and .log", path));
  }
  check_.base_offset = name->base_offset;
  check_.next_offset = next_offset_ = name->base_offset;
  bound_ = relative_bound(name->base_offset);
  TRY(file, files_.open(check_.path, OpenMode::kRead));
  TRY(size, file->size());
  check_.size_bytes = size;
  const std::string folder(parent_directory(path));
  TRY(read_index(kIndexSuffix, read_offset_index(files_, segment_path(folder, name->base_offset, kIndexSuffix)),
                 offsets_));
  TRY(read_index(kTimeIndexSuffix, read_time_index(files_, segment_path(folder, name->base_offset, kTimeIndexSuffix)),
                 times_));
  check_.index_entry_count = static_cast<int64_t>(offsets_.entries.size() + times_.entries.size());
  TRY(walk_batches(*file));
  for (DamagedRange& range : check_.damaged) {
    if (range.begin.v + range.size_bytes < size) range.what += "; the log goes on behind";
  }
  finish_indexes();
  return std::move(check_);
}

Result<void> SegmentChecker::read_index(std::string_view suffix, Result<IndexColumns> found, IndexColumns& columns) {
  if (!found && found.error().code == Errc::kNotFound) {
    check_.missing_files.push_back(fmt::format("no {} file; leatd makes it anew", suffix));
    return {};
  }
  if (!found) return fail(found.error());
  columns = *std::move(found);
  if (columns.odd_bytes != 0) {
    check_.indexes.add(fmt::format("{}: {} bytes behind its last whole entry", suffix, columns.odd_bytes));
  }
  if (!is_rising(columns)) check_.indexes.add(fmt::format("{}: entries are out of order", suffix));
  return {};
}

Result<void> SegmentChecker::walk_batches(File& file) {
  SegmentWalk walk(file, {.begin = Position(0),
                          .end = check_.size_bytes,
                          .next_offset = check_.base_offset,
                          .bound = bound_,
                          .gap_bound = options_.next_base});
  while (true) {
    TRY(step, walk.next());
    switch (step) {
      case SegmentWalk::Step::kEnd:
        return {};
      case SegmentWalk::Step::kBatch:
        on_batch(walk.batch());
        break;
      case SegmentWalk::Step::kFault: {
        TRY(going, on_fault(file, walk));
        if (going == Going::kOver) return {};
        break;
      }
    }
  }
}

// What a start would cut off as the trace of a crash is a torn tail; the rules are recovery's own.
Result<SegmentChecker::Going> SegmentChecker::on_fault(File& file, SegmentWalk& walk) {
  const SegmentWalk::Fault fault = walk.fault();
  RecoveryInput input = fault.input;
  input.below_point = next_offset_ < options_.recovery_point;
  const bool may_be_torn =
      options_.place == SegmentPlace::kLast && !input.below_point && !(input.complete && input.crc_ok);
  if (may_be_torn) {
    TRY(search, find_valid_batch(file, {.begin = fault.position + 1,
                                        .end = check_.size_bytes,
                                        .offset_min = next_offset_,
                                        .offset_limit = bound_}));
    input.valid_follows = search.found.has_value() || search.gave_up;
    if (recovery_verdict(input) == Verdict::kCutTail) {
      add_damage({.path = check_.path,
                  .begin = fault.position,
                  .size_bytes = check_.size_bytes - fault.position.v,
                  .what = fault.what,
                  .kind = DamageKind::kTornTail});
      return Going::kOver;
    }
  }
  TRY(damage, walk.step_over());
  if (damage.batch) next_offset_ = damage.batch->last_offset + 1;
  add_damage({.path = check_.path,
              .begin = damage.begin,
              .size_bytes = damage.size_bytes,
              .what = fault.what,
              .kind = DamageKind::kCorrupt});
  return Going::kOn;
}

// One range of what lies side by side.
void SegmentChecker::add_damage(DamagedRange range) {
  if (!check_.damaged.empty()) {
    DamagedRange& last = check_.damaged.back();
    if (last.begin.v + last.size_bytes == range.begin.v) {
      last.size_bytes += range.size_bytes;
      return;
    }
  }
  check_.damaged.push_back(std::move(range));
}

bool SegmentChecker::is_damaged_at(int64_t position) const noexcept {
  for (auto range = check_.damaged.rbegin(); range != check_.damaged.rend(); ++range) {
    if (position >= range->begin.v) return position < range->begin.v + range->size_bytes;
  }
  return false;
}

void SegmentChecker::on_batch(const ScannedBatch& scanned) {
  const BatchView& batch = scanned.batch;
  if (check_.batch_count++ == 0) {
    check_.first_offset = batch.base_offset();
    check_.begins_without_records = scanned.position.v == 0 && is_without_records(batch);
  }
  check_.record_count += std::max(batch.record_count(), 0);
  check_records(scanned);
  if (batch.leader_epoch() < check_.last_epoch) {
    check_.oddities.add(fmt::format("position {}: leader epoch {} after {}", scanned.position, batch.leader_epoch(),
                                    check_.last_epoch));
  }
  check_.last_epoch = std::max(check_.last_epoch, batch.leader_epoch());
  check_.next_offset = next_offset_ = batch.next_offset();
  check_.max_timestamp_ms = std::max(check_.max_timestamp_ms, batch.max_timestamp());
  check_indexes(scanned);
}

// A batch without records is fine: compaction leaves them, and recovery, over offsets that are lost.
void SegmentChecker::check_records(const ScannedBatch& scanned) {
  const BatchView& batch = scanned.batch;
  const auto odd = [this, &scanned](std::string_view what) {
    check_.oddities.add(fmt::format("position {}: {}", scanned.position, what));
  };
  const Result<Codec> codec = codec_from_bits(batch.codec_bits());
  if (!codec) return odd(codec.error().context);
  const int32_t count = batch.record_count();
  if (count < 0) return odd(fmt::format("the header says {} records", count));
  if (!scanned.is_whole) return;  // larger than the buffer: its CRC must do
  RecordStream stream(*codec, batch.records(), kUnpackedMax);
  RecordMeta meta;
  for (int32_t index = 0; index <= count; ++index) {
    const RecordStream::Next next = stream.next(meta);
    if (next == RecordStream::Next::kFailed) return odd(stream.error().context);
    if ((next == RecordStream::Next::kEnd) != (index == count)) {
      return odd(fmt::format("the header says {} records, found {}", count,
                             next == RecordStream::Next::kEnd ? std::to_string(index) : "more"));
    }
    const bool outside =
        next == RecordStream::Next::kRecord && (meta.offset_delta < 0 || meta.offset_delta > batch.last_offset_delta());
    if (outside) {
      return odd(
          fmt::format("record {} has offset {}, beyond the batch's", index, batch.base_offset() + meta.offset_delta));
    }
  }
}

// Entries for damaged batches are as right as others. Of times nothing can be said behind damage: the batch with the
// largest may be in it.
void SegmentChecker::check_indexes(const ScannedBatch& scanned) {
  const Offset last_offset = scanned.batch.last_offset();
  while (next_offset_entry_ < offsets_.entries.size()) {
    const auto& [relative, position] = offsets_.entries[next_offset_entry_];
    if (position > scanned.position.v) break;
    if (position < scanned.position.v && !is_damaged_at(position)) {
      check_.indexes.add(fmt::format(".index entry {}: no batch begins at position {}", next_offset_entry_, position));
    } else if (position == scanned.position.v && check_.base_offset.v + relative != last_offset.v) {
      check_.indexes.add(fmt::format(".index entry {}: offset {} at position {}, where the batch ends with {}",
                                     next_offset_entry_, check_.base_offset.v + relative, position, last_offset));
    }
    ++next_offset_entry_;
  }
  while (next_time_entry_ < times_.entries.size()) {
    const auto& [timestamp_ms, relative] = times_.entries[next_time_entry_];
    if (check_.base_offset.v + relative > last_offset.v) break;
    if (timestamp_ms != check_.max_timestamp_ms && check_.damaged.empty()) {
      check_.indexes.add(fmt::format(".timeindex entry {}: timestamp {} up to offset {}, where {} is the largest",
                                     next_time_entry_, timestamp_ms, check_.base_offset.v + relative,
                                     check_.max_timestamp_ms));
    }
    ++next_time_entry_;
  }
}

void SegmentChecker::finish_indexes() {
  const auto first_left = offsets_.entries.begin() + static_cast<ptrdiff_t>(next_offset_entry_);
  const auto beyond = std::count_if(first_left, offsets_.entries.end(),
                                    [this](const auto& entry) { return !is_damaged_at(entry.second); });
  if (beyond > 0) check_.indexes.add(fmt::format(".index: {} entries point behind the last batch", beyond));
  if (next_time_entry_ < times_.entries.size() && check_.damaged.empty()) {
    check_.indexes.add(
        fmt::format(".timeindex: {} entries point behind the last batch", times_.entries.size() - next_time_entry_));
  }
}

}  // namespace

void Findings::add(std::string line) {
  if (++count_ <= static_cast<int64_t>(kLinesKept)) first_.push_back(std::move(line));
}

bool SegmentCheck::is_corrupt() const noexcept {
  return std::any_of(damaged.begin(), damaged.end(),
                     [](const DamagedRange& range) { return range.kind == DamageKind::kCorrupt; });
}

bool SegmentCheck::is_damaged_at_end() const noexcept {
  return !damaged.empty() && damaged.back().begin.v + damaged.back().size_bytes == size_bytes;
}

Result<SegmentCheck> check_segment(FileSystem& files, const std::string& path, const SegmentCheckOptions& options) {
  return SegmentChecker(files, path, options).run();
}

std::string to_string(const DamagedRange& range) {
  switch (range.kind) {
    case DamageKind::kTornTail:
      return fmt::format("position {}: torn tail, no whole batch in the last {} bytes ({})", range.begin,
                         range.size_bytes, range.what);
    case DamageKind::kCorrupt:
      break;
  }
  return fmt::format("position {}: {} bytes are damaged ({})", range.begin, range.size_bytes, range.what);
}

}  // namespace leat
