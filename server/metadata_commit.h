// metadata_commit.h: the small parts with which MetadataStore waits: for a commit, for several tasks at once, for a
// name. Thread: the loop.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "net/loop/event.h"
#include "net/loop/task.h"
#include "server/metadata_store.h"

namespace leat {

struct MetadataStore::Commit {
  explicit Commit(Scheduler& scheduler) noexcept : done(scheduler) {}
  Event done;
  std::optional<MetadataError> error;
};

// Reached when `left` tasks have ended; at once for none. In the frame of whoever waits.
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

// Puts the task's result where its asker looks for it.
template <class T>
Task<void> delivered(Task<T> task, T& into) {
  T result = co_await std::move(task);
  into = std::move(result);
}

inline Task<void> counted(Task<void> task, Countdown& countdown) {
  co_await std::move(task);
  countdown.ended();
}

}  // namespace leat
