// loop_thread.h: a UvLoop in a thread of its own, for programs that have no loop: the client's. Thread: made, used and
// destroyed by any thread but its own.
#pragma once

#include <functional>
#include <thread>

#include "net/loop/uv_loop.h"

namespace leat {

class LoopThread {
 public:
  LoopThread(const Clock& clock, const WorkerPoolOptions& workers);
  ~LoopThread();  // what stands on the loop must be gone: see run_and_wait
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  UvLoop& loop() noexcept { return loop_; }
  bool is_current() const noexcept { return std::this_thread::get_id() == thread_.get_id(); }
  // Runs `action` in the loop's thread and returns when it has run. Not to be called from there.
  void run_and_wait(const std::function<void()>& action);

 private:
  UvLoop loop_;
  std::thread thread_;
};

}  // namespace leat
