// byte_budget.h: a bound in bytes on work under way, given out in order of asking. Whoever asks while others wait,
// waits behind them, so that the order of requests is kept; a claim larger than the whole budget is granted when it is
// alone. Thread: the loop.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <utility>

#include "net/loop/scheduler.h"

namespace leat {

class ByteBudget {
 public:
  // Gives its bytes back when it dies.
  class Grant {
   public:
    Grant() noexcept = default;
    Grant(ByteBudget* budget, size_t bytes) noexcept : budget_(budget), bytes_(bytes) {}
    Grant(Grant&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Grant& operator=(Grant&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Grant() {
      if (budget_ != nullptr) budget_->give_back(bytes_);
    }

   private:
    ByteBudget* budget_ = nullptr;
    size_t bytes_ = 0;
  };

  ByteBudget(Scheduler& scheduler, size_t bytes_max) noexcept : scheduler_(scheduler), bytes_max_(bytes_max) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;
  void set_max(size_t bytes_max) noexcept { bytes_max_ = bytes_max; }
  // Beyond the bound if need be: for what is there already and must only be counted.
  Grant take_anyway(size_t bytes) noexcept {
    bytes_used_ += bytes;
    return Grant(this, bytes);
  }
  size_t bytes_free() const noexcept { return bytes_used_ >= bytes_max_ ? 0 : bytes_max_ - bytes_used_; }
  size_t bytes_used() const noexcept { return bytes_used_; }
  size_t waiting() const noexcept { return waiters_.size(); }

  // Grant grant = co_await budget.acquire(bytes);
  struct Awaiter {
    ByteBudget& budget;
    size_t bytes;
    bool await_ready() const noexcept { return budget.take_at_once(bytes); }
    void await_suspend(std::coroutine_handle<> waiter) const { budget.waiters_.push_back(Waiter{bytes, waiter}); }
    Grant await_resume() const noexcept { return Grant(&budget, bytes); }
  };
  Awaiter acquire(size_t bytes) noexcept { return Awaiter{*this, bytes}; }

 private:
  struct Waiter {
    size_t bytes;
    std::coroutine_handle<> coroutine;
  };
  bool fits(size_t bytes) const noexcept { return bytes_used_ == 0 || bytes_used_ + bytes <= bytes_max_; }
  bool take_at_once(size_t bytes) noexcept {
    if (!waiters_.empty() || !fits(bytes)) return false;
    bytes_used_ += bytes;
    return true;
  }
  void give_back(size_t bytes) noexcept {
    bytes_used_ -= bytes;
    while (!waiters_.empty() && fits(waiters_.front().bytes)) {
      bytes_used_ += waiters_.front().bytes;
      scheduler_.resume_soon(waiters_.front().coroutine);
      waiters_.pop_front();
    }
  }

  Scheduler& scheduler_;
  size_t bytes_max_;
  size_t bytes_used_ = 0;
  std::deque<Waiter> waiters_;
};

}  // namespace leat
