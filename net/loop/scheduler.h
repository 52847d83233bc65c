// scheduler.h: what server and client logic sees of the loop: a ready queue, timers, workers. UvLoop (uv_loop.h) is the
// real one; the simulator (test/simulation) drives the same logic from a seed. Thread: the loop, except where said.
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/base/clock.h"

namespace leat {

// Work that is done off the loop. run() sees nothing but the job's own fields, which were moved or copied in; done() is
// called on the loop afterwards, exactly once, also when the pool shuts down before the job began (then run() was not
// called and `cancelled` is true). A job outlives its asker: done() finds what it needs by id, not by pointer.
class Job {
 public:
  virtual ~Job() = default;
  virtual void run() noexcept = 0;   // worker thread
  virtual void done() noexcept = 0;  // loop
  bool cancelled = false;
};

// Bounded by itself each, so that slow syncs never stop reads. Many syncs run side by side, for they wait, and file
// systems let those that wait together share a journal commit; writes into the page cache take a core each.
enum class WorkQueue : uint8_t { kSync, kRead, kCpu, kWrite };
inline constexpr size_t kWorkQueueCount = 4;

class Workers {
 public:
  virtual ~Workers() = default;
  virtual void submit(WorkQueue queue, std::unique_ptr<Job> job) = 0;  // FIFO for each queue
  virtual size_t queued(WorkQueue queue) const noexcept = 0;
};

using TimerId = uint64_t;  // never reused; 0 is none
inline constexpr TimerId kNoTimer = 0;

class Timers {
 public:
  virtual ~Timers() = default;
  virtual TimerId start(Millis after,
                        std::function<void()> on_expired) = 0;  // called once, from the loop, never from inside start
  virtual void cancel(TimerId timer) noexcept = 0;              // an id that has fired or kNoTimer is fine
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  virtual const Clock& clock() const noexcept = 0;
  virtual Timers& timers() noexcept = 0;
  virtual Workers& workers() noexcept = 0;
  // The ready queue: resumed in order, once the present callback has returned, before the loop polls again.
  virtual void resume_soon(std::coroutine_handle<> coroutine) = 0;
  virtual void call_soon(std::function<void()> action) = 0;
  // From any thread: runs `action` on the loop.
  virtual void post(std::function<void()> action) = 0;
  // Once before the loop next polls, after the ready queue is empty: to turn many small acts into one (reply
  // coalescing).
  virtual void before_poll(std::function<void()> action) = 0;
};

}  // namespace leat
