// manual_scheduler.h: a Scheduler for deterministic tests and the simulator: no thread, no libuv, no wall clock.
// Nothing happens until the test says so: run_until_idle() runs the ready queue, the before_poll hooks and what was
// posted, exactly as UvLoop orders them; advance() moves the clock from timer to timer. Jobs run by themselves within
// run_until_idle(), or on demand; which queue's head runs next and which finished job is delivered next follows from
// the seed. Thread: one; post() is not thread-safe here.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "core/base/clock.h"
#include "core/base/random.h"
#include "net/loop/scheduler.h"
#include "net/loop/timer_heap.h"

namespace leat {

enum class JobMode : uint8_t {
  kAutomatic,  // run_until_idle() also runs jobs
  kOnDemand,   // run_job() and run_jobs() do
};

class ManualScheduler final : public Scheduler {
 public:
  explicit ManualScheduler(JobMode mode = JobMode::kAutomatic, uint64_t seed = 1);
  ~ManualScheduler() override;  // jobs that wait come back cancelled

  const Clock& clock() const noexcept override { return clock_; }
  Timers& timers() noexcept override { return timers_; }
  Workers& workers() noexcept override { return workers_; }
  void resume_soon(std::coroutine_handle<> coroutine) override;
  void call_soon(std::function<void()> action) override;
  void post(std::function<void()> action) override;
  void before_poll(std::function<void()> action) override;

  ManualClock& manual_clock() noexcept { return clock_; }
  void run_until_idle();
  void advance(Millis by);       // fires every timer that falls due, each at its time, and runs until idle after each
  bool advance_to_next_timer();  // false when no timer runs
  size_t timer_count() const noexcept { return timers_.heap.count(); }

  bool run_job();      // begins and ends one job, and delivers it; false when none waits
  void run_jobs();     // all, also those that the done ones submit
  void cancel_jobs();  // as a shutdown of the pool: who waits, and whoever submits from now on, is cancelled
  size_t jobs_waiting() const noexcept;

 private:
  struct ManualTimers final : Timers {
    explicit ManualTimers(const Clock& of) noexcept : clock(of) {}
    TimerId start(Millis after, std::function<void()> on_expired) override {
      return heap.start(clock.monotonic() + std::max(Nanos(after), Nanos(0)), std::move(on_expired));
    }
    void cancel(TimerId timer) noexcept override { heap.cancel(timer); }
    const Clock& clock;
    TimerHeap heap;
  };
  struct ManualWorkers final : Workers {
    void submit(WorkQueue queue, std::unique_ptr<Job> job) override;
    size_t queued(WorkQueue queue) const noexcept override;
    std::array<std::deque<std::unique_ptr<Job>>, kWorkQueueCount> waiting;
    std::vector<std::unique_ptr<Job>> finished;
    bool stopped = false;
  };
  struct Ready {
    std::coroutine_handle<> coroutine;
    std::function<void()> action;
  };

  bool run_ready();
  bool begin_job();
  void deliver_job();

  ManualClock clock_;
  ManualTimers timers_{clock_};
  ManualWorkers workers_;
  JobMode mode_;
  SeededRandom random_;
  std::deque<Ready> ready_;
  std::vector<std::function<void()>> before_poll_;
};

}  // namespace leat
