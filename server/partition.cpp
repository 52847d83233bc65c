// partition.cpp: a partition's settings, upkeep and end. See partition.h.
#include "server/partition.h"

#include "core/base/check.h"

namespace leat {

namespace {

constexpr int64_t kAuditBytes = 1 << 20;  // a third of a millisecond, from the page cache

}  // namespace

class Partition::UpkeepJob final : public Job {
 public:
  UpkeepJob(Partition& partition, std::unique_ptr<Maintenance> work, Upkeep kind)
      : partition_(partition), work_(std::move(work)), kind_(kind) {}
  void run() noexcept override { work_->execute(); }
  void done() noexcept override {
    if (cancelled) work_->error = Error(Errc::kCancelled, "shutting down");
    partition_.on_upkeep_done(*work_, kind_);
  }

 private:
  Partition& partition_;  // outlives it: retire() and drain() wait, the destructor ENSUREs
  std::unique_ptr<Maintenance> work_;
  Upkeep kind_;
};

Partition::Partition(const Parts& parts, std::unique_ptr<PartitionLog> log, const TopicSettings& settings)
    : scheduler_(parts.scheduler),
      log_(std::move(log)),
      lane_(parts.scheduler, parts.lane_starter, *log_, waiters_, parts.lane),
      settings_(settings) {}

Partition::~Partition() {
  ENSURE(!upkeep_.is_out && !compaction_.is_out && !audit_.is_out, "{}: upkeep is out", name());
}

Partition::UpkeepSlot& Partition::slot_of(Upkeep kind) noexcept {
  switch (kind) {
    case Upkeep::kCompaction:
      return compaction_;
    case Upkeep::kAudit:
      return audit_;
    case Upkeep::kRetention:
    case Upkeep::kCheckpoint:
    case Upkeep::kFlush:
      break;
  }
  return upkeep_;
}

void Partition::set_settings(const TopicSettings& settings) {
  log_->set_config(settings.log);
  settings_ = settings;
}

Result<void> Partition::advance_log_start(Offset to) {
  const LogOffsets before = log_->offsets();
  TRY(log_->advance_log_start(to));
  lane_.announce(before, 0);
  return {};
}

std::unique_ptr<Maintenance> Partition::begin_upkeep(Upkeep kind, int64_t now_ms) {
  switch (kind) {
    case Upkeep::kRetention:
      return log_->begin_retention(now_ms);
    case Upkeep::kCheckpoint:
      return log_->begin_checkpoint(now_ms);
    case Upkeep::kFlush:
      return log_->begin_flush(now_ms);
    case Upkeep::kCompaction:
      return log_->begin_compaction(now_ms, {});
    case Upkeep::kAudit:
      return log_->begin_audit(kAuditBytes);
  }
  return nullptr;
}

Partition::Started Partition::start_upkeep(Upkeep kind, int64_t now_ms, std::function<void(UpkeepReport)> on_finished) {
  UpkeepSlot& slot = slot_of(kind);
  if (slot.is_out || on_quiet_ != nullptr || lane_quiet_) return Started::kBusy;
  const LogOffsets before = log_->offsets();
  std::unique_ptr<Maintenance> work = begin_upkeep(kind, now_ms);
  lane_.announce(before, 0);  // retention moves the log start before the files go
  if (work == nullptr) return Started::kNothingDue;
  slot.is_out = true;
  slot.on_finished = std::move(on_finished);
  // Compaction has nobody wait behind it there: that queue has many threads, for its jobs mostly wait themselves.
  const WorkQueue queue = kind == Upkeep::kRetention ? WorkQueue::kCpu : WorkQueue::kSync;
  scheduler_.workers().submit(queue, std::make_unique<UpkeepJob>(*this, std::move(work), kind));
  return Started::kStarted;
}

void Partition::on_upkeep_done(Maintenance& work, Upkeep kind) {
  UpkeepSlot& slot = slot_of(kind);
  slot.is_out = false;
  const LogOffsets before = log_->offsets();
  log_->finish(work);
  lane_.announce(before, 0);
  if (slot.on_finished != nullptr) {
    UpkeepReport report{.notes = std::move(work.notes),
                        .damaged = std::move(work.damaged),
                        .error = std::move(work.error),
                        .goes_on = work.goes_on};
    std::exchange(slot.on_finished, nullptr)(std::move(report));
  }
  quiet_maybe();
}

void Partition::retire(std::function<void()> on_quiet) {
  on_quiet_ = std::move(on_quiet);
  waiters_.notify({PartitionChange::kGone, 0});
  const auto on_lane_quiet = [this] {
    lane_quiet_ = true;
    quiet_maybe();
  };
  lane_.close(Error(Errc::kNotFound, fmt::format("{} was deleted", name())), on_lane_quiet);
}

void Partition::drain(std::function<void()> on_quiet) {
  on_quiet_ = std::move(on_quiet);
  const auto on_lane_quiet = [this] {
    lane_quiet_ = true;
    quiet_maybe();
  };
  lane_.drain(Error(Errc::kCancelled, "shutting down"), on_lane_quiet);
}

void Partition::quiet_maybe() {
  const bool is_out = upkeep_.is_out || compaction_.is_out || audit_.is_out;
  if (!lane_quiet_ || is_out || on_quiet_ == nullptr) return;
  scheduler_.call_soon(std::exchange(on_quiet_, nullptr));
}

}  // namespace leat
