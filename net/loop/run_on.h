// run_on.h: awaits work that is done by a worker. The callable must have a name before the co_await (task.h says why),
// must own all that it touches, and must not throw.
//   auto read = [file, position] { return read_range(*file, position); };           // Result<Bytes>, Bytes or void
//   Result<Bytes> bytes = co_await run_on(scheduler, WorkQueue::kRead, std::move(read));
// The result is the callable's (a Result<T> stays one, T becomes Result<T>), or kCancelled when the pool shut down
// before it began. The frame that awaits must live until then. Thread: the loop; the callable runs, and is destroyed,
// where said.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/result.h"
#include "net/loop/scheduler.h"

namespace leat {

namespace run_on_internal {
template <class T>
struct AsResult {
  using Type = Result<T>;
};
template <class T>
struct AsResult<Result<T>> {
  using Type = Result<T>;
};
}  // namespace run_on_internal

template <class Work>
class RunOn {
 public:
  using Returned = std::invoke_result_t<Work&>;
  using Outcome = typename run_on_internal::AsResult<Returned>::Type;

  RunOn(Scheduler& scheduler, WorkQueue queue, Work work)
      : scheduler_(scheduler), queue_(queue), work_(std::move(work)) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiter) {
    awaiter_ = awaiter;
    scheduler_.workers().submit(queue_, std::make_unique<WorkJob>(*this, std::move(*work_)));
    work_.reset();
  }
  Outcome await_resume() noexcept { return std::move(*outcome_); }

 private:
  struct WorkJob final : Job {
    WorkJob(RunOn& asker, Work callable) : awaiting(asker), work(std::move(callable)) {}
    void run() noexcept override {
      if constexpr (std::is_void_v<Returned>) {
        work();
        outcome.emplace();
      } else {
        outcome.emplace(work());
      }
    }
    void done() noexcept override {
      if (cancelled) outcome.emplace(fail(Errc::kCancelled, "shutting down"));
      awaiting.outcome_ = std::move(outcome);
      awaiting.scheduler_.resume_soon(awaiting.awaiter_);
    }

    RunOn& awaiting;  // in the frame of the coroutine that waits; only done() looks at it
    Work work;
    std::optional<Outcome> outcome;
  };

  Scheduler& scheduler_;
  WorkQueue queue_;
  std::optional<Work> work_;
  std::optional<Outcome> outcome_;
  std::coroutine_handle<> awaiter_;
};

template <class Work>
RunOn<Work> run_on(Scheduler& scheduler, WorkQueue queue, Work work) {
  return {scheduler, queue, std::move(work)};
}

}  // namespace leat
