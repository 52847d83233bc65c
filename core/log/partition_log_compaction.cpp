// partition_log_compaction.cpp: passes of compaction begun, their segments put in place, their end.
// A segment that a pass has made takes its place here first: reads that are planned from then on have its open file and
// its indexes from memory. Those planned before may still open the old files by their names, so the names change only
// when the last of them is done (Segment::lease).
#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/log/file_names.h"
#include "core/log/partition_log_impl.h"

namespace leat {
namespace {

constexpr int64_t kPauseAfterErrorMs = 10'000;

// What reading or writing again may heal; all else is in the bytes.
bool may_pass(Errc code) noexcept {
  return code == Errc::kIo || code == Errc::kNoSpace || code == Errc::kOffline || code == Errc::kCancelled;
}

}  // namespace

std::vector<CompactionSegment> PartitionLogImpl::compaction_segments() const {
  std::vector<CompactionSegment> sealed;
  sealed.reserve(segments_.size() - 1);
  for (size_t i = 0; i + 1 < segments_.size(); ++i) {
    const Segment& segment = *segments_[i];
    sealed.push_back({.base_offset = segment.base_offset,
                      .next_base_offset = segments_[i + 1]->base_offset,
                      .size_bytes = segment.size_bytes,
                      .max_timestamp_ms = segment.max_timestamp_ms,
                      .first_timestamp_ms = segment.first_timestamp_ms,
                      .last_append_ms = segment.last_append_ms,
                      .delete_horizon_ms = segment.delete_horizon_ms.value_or(kNoHorizon),
                      .is_settled = segment.index_home == Segment::IndexHome::kFile && !segment.awaits_swap});
  }
  return sealed;
}

std::unique_ptr<Maintenance> PartitionLogImpl::begin_compaction(int64_t now_ms, const CompactionLimits& limits) {
  if (!may_compact() || compaction_out_ != nullptr || health_->offline) return nullptr;
  const std::optional<int64_t> failed_at_ms = compaction_.failed_at_ms;
  if (failed_at_ms && now_ms >= *failed_at_ms && now_ms - *failed_at_ms < kPauseAfterErrorMs) return nullptr;
  auto work = std::make_unique<CompactionWork>(files_, directory_);
  work->now_ms = now_ms;
  if (compaction_.swap) {
    const bool is_read = std::any_of(compaction_.leases.begin(), compaction_.leases.end(),
                                     [](const auto& lease) { return lease.use_count() > 1; });
    if (is_read) return nullptr;
    work->swap = *compaction_.swap;
  } else if (config_.compact && !compaction_.is_barred) {
    if (compaction_.pass == nullptr) {
      seal_for_lag(now_ms);
      if (add_survey(*work) == Surveyed::kAll) begin_pass(now_ms, limits);
    }
    work->pass = compaction_.pass;
  }
  work->removals = std::exchange(compaction_.leftovers, {});
  if (!work->has_work()) return nullptr;
  compaction_out_ = work.get();
  return work;
}

// A record may not wait longer than max.compaction.lag.ms, and the active segment is never compacted.
void PartitionLogImpl::seal_for_lag(int64_t now_ms) {
  if (config_.max_compaction_lag_ms == INT64_MAX || append_out_ != nullptr || active().size_bytes == 0) return;
  const int64_t since_ms = active().first_timestamp_ms >= 0 ? active().first_timestamp_ms : active().first_append_ms;
  if (now_ms - since_ms > config_.max_compaction_lag_ms) roll();
}

// After a restart nobody knows of clean segments whether they have tombstones whose time passes.
PartitionLogImpl::Surveyed PartitionLogImpl::add_survey(CompactionWork& work) {
  for (size_t i = 0; i + 1 < segments_.size() && segments_[i]->base_offset < cleaned_; ++i) {
    if (segments_[i]->delete_horizon_ms || segments_[i]->index_home != Segment::IndexHome::kFile) continue;
    work.survey.emplace(CompactionWork::Survey{
        .segment = segments_[i], .snapshot = snapshot_of(i), .end = cleaned_, .delete_horizon_ms = kNoHorizon});
    return Surveyed::kNotYet;
  }
  return Surveyed::kAll;
}

void PartitionLogImpl::begin_pass(int64_t now_ms, const CompactionLimits& limits) {
  // It needs room before it gives some.
  if (health_->below_reserve && kind_ == LogKind::kClient) return;
  const std::vector<CompactionSegment> sealed = compaction_segments();
  const std::optional<CompactionRange> range = range_to_compact(sealed, {.config = config_,
                                                                         .cleaned = cleaned_,
                                                                         .log_start = offsets_.log_start,
                                                                         .last_stable = offsets_.last_stable,
                                                                         .now_ms = now_ms,
                                                                         .blocked_at = compaction_.blocked_at});
  if (!range) return;
  const auto first = static_cast<ptrdiff_t>(range->first_segment);
  const auto end = first + static_cast<ptrdiff_t>(range->segment_count);
  const bool nothing_follows = range->first_segment + range->segment_count == sealed.size() && active().size_bytes == 0;
  CompactionPass::Plan plan{.files = files_,
                            .directory = directory_,
                            .kind = sync_kind_of(config_),
                            .secret = topic_id_,
                            .config = config_,
                            .limits = limits,
                            .range = *range,
                            .segments = {segments_.begin() + first, segments_.begin() + end},
                            .facts = {sealed.begin() + first, sealed.begin() + end},
                            .now_ms = now_ms,
                            .log_end = nothing_follows ? active().base_offset : kNoOffset,
                            .producers = {}};
  const Offset durable_end =
      effective_flush_policy(config_) == FlushPolicy::kNone ? recovery_point_ : offsets_.high_watermark;
  plan.producers.reserve(producers_.size());
  producers_.for_each_settled([&plan, durable_end](int64_t producer_id, const ProducerEntry& entry) {
    if (entry.batch_count() == 0) return;
    const Offset last_offset = entry.last_batch().last_offset;
    plan.producers.push_back(
        {.producer_id = producer_id, .last_offset = last_offset < durable_end ? last_offset : kNoOffset});
  });
  compaction_.pass = std::make_shared<CompactionPass>(std::move(plan));
}

// A step that is out runs on for nothing; what it leaves is found when it comes back.
void PartitionLogImpl::give_up_pass() {
  if (compaction_.pass == nullptr) return;
  const bool is_out = compaction_out_ != nullptr && compaction_out_->pass == compaction_.pass;
  if (!is_out) compaction_.leftovers = compaction_.pass->leftovers();
  compaction_.pass.reset();
}

void PartitionLogImpl::finish_compaction() {
  CompactionWork& work = *compaction_out_;
  compaction_out_ = nullptr;
  compaction_.failed_at_ms.reset();
  if (work.sync_failed) go_offline(*work.error);
  if (work.swap) compaction_.swap = work.swap;  // as far as it came
  if (work.pass != nullptr && work.pass != compaction_.pass) {
    // Given up meanwhile: it may have missed files that retention took.
    work.error.reset();
    compaction_.leftovers = work.pass->leftovers();
  } else if (work.error) {
    take_compaction_error(work);
    return;
  } else if (work.pass != nullptr) {
    take_step(work);
  }
  if (work.survey) work.survey->segment->delete_horizon_ms = work.survey->delete_horizon_ms;
  if (work.swap) finish_swap();
  work.goes_on = compaction_.pass != nullptr || work.survey || !compaction_.leftovers.empty();
}

void PartitionLogImpl::take_compaction_error(CompactionWork& work) {
  compaction_.failed_at_ms = work.now_ms;
  if (work.pass == nullptr) return;  // the names of a segment, or a survey: once more, later
  compaction_.leftovers = work.pass->leftovers();
  compaction_.pass.reset();
  if (may_pass(work.error->code)) return;
  compaction_.is_barred = true;
  work.notes.push_back("not compacted any more until a restart, or a change of the topic's settings");
}

void PartitionLogImpl::take_step(CompactionWork& work) {
  CompactionPass& pass = *compaction_.pass;
  for (const CompactionPass::Unchanged& unchanged : pass.take_unchanged()) {
    pass.segment(unchanged.segment)->delete_horizon_ms = unchanged.delete_horizon_ms;
  }
  if (pass.state() == CompactionPass::State::kSegmentReady) install(pass.take_replacement());
  if (pass.state() != CompactionPass::State::kFinished) return;
  // Every segment of the pass has its names: only then is a date in a tombstone's batch true after a crash, too.
  cleaned_ = std::max(cleaned_, pass.end());
  if (pass.met_transaction()) {
    compaction_.blocked_at = pass.end();
    work.notes.push_back(fmt::format("compaction ends before the transactions from offset {} on", pass.end().v));
  }
  work.notes.push_back(pass.summary());
  compaction_.pass.reset();
}

void PartitionLogImpl::install(CompactionPass::Replacement replacement) {
  const CompactionPass& pass = *compaction_.pass;
  const auto first = std::find(segments_.begin(), segments_.end(), pass.segment(replacement.first));
  ENSURE(segments_.end() - first > static_cast<ptrdiff_t>(replacement.count), "{}", name_);
  const auto end = first + static_cast<ptrdiff_t>(replacement.count);
  SegmentSwap swap;
  swap.base_offset = replacement.segment->base_offset;
  if (!(*end)->directory_synced) swap.next_path = path_of(**end, kLogSuffix);
  compaction_.leases.clear();
  for (auto old = first; old != end; ++old) {
    ENSURE(*old == pass.segment(replacement.first + static_cast<size_t>(old - first)), "{}", name_);
    if (old != first) swap.others.push_back((*old)->base_offset);
    size_bytes_ -= (*old)->size_bytes;
    (*old)->lease->end();
    compaction_.leases.push_back(std::exchange((*old)->lease, nullptr));
  }
  size_bytes_ += replacement.segment->size_bytes;
  if (tail_) tail_->forget_below((*end)->base_offset);
  *first = replacement.segment;
  segments_.erase(first + 1, end);
  compaction_.swapped_in = std::move(replacement.segment);
  compaction_.swap = std::move(swap);
}

// Its names are durable: from now on it is a sealed segment like any other.
void PartitionLogImpl::finish_swap() {
  ENSURE(compaction_.swap && compaction_.swap->stage == SwapStage::kDone, "{}", name_);
  Segment& segment = *compaction_.swapped_in;
  segment.index.release();
  segment.time_index.release();
  segment.index_home = Segment::IndexHome::kFile;
  segment.file.reset();
  segment.awaits_swap = false;
  compaction_.swapped_in.reset();
  compaction_.swap.reset();
  compaction_.leases.clear();
}

}  // namespace leat
