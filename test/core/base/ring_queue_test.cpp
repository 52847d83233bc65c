// ring_queue_test.cpp: order through wrap-around and growth, and that what left the queue is let go at once.
#include "core/base/ring_queue.h"

#include <memory>

#include "test/support/catch.h"

using namespace leat;

TEST_CASE("ring queue: first in, first out, through wrap-around and growth", "[core][base]") {
  RingQueue<int> queue;
  int pushed = 0;
  int popped = 0;
  for (int round = 1; round < 40; ++round) {
    for (int i = 0; i < round; ++i) queue.push_back(pushed++);
    for (size_t place = 0; place < queue.size(); ++place) CHECK(queue[place] == popped + static_cast<int>(place));
    for (int i = 0; i < round - (round % 3 == 0 ? 0 : 1) && !queue.empty(); ++i) {
      CHECK(queue.front() == popped++);
      queue.pop_front();
    }
  }
  CHECK(queue.size() == static_cast<size_t>(pushed - popped));
}

TEST_CASE("ring queue: what was popped or cleared is let go", "[core][base]") {
  const auto held = std::make_shared<int>(1);
  RingQueue<std::shared_ptr<int>> queue;
  for (int i = 0; i < 200; ++i) queue.push_back(held);
  queue.pop_front();
  CHECK(held.use_count() == 200);
  queue.clear();
  CHECK(held.use_count() == 1);
  CHECK(queue.empty());
  queue.push_back(held);
  queue.pop_front();
  CHECK(held.use_count() == 1);
}
