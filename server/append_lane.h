// append_lane.h: the one road by which anything is appended to a partition: clients' batches, the metadata journal,
// later offsets and markers.
//   submit      takes a slot, in order of arrival
//   validated   small batches on the loop, large ones on a kCpu worker, while the slot keeps its place
//   started     before the loop polls: all validated slots at the head become one append
//   written     by the loop itself, when it is small and plain, else by a worker; acks 0 and 1 are answered
//   durable     one sync covers all that was written before it began (sync_chain.h); acks=all are answered, the high
//               watermark moves, watches wake
// Invariants: at most one append is being written; one that is not plain is written and synced by itself, with no other
// out; outcomes reach their askers in the order of the slots of equal acks; each slot
// is answered exactly once; a rejected slot never holds up those behind it. Thread: the loop; jobs touch only their own
// fields.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/ring_queue.h"
#include "core/log/partition_log.h"
#include "net/loop/scheduler.h"
#include "net/loop/task.h"
#include "server/append_group.h"
#include "server/inline_writes.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/sync_chain.h"
#include "server/waiters.h"

namespace leat {

// Largest batch whose validation may run on the loop: one of the default max.message.bytes, and no more records than
// it claims are looked at. 1 MiB of 1 KB records is checked in some 100 µs, as long as reading it from the socket
// took, and it is still in that core's cache; a hop to a worker and back costs 50 µs and the way to another core
// (DESIGN §8). Compressed bytes may swell, so they get a smaller bound, and an unpacked bound of their own; what
// exceeds it goes to a worker after all.
inline constexpr size_t kValidateInlineBytesMax = (size_t{1} << 20) + (size_t{4} << 10);
inline constexpr int32_t kValidateInlineRecordsMax = 8192;
inline constexpr size_t kValidateInlineCompressedBytesMax = 4 << 10;
inline constexpr int64_t kValidateInlineUnpackedBytesMax = 64 << 10;
// One job's bounds: a job is the unit of latency for those who come after it.
inline constexpr size_t kJobBytesMax = 32 << 20;
inline constexpr size_t kJobBatchesMax = 4096;

struct LaneOptions {
  // Which appends the loop writes itself: the one exception to the ban on file I/O there. Null: none.
  InlineWrites* inline_writes = nullptr;
};

// Starts lanes' jobs once in a loop turn, before it polls, so that pipelined requests of many connections form one
// group.
class LaneStarter {
 public:
  explicit LaneStarter(Scheduler& scheduler) noexcept
      : scheduler_(scheduler), refusals_(scheduler.clock(), 1), failures_(scheduler.clock()) {}
  void start_soon(class AppendLane& lane);
  LaneMetrics& metrics() noexcept { return metrics_; }
  // Called with the bytes of each job that reached its file: the watch on disk space cannot wait for its next look.
  void set_on_appended(std::function<void(int64_t)> on_appended) { on_appended_ = std::move(on_appended); }
  void appended(int64_t size_bytes) const {
    if (on_appended_ != nullptr) on_appended_(size_bytes);
  }
  void forget(AppendLane& lane) noexcept;
  // A write or sync failed, or the disk is full: a line, rate limited over all lanes, for producers retry at once. Of a
  // full disk one says it all; what fails otherwise may fail differently for each partition.
  void note_failure(const TopicPartition& name, const Error& error);

 private:
  void start_all();

  Scheduler& scheduler_;
  std::vector<AppendLane*> waiting_;
  std::vector<AppendLane*> starting_;
  std::function<void(int64_t)> on_appended_;
  LaneMetrics metrics_;
  RateLimitedLog refusals_;  // for want of space
  RateLimitedLog failures_;
};

class AppendLane {
 public:
  AppendLane(Scheduler& scheduler, LaneStarter& starter, PartitionLog& log, WaiterList& waiters,
             LaneOptions options) noexcept;
  ~AppendLane();  // CHECKs that no job is in flight: drain first
  AppendLane(const AppendLane&) = delete;
  AppendLane& operator=(const AppendLane&) = delete;

  // A client's records field: takes a slot now, validates it, appends it. The outcome goes to group.outcomes[index].
  void submit(Slice records, const ValidationRules& rules, std::shared_ptr<AppendGroup> group, uint32_t index);
  // A batch that is valid already (built by us).
  void submit_valid(AppendInput input, std::shared_ptr<AppendGroup> group, uint32_t index);
  Task<AppendOutcome> append(AppendInput input, Acks acks);  // the same as a coroutine

