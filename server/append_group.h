// append_group.h: what one asker waits for: the outcomes of the appends that it submitted together (the partitions of
// one Produce request, or a single batch of ours). Shared by the asker's coroutine and the slots; a slot that finishes
// after the asker gave up (its timeout passed) still writes its outcome, and nobody reads it. Thread: the loop.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/base/strong.h"
#include "core/record/validator.h"
#include "net/loop/scheduler.h"
#include "net/loop/small_pool.h"

namespace leat {

enum class Acks : int16_t { kNone = 0, kLeader = 1, kAll = -1 };

struct AppendOutcome {
  std::optional<Error> error;
  bool finished = false;  // false when the asker's deadline came first: the batch may still be appended later
  std::vector<RecordError> record_errors;
  Offset base_offset = kNoOffset;
  int64_t append_time_ms = kNoTimestamp;
  Offset log_start = kNoOffset;
  bool duplicate = false;
};

class AppendDeadlines;

class AppendGroup {
 public:
  // Groups come and go with each request: make() takes their memory from the small pool.
  static std::shared_ptr<AppendGroup> make(Scheduler& scheduler, size_t count, Acks acks) {
    return std::allocate_shared<AppendGroup>(small_pool::Allocator<AppendGroup>(), scheduler, count, acks);
  }
  AppendGroup(Scheduler& scheduler, size_t count, Acks acks) : scheduler_(scheduler), unfinished_(count), acks_(acks) {
    if (count > 1) many_.resize(count);
    outcomes = count > 1 ? std::span(many_) : std::span(&single_, count);
  }
  ~AppendGroup();
  AppendGroup(const AppendGroup&) = delete;
  AppendGroup& operator=(const AppendGroup&) = delete;

  std::span<AppendOutcome> outcomes;  // in the order of the submissions

  Acks acks() const noexcept { return acks_; }
  void finish(uint32_t index, AppendOutcome outcome);  // once for each index
  void expire();                                       // the asker is answered with what there is

  // co_await group->finished(): when all outcomes are there, or the deadline passed. One awaiter.
  struct Awaiter {
    AppendGroup& group;
    bool await_ready() const noexcept { return group.over(); }
    void await_suspend(std::coroutine_handle<> waiter) const noexcept { group.waiter_ = waiter; }
    void await_resume() const noexcept {}
  };
  Awaiter finished() noexcept { return Awaiter{*this}; }

 private:
  friend class AppendDeadlines;
  bool over() const noexcept { return unfinished_ == 0 || expired_; }
  void wake();

  Scheduler& scheduler_;
  AppendOutcome single_;  // most requests are about one partition
  std::vector<AppendOutcome> many_;
  size_t unfinished_;
  Acks acks_;
  bool expired_ = false;
  std::coroutine_handle<> waiter_;
  AppendDeadlines* deadlines_ = nullptr;  // while registered
  AppendGroup* previous_ = nullptr;
  AppendGroup* next_ = nullptr;
  Nanos deadline_{0};
};

// Expires groups whose time has passed. One timer for all, running only while a group waits, and coarse: a disk that
// answers in time costs each request two pointer writes and no timer.
class AppendDeadlines {
 public:
  static constexpr Millis kSweepEvery{250};

  explicit AppendDeadlines(Scheduler& scheduler) noexcept : scheduler_(scheduler) {}
  ~AppendDeadlines();
  void add(AppendGroup& group, Millis timeout);

 private:
  friend class AppendGroup;
  void remove(AppendGroup& group) noexcept;
  void sweep();

  Scheduler& scheduler_;
  AppendGroup* first_ = nullptr;
  TimerId timer_ = kNoTimer;
};

}  // namespace leat
