// timer_heap.h: timers in order of their deadline, without a clock and without a thread of its own: UvLoop and the
// manual scheduler of the tests both keep theirs here. A binary heap of (deadline, id); equal deadlines fire in the
// order of start. Cancelling drops the action at once and leaves the heap entry behind; when more than half of the
// entries are dead the heap is rebuilt, so thousands of long polls that are woken early cost amortised O(log n) each
// and bounded memory. Invariant: every id in actions_ has exactly one heap entry. Thread: the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/clock.h"
#include "net/loop/scheduler.h"

namespace leat {

class TimerHeap {
 public:
  TimerId start(Nanos deadline, std::function<void()> on_expired);
  void cancel(TimerId timer) noexcept;

  std::optional<Nanos> next_deadline() noexcept;                          // nothing when no timer runs
  std::optional<std::function<void()>> take_expired(Nanos now) noexcept;  // the earliest that is due, removed
  size_t count() const noexcept { return actions_.size(); }
  size_t entry_count() const noexcept { return heap_.size(); }  // with the dead ones

 private:
  struct Entry {
    Nanos deadline;
    TimerId id;
  };
  static bool later(const Entry& a, const Entry& b) noexcept;
  void drop_dead_head() noexcept;
  void pop_head() noexcept;

  std::vector<Entry> heap_;  // the earliest first
  std::unordered_map<TimerId, std::function<void()>> actions_;
  TimerId last_id_ = kNoTimer;
};

}  // namespace leat
