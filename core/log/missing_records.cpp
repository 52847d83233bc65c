// missing_records.cpp: judging gaps, and the batch that stands for what is gone.
#include "core/log/missing_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/base/check.h"
#include "core/log/file_names.h"
#include "core/log/index_files.h"
#include "core/record/batch_builder.h"

namespace leat {
namespace {

class MissingSearch {
 public:
  MissingSearch(const FolderContent& content, const std::vector<SegmentExtent>& segments, const MissingRules& rules)
      : content_(content), segments_(segments), rules_(rules) {
    // Compaction that was cut short may have come to the log, and not to the index; so may retention.
    for (const auto& [base_offset, names] : content.lone_indexes) {
      const bool is_explained = !content.swaps.empty() || content.deleted_logs.contains(base_offset);
      if (!is_explained) lone_.insert(base_offset);
    }
  }

  std::vector<MissingRecords> run() {
    look_in_front();
    // What is missing behind the last segment that holds anything, the log's end tells.
    size_t count = segments_.size();
    while (count > 0 && segments_[count - 1].size_bytes == 0) --count;
    for (size_t i = 0; i + 1 < count; ++i) look_behind(i);
    return std::move(missing_);
  }

 private:
  void look_in_front() {
    const SegmentExtent& first = segments_.front();
    if (first.begins_without_records) return;
    const Offset end = std::min(first.base_offset, rules_.point);
    if (!lone_.empty() && *lone_.begin() < end && rules_.log_start < end) {
      const Offset lone = *lone_.begin();
      return add_lone(0, lone, std::max(lone, rules_.log_start), end);
    }
    const bool is_short = rules_.log_start_is_exact && rules_.compacted == Compacted::kNo && rules_.log_start < end;
    if (!is_short) return;
    add({.segment = 0,
         .begin = rules_.log_start,
         .end = end,
         .what = fmt::format("the log began at offset {} when it was closed, its first segment begins with {}",
                             rules_.log_start, first.base_offset)});
  }

  void look_behind(size_t index) {
    const SegmentExtent& segment = segments_[index];
    const SegmentExtent& next = segments_[index + 1];
    const Offset begin = std::max(segment.end, rules_.log_start);
    const Offset end = std::min(next.base_offset, rules_.point);
    if (segment.is_damaged_at_end || next.begins_without_records || begin >= end) return;
    const bool is_compacted = rules_.compacted == Compacted::kMaybe;
    const auto lone = lone_.lower_bound(std::max(segment.end, segment.base_offset + 1));
    if (lone != lone_.end() && *lone < end) {
      return add_lone(index, *lone, is_compacted ? std::max(*lone, begin) : begin, end);
    }
    if (rules_.asides_explain && has_aside(segment.base_offset)) return;
    if (segment.indexed_end > segment.end) {
      return add({.segment = index,
                  .begin = begin,
                  .end = is_compacted ? std::clamp(segment.indexed_end, begin + 1, end) : end,
                  .what = fmt::format("the segment ends before offset {}, its index goes on to {}", segment.end,
                                      segment.indexed_end - 1)});
    }
    if (is_compacted) return;
    add({.segment = index,
         .begin = begin,
         .end = end,
         .is_certain = rules_.compacted == Compacted::kNo,
         .what = fmt::format("the segment ends before offset {}, the next one begins with {}", segment.end,
                             next.base_offset)});
  }

  void add_lone(size_t index, Offset lone, Offset begin, Offset end) {
    add({.segment = index,
         .begin = begin,
         .end = end,
         .lone_index = lone,
         .what = fmt::format("{} is gone, its index is there", segment_file_name(lone, kLogSuffix))});
  }

  void add(MissingRecords missing) {
    missing.what += fmt::format(": the records of offsets {} to {} are missing", missing.begin, missing.end - 1);
    if (!missing.is_certain) missing.what += ", unless compaction took them: nobody has noted whether it was ever on";
    missing_.push_back(std::move(missing));
  }

  bool has_aside(Offset base_offset) const {
    const std::string prefix = segment_file_name(base_offset, kLogSuffix) + ".";
    return std::any_of(content_.asides.begin(), content_.asides.end(),
                       [&prefix](const std::string& name) { return name.starts_with(prefix); });
  }

  const FolderContent& content_;
  const std::vector<SegmentExtent>& segments_;
  const MissingRules& rules_;
  std::set<Offset> lone_;  // of the indexes whose log is gone without an explanation
  std::vector<MissingRecords> missing_;
};

}  // namespace

std::vector<MissingRecords> find_missing_records(const FolderContent& content,
                                                 const std::vector<SegmentExtent>& segments,
                                                 const MissingRules& rules) {
  ENSURE(!segments.empty());
  return MissingSearch(content, segments, rules).run();
}

// An entry leads to the first byte of a batch: beyond the end of the file there was one. Of a segment without a byte a
// time index says as much.
Offset indexed_beyond(FileSystem& files, const std::string& directory, Offset base_offset,
                      int64_t size_bytes) noexcept {
  const std::optional<IndexEntry> last = read_last_index_entry(files, directory, base_offset);
  if (last && int64_t{last->position} >= size_bytes) return base_offset + (int64_t{last->relative_offset} + 1);
  if (size_bytes > 0) return Offset(0);
  const auto last_time = read_last_time_entry(files, segment_path(directory, base_offset, kTimeIndexSuffix));
  if (!last_time || !*last_time || (*last_time)->timestamp_ms <= 0) return Offset(0);
  return base_offset + (int64_t{(*last_time)->relative_offset} + 1);
}

Slice batch_without_records(Offset base_offset, Offset end, int32_t leader_epoch) {
  BatchBuilder builder({.base_offset = base_offset,
                        .leader_epoch = leader_epoch,
                        .last_offset_delta = static_cast<int32_t>(end - base_offset - 1)});
  builder.append({});
  const Result<Slice> batch = builder.finish();
  ENSURE(batch.has_value(), "a batch of one empty record");
  return empty_batch(BatchView(batch->view()));
}

bool is_without_records(const BatchView& batch) noexcept {
  return batch.record_count() == 0 && !batch.has_producer_id() && batch.max_timestamp() == kNoTimestamp;
}

Result<bool> begins_without_records(FileSystem& files, const std::string& path) {
  TRY(file, files.open(path, OpenMode::kRead));
  std::array<uint8_t, kBatchHeaderBytes> header{};
  TRY(count, file->read_at(Position(0), header));
  if (count < header.size()) return false;
  const Result<std::optional<BatchView>> batch = BatchView::parse(header);
  return batch && *batch && is_without_records(**batch);
}

}  // namespace leat
