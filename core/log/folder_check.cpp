// folder_check.cpp: checking a folder, whether a broker has it open or not.
#include "core/log/folder_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/log/file_names.h"
#include "core/log/leader_epoch_cache.h"
#include "core/log/producer_snapshot.h"
#include "core/log/recovery_folder.h"

namespace leat {
namespace {

constexpr size_t kSmallFileBytesMax = size_t{1} << 30;

Result<std::optional<std::string>> read_small(FileSystem& files, const std::string& path) {
  Result<std::string> text = read_text_file(files, path, kSmallFileBytesMax);
  if (text) return std::optional(std::move(*text));
  if (text.error().code == Errc::kNotFound) return std::optional<std::string>();
  return fail(text.error());
}

// Index files of the last segment may be late: what they lack is read again at a start.
void note_indexes(const std::string& directory, const SegmentCheck& segment, SegmentPlace place, FolderCheck& check) {
  if (place == SegmentPlace::kSealed) {
    for (const std::string& line : segment.missing_files) check.derived.push_back(segment.path + ": " + line);
  }
  if (segment.indexes.empty()) return;
  for (const std::string& line : segment.indexes.first()) check.derived.push_back(segment.path + ": " + line);
  for (const std::string_view suffix : {kIndexSuffix, kTimeIndexSuffix}) {
    check.bad_files.push_back(segment_path(directory, segment.base_offset, suffix));
  }
}

Result<void> check_small_files(FileSystem& files, const std::string& directory, const FolderContent& content,
                               FolderCheck& check) {
  for (const Offset offset : content.snapshots) {
    const std::string path = segment_path(directory, offset, kSnapshotSuffix);
    TRY(bytes, read_small(files, path));
    if (!bytes) continue;
    const Result<ProducerState> state = decode_producer_snapshot(as_bytes(*bytes), path, INT64_MAX);
    if (state) continue;
    check.derived.push_back(state.error().context);
    check.bad_files.push_back(path);
  }
  if (!content.has_epochs) return {};
  const std::string path = join_path(directory, kLeaderEpochFile);
  TRY(text, read_small(files, path));
  if (!text) return {};
  const Result<LeaderEpochCache> epochs = LeaderEpochCache::decode(*text, path);
  if (epochs) return {};
  check.derived.push_back(epochs.error().context);
  check.bad_files.push_back(path);
  return {};
}

void note_others(const std::string& directory, const FolderContent& content, FolderCheck& check) {
  for (const std::string& name : content.leftovers)
    check.notes.push_back(join_path(directory, name) + ": leftover of interrupted work");
  for (const auto& [base_offset, names] : content.lone_indexes) {
    for (const std::string& name : names) check.notes.push_back(join_path(directory, name) + ": its log is not there");
  }
  for (const Offset base_offset : content.swaps) {
    check.notes.push_back(segment_path(directory, base_offset, kLogSuffix) + std::string(kSwapSuffix) +
                          ": a compacted segment, which the next start puts in place");
  }
  for (const std::string& name : content.strays) check.notes.push_back(join_path(directory, name) + ": unknown");
}

SegmentCheckOptions options_of(const FolderContent& content, Offset base_offset, const RecoveryHints& hints) {
  const auto holds_bytes = [](const auto& segment) { return segment.second.size_bytes > 0; };
  const auto next = content.logs.upper_bound(base_offset);
  const bool is_last = std::none_of(next, content.logs.end(), holds_bytes);
  return {.recovery_point = hints.recovery_point,
          .place = is_last ? SegmentPlace::kLast : SegmentPlace::kSealed,
          .next_base = next == content.logs.end() ? Offset(INT64_MAX) : next->first};
}

// As recovery finds it, once damaged bytes are out of the way.
void check_end(const std::string& directory, const RecoveryHints& hints, FolderCheck& check) {
  const std::vector<SegmentCheck>& segments = check.segments;
  if (segments.empty()) return;
  const Offset end = std::max(segments.back().next_offset, hints.recovery_point);
  if (hints.log_start > end) {
    check.checkpoint_faults.push_back(fmt::format("{} says that {} begins at offset {}, but it ends at {}",
                                                  kLogStartFile, file_name_of(directory), hints.log_start, end));
  }
  const auto last = std::find_if(segments.rbegin(), segments.rend(),
                                 [](const SegmentCheck& segment) { return segment.batch_count > 0; });
  const Offset stands_to = last == segments.rend() ? segments.front().base_offset : last->next_offset;
  const Offset begin = std::max(stands_to, hints.log_start > end ? Offset(0) : hints.log_start);
  if (begin < end) check.lost = LostOffsets{begin, end};
}

// Of a copy that lies outside of a data directory nobody knows how far it was durable: all that others follow counts.
MissingRules rules_of(const RecoveryHints& hints, Asides asides) {
  const bool is_copy = hints.compacted == Compacted::kUnknown && hints.recovery_point == Offset(0);
  return {.point = is_copy ? Offset(INT64_MAX) : hints.recovery_point,
          .log_start = hints.log_start,
          .compacted = hints.compacted,
          .log_start_is_exact = hints.log_start_is_exact,
          .asides_explain = asides == Asides::kExplain};
}

void check_gaps(FileSystem& files, const std::string& directory, const FolderContent& content,
                const MissingRules& rules, FolderCheck& check) {
  if (check.segments.empty()) return;
  std::vector<SegmentExtent> extents;
  for (const SegmentCheck& segment : check.segments) {
    extents.push_back({.base_offset = segment.base_offset,
                       .end = segment.next_offset,
                       .indexed_end = indexed_beyond(files, directory, segment.base_offset, segment.size_bytes),
                       .size_bytes = segment.size_bytes,
                       .last_epoch = segment.last_epoch,
                       .is_damaged_at_end = segment.is_damaged_at_end(),
                       .begins_without_records = segment.begins_without_records});
  }
  for (MissingRecords& found : find_missing_records(content, extents, rules)) {
    (found.is_certain ? check.missing : check.doubtful).push_back(std::move(found));
  }
}

}  // namespace

bool FolderCheck::has_damage() const noexcept {
  return !missing.empty() || std::any_of(segments.begin(), segments.end(),
                                         [](const SegmentCheck& segment) { return !segment.damaged.empty(); });
}

Result<SegmentCheckOptions> check_options_of(FileSystem& files, const std::string& path, const RecoveryHints& hints) {
  TRY(content, read_folder(files, std::string(parent_directory(path))));
  const auto name = parse_segment_file_name(file_name_of(path));
  const RecoveryHints known = with_known_point(files, std::string(parent_directory(path)), content, hints);
  return options_of(content, name ? name->base_offset : Offset(0), known);
}

Result<FolderCheck> check_folder(FileSystem& files, const std::string& directory, const RecoveryHints& given,
                                 Asides asides) {
  TRY(content, read_folder(files, directory));
  const RecoveryHints hints = with_known_point(files, directory, content, given);
  FolderCheck check;
  Offset last_end{0};
  for (const auto& [base_offset, info] : content.logs) {
    const SegmentCheckOptions options = options_of(content, base_offset, hints);
    TRY(segment, check_segment(files, join_path(directory, info.name), options));
    if (base_offset < last_end) {
      check.overlaps.push_back({.path = segment.path,
                                .what = fmt::format("begins with offset {}, but the segment before ends with {}",
                                                    base_offset, last_end - 1)});
    }
    last_end = std::max(last_end, segment.next_offset);
    note_indexes(directory, segment, options.place, check);
    check.segments.push_back(std::move(segment));
  }
  TRY(check_small_files(files, directory, content, check));
  note_others(directory, content, check);
  check_gaps(files, directory, content, rules_of(hints, asides), check);
  check_end(directory, hints, check);
  return check;
}

}  // namespace leat
