// bench_loop.h: a loop in the command's thread, and clients on it: as many connections as a bench wants, without a
// thread for each, so that one core is what the load generator takes. Thread: one. Clients, and what they made, are
// destroyed before the loop.
#pragma once

#include <leat/client.h>

#include <functional>
#include <memory>

#include "cli/session.h"
#include "core/base/clock.h"
#include "net/loop/uv_loop.h"

namespace leat::cli {

class BenchLoop {
 public:
  BenchLoop() : loop_(clock_, {}) {}

  Result<std::unique_ptr<client::Client>> new_client(Session& session);
  // Runs until stop(); calls `on_tick` some times a second.
  void run(std::function<void()> on_tick);
  void stop() noexcept;  // also when it does not run

 private:
  void tick();

  const SystemClock clock_;  // the loop's own; what is measured is measured with the session's
  UvLoop loop_;
  std::function<void()> on_tick_;
  TimerId timer_ = kNoTimer;
  bool running_ = false;
};

// The topic, made when the broker makes topics by itself; every broker that leads one of its partitions is reached.
Result<client::TopicInfo> find_bench_topic(Session& session, const std::string& name);

}  // namespace leat::cli
