// pending.cpp: who waits for an answer, whichever comes first, the waiter or the answer.
#include <leat/pending.h>

#include "core/base/check.h"

namespace leat::client::detail {

PendingStateBase::PendingStateBase(std::shared_ptr<Executor> executor) noexcept : executor_(std::move(executor)) {}

bool PendingStateBase::is_done() noexcept {
  const std::lock_guard held(mutex_);
  return done_;
}

bool PendingStateBase::suspend(std::coroutine_handle<> awaiter) noexcept {
  const std::lock_guard held(mutex_);
  if (done_) return false;
  awaiter_ = awaiter;
  return true;
}

void PendingStateBase::forget() noexcept {
  const std::lock_guard held(mutex_);
  awaiter_ = nullptr;
}

// Without the lock: when the loop is gone, things run at once, and may ask us again.
void PendingStateBase::call_when_done(std::function<void()> action) {
  {
    const std::lock_guard held(mutex_);
    if (!done_) {
      action_ = std::move(action);
      return;
    }
  }
  executor_->call_soon(std::move(action));
}

void PendingStateBase::block_until_done() {
  std::unique_lock held(mutex_);
  ENSURE(done_ || !executor_->is_loop_thread(), "Pending::wait() in the thread of the client's loop waits for ever");
  done_changed_.wait(held, [this] { return done_; });
}

void PendingStateBase::announce(std::unique_lock<std::mutex> held) {
  done_ = true;
  const std::coroutine_handle<> awaiter = std::exchange(awaiter_, nullptr);
  std::function<void()> action = std::exchange(action_, nullptr);
  const std::shared_ptr<Executor> executor = executor_;
  done_changed_.notify_all();
  held.unlock();
  if (awaiter) executor->resume_soon(awaiter);
  if (action) executor->call_soon(std::move(action));
}

}  // namespace leat::client::detail
