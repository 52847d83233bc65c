// compaction.cpp: the steps of a pass.
#include "core/log/compaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/base/check.h"
#include "core/log/compaction_records.h"
#include "core/log/file_names.h"

namespace leat {

struct CompactionPass::Walk {
  Walk(std::unique_ptr<File> opened, const CompactionSegment& segment)
      : file(std::move(opened)),
        scanner(*file, Position(0), segment.size_bytes, BatchScanner::Depth::kWhole),
        next_offset(segment.base_offset) {}

  std::unique_ptr<File> file;
  BatchScanner scanner;
  Offset next_offset;
  BlockRef large;  // of a batch that is larger than the scanner's buffer
};

CompactionPass::CompactionPass(Plan plan)
    : plan_(std::move(plan)), end_(plan_.range.end), map_(plan_.secret, plan_.limits.map_bytes_max) {
  ENSURE(!plan_.segments.empty() && plan_.segments.size() == plan_.facts.size(), "{} segments", plan_.facts.size());
}

CompactionPass::~CompactionPass() = default;

std::string CompactionPass::path_of(size_t segment) const {
  return segment_path(plan_.directory, plan_.facts[segment].base_offset, kLogSuffix);
}

Result<void> CompactionPass::step() {
  left_bytes_ = plan_.limits.step_bytes_max;
  if (!std::exchange(is_begun_, true)) {
    std::sort(plan_.producers.begin(), plan_.producers.end(),
              [](const ProducerToKeep& a, const ProducerToKeep& b) { return a.producer_id < b.producer_id; });
  }
  while (state_ == State::kAtWork && left_bytes_ > 0) {
    TRY(phase_ == Phase::kMapping ? map_one() : copy_one());
  }
  return {};
}

// nullopt at the end of the segment. Every batch is checked: a wrong offset or key would take good records away.
Result<std::optional<BatchView>> CompactionPass::next_batch(size_t segment) {
  const CompactionSegment& facts = plan_.facts[segment];
  if (walk_ == nullptr) {
    TRY(file, plan_.files.open(path_of(segment), OpenMode::kRead));
    walk_ = std::make_unique<Walk>(std::move(file), facts);
  }
  const auto corrupt = [this, segment](Position at, std::string_view what) {
    return fail(Errc::kCorrupt, fmt::format("{} at {}: {}; not compacted", path_of(segment), at.v, what));
  };
  TRY(scanned, walk_->scanner.next());
  if (!scanned && walk_->scanner.stop() == BatchScanner::Stop::kEnd) {
    walk_.reset();
    return std::optional<BatchView>();
  }
  if (!scanned) return corrupt(walk_->scanner.position(), walk_->scanner.stop_reason());
  BatchView batch = scanned->batch;
  if (!scanned->is_whole) {
    const auto size = static_cast<size_t>(batch.size_bytes());
    const Position at = scanned->position;
    walk_->large = BlockRef::allocate(size);
    TRY(count, walk_->file->read_at(at, {walk_->large.data(), size}));
    if (count < size) return corrupt(at, "the file ends inside a batch");
    batch = BatchView(ByteView(walk_->large.data(), size));
  }
  const bool is_in_order = batch.base_offset() >= walk_->next_offset && batch.last_offset() < facts.next_base_offset;
  if (!is_in_order) return corrupt(scanned->position, "a batch is not in order");
  if (!batch.crc_matches()) return corrupt(scanned->position, "CRC does not match");
  walk_->next_offset = batch.next_offset();
  left_bytes_ -= batch.size_bytes();
  return std::optional(batch);
}

Result<void> CompactionPass::map_one() {
  while (at_ < plan_.facts.size() && plan_.facts[at_].next_base_offset <= plan_.range.first_dirty) ++at_;
  if (at_ == plan_.facts.size() || plan_.facts[at_].base_offset >= end_) {
    begin_copying();
    return {};
  }
  TRY(batch, next_batch(at_));
  if (batch) return map_batch(*batch);
  ++at_;
  return {};
}

Result<void> CompactionPass::map_batch(const BatchView& batch) {
  const Offset first_dirty = plan_.range.first_dirty;
  if (batch.last_offset() < first_dirty) return {};
  if (batch.base_offset() >= end_) {
    begin_copying();
    return {};
  }
  if (batch.is_transactional() || batch.is_control()) {
    barrier_ = at_;
    end_ = std::max(plan_.facts[at_].base_offset, first_dirty);
    begin_copying();
    return {};
  }
  TRY(records, CompactionRecords::open(batch, plan_.config.decompressed_bytes_max));
  left_bytes_ -= records.unpacked_bytes();
  while (true) {
    TRY(item, records.next());
    if (!item) break;
    if (item->offset < first_dirty || !item->record.key) continue;
    if (map_.put(*item->record.key, item->offset) == CompactionMap::Put::kDone) continue;
    if (batch.base_offset() <= first_dirty) {
      return fail(Errc::kLimit,
                  fmt::format("{}: the keys of the batch at offset {} do not fit in {} bytes; not compacted",
                              path_of(at_), batch.base_offset().v, map_.bytes()));
    }
    // Full. What of this batch is in the map already does no harm: it stays, and what it supersedes may go.
    end_ = batch.base_offset();
    begin_copying();
    return {};
  }
  note_producer(batch);
  return {};
}

void CompactionPass::note_producer(const BatchView& batch) {
  if (!batch.has_producer_id()) return;
  const ProducerToKeep* producer = find_producer(std::as_const(plan_.producers), batch.producer_id());
  if (producer != nullptr && producer->last_offset == kNoOffset) last_seen_[batch.producer_id()] = batch.last_offset();
}

void CompactionPass::begin_copying() {
  walk_.reset();
  phase_ = Phase::kCopying;
  at_ = 0;
  const bool has_work = end_ > plan_.range.first_dirty || plan_.range.reason == CompactionReason::kTombstones;
  const size_t most = has_work ? std::min(plan_.facts.size(), barrier_) : 0;
  while (copied_end_ < most && plan_.facts[copied_end_].base_offset < end_) ++copied_end_;
  for (const auto& [producer_id, last_offset] : std::exchange(last_seen_, {})) {
    find_producer(plan_.producers, producer_id)->last_offset = last_offset;
  }
  filter_.emplace(map_, FilterRules{.first_dirty = plan_.range.first_dirty,
                                    .end = end_,
                                    .now_ms = plan_.now_ms,
                                    .delete_retention_ms = plan_.config.delete_retention_ms,
                                    .decompressed_bytes_max = plan_.config.decompressed_bytes_max,
                                    .log_end = plan_.log_end,
                                    .producers = std::move(plan_.producers)});
}

Result<void> CompactionPass::copy_one() {
  if (!group_ && at_ == copied_end_) {
    state_ = State::kFinished;
    return {};
  }
  if (!group_) return begin_group();
  TRY(batch, next_batch(group_->at));
  if (batch) return copy_batch(*batch);
  ++group_->at;
  return group_->at == group_->first + group_->count ? end_group() : Result<void>();
}

Result<void> CompactionPass::begin_group() {
  const auto left = std::span<const CompactionSegment>(plan_.facts).subspan(at_, copied_end_ - at_);
  Group group;
  group.first = at_;
  group.at = at_;
  group_ = std::move(group);
  group_->count = segments_merged(left, plan_.config);
  for (const CompactionSegment& facts : left.first(group_->count)) group_->bytes_before += facts.size_bytes;
  return group_->count > 1 ? begin_output() : Result<void>();
}

Result<void> CompactionPass::begin_output() {
  TRY(output, CleanedSegment::create({.files = plan_.files,
                                      .directory = plan_.directory,
                                      .base_offset = plan_.facts[group_->first].base_offset,
                                      .index_interval_bytes = plan_.config.index_interval_bytes,
                                      .kind = plan_.kind}));
  group_->output = std::move(output);
  return {};
}

Result<void> CompactionPass::copy_batch(const BatchView& batch) {
  TRY(filtered, filter_->filter(batch));
  left_bytes_ -= filtered.unpacked_bytes;
  Group& group = *group_;
  if (filtered.fate != FilteredBatch::Fate::kStays && group.output == nullptr) {
    // The first that changes: once more from the begin of the segment, now with something to write to.
    walk_.reset();
    group.delete_horizon_ms = kNoHorizon;
    return begin_output();
  }
  group.delete_horizon_ms = std::min(group.delete_horizon_ms, filtered.delete_horizon_ms);
  group.records_gone += filtered.records_gone;
  switch (filtered.fate) {
    case FilteredBatch::Fate::kStays:
      return group.output == nullptr ? Result<void>() : group.output->add(batch);
    case FilteredBatch::Fate::kAnew:
      return group.output->add(BatchView(filtered.bytes.view()));
    case FilteredBatch::Fate::kGoes:
      return {};
  }
  return {};
}

Result<void> CompactionPass::end_group() {
  Group& group = *group_;
  bytes_before_ += group.bytes_before;
  if (group.output == nullptr) {
    bytes_after_ += group.bytes_before;
    unchanged_.push_back({group.first, group.delete_horizon_ms});
  } else {
    int64_t last_append_ms = kNoTimestamp;
    for (size_t i = 0; i < group.count; ++i) {
      last_append_ms = std::max(last_append_ms, plan_.facts[group.first + i].last_append_ms);
    }
    Result<std::shared_ptr<Segment>> segment = group.output->finish(last_append_ms);
    sync_failed_ = group.output->sync_failed();
    if (!segment) return fail(segment.error());
    (*segment)->delete_horizon_ms = group.delete_horizon_ms;
    records_gone_ += group.records_gone;
    bytes_after_ += (*segment)->size_bytes;
    replacement_ = Replacement{.first = group.first, .count = group.count, .segment = std::move(*segment)};
    state_ = State::kSegmentReady;
  }
  at_ = group.first + group.count;
  group_.reset();
  return {};
}

CompactionPass::Replacement CompactionPass::take_replacement() {
  ENSURE(state_ == State::kSegmentReady && replacement_, "{}", plan_.directory);
  Replacement taken = std::move(*replacement_);
  replacement_.reset();
  state_ = State::kAtWork;
  return taken;
}

std::vector<std::string> CompactionPass::leftovers() const {
  if (replacement_) return CleanedSegment::paths(plan_.directory, replacement_->segment->base_offset);
  if (group_ && group_->output != nullptr) {
    return CleanedSegment::paths(plan_.directory, plan_.facts[group_->first].base_offset);
  }
  return {};
}

std::string CompactionPass::summary() const {
  return fmt::format("compacted by {} up to offset {}: {} bytes became {}, {} records are gone",
                     to_string(plan_.range.reason), end_.v, bytes_before_, bytes_after_, records_gone_);
}

}  // namespace leat
