// runtime.cpp: the two runtimes of real life.
#include "client/runtime.h"

#include "net/loop/loop_thread.h"
#include "net/transport/tcp_dialer.h"

namespace leat::client::detail {
namespace {

// Different in each thread that lives.
const void* thread_mark() noexcept {
  static thread_local char mark = 0;
  return &mark;
}

class ThreadRuntime final : public Runtime {
 public:
  explicit ThreadRuntime(size_t response_bytes_max)
      : random_(SystemRandom().next()), thread_(clock_, {}), dialer_(thread_.loop(), response_bytes_max) {}
  Scheduler& scheduler() noexcept override { return thread_.loop(); }
  Dialer& dialer() noexcept override { return dialer_; }
  Random& random() noexcept override { return random_; }
  bool is_loop_thread() const noexcept override { return thread_.is_current(); }
  bool has_own_thread() const noexcept override { return true; }

 private:
  SystemClock clock_;
  SeededRandom random_;  // jitter and choice of partitions: nothing that others must not guess
  LoopThread thread_;
  TcpDialer dialer_;
};

class AttachedRuntime final : public Runtime {
 public:
  AttachedRuntime(uv_loop_s* loop, size_t response_bytes_max)
      : random_(SystemRandom().next()), loop_(loop, clock_, {}), dialer_(loop_, response_bytes_max) {}
  Scheduler& scheduler() noexcept override { return loop_; }
  Dialer& dialer() noexcept override { return dialer_; }
  Random& random() noexcept override { return random_; }
  bool is_loop_thread() const noexcept override { return thread_mark() == thread_; }
  bool has_own_thread() const noexcept override { return false; }

 private:
  SystemClock clock_;
  SeededRandom random_;
  const void* const thread_ = thread_mark();
  UvLoop loop_;
  TcpDialer dialer_;
};

}  // namespace

std::unique_ptr<Runtime> make_thread_runtime(size_t response_bytes_max) {
  return std::make_unique<ThreadRuntime>(response_bytes_max);
}
std::unique_ptr<Runtime> make_attached_runtime(uv_loop_s* loop, size_t response_bytes_max) {
  return std::make_unique<AttachedRuntime>(loop, response_bytes_max);
}

}  // namespace leat::client::detail
