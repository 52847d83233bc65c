// uv_loop_test.cpp: the order of a turn, posts from other threads, timers on the real loop, shutdown.
#include "net/loop/uv_loop.h"

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "net/loop/event.h"
#include "net/loop/gate.h"
#include "net/loop/signal_watcher.h"
#include "net/loop/task.h"
#include "test/support/catch.h"

namespace leat {
namespace {

const SystemClock kClock;
const WorkerPoolOptions kFewWorkers{.sync_running_max = 1, .read_running_max = 1, .cpu_running_max = 1};

TEST_CASE("uv loop: ready queue in order, then before_poll, then what that made ready", "[loop]") {
  UvLoop loop(kClock, kFewWorkers);
  std::string order;
  loop.before_poll([&] {
    order += 'h';
    loop.call_soon([&] {
      order += 'r';
      loop.before_poll([&] {
        order += 'H';
        loop.stop();
      });
    });
  });
  loop.call_soon([&] {
    order += 'a';
    loop.call_soon([&] { order += 'c'; });
  });
  loop.call_soon([&] { order += 'b'; });
  loop.run();
  REQUIRE(order == "abchrH");
}

TEST_CASE("uv loop: coroutines that are always ready starve neither timers nor posts", "[loop]") {
  UvLoop loop(kClock, kFewWorkers);
  bool stop = false;
  std::function<void()> again = [&] {
    if (!stop) loop.call_soon(again);
  };
  loop.call_soon(again);
  bool timer_fired = false;
  loop.timers().start(Millis(1), [&] {
    timer_fired = true;
    loop.workers().submit(WorkQueue::kRead, [&]() -> std::unique_ptr<Job> {
      struct Stop final : Job {
        explicit Stop(std::function<void()> then) : action(std::move(then)) {}
        void run() noexcept override {}
        void done() noexcept override { action(); }
        std::function<void()> action;
      };
      return std::make_unique<Stop>([&] {
        stop = true;
        loop.stop();
      });
    }());
  });
  loop.run();
  REQUIRE(timer_fired);
}

TEST_CASE("uv loop: posts of several threads arrive all, each thread's in order", "[loop]") {
  UvLoop loop(kClock, kFewWorkers);
  constexpr int kThreads = 4;
  constexpr int kPosts = 5000;
  std::vector<int> next(kThreads, 0);
  bool ordered = true;
  int arrived = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kPosts; ++i) {
        loop.post([&, t, i] {
          ordered = ordered && next[static_cast<size_t>(t)]++ == i;
          if (++arrived == kThreads * kPosts) loop.stop();
        });
      }
    });
  }
  loop.run();
  for (std::thread& thread : threads) thread.join();
  REQUIRE(ordered);
  REQUIRE(arrived == kThreads * kPosts);
}

TEST_CASE("uv loop: a post to a sleeping loop wakes it, one at a time", "[loop]") {
  UvLoop loop(kClock, kFewWorkers);
  std::atomic<int> echoed = 0;
  std::thread asker([&] {
    for (int i = 0; i < 2000; ++i) {
      loop.post([&] {
        ++echoed;
        echoed.notify_one();
      });
      echoed.wait(i);
    }
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  asker.join();
  REQUIRE(echoed == 2000);
}

TEST_CASE("uv loop: timers fire in order of deadline, never early, cancelled ones not", "[loop]") {
  UvLoop loop(kClock, kFewWorkers);
  std::vector<int> fired;
  const Nanos begin = kClock.monotonic();
  Nanos last_at{};
  loop.timers().start(Millis(12), [&] {
    fired.push_back(12);
    last_at = kClock.monotonic();
    loop.stop();
  });
  loop.timers().start(Millis(4), [&] { fired.push_back(4); });
  const TimerId dropped = loop.timers().start(Millis(1), [&] { fired.push_back(1); });
  loop.timers().start(Millis(0), [&] { fired.push_back(0); });
  loop.timers().cancel(dropped);
  loop.run();
  REQUIRE(fired == std::vector<int>{0, 4, 12});
  REQUIRE(last_at - begin >= Millis(12));
}

Task<void> park(Gate::Hold hold, Event& event, std::vector<Woken>& woken) {
  const Gate::Hold held = std::move(hold);
  woken.push_back(co_await event.wait_for(Millis(1'000'000)));
}

Task<void> shut_down(UvLoop& loop, Gate& gate, Event& event) {
  auto closing = gate.close();
  event.cancel();
  (void)co_await closing;
  loop.stop();
}

TEST_CASE("uv loop: shutdown with parked coroutines wakes each once and closes the loop", "[loop]") {
  UvLoop loop(kClock, kFewWorkers);
  Gate gate(loop);
  Event event(loop);
  std::vector<Woken> woken;
  for (int i = 0; i < 1000; ++i) spawn(park(*gate.try_enter(), event, woken));
  loop.call_soon([&] { spawn(shut_down(loop, gate, event)); });
  loop.run();
  REQUIRE(woken == std::vector<Woken>(1000, Woken::kCancelled));
}

TEST_CASE("signal watcher: a signal calls back on the loop", "[loop]") {
  UvLoop loop(kClock, kFewWorkers);
  int seen = 0;
  {
    const SignalWatcher watcher(loop, SIGUSR1, [&] {
      if (++seen == 2) {
        loop.stop();
      } else {
        raise(SIGUSR1);
      }
    });
    loop.call_soon([] { raise(SIGUSR1); });
    loop.run();
  }
  REQUIRE(seen == 2);
}

}  // namespace
}  // namespace leat
