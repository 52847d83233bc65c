// segment_check.cpp: one walk over the batches; the indexes are sorted as the batches are, so each waits with its next
// entry until the walk comes by.
#include "cli/segment_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/segment_files.h"
#include "core/log/batch_scanner.h"
#include "core/log/file_names.h"
#include "core/record/compression.h"
#include "core/record/record_stream.h"

namespace leat::cli {
namespace {

constexpr size_t kProblemsShown = 20;
constexpr int64_t kUnpackedMax = int64_t{1} << 30;

class SegmentCheck {
 public:
  SegmentCheck(FileSystem& files, const std::string& path) : files_(files) { report_.path = path; }
  Result<SegmentReport> run();

 private:
  Result<void> open_indexes();
  void on_batch(const ScannedBatch& scanned, bool crc_ok);
  void check_order(const ScannedBatch& scanned);
  void check_records(const ScannedBatch& scanned);
  void check_indexes(const ScannedBatch& scanned);
  void finish_indexes();
  template <class... Args>
  void problem(fmt::format_string<Args...> text, Args&&... args) {
    if (++report_.problem_count <= static_cast<int64_t>(kProblemsShown)) {
      report_.problems.push_back(fmt::format(text, std::forward<Args>(args)...));
    }
  }

  FileSystem& files_;
  SegmentReport report_;
  Offset base_offset_{0};
  int32_t last_epoch_ = -1;
  int64_t max_timestamp_ms_ = kNoTimestamp;
  IndexColumns offsets_;
  IndexColumns times_;
  size_t next_offset_entry_ = 0;
  size_t next_time_entry_ = 0;
};

Result<SegmentReport> SegmentCheck::run() {
  const std::optional<SegmentFileName> name = parse_segment_file_name(file_name_of(report_.path));
  if (!name || name->suffix != kLogSuffix) {
    return fail(Errc::kInvalidArgument,
                fmt::format("'{}' is no segment: its name is not 20 digits and .log", report_.path));
  }
  base_offset_ = name->base_offset;
  report_.next_offset = base_offset_;
  TRY(file, files_.open(report_.path, OpenMode::kRead));
  TRY(size, file->size());
  report_.size_bytes = size;
  TRY(open_indexes());
  BatchScanner scanner(*file, Position(0), size, BatchScanner::Depth::kWhole);
  for (;;) {
    TRY(scanned, scanner.next());
    if (!scanned) break;
    TRY(crc_ok, scanner.crc_matches(*scanned));
    on_batch(*scanned, crc_ok);
  }
  if (scanner.stop() != BatchScanner::Stop::kEnd) {
    problem("position {}: no whole batch for the last {} bytes ({})", scanner.position(), size - scanner.position().v,
            scanner.stop() == BatchScanner::Stop::kIncomplete ? "torn tail: leatd cuts it after a crash"
                                                              : scanner.stop_reason());
  }
  finish_indexes();
  return std::move(report_);
}

Result<void> SegmentCheck::open_indexes() {
  const auto read = [this](std::string_view suffix, auto&& reader, IndexColumns& columns) -> Result<void> {
    Result<IndexColumns> found = reader(files_, beside(report_.path, suffix));
    if (!found && found.error().code == Errc::kNotFound) {
      report_.notes.push_back(fmt::format("no {} file; leatd makes it anew", suffix));
      return {};
    }
    if (!found) return fail(found.error());
    columns = *std::move(found);
    if (columns.odd_bytes != 0) problem("{}: {} bytes behind its last whole entry", suffix, columns.odd_bytes);
    return {};
  };
  TRY(read(kIndexSuffix, read_offset_index, offsets_));
  TRY(read(kTimeIndexSuffix, read_time_index, times_));
  report_.index_entry_count = static_cast<int64_t>(offsets_.entries.size() + times_.entries.size());
  return {};
}

void SegmentCheck::on_batch(const ScannedBatch& scanned, bool crc_ok) {
  const BatchView& batch = scanned.batch;
  if (report_.batch_count++ == 0) report_.first_offset = batch.base_offset();
  report_.record_count += std::max(batch.record_count(), 0);
  if (crc_ok) {
    check_records(scanned);
  } else {
    problem("position {}, offset {}: the CRC is wrong", scanned.position, batch.base_offset());
  }
  check_order(scanned);
  max_timestamp_ms_ = std::max(max_timestamp_ms_, batch.max_timestamp());
  check_indexes(scanned);
}

void SegmentCheck::check_order(const ScannedBatch& scanned) {
  const BatchView& batch = scanned.batch;
  if (batch.base_offset() < report_.next_offset) {
    problem("position {}: base offset {} where {} or more must be", scanned.position, batch.base_offset(),
            report_.next_offset);
  }
  if (batch.last_offset_delta() < 0)
    problem("position {}: last offset delta {}", scanned.position, batch.last_offset_delta());
  if (batch.leader_epoch() < last_epoch_) {
    problem("position {}: leader epoch {} after {}", scanned.position, batch.leader_epoch(), last_epoch_);
  }
  last_epoch_ = std::max(last_epoch_, batch.leader_epoch());
  report_.next_offset = std::max(report_.next_offset, batch.next_offset());
}

void SegmentCheck::check_records(const ScannedBatch& scanned) {
  const BatchView& batch = scanned.batch;
  const Result<Codec> codec = codec_from_bits(batch.codec_bits());
  if (!codec) return problem("position {}: {}", scanned.position, codec.error().context);
  if (!scanned.is_whole) return;  // larger than the buffer: its CRC must do
  RecordStream stream(*codec, batch.records(), kUnpackedMax);
  RecordMeta meta;
  for (int32_t index = 0; index <= batch.record_count(); ++index) {
    const RecordStream::Next next = stream.next(meta);
    if (next == RecordStream::Next::kFailed)
      return problem("position {}: {}", scanned.position, stream.error().context);
    if ((next == RecordStream::Next::kEnd) != (index == std::max(batch.record_count(), 0))) {
      return problem("position {}: the header says {} records, found {}", scanned.position, batch.record_count(),
                     next == RecordStream::Next::kEnd ? std::to_string(index) : "more");
    }
    const bool outside =
        next == RecordStream::Next::kRecord && (meta.offset_delta < 0 || meta.offset_delta > batch.last_offset_delta());
    if (outside) {
      return problem("position {}: record {} has offset {}, beyond the batch's", scanned.position, index,
                     batch.base_offset() + meta.offset_delta);
    }
  }
}

void SegmentCheck::check_indexes(const ScannedBatch& scanned) {
  const Offset last_offset = scanned.batch.last_offset();
  while (next_offset_entry_ < offsets_.entries.size()) {
    const auto& [relative, position] = offsets_.entries[next_offset_entry_];
    if (position > scanned.position.v) break;
    if (position < scanned.position.v) {
      problem(".index entry {}: no batch begins at position {}", next_offset_entry_, position);
    } else if (base_offset_.v + relative != last_offset.v) {
      problem(".index entry {}: offset {} at position {}, where the batch ends with {}", next_offset_entry_,
              base_offset_.v + relative, position, last_offset);
    }
    ++next_offset_entry_;
  }
  while (next_time_entry_ < times_.entries.size()) {
    const auto& [timestamp_ms, relative] = times_.entries[next_time_entry_];
    if (base_offset_.v + relative > last_offset.v) break;
    if (timestamp_ms != max_timestamp_ms_) {
      problem(".timeindex entry {}: timestamp {} up to offset {}, where {} is the largest", next_time_entry_,
              timestamp_ms, base_offset_.v + relative, max_timestamp_ms_);
    }
    ++next_time_entry_;
  }
}

void SegmentCheck::finish_indexes() {
  if (next_offset_entry_ < offsets_.entries.size()) {
    problem(".index: {} entries point behind the last batch", offsets_.entries.size() - next_offset_entry_);
  }
  if (next_time_entry_ < times_.entries.size()) {
    problem(".timeindex: {} entries point behind the last batch", times_.entries.size() - next_time_entry_);
  }
}

}  // namespace

Result<SegmentReport> check_segment(FileSystem& files, const std::string& log_path) {
  return SegmentCheck(files, log_path).run();
}

}  // namespace leat::cli