  size_t queued_bytes() const noexcept { return queued_bytes_; }
  int jobs_out() const noexcept { return jobs_out_; }
  bool idle() const noexcept {
    return slots_.empty() && inputs_.empty() && jobs_out_ == 0 && flying_ == nullptr && syncs_.idle();
  }

  // Whoever comes later is answered with `reason`, as is everything that is not in flight; on_drained is called (from
  // the ready queue) when no job is out any more.
  void close(Error reason, std::function<void()> on_drained);
  // Finishes what is queued, then calls on_drained; whoever comes later is answered with `reason`.
  void drain(Error reason, std::function<void()> on_drained);
  // After an owner changed offsets by another way than the lane (DeleteRecords): wakes whom it concerns.
  void announce(const LogOffsets& before, int64_t visible_bytes);

 private:
  friend class LaneStarter;
  class WriteJob;
  class ValidateJob;

  enum class SlotState : uint8_t { kValidating, kReady, kRejected };
  struct Taker {  // who is told
    std::shared_ptr<AppendGroup> group;
    uint32_t index = 0;
  };
  struct Slot {
    SlotState state = SlotState::kValidating;
    AppendInput input;
    size_t size_bytes = 0;
    Taker taker;
  };

  void add_slot(Slot slot);
  void on_validated(uint64_t slot_number, tl::expected<ValidBatch, InvalidBatch> result);
  void reject(Slot& slot, AppendOutcome outcome);
  void start();
  void take_ready_slots();
  void start_soon();
  void launch(std::unique_ptr<LogAppend> append);
  void launch_job(std::unique_ptr<LogAppend> append);
  bool may_write_inline(const LogAppend& append) const noexcept;
  void write_inline(std::unique_ptr<LogAppend> append);
  void on_synced(const SyncChain::Batch& batch);
  void on_syncs_cancelled(const SyncChain::Batch& batch);
  void launch_held();
  void on_job_written(uint64_t job_number);
  void report_written(LogAppend& append);
  enum class Synced : uint8_t { kNo, kYes };  // whether sync() was called; how it ended, the log knows
  void report_finished(LogAppend& append, Synced synced);
  void count_finished(const LogAppend& append) noexcept;
  void note_failure(const LogAppend& append);
  void on_job_done(std::unique_ptr<LogAppend> append, Synced synced);
  void on_job_cancelled();
  void answer(LogAppend& append, Taker& taker, size_t position);
  void settle(LogAppend& append, std::vector<Taker>& takers);
  static void refuse(std::vector<Taker>& takers, const Error& reason);
  void refuse_flight(const Error& reason);
  void end_cancelled(const Error& reason);
  void fail_queued(const Error& reason);
  void drained_maybe();

  Scheduler& scheduler_;
  LaneStarter& starter_;
  PartitionLog& log_;
  WaiterList& waiters_;
  LaneOptions options_;
  // Null once the lane is gone: what a worker has posted may come after the job's done(), and then after the lane.
  const std::shared_ptr<AppendLane*> link_;

  RingQueue<Slot> slots_;
  uint64_t first_slot_number_ = 0;   // of slots_.front()
  std::vector<AppendInput> inputs_;  // taken from slots_, not yet by begin_append
  std::vector<Taker> takers_;        // of inputs_, in step
  std::vector<Taker> in_flight_;     // of flying_'s outcomes; a null group was answered
  LogAppend* flying_ = nullptr;      // being written: owned by the job, or held_
  std::unique_ptr<LogAppend> held_;  // until the chain is idle
  uint64_t job_number_ = 0;
  bool written_reported_ = false;
  LogOffsets offsets_before_job_;
  size_t queued_bytes_ = 0;  // of slots, inputs and the job in flight
  size_t input_bytes_ = 0;   // of inputs_, as they were queued
  size_t flying_bytes_ = 0;
  struct Unsynced {
    std::vector<Taker> takers;
    size_t queued_bytes = 0;
  };
  RingQueue<Unsynced> unsynced_;  // of what the chain has, in step
  SyncChain syncs_;
  int jobs_out_ = 0;  // write and validation jobs
  bool start_is_due_ = false;
  std::optional<Error> closed_;
  std::function<void()> on_drained_;
};

}  // namespace leat
