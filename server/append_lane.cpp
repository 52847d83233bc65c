// append_lane.cpp: see append_lane.h for the road of a batch. Errors here are the log's; server/handlers turns them
// into codes.
#include "server/append_lane.h"

#include <algorithm>

#include "core/base/check.h"

namespace leat {

namespace {

AppendOutcome failed_outcome(Error error) {
  AppendOutcome outcome;
  outcome.error = std::move(error);
  return outcome;
}

AppendOutcome invalid_outcome(InvalidBatch invalid) {
  AppendOutcome outcome;
  outcome.error = std::move(invalid.error);
  outcome.record_errors = std::move(invalid.records);
  return outcome;
}

enum class ValidateWhere : uint8_t { kLoop, kLoopBounded, kWorker };

// By size, by whether the bytes are compressed, and by whether they are to be stored in another codec.
ValidateWhere where_to_validate(const Slice& records, const ValidationRules& rules) noexcept {
  if (records.size() < kBatchHeaderBytes) return ValidateWhere::kLoop;  // refused by its length
  const BatchView batch(records.view());
  const bool is_long = records.size() > kValidateInlineBytesMax || batch.record_count() > kValidateInlineRecordsMax;
  if (is_long) return ValidateWhere::kWorker;
  const uint8_t codec_bits = batch.codec_bits();
  const bool recoded = rules.stored_codec.has_value() && static_cast<uint8_t>(*rules.stored_codec) != codec_bits;
  if (codec_bits == 0 && !recoded) return ValidateWhere::kLoop;
  return records.size() <= kValidateInlineCompressedBytesMax ? ValidateWhere::kLoopBounded : ValidateWhere::kWorker;
}

}  // namespace

void LaneStarter::start_soon(AppendLane& lane) {
  waiting_.push_back(&lane);
  if (waiting_.size() == 1) scheduler_.before_poll([this] { start_all(); });
}

void LaneStarter::note_failure(const TopicPartition& name, const Error& error) {
  if (error.code == Errc::kNoSpace) {
    refusals_.warn("{}: an append was refused: {}", name, error.context);
  } else {
    failures_.warn("{}: an append failed: {}", name, error.context);
  }
}

void LaneStarter::forget(AppendLane& lane) noexcept {
  std::replace(waiting_.begin(), waiting_.end(), &lane, static_cast<AppendLane*>(nullptr));
  std::replace(starting_.begin(), starting_.end(), &lane, static_cast<AppendLane*>(nullptr));
}

void LaneStarter::start_all() {
  starting_.swap(waiting_);
  for (AppendLane*& lane : starting_) {
    if (lane != nullptr) lane->start();
  }
  starting_.clear();
}

class AppendLane::WriteJob final : public Job {
 public:
  // Whether acks=1 askers are told of the write while the sync still runs.
  enum class Report : uint8_t { kWhenDone, kWhenWritten };

  WriteJob(AppendLane& lane, uint64_t number, std::unique_ptr<LogAppend> append, Report report)
      : lane_(lane),
        scheduler_(lane.scheduler_),
        link_(lane.link_),
        timed_(lane.starter_.metrics().timed),
        number_(number),
        append_(std::move(append)),
        report_(report) {}

  void run() noexcept override {
    const Clock& clock = scheduler_.clock();
    const Nanos begin = time_if(timed_, clock);
    append_->write();
    const Nanos written = time_if(timed_, clock);
    write_took_ = written - begin;
    if (append_->failed() || !append_->needs_sync()) return;
    if (report_ == Report::kWhenWritten) {
      scheduler_.post([link = link_, number = number_] {
        if (*link != nullptr) (*link)->on_job_written(number);
      });
    }
    append_->sync();
    synced_ = Synced::kYes;
    sync_took_ = time_if(timed_, clock) - written;
  }
  void done() noexcept override {
    if (cancelled) return lane_.on_job_cancelled();
    lane_.starter_.metrics().on_wrote(write_took_);
    if (synced_ == Synced::kYes) lane_.starter_.metrics().on_synced(sync_took_);
    lane_.on_job_done(std::move(append_), synced_);
  }

