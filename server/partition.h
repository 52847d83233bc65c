// partition.h: one partition as the server sees it: its log, its append lane, those who wait for it, and its settings.
// Owned by PartitionTable. Handlers find it by name or id and look it up again after each wait. Thread: the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/log/partition_log.h"
#include "core/record/validator.h"
#include "server/append_lane.h"
#include "server/waiters.h"

namespace leat {

// Effective settings of one topic: overrides of the topic over the broker's.
struct TopicSettings {
  LogConfig log;
  ValidationRules produce;  // a pattern: produce_version and now_ms are filled in for each request
};

class Partition {
 public:
  struct Parts {
    Scheduler& scheduler;
    LaneStarter& lane_starter;
    LaneOptions lane;
  };
  Partition(const Parts& parts, std::unique_ptr<PartitionLog> log, const TopicSettings& settings);
  ~Partition();
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  const TopicPartition& name() const noexcept { return log_->name(); }
  const Uuid& topic_id() const noexcept { return log_->topic_id(); }
  PartitionLog& log() noexcept { return *log_; }
  const PartitionLog& log() const noexcept { return *log_; }
  const LogOffsets& offsets() const noexcept { return log_->offsets(); }
  AppendLane& lane() noexcept { return lane_; }
  WaiterList& waiters() noexcept { return waiters_; }
  const TopicSettings& settings() const noexcept { return settings_; }
  void set_settings(const TopicSettings& settings);

  // Deletes records below `to` (DeleteRecords, retention by the owner): wakes whom it concerns.
  Result<void> advance_log_start(Offset to);
  // Runs one Maintenance of the log on a worker. kBusy: one is out already, or the partition is being closed.
  // Compaction has a place of its own, and so has the check of what is read, for they take long; a start of them is a
  // small piece, see goes_on. `on_finished` is called once, after kStarted only.
  enum class Upkeep : uint8_t { kRetention, kCheckpoint, kFlush, kCompaction, kAudit };
  struct UpkeepReport {
    std::vector<std::string> notes;    // lines for the log
    std::vector<std::string> damaged;  // the same, of bytes that have changed
    std::optional<Error> error;
    bool goes_on = false;  // more of the same may begin at once
  };
  enum class Started : uint8_t { kNothingDue, kStarted, kBusy };
  Started start_upkeep(Upkeep kind, int64_t now_ms, std::function<void(UpkeepReport)> on_finished = {});

  // Being deleted: whoever waits is told, later appends are refused; on_quiet when no job of it is out.
  void retire(std::function<void()> on_quiet);
  // Shutdown: what is queued is appended, then on_quiet.
  void drain(std::function<void()> on_quiet);

 private:
  class UpkeepJob;
  struct UpkeepSlot {
    bool is_out = false;
    std::function<void(UpkeepReport)> on_finished = {};
  };
  UpkeepSlot& slot_of(Upkeep kind) noexcept;
  std::unique_ptr<Maintenance> begin_upkeep(Upkeep kind, int64_t now_ms);
  void on_upkeep_done(Maintenance& work, Upkeep kind);
  void quiet_maybe();

  Scheduler& scheduler_;
  std::unique_ptr<PartitionLog> log_;
  WaiterList waiters_;
  AppendLane lane_;
  TopicSettings settings_;
  UpkeepSlot upkeep_;
  UpkeepSlot compaction_;
  UpkeepSlot audit_;
  bool lane_quiet_ = false;
  std::function<void()> on_quiet_;
};

}  // namespace leat
