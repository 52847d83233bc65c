// sync_chain.h: written appends of one lane on their way to being durable. One sync covers every append that was
// written before it began; what is written meanwhile gathers for the next one, which the same worker begins at once. No
// hop to the loop lies between two syncs: here it costs 50-60 us, a third of a sync.
// Invariants: appends come back in the order in which they were added, each once; at most one worker syncs for a chain.
// A failed sync is not repeated for what it covered; the log takes its directory offline, and with it what comes later.
// Thread: the loop; the mailbox is shared with the worker.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/log/partition_log.h"
#include "net/loop/scheduler.h"
#include "server/metrics.h"

namespace leat {

class SyncChain {
 public:
  enum class End : uint8_t { kTried, kCancelled };  // cancelled: the pool shut down before the sync began
  struct Batch {
    std::vector<std::unique_ptr<LogAppend>> appends;
    End end = End::kTried;
    Nanos sync_took{0};  // when times are taken
  };
  using OnBatch = std::function<void(const Batch&)>;

  // on_batch is called on the loop. After so many syncs in a row the job goes to the end of the queue, so that a busy
  // chain leaves the threads to others, too.
  static constexpr int kSyncsInARowMax = 8;

  SyncChain(Scheduler& scheduler, const Timed& timed, OnBatch on_batch);
  ~SyncChain();  // CHECKs that it is idle
  SyncChain(const SyncChain&) = delete;
  SyncChain& operator=(const SyncChain&) = delete;

  // An append whose write() succeeded and that needs_sync(). All of a chain sync the same file.
  void add(std::unique_ptr<LogAppend> append);
  bool idle() const noexcept { return appends_out_ == 0 && jobs_out_ == 0; }

 private:
  class SyncJob;
  struct Mailbox {
    SyncChain* chain = nullptr;  // null once it is gone: a posted action may come late. Only for the loop
    std::mutex mutex;            // for all below
    std::vector<std::unique_ptr<LogAppend>> waiting;
    bool is_served = false;       // a job is out that will look into `waiting` again
    std::vector<Batch> finished;  // not delivered yet
  };

  void submit();
  void deliver();
  void on_job_done(End end);

  Scheduler& scheduler_;
  const Timed& timed_;
  const OnBatch on_batch_;
  const std::shared_ptr<Mailbox> mailbox_;
  size_t appends_out_ = 0;
  int jobs_out_ = 0;
};

}  // namespace leat
