// server_fixture.h: a TcpServer on a port that the system picks. Its loop runs in the test's thread, clients in threads
// of their own with blocking calls; they report through atomics and values that are read after they were joined.
#pragma once

#include <functional>
#include <thread>

#include "core/base/clock.h"
#include "net/loop/task.h"
#include "net/loop/uv_loop.h"
#include "net/transport/tcp_server.h"
#include "test/support/catch.h"

namespace leat::test {

inline const SystemClock kClock;
inline constexpr WorkerPoolOptions kFewWorkers{.sync_running_max = 1, .read_running_max = 1, .cpu_running_max = 1};

template <class Handler>
struct ServerFixture {
  explicit ServerFixture(const TransportLimits& limits = {}) : server(loop, handler, limits) {
    Result<uint16_t> bound = server.listen("PLAINTEXT", {"127.0.0.1", 0});
    REQUIRE(bound);
    port = *bound;
    server.start_accepting();
  }

  static Task<void> close_and_stop(ServerFixture& fixture) {
    (void)co_await fixture.server.close();
    fixture.loop.stop();
  }

  // Runs the loop until the client's work is done, and then until everything is closed.
  void run_with(const std::function<void()>& client) {
    std::thread thread([&] {
      client();
      loop.post([this] { spawn(close_and_stop(*this)); });
    });
    loop.run();
    thread.join();
  }

  UvLoop loop{kClock, kFewWorkers};
  Handler handler;
  TcpServer server;
  uint16_t port = 0;
};

}  // namespace leat::test
