// partition_log_upkeep.cpp: syncs in the background, checkpoints, retention and the last checkpoint before a clean
// stop.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/log/file_names.h"
#include "core/log/partition_log_impl.h"
#include "core/log/producer_snapshot.h"

namespace leat {
namespace {

constexpr size_t kSnapshotsKept = 2;

// Settings may ask for longer than there are numbers: that is never.
int64_t later_by(int64_t delay_ms, int64_t now_ms) noexcept {
  return now_ms > 0 && delay_ms > INT64_MAX - now_ms ? INT64_MAX : now_ms + delay_ms;
}

}  // namespace

std::unique_ptr<UpkeepWork> PartitionLogImpl::make_work() {
  return std::make_unique<UpkeepWork>(files_, directory_, sync_kind_of(config_));
}

// Everything published and not yet durable.
void PartitionLogImpl::add_syncs(UpkeepWork& work) {
  for (const auto& segment : segments_) {
    if (segment->synced_bytes >= segment->size_bytes) continue;
    work.syncs.push_back({.segment = segment,
                          .file = segment->file,
                          .path = path_of(*segment, kLogSuffix),
                          .size_bytes = segment->size_bytes});
    if (!segment->directory_synced) work.directory_sync = UpkeepWork::DirectorySync::kNeeded;
  }
  work.recovery_point = offsets_.log_end;
}

void PartitionLogImpl::add_index(UpkeepWork& work, const std::shared_ptr<Segment>& segment) {
  if (segment->index_home == Segment::IndexHome::kFile || segment->awaits_swap) return;
  const bool is_sealed = segment != segments_.back();
  const size_t index_from = segment->index_entries_written;
  const size_t time_from = segment->time_entries_written;
  if (!is_sealed && segment->size_bytes == 0) return;
  work.indexes.push_back({.segment = segment,
                          .index = {.path = path_of(*segment, kIndexSuffix),
                                    .position = Position(static_cast<int64_t>(index_from * kIndexEntryBytes)),
                                    .bytes = segment->index.encode(index_from)},
                          .time_index = {.path = path_of(*segment, kTimeIndexSuffix),
                                         .position = Position(static_cast<int64_t>(time_from * kTimeIndexEntryBytes)),
                                         .bytes = segment->time_index.encode(time_from)},
                          .index_entries = segment->index.entry_count(),
                          .time_entries = segment->time_index.entry_count(),
                          .sync = is_sealed ? IndexSync::kYes : IndexSync::kNo});
}

// In the order of UpkeepWork: data, indexes, epochs, producer state; then the recovery point may move to the log end of
// now.
std::unique_ptr<UpkeepWork> PartitionLogImpl::checkpoint_work() {
  std::unique_ptr<UpkeepWork> work = make_work();
  add_syncs(*work);
  for (const auto& segment : segments_) add_index(*work, segment);
  if (epoch_file_ == RecoveredLog::EpochFile::kStale) work->epoch_text = epochs_.encode();
  UpkeepWork::SnapshotStep snapshot{
      .offset = offsets_.log_end, .bytes = encode_producer_snapshot(producers_), .superseded = {}};
  for (size_t i = 0; i + (kSnapshotsKept - 1) < snapshots_.size(); ++i) {
    if (snapshots_[i] != snapshot.offset) snapshot.superseded.push_back(snapshots_[i]);
  }
  work->snapshot = std::move(snapshot);
  upkeep_out_ = work.get();
  return work;
}

bool PartitionLogImpl::has_unwritten_sealed() const noexcept {
  if (segments_.size() < 2) return false;
  const Segment& sealed = *segments_[segments_.size() - 2];
  return sealed.index_home == Segment::IndexHome::kMemory && !sealed.awaits_swap;
}

std::unique_ptr<Maintenance> PartitionLogImpl::begin_checkpoint(int64_t /*now_ms*/) {
  const bool is_due = checkpointed_ != offsets_.log_end || has_unwritten_sealed();
  if (upkeep_out_ != nullptr || health_->offline || !is_due) return nullptr;
  return checkpoint_work();
}

std::unique_ptr<Maintenance> PartitionLogImpl::begin_flush(int64_t now_ms) {
  close_unused_readings();
  if (upkeep_out_ != nullptr || health_->offline) return nullptr;
  if (has_unwritten_sealed()) return checkpoint_work();
  if (effective_flush_policy(config_) != FlushPolicy::kNone || unsynced_since_ms_ == kNoTimestamp) return nullptr;
  const bool is_due =
      offsets_.log_end - recovery_point_ >= config_.flush_messages || now_ms - unsynced_since_ms_ >= config_.flush_ms;
  if (!is_due) return nullptr;
  std::unique_ptr<UpkeepWork> work = make_work();
  add_syncs(*work);
  unsynced_since_ms_ = kNoTimestamp;  // what is written from now on is a later flush's
  upkeep_out_ = work.get();
  return work;
}

// A log to which nothing was written since its files were complete is left as it is: the directory keeps its unused
// epoch, and a broker of a thousand idle partitions stops at once, also after a crash.
std::unique_ptr<Maintenance> PartitionLogImpl::begin_close() {
  const bool is_idle = append_out_ == nullptr && unsynced_appends_ == 0 && upkeep_out_ == nullptr &&
                       compaction_out_ == nullptr && audit_out_ == nullptr;
  ENSURE(is_idle, "{}: closed while work is out", name_);
  if (health_->offline) return nullptr;
  active().complete_time_index();
  const bool index_is_behind = active().time_index.entry_count() > active().time_entries_written;
  const bool is_due = checkpointed_ != offsets_.log_end || recovery_point_ != offsets_.log_end ||
                      has_unwritten_sealed() || index_is_behind || epoch_file_ == RecoveredLog::EpochFile::kStale;
  if (!is_due) return nullptr;
  std::unique_ptr<UpkeepWork> work = checkpoint_work();
  if (epoch_file_ != RecoveredLog::EpochFile::kCurrent) work->epoch_text = epochs_.encode();
  return work;
}

std::vector<SegmentFacts> PartitionLogImpl::segment_facts() const {
  std::vector<SegmentFacts> facts;
  facts.reserve(segments_.size());
  for (size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = *segments_[i];
    facts.push_back({.base_offset = segment.base_offset,
                     .next_base_offset = i + 1 < segments_.size() ? segments_[i + 1]->base_offset : offsets_.log_end,
                     .size_bytes = segment.size_bytes,
                     .max_timestamp_ms = segment.age_is_of_append ? kNoTimestamp : segment.max_timestamp_ms,
                     .last_append_ms = segment.last_append_ms});
  }
  return facts;
}

void PartitionLogImpl::note_distrusted(UpkeepWork& work, int64_t now_ms) {
  if (!config_.delete_old || config_.retention_ms < 0) return;
  for (const auto& segment : segments_) {
    const bool is_distrusted = segment->max_timestamp_ms > later_by(config_.retention_ms, now_ms);
    if (!is_distrusted || segment->distrust_noted) continue;
    segment->distrust_noted = true;
    work.notes.push_back(
        fmt::format("{}: its largest timestamp {} lies in the future, retention judges it by its last append",
                    path_of(*segment, kLogSuffix), segment->max_timestamp_ms));
  }
}

std::unique_ptr<Maintenance> PartitionLogImpl::begin_retention(int64_t now_ms) {
  producers_.expire(now_ms, config_.producer_id_expiration_ms);
  if (upkeep_out_ != nullptr || health_->offline) return nullptr;
  std::unique_ptr<UpkeepWork> work = make_work();
  note_distrusted(*work, now_ms);
  const std::vector<RetentionReason> reasons =
      removable_segments(segment_facts(), {.config = config_,
                                           .log_start = offsets_.log_start,
                                           .high_watermark = offsets_.high_watermark,
                                           .now_ms = now_ms});
  add_renames_due(*work, now_ms);
  add_age_checks(*work, reasons);
  // What is checked now is removed in the next round, if it still is too old. While a compacted segment waits for its
  // names nothing goes: the names on disk and the segments here are not the same.
  const bool may_remove = work->age_checks.empty() && !compaction_.swap;
  if (!reasons.empty() && may_remove) remove_oldest(*work, reasons, now_ms);
  std::erase_if(doomed_, [&work, now_ms](Doomed& doomed) {
    if (doomed.due_ms > now_ms) return false;
    std::move(doomed.paths.begin(), doomed.paths.end(), std::back_inserter(work->removals));
    work->directory_sync = UpkeepWork::DirectorySync::kNeeded;
    return true;
  });
  // The name of the first that stays carries the log start and, when it is empty, the log end over a restart: it must
  // be there before the old ones go.
  const bool needs_name = !work->renames.empty() && segments_.front()->size_bytes == 0;
  if (needs_name) work->create_path = path_of(*segments_.front(), kLogSuffix);
  const bool has_work =
      !work->age_checks.empty() || !work->renames.empty() || !work->removals.empty() || !work->notes.empty();
  if (!has_work) return nullptr;
  upkeep_out_ = work.get();
  return work;
}

// Files whose segments have left the log already, of a removal that failed: they go before any later segment's, or a
// restart would find them in front of a hole.
void PartitionLogImpl::add_renames_due(UpkeepWork& work, int64_t now_ms) {
  if (renames_due_.empty()) return;
  work.renames = std::exchange(renames_due_, {});
  work.directory_sync = UpkeepWork::DirectorySync::kNeeded;
  Doomed doomed{.due_ms = later_by(config_.file_delete_delay_ms, now_ms), .paths = {}};
  for (const auto& [from, to] : work.renames) doomed.paths.push_back(to);
  doomed_.push_back(std::move(doomed));
}

void PartitionLogImpl::add_age_checks(UpkeepWork& work, const std::vector<RetentionReason>& reasons) {
  for (size_t i = 0; i < reasons.size(); ++i) {
    const Segment& segment = *segments_[i];
    const bool is_settled = !segment.max_timestamp_unchecked || segment.age_is_of_append;
    if (reasons[i] != RetentionReason::kTime || is_settled) continue;
    work.age_checks.push_back({.segment = segments_[i],
                               .snapshot = snapshot_of(i),
                               .max_timestamp_ms = segments_[i]->max_timestamp_ms,
                               .max_timestamp_offset = segments_[i]->max_timestamp_offset});
  }
}

// The segments leave the log at once, so that no read is planned into them; their files follow. Oldest first: a crash
// half way leaves a log without a hole.
void PartitionLogImpl::remove_oldest(UpkeepWork& work, const std::vector<RetentionReason>& reasons, int64_t now_ms) {
  size_t count = reasons.size();
  if (count == segments_.size()) {
    const bool may_seal = append_out_ == nullptr;
    if (may_seal) {
      roll();
    } else {
      --count;
    }
  }
  Doomed doomed{.due_ms = later_by(config_.file_delete_delay_ms, now_ms), .paths = {}};
  for (size_t i = 0; i < count; ++i) {
    const Segment& segment = *segments_[i];
    segment.lease->end();
    for (const std::string_view suffix : {kLogSuffix, kIndexSuffix, kTimeIndexSuffix, kTransactionIndexSuffix}) {
      const std::string path = path_of(segment, suffix);
      work.renames.emplace_back(path, path + std::string(kDeletedSuffix));
      doomed.paths.push_back(path + std::string(kDeletedSuffix));
    }
    size_bytes_ -= segment.size_bytes;
    work.notes.push_back(fmt::format("{}: deleted by {}, {} bytes, offsets {} to {}", path_of(segment, kLogSuffix),
                                     to_string(reasons[i]), segment.size_bytes, segment.base_offset.v,
                                     segments_[i + 1]->base_offset.v - 1));
  }
  segments_.erase(segments_.begin(), segments_.begin() + static_cast<ptrdiff_t>(count));
  if (count == 0) return;
  if (compaction_.pass != nullptr && compaction_.pass->front() < segments_.front()->base_offset) give_up_pass();
  doomed_.push_back(std::move(doomed));
  work.directory_sync = UpkeepWork::DirectorySync::kNeeded;
  LogOffsets next = offsets_;
  next.log_start = std::max(next.log_start, segments_.front()->base_offset);
  set_offsets(next);
  epochs_.truncate_to_start(next.log_start);
}

Result<void> PartitionLogImpl::advance_log_start(Offset to) {
  if (to > offsets_.high_watermark) {
    return fail(Errc::kOffsetOutOfRange,
                fmt::format("{}: offset {} is beyond the high watermark {}", name_, to.v, offsets_.high_watermark.v));
  }
  if (health_->offline) return fail(*health_->offline);
  if (to <= offsets_.log_start) return {};
  LogOffsets next = offsets_;
  next.log_start = to;
  set_offsets(next);
  epochs_.truncate_to_start(to);
  return {};
}

void PartitionLogImpl::finish(Maintenance& taken) {
  if (&taken == compaction_out_) return finish_compaction();
  if (&taken == audit_out_) return finish_audit();
  ENSURE(&taken == upkeep_out_, "{}", name_);
  UpkeepWork& work = *upkeep_out_;
  upkeep_out_ = nullptr;
  if (work.sync_failed) go_offline(*work.error);
  if (work.error) {  // what was to be done is due again
    renames_due_ = std::move(work.renames);
    if (!work.removals.empty()) doomed_.push_back({.due_ms = 0, .paths = std::move(work.removals)});
    return;
  }
  for (const UpkeepWork::AgeCheckStep& step : work.age_checks) {
    if (step.failed) {
      step.segment->age_is_of_append = true;
      continue;
    }
    step.segment->max_timestamp_ms = step.max_timestamp_ms;
    step.segment->max_timestamp_offset = step.max_timestamp_offset;
    step.segment->max_timestamp_unchecked = false;
  }
  for (const UpkeepWork::SyncStep& step : work.syncs) {
    step.segment->synced_bytes = std::max(step.segment->synced_bytes, step.size_bytes);
    if (work.directory_sync == UpkeepWork::DirectorySync::kNeeded) step.segment->directory_synced = true;
  }
  for (const UpkeepWork::IndexStep& step : work.indexes) {
    Segment& segment = *step.segment;
    segment.index_entries_written = step.index_entries;
    segment.time_entries_written = step.time_entries;
    const bool is_complete = step.sync == IndexSync::kYes && segment.synced_bytes == segment.size_bytes;
    if (!is_complete) continue;
    segment.index.release();
    segment.time_index.release();
    segment.index_home = Segment::IndexHome::kFile;
    segment.file.reset();
  }
  if (work.epoch_text && *work.epoch_text == epochs_.encode()) epoch_file_ = RecoveredLog::EpochFile::kCurrent;
  if (work.snapshot) {
    std::erase_if(snapshots_, [&work](Offset offset) {
      return std::find(work.snapshot->superseded.begin(), work.snapshot->superseded.end(), offset) !=
             work.snapshot->superseded.end();
    });
    if (snapshots_.empty() || snapshots_.back() != work.snapshot->offset) snapshots_.push_back(work.snapshot->offset);
    checkpointed_ = work.snapshot->offset;
  }
  if (work.recovery_point) {
    recovery_point_ = std::max(recovery_point_, *work.recovery_point);
    durable_end_ = std::max(durable_end_, recovery_point_);
  }
}

}  // namespace leat
