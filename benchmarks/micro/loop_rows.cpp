// loop_rows.cpp: timers, the waking of parked fetches and coroutines, and the way to a worker and back, which is the
// dearest step of a small request.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "benchmarks/micro/micro.h"
#include "core/base/clock.h"
#include "core/base/random.h"
#include "net/loop/event.h"
#include "net/loop/run_on.h"
#include "net/loop/task.h"
#include "net/loop/timer_heap.h"
#include "net/loop/uv_loop.h"
#include "server/waiters.h"

namespace leat::bench {
namespace {

// Deadlines as long polls have them: within the next half second.
Nanos deadline_of(SeededRandom& random) { return Nanos(static_cast<int64_t>(random.next() % 500'000'000)); }

// A fetch parks and is woken before its time: its timer is started and cancelled, among others.
void add_timer_cancel(size_t running) {
  add_micro(fmt::format("timers/start_and_cancel_among_{}", running), [running](benchmark::State& state) {
    TimerHeap heap;
    SeededRandom random(1);
    for (size_t i = 0; i < running; ++i) heap.start(deadline_of(random), [] {});
    for ([[maybe_unused]] auto _ : state) heap.cancel(heap.start(deadline_of(random), [] {}));
  });
}

void add_timer_expiry(size_t running) {
  add_micro(fmt::format("timers/start_and_expire_among_{}", running), [running](benchmark::State& state) {
    TimerHeap heap;
    SeededRandom random(1);
    for (size_t i = 0; i < running; ++i) heap.start(deadline_of(random), [] {});
    Nanos now{0};
    for ([[maybe_unused]] auto _ : state) {
      now = *heap.next_deadline();
      benchmark::DoNotOptimize(heap.take_expired(now));
      heap.start(now + deadline_of(random), [] {});
    }
  });
}

class CountingWatch final : public PartitionWatch {
 public:
  void on_partition_event(const PartitionEvent& event) noexcept override { visible_bytes += event.visible_bytes; }
  int64_t visible_bytes = 0;
};

void add_notify(size_t count) {
  add_micro(fmt::format("waiters/notify_{}", count), [count](benchmark::State& state) {
    WaiterList list;
    std::vector<std::unique_ptr<CountingWatch>> watches;
    for (size_t i = 0; i < count; ++i) {
      watches.push_back(std::make_unique<CountingWatch>());
      list.add(*watches.back());
    }
    for ([[maybe_unused]] auto _ : state) {
      list.notify({.change = PartitionChange::kHighWatermark, .visible_bytes = 100});
    }
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(count));
  });
}

constexpr int kStepsInARow = 1000;

Task<void> wait_and_wake(UvLoop& loop) {
  for (int i = 0; i < kStepsInARow; ++i) {
    Event event(loop);
    loop.call_soon([&event] { event.set(); });
    const Woken woken = co_await event.wait_for(Millis(500));
    benchmark::DoNotOptimize(woken);
  }
  loop.stop();
}

Task<void> hop_to_worker(UvLoop& loop) {
  for (int i = 0; i < kStepsInARow; ++i) {
    auto nothing = [] {};
    const Result<void> done = co_await run_on(loop, WorkQueue::kSync, std::move(nothing));
    if (!done) break;
  }
  loop.stop();
}

// Time is that of kStepsInARow steps, items are single ones.
void add_on_loop(const std::string& name, Micros spin, Task<void> (*work)(UvLoop&)) {
  add_micro(name, [spin, work](benchmark::State& state) {
    const SystemClock clock;
    UvLoop loop(clock, {.sync_running_max = 1, .spin = spin});
    for ([[maybe_unused]] auto _ : state) {
      Task<void> task = work(loop);
      spawn(std::move(task));
      loop.run();
    }
    loop.shutdown_workers();
    state.SetItemsProcessed(state.iterations() * kStepsInARow);
  })->Unit(benchmark::kMicrosecond);
}

}  // namespace

void register_loop_rows() {
  for (const size_t running : {size_t{100}, size_t{10'000}}) {
    add_timer_cancel(running);
    add_timer_expiry(running);
  }
  for (const size_t count : {size_t{1}, size_t{100}, size_t{1000}}) add_notify(count);
  add_on_loop("waiters/park_and_wake_x_1000", Micros(0), wait_and_wake);
  add_on_loop("workers/hop_x_1000", Micros(0), hop_to_worker);
  add_on_loop("workers/hop_spinning_50us_x_1000", Micros(50), hop_to_worker);
}

}  // namespace leat::bench
