// compaction_world.cpp: the lives: configuration, faults, steps, ends and starts.
#include "test/simulation/compaction_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/record/batch.h"
#include "core/record/batch_builder.h"
#include "test/support/catch.h"

namespace leat {

namespace {

constexpr std::string_view kFolder = "/data/topic-0";
constexpr int64_t kProducerId = 4000;
constexpr uint64_t kKeys = 8;
const TopicPartition kName{"topic", 0};
const Uuid kTopicId{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

}  // namespace

CompactionWorld::CompactionWorld(uint64_t seed, Telling telling)
    : seed_(seed), telling_(telling), random_(seed * 2 + 1), files_({.seed = seed}) {
  choose_config();
}

CompactionWorld::~CompactionWorld() = default;

void CompactionWorld::tell(const std::string& line) const {
  if (telling_ == Telling::kTold)
    std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed_), line.c_str());
}

void CompactionWorld::choose_config() {
  constexpr std::array kPolicies{FlushPolicy::kCommit, FlushPolicy::kFull, FlushPolicy::kNone};
  config_.flush = kPolicies[random_.below(kPolicies.size())];
  config_.segment_bytes = 1500 + static_cast<int64_t>(random_.below(4000));
  config_.segment_ms = random_.one_in(2) ? 5000 : INT64_MAX / 4;
  config_.index_interval_bytes = 100 + static_cast<int64_t>(random_.below(1000));
  config_.retention_ms = -1;
  config_.compact = true;
  config_.delete_old = random_.one_in(4);
  if (config_.delete_old) config_.retention_bytes = 8000 + static_cast<int64_t>(random_.below(8000));
  config_.file_delete_delay_ms = random_.one_in(2) ? 0 : 5000;
  config_.min_cleanable_dirty_ratio = random_.one_in(2) ? 0 : 0.5;
  config_.min_compaction_lag_ms = random_.one_in(4) ? 2000 : 0;
  if (random_.one_in(3)) config_.max_compaction_lag_ms = 10'000;
  config_.delete_retention_ms = random_.one_in(2) ? 0 : 20'000;
}

SyncKind CompactionWorld::sync_kind() const {
  return config_.flush == FlushPolicy::kFull ? SyncKind::kFull : SyncKind::kData;
}

void CompactionWorld::run() {
  REQUIRE(make_directories(files_, "/data"));
  start();
  const uint64_t lives = 2 + random_.below(4);
  for (uint64_t i = 0; i < lives; ++i) {
    live();
    end_life();
    start();
  }
  come_to_rest();
}

void CompactionWorld::choose_faults() {
  const uint64_t steps = random_.below(80);
  const uint64_t fault = random_.below(10);
  trouble_is_on_ = fault < 5;
  reads_fail_ = fault == 2;
  sync_failed_ = false;
  if (fault == 0) files_.fail_sync_at(1 + random_.below(30));
  if (fault == 1) files_.fail_directory_sync_at(1 + random_.below(10));
  if (fault == 2) files_.set_fault_rates({.short_read_one_in = 30, .read_error_one_in = 60});
  if (fault == 3) files_.set_fault_rates({.short_write_one_in = 20, .write_error_one_in = 40});
  if (fault == 4) files_.limit_space_to_used_and(static_cast<int64_t>(random_.below(6000)));
  if (!random_.one_in(3)) files_.lose_power_at(1 + random_.below(4 * steps + 1));
}

void CompactionWorld::live() {
  choose_faults();
  const uint64_t steps = random_.below(100);
  for (uint64_t i = 0; i < steps; ++i) {
    if (step() == Going::kOver) break;
  }
}

