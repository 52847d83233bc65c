// loop_executor.h: the Executor of a client: its scheduler, as long as there is one. What comes from the loop's own
// thread goes to the ready queue, what comes from others is posted. Thread: any.
#pragma once

#include <functional>
#include <mutex>

#include <leat/pending.h>

#include "net/loop/scheduler.h"

namespace leat::client::detail {

class LoopExecutor final : public Executor {
 public:
  using IsLoopThread = std::function<bool()>;
  LoopExecutor(Scheduler& scheduler, IsLoopThread is_loop_thread)
      : scheduler_(&scheduler), is_loop_thread_(std::move(is_loop_thread)) {}

  void resume_soon(std::coroutine_handle<> coroutine) override;
  void call_soon(std::function<void()> action) override;
  bool is_loop_thread() const noexcept override;  // true as well when there is no loop any more
  void detach() noexcept;                         // the loop ends

 private:
  mutable std::mutex mutex_;
  Scheduler* scheduler_;
  const IsLoopThread is_loop_thread_;
};

// Runs `action` in the loop's thread and returns when it has run; in that thread, at once.
void run_in_loop(Executor& executor, const std::function<void()>& action);

}  // namespace leat::client::detail
