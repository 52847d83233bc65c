// worker_pool.h: the threads that do file I/O and long CPU work. FIFO queues, each with a bound of its own on the jobs
// it may have running; there may be as many threads as the bounds add up to, so a queue full of slow syncs never takes
// a thread from reads. A thread is made when a job may run and none is free. A job that ends is handed back to the loop
// together with all that ended meanwhile, by one post. Waking a sleeping thread is the dearest step (50-60 us for a hop
// there and back on virtual machines), so: a submit wakes nobody while a thread is awake and looking for work; a thread
// that takes a job wakes the next one only if more can run; and a thread may spin for a while before it sleeps (spin,
// 0 = not at all). Thread: submit, queued, shutdown from the loop; jobs run on the pool's threads.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "net/loop/scheduler.h"

namespace leat {

struct WorkerPoolOptions {
  size_t sync_running_max = 2;
  size_t read_running_max = 2;
  size_t cpu_running_max = 1;  // the loop needs a core too
  size_t write_running_max = 2;
  Micros spin{0};  // how long a thread looks for work before it sleeps
};

class WorkerPool final : public Workers {
 public:
  using Post = std::function<void(std::function<void()>)>;  // runs an action on the loop; called from any thread

  WorkerPool(const WorkerPoolOptions& options, Post post);
  ~WorkerPool() override;  // shuts down when that was not done; the loop must be past its last turn

  void submit(WorkQueue queue, std::unique_ptr<Job> job) override;
  size_t queued(WorkQueue queue) const noexcept override;  // waiting and running

  // Jobs that have not begun come back cancelled, those that run are waited for; every done() has been called on
  // return. A later submit comes back cancelled.
  void shutdown();
  bool shutting_down() const noexcept;  // any thread

 private:
  struct Queue {
    std::deque<std::unique_ptr<Job>> waiting;
    size_t running = 0;
    size_t running_max = 1;
  };

  void run_thread() noexcept;
  void spin(std::unique_lock<std::mutex>& lock) noexcept;
  void sleep(std::unique_lock<std::mutex>& lock) noexcept;
  Queue* runnable() noexcept;  // under mutex_: a queue that may start a job; takes turns between queues
  // For jobs that may run, under mutex_: chooses a sleeping thread (true: notify after unlocking), or makes one more.
  bool bring_in_thread() noexcept;
  void complete(std::unique_ptr<Job> job);
  void deliver_completed();

  const Post post_;
  const Micros spin_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::array<Queue, kWorkQueueCount> queues_;
  size_t next_queue_ = 0;
  size_t sleeping_ = 0;    // threads waiting on work_ that nobody has woken
  size_t woken_ = 0;       // threads notified that have not come back to the queues yet
  bool spinning_ = false;  // one thread at most
  bool stopping_ = false;
  std::atomic<size_t> waiting_hint_{0};  // jobs waiting; for the spinning thread, which holds no lock

  std::mutex completed_mutex_;
  std::vector<std::unique_ptr<Job>> completed_;  // ended, not yet delivered to the loop

  size_t threads_max_ = 0;
  std::vector<std::thread> threads_;  // grows under mutex_, until stopping_
};

}  // namespace leat