 private:
  AppendLane& lane_;  // outlives its jobs: its destructor CHECKs that none is out. Only done() uses it.
  Scheduler& scheduler_;
  const std::shared_ptr<AppendLane*> link_;
  const Timed timed_;
  uint64_t number_;
  std::unique_ptr<LogAppend> append_;
  Report report_;
  Nanos write_took_{0};
  Nanos sync_took_{0};
  Synced synced_ = Synced::kNo;
};

class AppendLane::ValidateJob final : public Job {
 public:
  ValidateJob(AppendLane& lane, uint64_t slot_number, Slice records, const ValidationRules& rules)
      : lane_(lane), slot_number_(slot_number), records_(std::move(records)), rules_(rules) {}

  void run() noexcept override { result_ = validate_produced(records_, rules_); }
  void done() noexcept override {
    --lane_.jobs_out_;
    if (cancelled) result_ = tl::unexpected<InvalidBatch>(InvalidBatch{Error(Errc::kCancelled, "shutting down"), {}});
    lane_.on_validated(slot_number_, std::move(result_));
  }

 private:
  AppendLane& lane_;
  uint64_t slot_number_;
  Slice records_;
  ValidationRules rules_;
  tl::expected<ValidBatch, InvalidBatch> result_;
};

AppendLane::AppendLane(Scheduler& scheduler, LaneStarter& starter, PartitionLog& log, WaiterList& waiters,
                       LaneOptions options) noexcept
    : scheduler_(scheduler),
      starter_(starter),
      log_(log),
      waiters_(waiters),
      options_(options),
      link_(std::make_shared<AppendLane*>(this)),
      syncs_(scheduler, starter.metrics().timed, [this](const SyncChain::Batch& batch) { on_synced(batch); }) {}

AppendLane::~AppendLane() {
  ENSURE(jobs_out_ == 0, "{}: {} jobs out", log_.name(), jobs_out_);
  *link_ = nullptr;
  starter_.forget(*this);
  fail_queued(Error(Errc::kCancelled, "shutting down"));
}

void AppendLane::submit(Slice records, const ValidationRules& rules, std::shared_ptr<AppendGroup> group,
                        uint32_t index) {
  if (closed_) return group->finish(index, failed_outcome(*closed_));
  Slot slot;
  slot.size_bytes = records.size();
  slot.taker = Taker{std::move(group), index};
  ValidateWhere where = where_to_validate(records, rules);
  if (where != ValidateWhere::kWorker) {
    ValidationRules inline_rules = rules;
    if (where == ValidateWhere::kLoopBounded) {
      inline_rules.decompressed_bytes_max = std::min(rules.decompressed_bytes_max, kValidateInlineUnpackedBytesMax);
    }
    tl::expected<ValidBatch, InvalidBatch> result = validate_produced(records, inline_rules);
    if (result) {
      slot.state = SlotState::kReady;
      slot.input.batch = std::move(*result);
      return add_slot(std::move(slot));
    }
    // Bounded, a batch may have been refused for its unpacked size alone: the worker decides.
    if (where == ValidateWhere::kLoop)
      return slot.taker.group->finish(slot.taker.index, invalid_outcome(std::move(result).error()));
  }
  const uint64_t slot_number = first_slot_number_ + slots_.size();
  add_slot(std::move(slot));
  ++jobs_out_;
  scheduler_.workers().submit(WorkQueue::kCpu,
                              std::make_unique<ValidateJob>(*this, slot_number, std::move(records), rules));
}

void AppendLane::submit_valid(AppendInput input, std::shared_ptr<AppendGroup> group, uint32_t index) {
  if (closed_) return group->finish(index, failed_outcome(*closed_));
  Slot slot;
  slot.state = SlotState::kReady;
  slot.size_bytes = input.batch.bytes.size();
  slot.input = std::move(input);
  slot.taker = Taker{std::move(group), index};
  add_slot(std::move(slot));
}

Task<AppendOutcome> AppendLane::append(AppendInput input, Acks acks) {
  auto group = AppendGroup::make(scheduler_, 1, acks);
  submit_valid(std::move(input), group, 0);
  co_await group->finished();
  co_return std::move(group->outcomes[0]);
}

void AppendLane::add_slot(Slot slot) {
  queued_bytes_ += slot.size_bytes;
  slots_.push_back(std::move(slot));
  start_soon();
}

void AppendLane::start_soon() {
  if (start_is_due_ || flying_ != nullptr) return;
  start_is_due_ = true;
  starter_.start_soon(*this);
}

void AppendLane::on_validated(uint64_t slot_number, tl::expected<ValidBatch, InvalidBatch> result) {
  if (slot_number >= first_slot_number_) {  // else the queue was failed meanwhile
    Slot& slot = slots_[static_cast<size_t>(slot_number - first_slot_number_)];
    ENSURE(slot.state == SlotState::kValidating);
    if (result) {
      slot.state = SlotState::kReady;
      slot.input.batch = std::move(*result);
    } else {
      slot.state = SlotState::kRejected;
      const Taker taker = std::move(slot.taker);
      taker.group->finish(taker.index, invalid_outcome(std::move(result).error()));
    }
    start_soon();
  }
  drained_maybe();
}

// Moves the ready slots at the head into the next job's inputs, within a job's bounds.
void AppendLane::take_ready_slots() {
  size_t bytes = 0;
  for (const AppendInput& input : inputs_) bytes += input.batch.bytes.size();
  while (!slots_.empty()) {
    Slot& slot = slots_.front();
    if (slot.state == SlotState::kValidating) return;
    if (slot.state == SlotState::kReady) {
      const size_t stored_bytes = slot.input.batch.bytes.size();
      if (!inputs_.empty() && (inputs_.size() >= kJobBatchesMax || bytes + stored_bytes > kJobBytesMax)) return;
      bytes += stored_bytes;
      inputs_.push_back(std::move(slot.input));
      takers_.push_back(std::move(slot.taker));
      input_bytes_ += slot.size_bytes;
    } else {
      queued_bytes_ -= slot.size_bytes;
    }
    slots_.pop_front();
    ++first_slot_number_;
  }
}

void AppendLane::start() {
  start_is_due_ = false;
  while (flying_ == nullptr) {
    take_ready_slots();
    if (inputs_.empty()) break;
    const size_t asked = inputs_.size();
    std::unique_ptr<LogAppend> append = log_.begin_append(inputs_, scheduler_.clock().wall_ms());
    const size_t taken = asked - inputs_.size();
    ENSURE(append != nullptr && taken > 0 && append->outcomes.size() == taken, "{}: {} of {} batches taken",
           log_.name(), taken, asked);
    in_flight_.assign(std::make_move_iterator(takers_.begin()),
                      std::make_move_iterator(takers_.begin() + static_cast<ptrdiff_t>(taken)));
    takers_.erase(takers_.begin(), takers_.begin() + static_cast<ptrdiff_t>(taken));
    flying_bytes_ =
        inputs_.empty() ? std::exchange(input_bytes_, 0) : 0;  // leftovers are charged until the last of them leaves
    launch(std::move(append));
  }
  drained_maybe();
}

void AppendLane::launch(std::unique_ptr<LogAppend> append) {
  flying_ = append.get();
  written_reported_ = false;
  ++job_number_;
  if (append->size_bytes() > 0 && may_write_inline(*append)) return write_inline(std::move(append));
  // What follows must not overtake the syncs that are under way: its own, and answers about duplicates of theirs.
  held_ = std::move(append);
  if (syncs_.idle()) launch_held();
}

void AppendLane::launch_held() {
  std::unique_ptr<LogAppend> append = std::move(held_);
  offsets_before_job_ = log_.offsets();
  if (append->size_bytes() == 0) return report_finished(*append, Synced::kNo);  // duplicates and refusals only
  launch_job(std::move(append));
}

void AppendLane::launch_job(std::unique_ptr<LogAppend> append) {
  WriteJob::Report report = WriteJob::Report::kWhenDone;
  for (const Taker& taker : in_flight_) {
    if (taker.group->acks() != Acks::kAll) report = WriteJob::Report::kWhenWritten;
  }
  ++jobs_out_;
  const WorkQueue queue = append->needs_sync() ? WorkQueue::kSync : WorkQueue::kWrite;
  scheduler_.workers().submit(queue, std::make_unique<WriteJob>(*this, job_number_, std::move(append), report));
}

bool AppendLane::may_write_inline(const LogAppend& append) const noexcept {
  return options_.inline_writes != nullptr && append.is_plain() && (append.needs_sync() || syncs_.idle()) &&
         options_.inline_writes->allowed(append.size_bytes());
}

void AppendLane::write_inline(std::unique_ptr<LogAppend> append) {
  offsets_before_job_ = log_.offsets();
  const Nanos begin = scheduler_.clock().monotonic();
  append->write();
  const Nanos took = scheduler_.clock().monotonic() - begin;
  options_.inline_writes->took(took);
  starter_.metrics().on_wrote(took);
  if (append->failed() || !append->needs_sync()) return report_finished(*append, Synced::kNo);
  report_written(*append);
  unsynced_.push_back({std::move(in_flight_), std::exchange(flying_bytes_, 0)});
  in_flight_.clear();
  flying_ = nullptr;
  syncs_.add(std::move(append));
}

// In the order in which they were added.
void AppendLane::on_synced(const SyncChain::Batch& batch) {
  if (batch.end == SyncChain::End::kCancelled) return on_syncs_cancelled(batch);
  const LogOffsets before = log_.offsets();
  size_t synced_bytes = 0;
  for (const std::unique_ptr<LogAppend>& append : batch.appends) {
    Unsynced waiting = std::move(unsynced_.front());
    unsynced_.pop_front();
    log_.on_synced(*append);
    settle(*append, waiting.takers);
    queued_bytes_ -= waiting.queued_bytes;
    synced_bytes += append->size_bytes();
  }
  if (!batch.appends.empty()) {
    starter_.metrics().on_synced(batch.sync_took);
    announce(before, static_cast<int64_t>(synced_bytes));
  }
  if (held_ != nullptr && syncs_.idle()) {
    launch_held();
    if (!slots_.empty() || !inputs_.empty()) start_soon();
  }
  drained_maybe();
}

// As for a job: on_job_cancelled.
void AppendLane::on_syncs_cancelled(const SyncChain::Batch& batch) {
  const Error reason(Errc::kCancelled, "shutting down");
  for (size_t i = 0; i < batch.appends.size(); ++i) {
    refuse(unsynced_.front().takers, reason);
    queued_bytes_ -= unsynced_.front().queued_bytes;
    unsynced_.pop_front();
  }
  if (held_ != nullptr) {
    held_.reset();
    refuse_flight(reason);
  }
  end_cancelled(reason);
}

// Posted by the worker between write and sync; done() may have overtaken it.
void AppendLane::on_job_written(uint64_t job_number) {
  if (job_number == job_number_ && flying_ != nullptr && !written_reported_) report_written(*flying_);
}

void AppendLane::report_written(LogAppend& append) {
  written_reported_ = true;
  log_.on_written(append);
  for (size_t i = 0; i < in_flight_.size(); ++i) {
    if (in_flight_[i].group->acks() != Acks::kAll) answer(append, in_flight_[i], i);
  }
}

void AppendLane::report_finished(LogAppend& append, Synced synced) {
  if (!written_reported_) report_written(append);
  if (synced == Synced::kYes) log_.on_synced(append);
  settle(append, in_flight_);
  in_flight_.clear();
  flying_ = nullptr;
  queued_bytes_ -= std::exchange(flying_bytes_, 0);
  announce(offsets_before_job_, static_cast<int64_t>(append.size_bytes()));
}

// An append has ended, well or not: whoever was not answered yet is, and it is counted.
void AppendLane::settle(LogAppend& append, std::vector<Taker>& takers) {
  count_finished(append);
  note_failure(append);
  for (size_t i = 0; i < takers.size(); ++i) {
    if (takers[i].group != nullptr) answer(append, takers[i], i);
  }
  if (!append.failed()) starter_.appended(static_cast<int64_t>(append.size_bytes()));
}

void AppendLane::count_finished(const LogAppend& append) noexcept {
  LaneMetrics& metrics = starter_.metrics();
  metrics.batches += append.outcomes.size();
  for (const BatchOutcome& outcome : append.outcomes) {
    if (outcome.error) metrics.on_refused(outcome.error->code);
  }
  if (append.failed() || append.size_bytes() == 0) return;
  ++metrics.jobs;
  metrics.bytes += append.size_bytes();
  metrics.records += append.record_count();
}

void AppendLane::note_failure(const LogAppend& append) {
  for (const BatchOutcome& outcome : append.outcomes) {
    if (!outcome.error) continue;
    const Errc code = outcome.error->code;
    if (code != Errc::kIo && code != Errc::kNoSpace && code != Errc::kOffline) continue;  // the producer's own mistake
    return starter_.note_failure(log_.name(), *outcome.error);
  }
}

void AppendLane::on_job_done(std::unique_ptr<LogAppend> append, Synced synced) {
  --jobs_out_;
  report_finished(*append, synced);
  if (!slots_.empty() || !inputs_.empty()) start_soon();
  drained_maybe();
}

// The pool shut down before the write began: nothing reached the disk, and the process is ending. The log keeps its
// append in flight for ever, so nothing more may be appended.
void AppendLane::on_job_cancelled() {
  --jobs_out_;
  const Error reason(Errc::kCancelled, "shutting down");
  refuse_flight(reason);
  end_cancelled(reason);
}

void AppendLane::end_cancelled(const Error& reason) {
  closed_ = reason;
  fail_queued(reason);
  drained_maybe();
}

void AppendLane::refuse(std::vector<Taker>& takers, const Error& reason) {
  for (Taker& taker : takers) {
    if (taker.group != nullptr) taker.group->finish(taker.index, failed_outcome(reason));
  }
  takers.clear();
}

void AppendLane::refuse_flight(const Error& reason) {
  refuse(in_flight_, reason);
  flying_ = nullptr;
  queued_bytes_ -= std::exchange(flying_bytes_, 0);
}

void AppendLane::answer(LogAppend& append, Taker& to, size_t position) {
  const Taker taker = std::exchange(to, {});
  const BatchOutcome& from = append.outcomes[position];
  AppendOutcome outcome;
  outcome.error = from.error;
  outcome.base_offset = from.base_offset;
  outcome.append_time_ms = from.append_time_ms;
  outcome.duplicate = from.duplicate;
  outcome.log_start = log_.offsets().log_start;
  taker.group->finish(taker.index, std::move(outcome));
}

void AppendLane::announce(const LogOffsets& before, int64_t visible_bytes) {
  const LogOffsets& after = log_.offsets();
  if (after.high_watermark != before.high_watermark) waiters_.notify({PartitionChange::kHighWatermark, visible_bytes});
  if (after.last_stable != before.last_stable) waiters_.notify({PartitionChange::kLastStable, visible_bytes});
  if (after.log_start != before.log_start) waiters_.notify({PartitionChange::kLogStart, 0});
}

void AppendLane::fail_queued(const Error& reason) {
  refuse(takers_, reason);
  for (size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.state != SlotState::kRejected) slot.taker.group->finish(slot.taker.index, failed_outcome(reason));
  }
  inputs_.clear();
  input_bytes_ = 0;
  first_slot_number_ += slots_.size();
  slots_.clear();
  queued_bytes_ = flying_bytes_;
  for (size_t i = 0; i < unsynced_.size(); ++i) queued_bytes_ += unsynced_[i].queued_bytes;
}

void AppendLane::close(Error reason, std::function<void()> on_drained) {
  fail_queued(reason);
  drain(std::move(reason), std::move(on_drained));
}

void AppendLane::drain(Error reason, std::function<void()> on_drained) {
  closed_ = std::move(reason);
  on_drained_ = std::move(on_drained);
  drained_maybe();
}

void AppendLane::drained_maybe() {
  if (!idle() || on_drained_ == nullptr) return;
  scheduler_.call_soon(std::exchange(on_drained_, nullptr));
}

}  // namespace leat
