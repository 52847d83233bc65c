// partition_log_append.cpp: placing batches at the end of the log, and what follows when they are written and durable.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/log/file_names.h"
#include "core/log/partition_log_impl.h"

namespace leat {

std::optional<Error> PartitionLogImpl::refusal() const {
  if (health_->offline) return health_->offline;
  if (health_->below_reserve && kind_ == LogKind::kClient) {
    return Error(Errc::kNoSpace,
                 fmt::format("{}: the disk is below its reserve; appends resume when space is freed", name_));
  }
  return std::nullopt;
}

// A part of segment.jitter.ms that differs from segment to segment, so that partitions made together do not roll
// together.
int64_t PartitionLogImpl::jitter_ms() const noexcept {
  const int64_t most_ms = std::min(rolling_.segment_jitter_ms, rolling_.segment_ms);
  if (most_ms <= 0) return 0;
  const size_t seed = std::hash<TopicPartition>{}(name_)*31 + std::hash<Offset>{}(segments_.back()->base_offset);
  return static_cast<int64_t>((seed * 0x9e3779b97f4a7c15) % static_cast<uint64_t>(most_ms));
}

std::unique_ptr<LogAppend> PartitionLogImpl::begin_append(std::vector<AppendInput>& inputs, int64_t now_ms) {
  ENSURE(append_out_ == nullptr, "{}", name_);
  auto append = std::make_unique<AppendOperation>(files_, directory_, effective_flush_policy(config_));
  append_out_ = append.get();
  producers_.begin();
  if (const std::optional<Error> refused = refusal()) {
    for (size_t i = 0; i < inputs.size(); ++i) append->outcomes.push_back({.error = refused});
    inputs.clear();
    return append;
  }
  append->placed.reserve(inputs.size());
  append->outcomes.reserve(inputs.size());
  Offset next_offset = offsets_.log_end;
  size_t taken = 0;
  while (taken < inputs.size()) {
    const Placed placed = place(*append, inputs[taken], next_offset, now_ms);
    if (placed == Placed::kMustRoll && !append->placed.empty()) break;
    if (placed == Placed::kMustRoll) {
      roll();
      continue;
    }
    ++taken;
  }
  inputs.erase(inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(taken));
  if (!append->placed.empty()) prepare(*append);
  return append;
}

RollReason PartitionLogImpl::roll_before(const AppendOperation& append, const ValidBatch& batch, Offset next_offset,
                                         int64_t now_ms) noexcept {
  const int64_t group_bytes = append.group_bytes;
  const auto size = static_cast<int64_t>(batch.bytes.size());
  if (group_bytes > 0 &&
      active().size_bytes + group_bytes + size > std::min<int64_t>(rolling_.segment_bytes, INT32_MAX)) {
    return RollReason::kSize;
  }
  // No more index entries than this come of the group.
  const int64_t entries = group_bytes / std::max<int64_t>(config_.index_interval_bytes, 1) + 1;
  const int64_t entry_bytes = entries * static_cast<int64_t>(kTimeIndexEntryBytes);
  if (group_bytes > 0 &&
      static_cast<int64_t>(active().time_index.size_bytes()) + entry_bytes > config_.segment_index_bytes) {
    return RollReason::kIndexFull;
  }
  return roll_reason(
      active(),
      {.batch_bytes = group_bytes + size,
       .last_offset = next_offset + batch.last_offset_delta,
       .max_timestamp_ms = config_.timestamp_type == TimestampType::kLogAppendTime ? now_ms : batch.max_timestamp_ms,
       .now_ms = now_ms},
      rolling_, jitter_ms());
}

PartitionLogImpl::Placed PartitionLogImpl::place(AppendOperation& append, AppendInput& input, Offset& next_offset,
                                                 int64_t now_ms) {
  const ValidBatch& batch = input.batch;
  const BatchView view(batch.bytes.view());
  const auto size = static_cast<int64_t>(batch.bytes.size());
  const ProducerState::Verdict verdict = producers_.check(view);
  if (verdict.error) {
    append.outcomes.push_back({.error = verdict.error});
    return Placed::kNotPlaced;
  }
  if (verdict.duplicate_of) {
    append.outcomes.push_back({.base_offset = *verdict.duplicate_of, .duplicate = true});
    return Placed::kNotPlaced;
  }
  if (size > std::min<int64_t>(config_.segment_bytes, INT32_MAX)) {
    append.outcomes.push_back(
        {.error = Error(Errc::kMessageTooLarge, fmt::format("{}: a batch of {} bytes, segment.bytes is {}", name_, size,
                                                            config_.segment_bytes))});
    return Placed::kNotPlaced;
  }
  if (roll_before(append, batch, next_offset, now_ms) != RollReason::kNone) return Placed::kMustRoll;

  const bool stamps = config_.timestamp_type == TimestampType::kLogAppendTime;
  set_base_offset(batch.bytes.unpublished(), next_offset);
  set_leader_epoch(batch.bytes.unpublished(), leader_epoch_);
  if (stamps) set_append_time(batch.bytes.unpublished(), now_ms);
  producers_.add(view, next_offset, now_ms);
  append.placed.push_back({.bytes = batch.bytes,
                           .outcome_index = append.outcomes.size(),
                           .place = {.position = Position(active().size_bytes + append.group_bytes),
                                     .size_bytes = size,
                                     .base_offset = next_offset,
                                     .last_offset = next_offset + view.last_offset_delta(),
                                     .max_timestamp_ms = view.max_timestamp()}});
  append.outcomes.push_back({.base_offset = next_offset, .append_time_ms = stamps ? now_ms : kNoTimestamp});
  append.group_bytes += size;
  append.now_ms = now_ms;
  next_offset = view.next_offset();
  return Placed::kYes;
}

// The new segment's file is made by the first write into it, or by retention, whichever comes first.
void PartitionLogImpl::roll() {
  ENSURE(active().base_offset < offsets_.log_end, "{}: two segments at {}", name_, offsets_.log_end.v);
  active().complete_time_index();
  segments_.push_back(std::make_shared<Segment>(offsets_.log_end));
}

void PartitionLogImpl::prepare(AppendOperation& append) {
  Segment& segment = active();
  append.segment = segments_.back();
  append.file = segment.file;
  if (append.file == nullptr) append.path = path_of(segment, kLogSuffix);
  append.position = Position(segment.size_bytes);
  if (config_.preallocate && segment.size_bytes == 0)
    append.preallocate_bytes = std::min<int64_t>(config_.segment_bytes, INT32_MAX);
  append.room_ahead_bytes = config_.room_ahead_bytes;
  const int64_t end = segment.size_bytes + append.group_bytes;
  if (config_.room_ahead_bytes > 0 && segment.allocated_bytes < end + config_.room_ahead_bytes) {
    append.preallocate_bytes = std::max(append.preallocate_bytes, end + 2 * config_.room_ahead_bytes);
  }
  if (epoch_file_ != RecoveredLog::EpochFile::kCurrent) append.epoch_text = epochs_.encode();
  if (!append.needs_sync()) return;
  if (!segment.directory_synced) append.directory_sync = AppendOperation::DirectorySync::kNeeded;
  // Sealed under another policy, perhaps: the high watermark would pass them.
  for (size_t i = segments_.size() - 1; i-- > 0 && segments_[i]->synced_bytes < segments_[i]->size_bytes;) {
    append.earlier.push_back({.file = segments_[i]->file, .path = path_of(*segments_[i], kLogSuffix)});
  }
}

void PartitionLogImpl::fail_placed(AppendOperation& append, const Error& error) {
  for (const PlacedBatch& batch : append.placed) append.outcomes[batch.outcome_index] = {.error = error};
}

// Of a duplicate, the original may be one whose sync failed.
void PartitionLogImpl::fail_duplicates(AppendOperation& append, const Error& error) {
  for (BatchOutcome& outcome : append.outcomes) {
    if (outcome.duplicate) outcome = {.error = error};
  }
}

// Large batches a socket takes from the page cache: in the tail they would hold the blocks that they came in, and each
// next one would be read into memory that no cache of the processor has.
void PartitionLogImpl::keep_in_tail(const PlacedBatch& batch, const File& file) {
  if (!tail_) return;
  const bool is_left_in_file =
      file.knows_page_cache() && static_cast<int64_t>(batch.bytes.size()) >= FileSegmentRead::kUntailedBatchBytesMin;
  if (is_left_in_file) {
    tail_->clear();  // what is older would leave a hole before later batches
  } else {
    tail_->insert(batch.place.base_offset, batch.place.last_offset, batch.bytes);
  }
}

void PartitionLogImpl::on_written(LogAppend& taken) {
  ENSURE(&taken == append_out_, "{}", name_);
  AppendOperation& append = *append_out_;
  if (append.write_failed) {
    append_out_ = nullptr;
    producers_.roll_back();
    if (append.segment) append.segment->allocated_bytes = 0;  // the cut has given it back
    if (append.cut_failed) go_offline(*append.error);
    fail_placed(append, *append.error);
    return;
  }
  producers_.commit();
  if (append.placed.empty()) {
    append_out_ = nullptr;
    if (health_->offline) fail_duplicates(append, *health_->offline);
    return;
  }
  Segment& segment = *append.segment;
  segment.file = append.file;
  if (append.is_allocated) segment.allocated_bytes = std::max(segment.allocated_bytes, append.preallocate_bytes);
  for (const PlacedBatch& batch : append.placed) {
    segment.add_batch(batch.place, config_.index_interval_bytes, append.now_ms);
    keep_in_tail(batch, *append.file);
  }
  if (append.epoch_text) epoch_file_ = RecoveredLog::EpochFile::kCurrent;
  size_bytes_ += append.group_bytes;
  if (unsynced_since_ms_ == kNoTimestamp) unsynced_since_ms_ = append.now_ms;
  append_out_ = nullptr;
  LogOffsets next = offsets_;
  next.log_end = append.placed.back().place.last_offset + 1;
  if (append.needs_sync()) {
    ++unsynced_appends_;
  } else {
    next.high_watermark = next.log_end;
    next.last_stable = next.log_end;
  }
  set_offsets(next);
}

void PartitionLogImpl::on_synced(LogAppend& taken) {
  auto& append = static_cast<AppendOperation&>(taken);
  ENSURE(unsynced_appends_ > 0 && &taken != append_out_, "{}", name_);
  ENSURE(append.placed.front().place.base_offset == offsets_.high_watermark || health_->offline, "{}", name_);
  --unsynced_appends_;
  if (append.sync_failed) go_offline(*append.error);
  // Also when another sync has failed meanwhile: of this file it may have taken what this one then found clean.
  if (health_->offline) {
    fail_placed(append, *health_->offline);
    fail_duplicates(append, *health_->offline);
    return;
  }
  append.segment->synced_bytes = std::max(append.segment->synced_bytes, append.position.v + append.group_bytes);
  if (append.directory_sync == AppendOperation::DirectorySync::kNeeded) append.segment->directory_synced = true;
  // `earlier` was synced with it: all sealed segments before its own.
  if (!append.earlier.empty()) {
    for (size_t i = segment_index_of(append.placed.front().place.base_offset); i-- > 0;) {
      segments_[i]->synced_bytes = segments_[i]->size_bytes;
    }
  }
  unsynced_since_ms_ = kNoTimestamp;
  LogOffsets next = offsets_;
  next.high_watermark = append.placed.back().place.last_offset + 1;
  next.last_stable = next.high_watermark;
  durable_end_ = std::max(durable_end_, next.high_watermark);
  set_offsets(next);
}

}  // namespace leat
