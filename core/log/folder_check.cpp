// folder_check.cpp: checking and repairing a folder that no broker has open.
#include "core/log/folder_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/log/batch_search.h"
#include "core/log/file_names.h"
#include "core/log/leader_epoch_cache.h"
#include "core/log/offset_index.h"
#include "core/log/producer_snapshot.h"
#include "core/log/recovery_folder.h"
#include "core/log/segment.h"
#include "core/log/time_index.h"

namespace leat {
namespace {

constexpr size_t kCopyBytes = 1 << 20;
constexpr std::string_view kRepairedSuffix = ".repaired.tmp";  // .tmp: a start removes it when a repair was interrupted

// Whether a batch that is all there is good where it stands; else why not.
Result<std::optional<std::string>> fault_of(BatchScanner& scanner, const ScannedBatch& scanned, Offset next_offset,
                                            Offset bound) {
  TRY(crc_ok, scanner.crc_matches(scanned));
  const BatchView& batch = scanned.batch;
  if (!crc_ok)
    return std::optional(
        fmt::format("batch at offset {}: CRC {:08x} does not match", batch.base_offset().v, batch.crc()));
  if (batch.base_offset() >= next_offset && batch.last_offset() < bound) return std::optional<std::string>();
  return std::optional(fmt::format("batch at offset {}: expected {} or more", batch.base_offset().v, next_offset.v));
}

Result<std::optional<std::string>> read_small(FileSystem& files, const std::string& path) {
  Result<std::string> text = read_text_file(files, path, size_t{1} << 30);
  if (text) return std::optional(std::move(*text));
  if (text.error().code == Errc::kNotFound) return std::optional<std::string>();
  return fail(text.error());
}

Result<void> check_indexes(FileSystem& files, const std::string& directory, const SegmentCheck& segment,
                           FolderCheck& check) {
  const std::string index_path = segment_path(directory, segment.base_offset, kIndexSuffix);
  const std::string time_path = segment_path(directory, segment.base_offset, kTimeIndexSuffix);
  TRY(index, read_small(files, index_path));
  TRY(time_index, read_small(files, time_path));
  if (!index) check.derived.push_back(index_path + ": missing");
  if (!time_index) check.derived.push_back(time_path + ": missing");
  if (index && !OffsetIndex::decode(segment.base_offset, as_bytes(*index), segment.size_bytes)) {
    check.derived.push_back(index_path + ": entries are out of order, or not of this segment");
  }
  if (time_index && !TimeIndex::decode(segment.base_offset, as_bytes(*time_index))) {
    check.derived.push_back(time_path + ": entries are out of order");
  }
  return {};
}

Result<void> check_small_files(FileSystem& files, const std::string& directory, const FolderContent& content,
                               FolderCheck& check) {
  for (const Offset offset : content.snapshots) {
    const std::string path = segment_path(directory, offset, kSnapshotSuffix);
    TRY(bytes, read_small(files, path));
    if (!bytes) continue;
    const Result<ProducerState> state = decode_producer_snapshot(as_bytes(*bytes), path, INT64_MAX);
    if (!state) check.derived.push_back(state.error().context);
  }
  if (!content.has_epochs) return {};
  const std::string path = join_path(directory, kLeaderEpochFile);
  TRY(text, read_small(files, path));
  if (!text) return {};
  const Result<LeaderEpochCache> epochs = LeaderEpochCache::decode(*text, path);
  if (!epochs) check.derived.push_back(epochs.error().context);
  return {};
}

struct ByteRange {
  Position begin;
  int64_t size_bytes;
};

Result<void> copy_range(File& from, const ByteRange& range, File& to, Position& at) {
  const auto buffer = std::make_unique_for_overwrite<uint8_t[]>(kCopyBytes);
  for (int64_t done = 0; done < range.size_bytes;) {
    const size_t wanted = std::min(kCopyBytes, static_cast<size_t>(range.size_bytes - done));
    TRY(count, from.read_at(range.begin + done, {buffer.get(), wanted}));
    if (count == 0) return fail(Errc::kIo, from.path() + ": became shorter while it was copied");
    const std::array<ByteView, 1> pieces{ByteView(buffer.get(), count)};
    TRY(to.write_at(at, pieces));
    done += static_cast<int64_t>(count);
    at += static_cast<int64_t>(count);
  }
  return {};
}

Result<std::unique_ptr<File>> open_empty(FileSystem& files, const std::string& path) {
  TRY(file, files.open(path, OpenMode::kCreate));
  TRY(file->truncate(0));
  return std::move(file);
}

Result<void> save_range(FileSystem& files, File& from, const DamagedRange& range) {
  TRY(aside, open_empty(files, fmt::format("{}.{}{}", range.path, range.begin.v, kAsideSuffix)));
  Position at(0);
  TRY(copy_range(from, {range.begin, range.size_bytes}, *aside, at));
  return aside->sync(SyncKind::kFull);
}

// The segment without its damaged ranges takes the old one's place when it is durable.
Result<void> repair_segment(FileSystem& files, const std::string& path, const SegmentCheck& check, TakenOut taken_out) {
  TRY(old_file, files.open(path, OpenMode::kRead));
  {
    TRY(new_file, open_empty(files, path + std::string(kRepairedSuffix)));
    Position to(0);
    Position from(0);
    for (const DamagedRange& range : check.damaged) {
      if (taken_out == TakenOut::kSaveAside) TRY(save_range(files, *old_file, range));
      TRY(copy_range(*old_file, {from, range.begin - from}, *new_file, to));
      from = range.begin + range.size_bytes;
    }
    TRY(copy_range(*old_file, {from, check.size_bytes - from.v}, *new_file, to));
    TRY(new_file->sync(SyncKind::kFull));
  }
  TRY(files.sync_directory(parent_directory(path)));  // the side files
  for (const std::string_view suffix : {kIndexSuffix, kTimeIndexSuffix}) {
    const Result<void> removed = files.remove(segment_path(parent_directory(path), check.base_offset, suffix));
    if (!removed && removed.error().code != Errc::kNotFound) return removed;
  }
  TRY(files.rename(path + std::string(kRepairedSuffix), path));
  return files.sync_directory(parent_directory(path));
}

}  // namespace

bool FolderCheck::has_damage() const noexcept {
  return std::any_of(segments.begin(), segments.end(),
                     [](const SegmentCheck& segment) { return !segment.damaged.empty(); });
}

Result<SegmentCheck> check_segment(FileSystem& files, const std::string& path, Offset base_offset,
                                   const BatchVisitor& visit) {
  TRY(file, files.open(path, OpenMode::kRead));
  TRY(size, file->size());
  SegmentCheck check{.base_offset = base_offset, .next_offset = base_offset, .size_bytes = size, .damaged = {}};
  const Offset bound = relative_bound(base_offset);
  BatchScanner scanner(*file, Position(0), size, BatchScanner::Depth::kWhole);
  while (true) {
    const Position at = scanner.position();
    TRY(scanned, scanner.next());
    if (!scanned && scanner.stop() == BatchScanner::Stop::kEnd) return check;
    std::optional<std::string> fault = scanner.stop_reason();
    if (scanned) {
      TRY(found_fault, fault_of(scanner, *scanned, check.next_offset, bound));
      fault = std::move(found_fault);
    }
    if (!fault) {
      ++check.batch_count;
      check.record_count += scanned->batch.record_count();
      check.max_timestamp_ms = std::max(check.max_timestamp_ms, scanned->batch.max_timestamp());
      check.next_offset = scanned->batch.next_offset();
      if (visit) visit(*scanned);
      continue;
    }
    TRY(search, find_valid_batch(
                    *file, {.begin = at + 1, .end = size, .offset_min = check.next_offset, .offset_limit = bound}));
    const Position end = search.found ? search.found->position : Position(size);
    check.damaged.push_back({.path = path, .begin = at, .size_bytes = end - at, .what = *fault});
    scanner.seek(end);
  }
}

Result<FolderCheck> check_folder(FileSystem& files, const std::string& directory) {
  TRY(content, read_folder(files, directory));
  FolderCheck check;
  for (const auto& [base_offset, info] : content.logs) {
    TRY(segment, check_segment(files, join_path(directory, info.name), base_offset, {}));
    TRY(check_indexes(files, directory, segment, check));
    check.segments.push_back(std::move(segment));
  }
  TRY(check_small_files(files, directory, content, check));
  for (const std::string& name : content.leftovers)
    check.notes.push_back(join_path(directory, name) + ": leftover of interrupted work");
  for (const std::string& name : content.strays) check.notes.push_back(join_path(directory, name) + ": unknown");
  return check;
}

Result<RepairReport> repair_folder(FileSystem& files, const std::string& directory, TakenOut taken_out) {
  const std::string lock_path = join_path(parent_directory(directory), ".lock");
  std::unique_ptr<FileLock> lock;
  if (files.stat(lock_path)) {
    TRY(held, files.lock(lock_path));
    lock = std::move(held);
  }
  TRY(check, check_folder(files, directory));
  RepairReport report;
  for (const SegmentCheck& segment : check.segments) {
    if (segment.damaged.empty()) continue;
    TRY(repair_segment(files, segment.damaged.front().path, segment, taken_out));
    for (const DamagedRange& range : segment.damaged) {
      report.removed_bytes += range.size_bytes;
      report.done.push_back(fmt::format("{} at {}: {} bytes taken out{} ({})", range.path, range.begin.v,
                                        range.size_bytes,
                                        taken_out == TakenOut::kSaveAside ? ", kept in a side file" : "", range.what));
    }
  }
  return report;
}

}  // namespace leat
