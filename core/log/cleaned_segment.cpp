// cleaned_segment.cpp: writing a compacted segment, and giving it its names.
#include "core/log/cleaned_segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/log/file_names.h"

namespace leat {
namespace {

constexpr size_t kPendingBytesMax = 1 << 20;

std::string cleaned_path(const std::string& directory, Offset base_offset, std::string_view suffix) {
  return segment_path(directory, base_offset, suffix) + std::string(kCleanedSuffix);
}

Result<void> rename_if_there(FileSystem& files, const std::string& from, const std::string& to) {
  const Result<void> renamed = files.rename(from, to);
  if (!renamed && renamed.error().code != Errc::kNotFound) return renamed;
  return {};
}

}  // namespace

CleanedSegment::CleanedSegment(const Options& options)
    : options_(options), segment_(std::make_shared<Segment>(options.base_offset)) {}

Result<std::unique_ptr<CleanedSegment>> CleanedSegment::create(const Options& options) {
  std::unique_ptr<CleanedSegment> cleaned(new CleanedSegment(options));
  TRY(file, options.files.open(cleaned_path(options.directory, options.base_offset, kLogSuffix), OpenMode::kCreate));
  TRY(file->truncate(0));
  cleaned->segment_->file = std::move(file);
  return cleaned;
}

Result<void> CleanedSegment::add(const BatchView& batch) {
  const Position position(segment_->size_bytes);
  if (position.v + batch.size_bytes() > INT32_MAX) {
    return fail(Errc::kLimit, fmt::format("{}: what compaction keeps does not fit in 2 GiB",
                                          segment_path(options_.directory, options_.base_offset, kLogSuffix)));
  }
  // The times of the appends are what finish() is told.
  segment_->add_batch({.position = position,
                       .size_bytes = batch.size_bytes(),
                       .base_offset = batch.base_offset(),
                       .last_offset = batch.last_offset(),
                       .max_timestamp_ms = batch.max_timestamp()},
                      options_.index_interval_bytes, batch.max_timestamp());
  pending_.insert(pending_.end(), batch.bytes().begin(), batch.bytes().end());
  return pending_.size() < kPendingBytesMax ? Result<void>() : write_pending();
}

Result<void> CleanedSegment::write_pending() {
  if (pending_.empty()) return {};
  const std::array<ByteView, 1> pieces{ByteView(pending_)};
  TRY(segment_->file->write_at(pending_at_, pieces));
  pending_at_ += static_cast<int64_t>(pending_.size());
  pending_.clear();
  return {};
}

Result<void> CleanedSegment::sync(File& file) {
  Result<void> synced = file.sync(options_.kind);
  if (!synced) sync_failed_ = true;
  return synced;
}

Result<void> CleanedSegment::write_index(std::string_view suffix, const std::vector<uint8_t>& bytes) {
  TRY(file, options_.files.open(cleaned_path(options_.directory, options_.base_offset, suffix), OpenMode::kCreate));
  TRY(file->truncate(0));
  const std::array<ByteView, 1> pieces{ByteView(bytes)};
  if (!bytes.empty()) TRY(file->write_at(Position(0), pieces));
  return sync(*file);
}

Result<std::shared_ptr<Segment>> CleanedSegment::finish(int64_t last_append_ms) {
  TRY(write_pending());
  TRY(sync(*segment_->file));
  segment_->complete_time_index();
  TRY(write_index(kIndexSuffix, segment_->index.encode(0)));
  TRY(write_index(kTimeIndexSuffix, segment_->time_index.encode(0)));
  segment_->first_append_ms = last_append_ms;
  segment_->last_append_ms = last_append_ms;
  segment_->synced_bytes = segment_->size_bytes;
  segment_->directory_synced = true;
  segment_->awaits_swap = true;
  return segment_;
}

std::vector<std::string> CleanedSegment::paths(const std::string& directory, Offset base_offset) {
  std::vector<std::string> paths;
  for (const std::string_view suffix : {kLogSuffix, kIndexSuffix, kTimeIndexSuffix}) {
    paths.push_back(cleaned_path(directory, base_offset, suffix));
  }
  return paths;
}

namespace {

Result<void> sync_names(FileSystem& files, const std::string& directory, SegmentSwap& swap) {
  Result<void> synced = files.sync_directory(directory);
  if (!synced) swap.sync_failed = true;
  return synced;
}

Result<void> give_name(FileSystem& files, const std::string& directory, SegmentSwap& swap) {
  if (!swap.next_path.empty()) {
    TRY(files.open(swap.next_path, OpenMode::kCreate));
    TRY(sync_names(files, directory, swap));  // before the new segment counts
  }
  const std::string path = segment_path(directory, swap.base_offset, kLogSuffix);
  TRY(files.rename(path + std::string(kCleanedSuffix), path + std::string(kSwapSuffix)));
  return sync_names(files, directory, swap);
}

// The transaction index of the first stays: a pass takes no segment that has transactions.
Result<void> clear_others(FileSystem& files, const std::string& directory, SegmentSwap& swap) {
  for (const std::string_view suffix : {kIndexSuffix, kTimeIndexSuffix}) {
    TRY(remove_if_there(files, segment_path(directory, swap.base_offset, suffix)));
  }
  for (const Offset other : swap.others) {
    for (const std::string_view suffix : {kLogSuffix, kIndexSuffix, kTimeIndexSuffix, kTransactionIndexSuffix}) {
      TRY(remove_if_there(files, segment_path(directory, other, suffix)));
    }
  }
  return sync_names(files, directory, swap);
}

Result<void> rename_indexes(FileSystem& files, const std::string& directory, SegmentSwap& swap) {
  for (const std::string_view suffix : {kIndexSuffix, kTimeIndexSuffix}) {
    TRY(rename_if_there(files, cleaned_path(directory, swap.base_offset, suffix),
                        segment_path(directory, swap.base_offset, suffix)));
  }
  return sync_names(files, directory, swap);
}

}  // namespace

Result<void> carry_out(FileSystem& files, const std::string& directory, SegmentSwap& swap) {
  const std::string path = segment_path(directory, swap.base_offset, kLogSuffix);
  if (swap.stage == SwapStage::kMade) {
    TRY(give_name(files, directory, swap));
    swap.stage = SwapStage::kNamed;
  }
  if (swap.stage == SwapStage::kNamed) {
    TRY(clear_others(files, directory, swap));
    swap.stage = SwapStage::kCleared;
  }
  if (swap.stage == SwapStage::kCleared) {
    TRY(files.rename(path + std::string(kSwapSuffix), path));
    swap.stage = SwapStage::kRenamed;
  }
  if (swap.stage == SwapStage::kRenamed) {
    TRY(rename_indexes(files, directory, swap));
    swap.stage = SwapStage::kDone;
  }
  return {};
}

}  // namespace leat