CompactionWorld::Going CompactionWorld::step() {
  now_ms_ += static_cast<int64_t>(random_.one_in(10) ? random_.below(20'000) : random_.below(500));
  files_.set_now_ms(now_ms_);
  switch (random_.below(14)) {
    case 0:
      checkpoint();
      break;
    case 1:
    case 2:
      work_through(log_->begin_flush(now_ms_));
      break;
    case 3:
      work_through(log_->begin_retention(now_ms_));
      break;
    case 4:
      hold_reader();
      break;
    case 5:
      use_reader();
      break;
    case 6:
      check_log();
      break;
    case 7:
    case 8:
    case 9:
      compact_some();
      break;
    default:
      append();
      break;
  }
  if (files_.power_is_out()) return Going::kOver;
  note_offsets();
  return health_.offline && random_.one_in(4) ? Going::kOver : Going::kOn;
}

CompactionWorld::BatchPtr CompactionWorld::make_batch(int64_t producer_id) {
  auto batch = std::make_shared<Batch>();
  BatchOptions options{.codec = random_.one_in(4) ? Codec::kLz4 : Codec::kNone};
  if (producer_id != kNoProducerId) {
    options.producer_id = producer_id;
    options.producer_epoch = 0;
    options.base_sequence = next_sequence_;
    batch->base_sequence = next_sequence_;
  }
  BatchBuilder builder(options);
  const uint64_t count = 1 + random_.below(6);
  for (uint64_t i = 0; i < count; ++i) {
    Record record{.key = fmt::format("key {}", random_.below(kKeys)),
                  .value = std::nullopt,
                  .timestamp_ms = now_ms_ - static_cast<int64_t>(random_.below(50))};
    if (!random_.one_in(4)) record.value = fmt::format("{:0{}}", ++values_made_, 1 + random_.below(60));
    NewRecord made{.key = as_bytes(record.key), .value = std::nullopt, .timestamp_ms = record.timestamp_ms};
    if (record.value) made.value = as_bytes(*record.value);
    builder.append(made);
    batch->records.push_back(std::move(record));
  }
  Result<Slice> bytes = builder.finish();
  REQUIRE(bytes);
  batch->bytes = std::move(*bytes);
  return batch;
}

// One batch, of the producer or of somebody who does not care. Answered records must not be lost for a producer whose
// sequences shall have no gaps, so that it stays away where the policy allows that.
void CompactionWorld::append() {
  const bool is_producers = config_.flush != FlushPolicy::kNone && random_.one_in(3);
  BatchPtr batch =
      is_producers && unanswered_ != nullptr ? unanswered_ : make_batch(is_producers ? kProducerId : kNoProducerId);
  if (is_producers) unanswered_ = batch;
  const Slice bytes = Slice::copy_of(batch->bytes.view());
  const BatchView view(bytes.view());
  std::vector<AppendInput> inputs(1);
  inputs[0].batch.bytes = bytes;
  inputs[0].batch.record_count = view.record_count();
  inputs[0].batch.last_offset_delta = view.last_offset_delta();
  inputs[0].batch.max_timestamp_ms = view.max_timestamp();
  const std::unique_ptr<LogAppend> append = log_->begin_append(inputs, now_ms_);
  REQUIRE(append->outcomes.size() == 1);
  const bool is_placed = !append->outcomes[0].error && !append->outcomes[0].duplicate;
  auto appended = std::make_shared<Batch>(*batch);
  appended->appended_ms = now_ms_;
  if (is_placed) candidates_[view.base_offset().v].push_back(appended);
  append->write();
  if (files_.power_is_out()) return;
  log_->on_written(*append);
  if (is_placed && !append->failed()) {
    content_[view.base_offset().v] = appended;
    written_end_ = log_->offsets().log_end.v;
  }
  if (!append->failed() && append->needs_sync()) {
    append->sync();
    if (files_.power_is_out()) return;
    log_->on_synced(*append);
  }
  note_offsets();
  take_outcome(append->outcomes[0], batch, is_producers);
}

void CompactionWorld::take_outcome(const BatchOutcome& outcome, const BatchPtr& batch, bool is_producers) {
  if (outcome.error) {
    INFO(outcome.error->context);
    REQUIRE(trouble_is_on_);
    return;
  }
  if (!is_producers) return;
  next_sequence_ += static_cast<int32_t>(batch->records.size());
  unanswered_ = nullptr;
}

void CompactionWorld::work_through(std::unique_ptr<Maintenance> work) {
  if (work == nullptr) return;
  work->execute();
  if (files_.power_is_out()) return;
  log_->finish(*work);
  if (work->error) REQUIRE(trouble_is_on_);
}

void CompactionWorld::checkpoint() {
  work_through(log_->begin_checkpoint(now_ms_));
  if (files_.power_is_out()) return;
  note_offsets();
  saved_point_ = log_->recovery_point();
  saved_log_start_ = log_->durable_log_start();
  saved_cleaned_ = log_->cleaned_offset();
}

// Some pieces, begun, done and taken back at any distance from each other.
void CompactionWorld::compact_some() {
  const uint64_t acts = 1 + random_.below(20);
  for (uint64_t i = 0; i < acts && !files_.power_is_out(); ++i) {
    if (piece_ == nullptr) {
      const auto step_bytes = 1 + static_cast<int64_t>(random_.below(4000));
      piece_ = log_->begin_compaction(now_ms_, {.step_bytes_max = step_bytes, .map_bytes_max = 24 << 10});
      piece_is_executed_ = false;
      if (piece_ == nullptr) return;
    } else if (!piece_is_executed_) {
      piece_->execute();
      piece_is_executed_ = true;
    } else {
      drop_piece();
    }
  }
}

void CompactionWorld::drop_piece() {
  log_->finish(*piece_);
  if (piece_->error) {
    tell(fmt::format("compaction failed: {}", piece_->error->context));
    REQUIRE(trouble_is_on_);
  }
  for (const std::string& note : piece_->notes) tell(note);
  if (!piece_->notes.empty()) ++counts_.passes;
  piece_.reset();
}

void CompactionWorld::hold_reader() {
  const LogOffsets offsets = log_->offsets();
  const auto span = static_cast<uint64_t>(offsets.high_watermark - offsets.log_start);
  reader_from_ = offsets.log_start + static_cast<int64_t>(random_.below(span + 1));
  Result<ReadPlan> plan = log_->plan_read(
      reader_from_, {.bytes_max = static_cast<int64_t>(random_.below(4000)), .upper = offsets.high_watermark});
  REQUIRE(plan);
  reader_ = std::move(plan->read);
  passes_before_reader_ = counts_.passes;
}

// Whatever happened since it was planned, it sees what was written.
void CompactionWorld::use_reader() {
  if (reader_ == nullptr || health_.offline) return;
  Result<FetchedBatches> fetched = reader_->execute();
  reader_.reset();
  if (!fetched) {
    INFO(fetched.error().context);
    const bool may_fail = reads_fail_ || fetched.error().code == Errc::kOffsetOutOfRange;  // retention took it
    REQUIRE(may_fail);
    return;
  }
  if (counts_.passes > passes_before_reader_) ++counts_.slow_reads;
  Found found;
  for (const Slice& piece : fetched->pieces) take_batches(piece.view(), found, nullptr);
}

void CompactionWorld::note_offsets() {
  const LogOffsets& offsets = log_->offsets();
  REQUIRE(log_->cleaned_offset() <= offsets.log_end);
  if (config_.flush != FlushPolicy::kNone) durable_end_ = std::max(durable_end_, offsets.high_watermark.v);
  durable_end_ = std::max(durable_end_, log_->recovery_point().v);
}

bool CompactionWorld::stop_clean() {
  if (piece_ != nullptr && !piece_is_executed_) piece_->execute();
  if (files_.power_is_out()) return false;
  if (piece_ != nullptr) drop_piece();
  if (std::unique_ptr<Maintenance> closing = log_->begin_close()) {
    closing->execute();
    log_->finish(*closing);
    if (closing->error) return false;
  }
  if (files_.power_is_out() || health_.offline) return false;
  durable_end_ = log_->offsets().log_end.v;
  REQUIRE(log_->recovery_point().v == durable_end_);
  saved_point_ = log_->recovery_point();
  saved_log_start_ = log_->durable_log_start();
  saved_cleaned_ = log_->cleaned_offset();
  return true;
}

void CompactionWorld::end_life() {
  last_end_ = files_.power_is_out() || random_.one_in(2) ? End::kPowerLoss : End::kKill;
  if (last_end_ == End::kKill && random_.one_in(2) && !health_.offline) last_end_ = End::kCleanStop;
  if (last_end_ == End::kCleanStop) is_clean_ = stop_clean();
  sync_failed_ = health_.offline.has_value();
  // Under the policy none a log does not ask the disk what it has: after a failed sync only a loss of power ends the
  // lie.
  const bool cache_lies = config_.flush == FlushPolicy::kNone && sync_failed_;
  if (files_.power_is_out() || cache_lies) last_end_ = End::kPowerLoss;
  if (last_end_ == End::kPowerLoss) is_clean_ = false;
  tell(fmt::format("end {}, log end {}, durable {}, cleaned {}", static_cast<int>(last_end_), log_->offsets().log_end.v,
                   durable_end_, log_->cleaned_offset().v));
  reader_.reset();
  piece_.reset();
  log_.reset();
  files_.set_fault_rates({});
  files_.fail_sync_at(0);
  files_.fail_directory_sync_at(0);
  files_.lose_power_at(0);
  files_.set_space_bytes(std::nullopt);
  if (last_end_ == End::kPowerLoss) {
    files_.lose_power();
  } else {
    files_.kill_process();
  }
}

Result<void> CompactionWorld::try_start() {
  health_ = {};
  const PartitionLog::Open open{.files = files_,
                                .directory = std::string(kFolder),
                                .name = kName,
                                .topic_id = kTopicId,
                                .config = config_,
                                .tail_cache = random_.one_in(2) ? nullptr : &cache_,
                                .health = &health_,
                                .kind = LogKind::kInternal,
                                .now_ms = now_ms_};
  const RecoveryHints hints{.clean_shutdown = is_clean_,
                            .recovery_point = saved_point_,
                            .log_start = saved_log_start_,
                            .cleaned = saved_cleaned_,
                            .compacted = Compacted::kMaybe,
                            .log_start_is_exact = is_clean_};
  is_clean_ = false;
  report_ = {};
  Result<std::unique_ptr<PartitionLog>> log =
      is_created_ ? PartitionLog::recover(open, hints, report_) : PartitionLog::create(open);
  if (!log) return fail(log.error());
  log_ = std::move(*log);
  is_created_ = true;
  return {};
}

// Until it succeeds: the first tries may be interrupted, the last may not.
void CompactionWorld::start() {
  constexpr int kDisturbedTries = 4;
  for (int tries = 0;; ++tries) {
    const bool is_disturbed = is_created_ && tries < kDisturbedTries && random_.one_in(2);
    if (is_disturbed) files_.lose_power_at(1 + random_.below(40));
    const Result<void> started = try_start();
    const bool is_power_out = files_.power_is_out();
    files_.lose_power_at(0);
    for (const std::string& note : report_.notes) {
      tell(note);
      counts_.swaps_completed += note.find("compaction was interrupted") != std::string::npos;
    }
    if (started && !is_power_out) break;
    INFO((started ? std::string("power out") : started.error().context));
    REQUIRE(is_disturbed);
    log_.reset();
    last_end_ = End::kPowerLoss;
    files_.lose_power();
  }
  check_recovered(last_end_);
}

}  // namespace leat
