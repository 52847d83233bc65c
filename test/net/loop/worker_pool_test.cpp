// worker_pool_test.cpp: order, bounds, batching and shutdown of the worker pool on real threads. Tests wait on latches
// and condition variables that the jobs themselves signal, never on time.
#include "net/loop/worker_pool.h"

#include <atomic>
#include <cstdlib>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "net/loop/uv_loop.h"
#include "test/support/catch.h"

namespace leat {
namespace {

class FunctionJob final : public Job {
 public:
  FunctionJob(std::function<void()> on_run, std::function<void(Job&)> on_done)
      : on_run_(std::move(on_run)), on_done_(std::move(on_done)) {}
  void run() noexcept override { on_run_(); }
  void done() noexcept override { on_done_(*this); }

 private:
  std::function<void()> on_run_;
  std::function<void(Job&)> on_done_;
};

std::unique_ptr<Job> make_job(
    std::function<void()> on_run, std::function<void(Job&)> on_done = [](Job&) {}) {
  return std::make_unique<FunctionJob>(std::move(on_run), std::move(on_done));
}

const SystemClock kClock;

TEST_CASE("worker pool: a queue with a bound of one runs its jobs in order", "[loop][workers]") {
  UvLoop loop(kClock, {.sync_running_max = 1, .read_running_max = 1, .cpu_running_max = 1});
  constexpr int kJobs = 2000;
  std::vector<int> ran;
  std::vector<int> done;
  for (int i = 0; i < kJobs; ++i) {
    loop.workers().submit(WorkQueue::kSync, make_job([&ran, i] { ran.push_back(i); },
                                                     [&, i](Job&) {
                                                       done.push_back(i);
                                                       if (done.size() == kJobs) loop.stop();
                                                     }));
  }
  loop.run();
  REQUIRE(std::is_sorted(ran.begin(), ran.end()));
  REQUIRE(done == ran);
  REQUIRE(loop.workers().queued(WorkQueue::kSync) == 0);
}

TEST_CASE("worker pool: blocked syncs stop neither reads nor CPU work", "[loop][workers]") {
  UvLoop loop(kClock, {.sync_running_max = 2, .read_running_max = 2, .cpu_running_max = 1});
  std::latch release(1);
  int syncs_done = 0;
  int others_done = 0;
  const auto maybe_stop = [&] {
    if (others_done == 20 && syncs_done == 0) release.count_down();  // only now may the syncs end
    if (others_done == 20 && syncs_done == 5) loop.stop();
  };
  for (int i = 0; i < 5; ++i) {
    loop.workers().submit(WorkQueue::kSync, make_job([&release] { release.wait(); },
                                                     [&](Job&) {
                                                       ++syncs_done;
                                                       maybe_stop();
                                                     }));
  }
  for (int i = 0; i < 20; ++i) {
    loop.workers().submit(i % 2 == 0 ? WorkQueue::kRead : WorkQueue::kCpu, make_job([] {},
                                                                                    [&](Job&) {
                                                                                      ++others_done;
                                                                                      maybe_stop();
                                                                                    }));
  }
  loop.run();
  REQUIRE(syncs_done == 5);
}

TEST_CASE("worker pool: a queue never runs more than its bound", "[loop][workers]") {
  UvLoop loop(kClock, {.sync_running_max = 1, .read_running_max = 3, .cpu_running_max = 1, .spin = Micros(20)});
  std::atomic<int> running = 0;
  std::atomic<int> running_max = 0;
  int done = 0;
  for (int i = 0; i < 500; ++i) {
    auto work = [&] {
      const int now = ++running;
      int seen = running_max.load();
      while (seen < now && !running_max.compare_exchange_weak(seen, now)) {
      }
      --running;
    };
    loop.workers().submit(WorkQueue::kRead, make_job(work, [&](Job&) {
                            if (++done == 500) loop.stop();
                          }));
  }
  loop.run();
  REQUIRE(running_max >= 1);
  REQUIRE(running_max <= 3);
}

TEST_CASE("worker pool: shutdown cancels what has not begun and waits for what runs", "[loop][workers]") {
  // Ended jobs are handed out by shutdown() itself: no loop is needed.
  WorkerPool pool({.sync_running_max = 1, .read_running_max = 1, .cpu_running_max = 1}, [](const auto&) {});
  std::latch started(1);
  int completed = 0;
  int cancelled = 0;
  const auto count = [&](Job& job) { ++(job.cancelled ? cancelled : completed); };
  const auto run_into_shutdown = [&] {
    started.count_down();
    while (!pool.shutting_down()) std::this_thread::yield();
  };
  pool.submit(WorkQueue::kSync, make_job(run_into_shutdown, count));
  for (int i = 0; i < 10; ++i) pool.submit(WorkQueue::kSync, make_job([] { std::abort(); }, count));
  started.wait();
  pool.shutdown();
  REQUIRE(completed == 1);
  REQUIRE(cancelled == 10);
  pool.submit(WorkQueue::kRead, make_job([] { std::abort(); }, count));
  pool.shutdown();
  REQUIRE(cancelled == 11);
}

TEST_CASE("worker pool: jobs that submit jobs, from many done()s, all come back", "[loop][workers]") {
  for (const Micros spin : {Micros(0), Micros(50)}) {
    UvLoop loop(kClock, {.sync_running_max = 2, .read_running_max = 2, .cpu_running_max = 2, .spin = spin});
    int left = 3000;
    std::function<void(int)> submit = [&](int generation) {
      loop.workers().submit(static_cast<WorkQueue>(generation % 3), make_job([] {},
                                                                             [&, generation](Job&) {
                                                                               if (--left == 0) loop.stop();
                                                                               if (generation < 299)
                                                                                 submit(generation + 1);
                                                                             }));
    };
    for (int i = 0; i < 10; ++i) submit(0);
    loop.run();
    REQUIRE(left == 0);
  }
}

}  // namespace
}  // namespace leat
