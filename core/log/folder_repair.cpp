// folder_repair.cpp: taking damage out, and opening what is left.
#include "core/log/folder_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/check.h"
#include "core/log/file_names.h"
#include "core/log/folder_check.h"
#include "core/log/partition_log.h"
#include "core/log/side_file.h"

namespace leat {
namespace {

constexpr std::string_view kRepairedSuffix = ".repaired.tmp";  // .tmp: a start removes it when a repair was interrupted

void note_rest(const FolderCheck& check, RepairReport& report) {
  for (const std::string& fault : check.checkpoint_faults) {
    report.left.push_back(fault + "; leatd does not believe it when it starts, and writes the file anew");
  }
  for (const SegmentCheck& segment : check.segments) {
    for (const std::string& line : segment.oddities.first()) report.left.push_back(segment.path + ": " + line);
    const int64_t hidden = segment.oddities.count() - static_cast<int64_t>(segment.oddities.first().size());
    if (hidden > 0) report.left.push_back(fmt::format("{}: and {} more like these", segment.path, hidden));
  }
}

RepairReport plan_of(const FolderCheck& check, const std::string& folder) {
  RepairReport report;
  for (const SegmentCheck& segment : check.segments) {
    for (const DamagedRange& range : segment.damaged) {
      report.removed_bytes += range.size_bytes;
      report.taken_out.push_back(range);
    }
  }
  report.made_anew = check.derived;
  report.notes = check.notes;
  for (const MissingRecords& missing : check.missing) {
    report.lost.push_back(fmt::format("{}: the records of offsets {} to {}", folder, missing.begin, missing.end - 1));
  }
  if (check.lost) {
    report.lost.push_back(
        fmt::format("{}: the records of offsets {} to {}", folder, check.lost->begin, check.lost->end - 1));
  }
  note_rest(check, report);
  return report;
}

// All but the damaged ranges, durable under another name, then in the old one's place.
Result<void> write_without(FileSystem& files, File& old_file, const SegmentCheck& segment) {
  const std::string path = segment.path + std::string(kRepairedSuffix);
  {
    TRY(new_file, files.open(path, OpenMode::kCreate));
    TRY(new_file->truncate(0));
    Position to(0);
    Position from(0);
    for (const DamagedRange& range : segment.damaged) {
      TRY(copy_bytes(old_file, from, range.begin - from, *new_file, to));
      from = range.begin + range.size_bytes;
    }
    TRY(copy_bytes(old_file, from, segment.size_bytes - from.v, *new_file, to));
    TRY(new_file->sync(SyncKind::kFull));
  }
  TRY(files.rename(path, segment.path));
  return files.sync_directory(parent_directory(segment.path));
}

Result<void> cut_off(FileSystem& files, const SegmentCheck& segment, Position end) {
  TRY(file, files.open(segment.path, OpenMode::kReadWrite));
  TRY(file->truncate(end.v));
  return file->sync(SyncKind::kFull);
}

// The side files are durable before the segment changes, and its indexes, which speak of positions, are gone.
Result<void> take_out(FileSystem& files, const std::string& folder, const SegmentCheck& segment) {
  TRY(old_file, files.open(segment.path, OpenMode::kRead));
  for (const DamagedRange& range : segment.damaged) {
    TRY(save_aside(files, *old_file, range.begin, range.size_bytes, SyncKind::kFull));
  }
  for (const std::string_view suffix : {kIndexSuffix, kTimeIndexSuffix}) {
    TRY(remove_if_there(files, segment_path(folder, segment.base_offset, suffix)));
  }
  TRY(files.sync_directory(folder));
  const DamagedRange& first = segment.damaged.front();
  const bool is_tail = first.begin.v + first.size_bytes == segment.size_bytes;
  return is_tail ? cut_off(files, segment, first.begin) : write_without(files, *old_file, segment);
}

// A segment of one batch without records stands for what is gone, also where it was taken out at the end of a segment:
// the side files that explain such a gap may be deleted by anybody. An index that is left alone goes, for it would be
// taken for that segment's.
Result<void> cover_missing(FileSystem& files, const std::string& folder, const FolderCheck& check) {
  size_t passed = 0;
  int32_t epoch = 0;  // of what stands before
  for (const MissingRecords& missing : check.missing) {
    const bool is_in_front = missing.end <= check.segments[missing.segment].base_offset;
    for (; !is_in_front && passed <= missing.segment; ++passed) {
      epoch = std::max(epoch, check.segments[passed].last_epoch);
    }
    const Offset base_offset = std::max(missing.begin, missing.end - INT32_MAX);
    for (const std::string_view suffix : {kIndexSuffix, kTimeIndexSuffix}) {
      TRY(remove_if_there(files, segment_path(folder, base_offset, suffix)));
    }
    const Slice batch = batch_without_records(base_offset, missing.end, epoch);
    TRY(replace_text_file(files, segment_path(folder, base_offset, kLogSuffix), as_text(batch.view()),
                          SyncKind::kFull));
  }
  return {};
}

PartitionLog::Open open_of(FileSystem& files, const std::string& folder, int64_t now_ms) {
  const std::optional<FolderName> name = parse_folder_name(file_name_of(folder));
  LogConfig config;  // of the topic's settings none matters but how durable what is kept must be
  config.flush = FlushPolicy::kFull;
  return {.files = files,
          .directory = folder,
          .name = name ? name->name : TopicPartition{std::string(file_name_of(folder)), 0},
          .topic_id = Uuid(),  // the folder's own
          .config = config,
          .now_ms = now_ms};
}

Result<void> open_and_close(const PartitionLog::Open& open, const RecoveryHints& hints, RepairReport& report) {
  RecoveryReport recovered;
  TRY(log, PartitionLog::recover(open, hints, recovered));
  if (const std::unique_ptr<Maintenance> work = log->begin_close()) {
    work->execute();
    log->finish(*work);
    if (work->error) return fail(*work->error);
  }
  for (std::vector<std::string>* lines : {&recovered.damaged, &recovered.notes}) {
    report.notes.insert(report.notes.end(), lines->begin(), lines->end());
  }
  return {};
}

}  // namespace

Result<RepairReport> repair_folder(const OfflineDirectory& directory, const std::string& folder, RepairMode mode,
                                   int64_t now_ms) {
  FileSystem& files = directory.files();
  const RecoveryHints hints = directory.hints_for(file_name_of(folder));
  TRY(check, check_folder(files, folder, hints));
  if (!check.overlaps.empty()) {  // which of two is right no byte tells
    RepairReport refused;
    for (const Overlap& overlap : check.overlaps) {
      refused.left.push_back(
          fmt::format("{}: {}; move the one that does not belong here away", overlap.path, overlap.what));
    }
    return refused;
  }
  RepairReport report = plan_of(check, folder);
  if (mode == RepairMode::kDryRun || !report.has_work()) return report;
  ENSURE(directory.may_change(), "{}: repaired without its lock", folder);
  for (const SegmentCheck& segment : check.segments) {
    if (!segment.damaged.empty()) TRY(take_out(files, folder, segment));
  }
  for (const std::string& path : check.bad_files) TRY(remove_if_there(files, path));
  TRY(left, check_folder(files, folder, hints, Asides::kDoNotCount));
  TRY(cover_missing(files, folder, left));
  report.notes.clear();
  TRY(open_and_close(open_of(files, folder, now_ms), hints, report));
  TRY(after, check_folder(files, folder, hints));
  report.left.clear();
  note_rest(after, report);
  for (const RepairReport still = plan_of(after, folder); const DamagedRange& range : still.taken_out) {
    report.left.push_back(fmt::format("{}: {}", range.path, to_string(range)));
  }
  return report;
}

}  // namespace leat
