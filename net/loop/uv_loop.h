// uv_loop.h: the real Scheduler: one libuv loop, its timers, its worker pool.
// One turn, from a uv_prepare callback just before libuv polls: what other threads posted, the ready queue in order,
// then the before_poll hooks; again while that made new work, up to a bound, after which sockets get their chance (a
// zero-timeout poll) before the rest. Timers share one uv_timer. A post from another thread writes to the loop's
// wake-up descriptor only when the loop sleeps or is about to. It may also stand on a libuv loop of somebody else's, as
// an embedded client does: then that loop is run by its owner, and our handles keep it alive until we are destroyed.
// Thread: the loop's, except post(). The loop runs in whatever thread calls run().
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "net/loop/scheduler.h"
#include "net/loop/worker_pool.h"

struct uv_loop_s;

namespace leat {

class UvLoop final : public Scheduler {
 public:
  UvLoop(const Clock& clock, const WorkerPoolOptions& workers);
  // On `existing`, which outlives this and is run by whoever owns it. To be made and destroyed in its thread.
  UvLoop(uv_loop_s* existing, const Clock& clock, const WorkerPoolOptions& workers);
  // Handles of others (listeners, connections, signal watchers) must have been closed; their close callbacks run here,
  // or, on an existing loop, when its owner runs it once more.
  ~UvLoop() override;
  UvLoop(const UvLoop&) = delete;
  UvLoop& operator=(const UvLoop&) = delete;

  void run();            // until stop(); not on an existing loop
  void stop() noexcept;  // run() returns after the present turn
  // Stops the worker pool: see WorkerPool::shutdown. Then the ready queue is run until it is empty.
  void shutdown_workers();

  const Clock& clock() const noexcept override;
  Timers& timers() noexcept override;
  Workers& workers() noexcept override;
  void resume_soon(std::coroutine_handle<> coroutine) override;
  void call_soon(std::function<void()> action) override;
  void post(std::function<void()> action) override;
  void before_poll(std::function<void()> action) override;

  uv_loop_s* raw() noexcept;  // for net/transport and the watchers beside this file

 private:
  class Handles;
  class UvTimers;
  struct Ready {  // one of the two
    std::coroutine_handle<> coroutine;
    std::function<void()> action;
  };

  void turn() noexcept;
  bool run_ready(size_t& budget) noexcept;
  bool take_posted();
  bool run_before_poll(size_t& budget) noexcept;
  void note_work() noexcept;

  const Clock& clock_;
  Handles* handles_;  // on an existing loop they outlive this, until that loop has run their close callbacks
  std::unique_ptr<UvTimers> timers_;

  std::vector<Ready> ready_;
  std::vector<Ready> running_;  // the part of the ready queue that is being run
  size_t running_next_ = 0;     // what a turn's bound left over stands here, before ready_
  std::vector<std::function<void()>> before_poll_;

  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_;
  std::atomic<bool> sleeping_{false};  // set before the last look at posted_, cleared by who wakes the loop

  std::unique_ptr<WorkerPool> workers_;  // last: its threads post to all of the above
};

}  // namespace leat
