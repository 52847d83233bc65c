// runtime.h: what a client runs on: a loop, a way to brokers, randomness. A thread of its own, or the caller's loop;
// the tests have a third. Thread: made and destroyed where the client is.
#pragma once

#include <functional>
#include <memory>

#include <leat/result.h>

#include "core/base/random.h"
#include "net/loop/scheduler.h"
#include "net/transport/dialer.h"

struct uv_loop_s;

namespace leat::client::detail {

class Runtime {
 public:
  virtual ~Runtime() = default;  // the loop runs until it is idle once more
  virtual Scheduler& scheduler() noexcept = 0;
  virtual Dialer& dialer() noexcept = 0;
  virtual Random& random() noexcept = 0;
  virtual bool is_loop_thread() const noexcept = 0;
  virtual bool has_own_thread() const noexcept = 0;  // then calls come from other threads
};

std::unique_ptr<Runtime> make_thread_runtime(size_t response_bytes_max);
std::unique_ptr<Runtime> make_attached_runtime(uv_loop_s* loop, size_t response_bytes_max);

}  // namespace leat::client::detail
