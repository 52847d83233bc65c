// partition.cpp: a partition's settings, upkeep and end. See partition.h.
#include "server/partition.h"

#include "core/base/check.h"

namespace leat {

bool is_internal_topic(std::string_view topic) noexcept {
  return topic == "__consumer_offsets" || topic == "__transaction_state" || topic == "__share_group_state" ||
         topic == "__leat_metadata";
}

class Partition::UpkeepJob final : public Job {
 public:
  UpkeepJob(Partition& partition, std::unique_ptr<Maintenance> work) : partition_(partition), work_(std::move(work)) {}
  void run() noexcept override { work_->execute(); }
  void done() noexcept override { partition_.on_upkeep_done(*work_); }

 private:
  Partition& partition_;  // outlives it: retire() and drain() wait, the destructor CHECKs
  std::unique_ptr<Maintenance> work_;
};

Partition::Partition(const Parts& parts, std::unique_ptr<PartitionLog> log, const TopicSettings& settings)
    : scheduler_(parts.scheduler),
      log_(std::move(log)),
      lane_(parts.scheduler, parts.lane_starter, *log_, waiters_, parts.lane),
      settings_(settings) {}

Partition::~Partition() { CHECK(!upkeep_out_, "{}: upkeep is out", name()); }

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

Partition::Started Partition::start_upkeep(Upkeep kind, int64_t now_ms, std::function<void(UpkeepReport)> on_finished) {
  if (upkeep_out_ || on_quiet_ != nullptr || lane_quiet_) return Started::kBusy;
  std::unique_ptr<Maintenance> work;
  const LogOffsets before = log_->offsets();
  switch (kind) {
    case Upkeep::kRetention:
      work = log_->begin_retention(now_ms);
      break;
    case Upkeep::kCheckpoint:
      work = log_->begin_checkpoint(now_ms);
      break;
    case Upkeep::kFlush:
      work = log_->begin_flush(now_ms);
      break;
  }
  lane_.announce(before, 0);  // retention moves the log start before the files go
  if (work == nullptr) return Started::kNothingDue;
  upkeep_out_ = true;
  on_upkeep_finished_ = std::move(on_finished);
  const WorkQueue queue = kind == Upkeep::kRetention ? WorkQueue::kCpu : WorkQueue::kSync;
  scheduler_.workers().submit(queue, std::make_unique<UpkeepJob>(*this, std::move(work)));
  return Started::kStarted;
}

void Partition::on_upkeep_done(Maintenance& work) {
  upkeep_out_ = false;
  const LogOffsets before = log_->offsets();
  log_->finish(work);
  lane_.announce(before, 0);
  if (on_upkeep_finished_ != nullptr) {
    UpkeepReport report{std::move(work.notes), std::move(work.error)};
    std::exchange(on_upkeep_finished_, nullptr)(std::move(report));
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
  if (!lane_quiet_ || upkeep_out_ || on_quiet_ == nullptr) return;
  scheduler_.call_soon(std::exchange(on_quiet_, nullptr));
}

}  // namespace leat
