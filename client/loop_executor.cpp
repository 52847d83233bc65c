// loop_executor.cpp: see loop_executor.h.
#include "client/loop_executor.h"

#include <future>

namespace leat::client::detail {

void LoopExecutor::resume_soon(std::coroutine_handle<> coroutine) {
  {
    const std::lock_guard held(mutex_);
    if (scheduler_ != nullptr) {
      if (is_loop_thread_()) return scheduler_->resume_soon(coroutine);
      return scheduler_->post([coroutine] { coroutine.resume(); });
    }
  }
  coroutine.resume();
}

void LoopExecutor::call_soon(std::function<void()> action) {
  {
    const std::lock_guard held(mutex_);
    if (scheduler_ != nullptr) {
      if (is_loop_thread_()) return scheduler_->call_soon(std::move(action));
      return scheduler_->post(std::move(action));
    }
  }
  action();
}

bool LoopExecutor::is_loop_thread() const noexcept {
  const std::lock_guard held(mutex_);
  return scheduler_ == nullptr || is_loop_thread_();
}

void LoopExecutor::detach() noexcept {
  const std::lock_guard held(mutex_);
  scheduler_ = nullptr;
}

void run_in_loop(Executor& executor, const std::function<void()>& action) {
  if (executor.is_loop_thread()) return action();
  std::promise<void> done;
  executor.call_soon([&action, &done] {
    action();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace leat::client::detail
