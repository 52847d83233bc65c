// recovery_gaps.cpp: records that are gone with a segment, or with the end of one. What was durable is reported, and
// nothing is changed, so that the file may be put back; what a crash took before it was durable is covered by a batch
// without records. So in a log that is not compacted every gap between segments is accounted for, or is damage.
#include <fmt/format.h>

#include <algorithm>

#include "core/log/file_names.h"
#include "core/log/recovery_run.h"

namespace leat {

namespace {

bool has_gaps(const std::vector<SegmentExtent>& extents) {
  for (size_t i = 0; i + 1 < extents.size(); ++i) {
    const SegmentExtent& next = extents[i + 1];
    const bool is_gap = !extents[i].is_damaged_at_end && extents[i].end < next.base_offset;
    if (is_gap && !next.begins_without_records) return true;
  }
  return false;
}

}  // namespace

// What compaction has done, or may have.
Compacted RecoveryRun::compacted() const noexcept {
  return open_.config.compact ? Compacted::kMaybe : hints_.compacted;
}

Result<void> RecoveryRun::settle_gaps() {
  const std::vector<SegmentExtent> extents = extents_of_segments();
  // What nobody has noted, of a log that was made a moment before a crash or has come from elsewhere, does not matter
  // where there are no gaps: those that come are none of compaction's.
  const bool has_come_through = hints_.compacted == Compacted::kUnknown && !has_gaps(extents);
  log_.compacted = has_come_through ? Compacted::kNo : hints_.compacted;
  if (foreign()) {
    for (const auto& [base_offset, names] : content_.lone_indexes) {
      for (const std::string& name : names) report_.notes.push_back(fmt::format("{}/{}: left alone", directory_, name));
    }
    return {};
  }
  const MissingRules rules{.point = hints_.recovery_point,
                           .log_start = hints_.log_start,
                           .compacted = compacted(),
                           .log_start_is_exact = hints_.log_start_is_exact};
  const std::vector<MissingRecords> missing = find_missing_records(content_, extents, rules);
  for (const MissingRecords& found : missing) {
    std::string line =
        fmt::format("{}: {}", segment_path(directory_, extents[found.segment].base_offset, kLogSuffix), found.what);
    if (found.is_certain) {
      TRY(lose(std::move(line)));
    } else {
      report_.doubts.push_back(std::move(line));
    }
  }
  TRY(clear_lone_indexes(missing));
  return cover_gaps(extents);
}

std::vector<SegmentExtent> RecoveryRun::extents_of_segments() {
  std::vector<SegmentExtent> extents;
  extents.reserve(log_.segments.size());
  for (size_t i = 0; i < log_.segments.size(); ++i) {
    const Segment& segment = *log_.segments[i];
    const bool is_last = i + 1 == log_.segments.size();
    extents.push_back(is_last ? SegmentExtent{.base_offset = segment.base_offset, .size_bytes = segment.size_bytes}
                              : extent_of_sealed(i));
    const bool is_behind_gap = i == 0 ? hints_.log_start < segment.base_offset || !content_.lone_indexes.empty()
                                      : extents[i - 1].end < segment.base_offset;
    if (is_behind_gap) note_filler(extents[i]);
  }
  return extents;
}

// What cannot be read now is told, and does not keep the rest from being served.
SegmentExtent RecoveryRun::extent_of_sealed(size_t index) {
  const Segment& segment = *log_.segments[index];
  SegmentExtent extent{
      .base_offset = segment.base_offset, .end = segment.base_offset, .size_bytes = segment.size_bytes};
  if (segment.size_bytes > 0) {
    const Result<SealedEnd> found = end_of_sealed(index);
    if (!found) report_.doubts.push_back(fmt::format("{}; what its end holds is not known", found.error().context));
    // A scan has told already.
    if (found && found->damage && segment.index_home == Segment::IndexHome::kFile) {
      tell_of_damage(fmt::format("{} {}", log_path(segment), *found->damage));
    }
    extent.is_damaged_at_end = !found || found->damage;
    if (found) extent.last_epoch = found->epoch;
    if (found && found->epoch != kNoLeaderEpoch && log_.segments.back()->size_bytes == 0) last_epoch_ = found->epoch;
    if (extent.is_damaged_at_end) return extent;
    extent.end = found->end;
  }
  if (extent.end < bound_of(index)) {
    extent.indexed_end = indexed_beyond(files_, directory_, segment.base_offset, segment.size_bytes);
  }
  return extent;
}

// A segment that cannot be read now counts as one that begins with records.
void RecoveryRun::note_filler(SegmentExtent& extent) {
  if (extent.size_bytes == 0) return;
  const Result<bool> found = begins_without_records(files_, segment_path(directory_, extent.base_offset, kLogSuffix));
  extent.begins_without_records = found && *found;
}

// Of segments that retention was removing, whose logs are still there to explain it.
Result<void> RecoveryRun::clear_removed_indexes() {
  bool any = false;
  for (const Offset base_offset : content_.deleted_logs) {
    const auto lone = content_.lone_indexes.find(base_offset);
    if (lone == content_.lone_indexes.end()) continue;
    for (const std::string& name : lone->second) TRY(files_.remove(join_path(directory_, name)));
    content_.lone_indexes.erase(lone);
    any = true;
  }
  return any ? files_.sync_directory(directory_) : Result<void>();
}

// Those that show what is missing stay: as evidence, and for the segment that may be put back.
Result<void> RecoveryRun::clear_lone_indexes(const std::vector<MissingRecords>& missing) {
  for (auto lone = content_.lone_indexes.begin(); lone != content_.lone_indexes.end();) {
    const bool is_evidence = std::any_of(missing.begin(), missing.end(), [&lone](const MissingRecords& found) {
      return found.lone_index && lone->first >= *found.lone_index && lone->first < found.end;
    });
    if (is_evidence) {
      ++lone;
      continue;
    }
    for (const std::string& name : lone->second) {
      TRY(files_.remove(join_path(directory_, name)));
      report_.notes.push_back(fmt::format("{}/{}: leftover of interrupted work, removed", directory_, name));
    }
    lone = content_.lone_indexes.erase(lone);
  }
  return {};
}

// Between segments beyond the recovery point, of which a crash took one whose name was not durable yet.
Result<void> RecoveryRun::cover_gaps(const std::vector<SegmentExtent>& extents) {
  if (trusted_ == Trusted::kYes || compacted() != Compacted::kNo) return {};
  int32_t epoch = 0;
  std::vector<Gap> gaps;
  size_t count = extents.size();
  while (count > 0 && extents[count - 1].size_bytes == 0) --count;
  for (size_t i = 0; i + 1 < count; ++i) {
    const SegmentExtent& extent = extents[i];
    epoch = std::max(epoch, extent.last_epoch);
    const Offset end = extents[i + 1].base_offset;
    const Offset begin = std::max(extent.end, hints_.log_start);
    const bool is_ours = !extent.is_damaged_at_end && !extents[i + 1].begins_without_records;
    if (!is_ours || begin >= end || begin < hints_.recovery_point) continue;
    gaps.push_back({.segment = extent.base_offset, .begin = begin, .end = end, .epoch = epoch});
  }
  for (const Gap& gap : gaps) {
    const Offset base_offset = std::max({gap.begin, gap.end - INT32_MAX, gap.segment});
    TRY(cover(segment_of(gap.segment), base_offset, gap.end, gap.epoch));
    report_.notes.push_back(
        fmt::format("{}: offsets {} to {} were lost before they were durable; a batch without records stands for them",
                    directory_, gap.begin.v, gap.end.v - 1));
  }
  return {};
}

}  // namespace leat
