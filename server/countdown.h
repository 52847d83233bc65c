// countdown.h: waiting for several tasks at once.
//   Countdown left(scheduler, tasks.size());
//   for (...) spawn(counted(delivered(work(one), results[i]), left));
//   const Woken woken = co_await left.reached.wait();
// The countdown and what is delivered into stand in the frame of whoever waits. Thread: the loop.
#pragma once

#include <cstddef>

#include "net/loop/event.h"
#include "net/loop/task.h"

namespace leat {

struct Countdown {
  Countdown(Scheduler& scheduler, size_t count) : reached(scheduler), left(count) {
    if (left == 0) reached.set();
  }
  void ended() {
    if (--left == 0) reached.set();
  }
  Event reached;
  size_t left;
};

inline Task<void> counted(Task<void> task, Countdown& countdown) {
  co_await std::move(task);
  countdown.ended();
}

template <class T>
Task<void> delivered(Task<T> task, T& into) {
  T result = co_await std::move(task);
  into = std::move(result);
}

}  // namespace leat
