// timer_heap_test.cpp: order, cancelling, bounded memory of the timer heap.
#include "net/loop/timer_heap.h"

#include <algorithm>
#include <vector>

#include "test/support/catch.h"

namespace leat {
namespace {

void fire_all(TimerHeap& heap, Nanos now) {
  while (auto action = heap.take_expired(now)) (*action)();
}

TEST_CASE("timer heap: fires by deadline, equal deadlines in the order of start", "[loop]") {
  TimerHeap heap;
  std::vector<int> fired;
  heap.start(Millis(30), [&] { fired.push_back(30); });
  heap.start(Millis(10), [&] { fired.push_back(10); });
  heap.start(Millis(20), [&] { fired.push_back(20); });
  heap.start(Millis(10), [&] { fired.push_back(11); });
  REQUIRE(heap.next_deadline() == Nanos(Millis(10)));
  fire_all(heap, Millis(9));
  REQUIRE(fired.empty());
  fire_all(heap, Millis(20));
  REQUIRE(fired == std::vector<int>{10, 11, 20});
  fire_all(heap, Millis(100));
  REQUIRE(fired == std::vector<int>{10, 11, 20, 30});
  REQUIRE_FALSE(heap.next_deadline());
}

TEST_CASE("timer heap: a cancelled timer never fires, cancelling again is harmless", "[loop]") {
  TimerHeap heap;
  int fired = 0;
  const TimerId first = heap.start(Millis(1), [&] { ++fired; });
  const TimerId second = heap.start(Millis(2), [&] { ++fired; });
  heap.cancel(first);
  heap.cancel(first);
  heap.cancel(kNoTimer);
  REQUIRE(heap.next_deadline() == Nanos(Millis(2)));
  fire_all(heap, Millis(5));
  REQUIRE(fired == 1);
  heap.cancel(second);
  REQUIRE(heap.count() == 0);
}

TEST_CASE("timer heap: an expiring timer may cancel its neighbour", "[loop]") {
  TimerHeap heap;
  bool neighbour_fired = false;
  TimerId neighbour = kNoTimer;
  heap.start(Millis(1), [&] { heap.cancel(neighbour); });
  neighbour = heap.start(Millis(1), [&] { neighbour_fired = true; });
  fire_all(heap, Millis(1));
  REQUIRE_FALSE(neighbour_fired);
}

TEST_CASE("timer heap: timers that are started and cancelled for ever keep it small", "[loop]") {
  TimerHeap heap;
  heap.start(Millis(1'000'000), [] {});
  for (int i = 0; i < 100'000; ++i) heap.cancel(heap.start(Millis(500'000 + i), [] {}));
  REQUIRE(heap.count() == 1);
  REQUIRE(heap.entry_count() <= 64);
}

}  // namespace
}  // namespace leat
