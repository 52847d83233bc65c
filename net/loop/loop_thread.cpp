// loop_thread.cpp: see loop_thread.h.
#include "net/loop/loop_thread.h"

#include <future>

#include "core/base/check.h"

namespace leat {

LoopThread::LoopThread(const Clock& clock, const WorkerPoolOptions& workers)
    : loop_(clock, workers), thread_([this] { loop_.run(); }) {}

LoopThread::~LoopThread() {
  ENSURE(!is_current(), "a loop's thread cannot wait for its own end");
  loop_.post([this] { loop_.stop(); });
  thread_.join();
}

void LoopThread::run_and_wait(const std::function<void()>& action) {
  ENSURE(!is_current(), "a loop's thread cannot wait for itself");
  std::promise<void> done;
  loop_.post([&action, &done] {
    action();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace leat
