// group_shard.h: one partition of `__consumer_offsets` with the machine of its groups: start, steps, end. The log is
// read on workers and replayed in slices that leave the loop room; until then whoever asks is told to come again. A
// step is taken at once; its records leave in one append with those of the steps of the same turn of the loop, however
// many appends before it wait for their sync (state_journal.h), and its replies when all that was written before them
// is durable. A failed append discards the machine: everybody who waits is sent away, and the log is read again. One
// timer, for the machine's next deadline.
// Invariants: each ask() is answered exactly once, also when the asker's connection is gone, the topic is deleted or
// the broker stops; no reply says what a crash could take back. Thread: the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/coordinator/group/group_machine.h"
#include "net/loop/event.h"
#include "net/loop/gate.h"
#include "net/loop/scheduler.h"
#include "net/loop/task.h"
#include "server/group_log.h"
#include "server/group_refusal.h"
#include "server/log.h"
#include "server/state_journal.h"

namespace leat {

using GroupReplies = std::vector<std::pair<Ticket, GroupReply>>;
// What waits for the records of a step.
struct GroupStepEnd {
  GroupReplies replies;
  std::optional<TopicGone> gone = std::nullopt;  // said by the broker once, to be heard again if the step is lost
};
// The records of one step stay together in one batch: a crash keeps all of them or none. But for tombstones of offsets,
// each of which stands for itself: a topic that goes may take those of very many groups with it.
using GroupSteps = StateJournal<std::vector<GroupRecord>, GroupStepEnd>;

class GroupShard final : private GroupSteps::Owner {
 public:
  struct Parts {
    Scheduler& scheduler;
    Random& random;
    const GroupRules& rules;  // as they stand at each step
    const TopicCatalog& catalog;
    Codec codec = Codec::kNone;          // offsets.topic.compression.codec
    const TopicNames* absent = nullptr;  // topics that are not served and may come back
  };
  GroupShard(const Parts& parts, std::unique_ptr<GroupLog> log);
  ~GroupShard() override;
  GroupShard(const GroupShard&) = delete;
  GroupShard& operator=(const GroupShard&) = delete;

  // Begins to read the log. `names`: the topics that there are, when somebody may make others while it is read.
  void start(std::shared_ptr<const TopicNames> names = nullptr);
  // Nothing is decided any more; what was is made durable, then whoever still waits is sent away.
  Task<void> stop();

  Task<GroupReply> ask(GroupEvent event);
  // From the broker itself: nobody waits for an answer. Kept until the log has been read.
  void tell(GroupEvent event);

  bool is_ready() const noexcept { return state_ == State::kReady; }
  size_t waiting_count() const noexcept { return askers_.size(); }
  size_t group_count() const noexcept { return is_ready() ? machine_->group_count() : 0; }

  // After a log could not be read: who asks after this time makes it be read again.
  static constexpr Millis kReadAgainAfter{10'000};
  // Each append that fails costs the machine. On a full disk the first one may have been the last; after a second one
  // the log is read again a little later, and what clients want written is refused for a while.
  static constexpr Millis kFullPause{1000};
  static constexpr Millis kWriteAgainAfter{5000};
  // Records replayed before the loop gets a chance to poll: some microsecond each.
  static constexpr size_t kReplaySlice = 1024;
  // A batch takes whole steps until it has so many records or bytes.
  static constexpr int32_t kBatchRecordsMax = 4096;
  static constexpr size_t kBatchBytesMax = size_t{512} << 10;
  static constexpr size_t kTombstonesTogether = 16;  // of offsets; each may be some 60 KB, if somebody is up to it

 private:
  enum class State : uint8_t { kLoading, kReady, kFailed, kStopped };
  struct Asker;

  GroupErrc why_not(const GroupEvent& event);
  void step(Ticket ticket, GroupEvent event);
  void take(GroupOutput output, GroupStepEnd end);
  void write(std::vector<GroupRecord> records);
  void refuse_all(GroupErrc why);

  void begin_load();
  Task<void> load_held(Gate::Hold hold);
  Task<void> load();
  Task<Result<void>> replay();

  Task<Result<void>> append(std::vector<std::vector<GroupRecord>> steps) override;
  Task<Result<void>> append_batch(GroupBatch batch, int64_t wall_ms);
  void note_failure(const Error& error);
  bool may_overlap() const noexcept override { return !is_cutting_ && log_->is_written(); }
  Task<void> rebuild() override;
  void on_durable(GroupStepEnd end) override;
  void on_lost(GroupStepEnd end, const Error& why) override;

  GroupMoment moment() const noexcept;
  int64_t now_ms() const noexcept;
  void arm_timer();
  void on_timer();

  const Parts parts_;
  const std::unique_ptr<GroupLog> log_;
  State state_ = State::kLoading;
  std::unique_ptr<GroupMachine> machine_;
  GroupSteps steps_;
  bool is_cutting_ = false;  // an append has batches that are yet to be written
  Gate gate_;                // asks and loads under way
  std::unordered_map<Ticket, Asker*> askers_;
  Ticket last_ticket_ = 0;
  std::vector<GroupEvent> told_;             // while the log is being read
  std::shared_ptr<const TopicNames> names_;  // until it has been read for the first time
  Nanos failed_at_{0};
  bool lacks_space_ = false;  // for that the append that is being lost has failed
  int full_count_ = 0;        // of losses for want of space in a row
  Nanos full_at_{0};
  RateLimitedLog full_log_;
  TimerId timer_ = kNoTimer;
  int64_t timer_at_ms_ = 0;
};

}  // namespace leat
