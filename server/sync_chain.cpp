// sync_chain.cpp: see sync_chain.h.
#include "server/sync_chain.h"

#include <utility>

#include "core/base/check.h"

namespace leat {

class SyncChain::SyncJob final : public Job {
 public:
  explicit SyncJob(SyncChain& chain)
      : chain_(chain), scheduler_(chain.scheduler_), mailbox_(chain.mailbox_), timed_(chain.timed_) {}

  void run() noexcept override {
    for (int i = 0; i < kSyncsInARowMax; ++i) {
      Batch batch{.appends = take_waiting()};
      if (batch.appends.empty()) return;
      const Nanos begin = time_if(timed_, scheduler_.clock());
      LogAppend& last = *batch.appends.back();
      last.sync();
      for (size_t k = 0; k + 1 < batch.appends.size(); ++k) batch.appends[k]->share_sync_of(last);
      batch.sync_took = time_if(timed_, scheduler_.clock()) - begin;
      hand_back(std::move(batch));
    }
  }
  void done() noexcept override { chain_.on_job_done(cancelled ? End::kCancelled : End::kTried); }

 private:
  // Nothing: the job ends, and the next add() makes another.
  std::vector<std::unique_ptr<LogAppend>> take_waiting() {
    const std::lock_guard lock(mailbox_->mutex);
    std::vector<std::unique_ptr<LogAppend>> taken;
    taken.swap(mailbox_->waiting);
    if (taken.empty()) mailbox_->is_served = false;
    return taken;
  }
  // By way of the mailbox, not of the posted action: done() may overtake that, or come without it at a shutdown.
  void hand_back(Batch batch) {
    bool first = false;
    {
      const std::lock_guard lock(mailbox_->mutex);
      first = mailbox_->finished.empty();
      mailbox_->finished.push_back(std::move(batch));
    }
    if (!first) return;
    scheduler_.post([mailbox = mailbox_] {
      if (mailbox->chain != nullptr) mailbox->chain->deliver();
    });
  }

  SyncChain& chain_;  // outlives its jobs: its destructor CHECKs that none is out. Only done() uses it
  Scheduler& scheduler_;
  const std::shared_ptr<Mailbox> mailbox_;
  const Timed timed_;
};

SyncChain::SyncChain(Scheduler& scheduler, const Timed& timed, OnBatch on_batch)
    : scheduler_(scheduler), timed_(timed), on_batch_(std::move(on_batch)), mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->chain = this;
}

SyncChain::~SyncChain() {
  ENSURE(idle(), "{} appends and {} jobs out", appends_out_, jobs_out_);
  mailbox_->chain = nullptr;
}

void SyncChain::add(std::unique_ptr<LogAppend> append) {
  ++appends_out_;
  bool was_served = false;
  {
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->waiting.push_back(std::move(append));
    was_served = std::exchange(mailbox_->is_served, true);
  }
  if (!was_served) submit();
}

void SyncChain::submit() {
  ++jobs_out_;
  scheduler_.workers().submit(WorkQueue::kSync, std::make_unique<SyncJob>(*this));
}

void SyncChain::deliver() {
  std::vector<Batch> batches;
  {
    const std::lock_guard lock(mailbox_->mutex);
    batches.swap(mailbox_->finished);
  }
  for (Batch& batch : batches) {
    appends_out_ -= batch.appends.size();
    on_batch_(batch);
  }
}

void SyncChain::on_job_done(End end) {
  --jobs_out_;
  deliver();
  Batch rest;  // of nothing, most often: for an owner that waits until the chain is idle
  rest.end = end;
  bool more = false;
  {
    const std::lock_guard lock(mailbox_->mutex);
    if (end == End::kCancelled) {
      rest.appends.swap(mailbox_->waiting);
      mailbox_->is_served = false;
    } else if (mailbox_->is_served && jobs_out_ == 0) {
      // Not ended for want of work, but to let others in. (With another job out, that one serves what came since.)
      mailbox_->is_served = more = !mailbox_->waiting.empty();
    }
  }
  if (more) return submit();
  appends_out_ -= rest.appends.size();
  on_batch_(rest);
}

}  // namespace leat
