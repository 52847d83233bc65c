// gate.h: counts what is under way, so that shutdown can wait for it. Whoever starts something asks try_enter() and
// keeps the Hold until it ends; close() lets nobody in any more and waits until all holds are gone. Thread: the loop.
//   auto hold = gate.try_enter();  if (!hold) co_return;      // shutting down
//   co_await gate.close();
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "net/loop/event.h"

namespace leat {

class Gate {
 public:
  class Hold {
   public:
    Hold(Hold&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Hold& operator=(Hold&& other) noexcept {
      std::swap(gate_, other.gate_);
      return *this;
    }
    ~Hold() {
      if (gate_ != nullptr) gate_->leave();
    }

   private:
    friend Gate;
    explicit Hold(Gate& gate) noexcept : gate_(&gate) {}
    Gate* gate_;
  };

  explicit Gate(Scheduler& scheduler) noexcept : empty_(scheduler) {}
  ~Gate() { ENSURE(count_ == 0, "{} still under way", count_); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  std::optional<Hold> try_enter() noexcept {
    if (closed_) return std::nullopt;
    ++count_;
    return Hold(*this);
  }

  // Any number may wait; each wakes when the last hold is gone.
  Event::Wait close() noexcept {
    closed_ = true;
    if (count_ == 0) empty_.set();
    return empty_.wait();
  }

  size_t count() const noexcept { return count_; }
  bool closed() const noexcept { return closed_; }

 private:
  void leave() noexcept {
    ENSURE(count_ > 0);
    if (--count_ == 0 && closed_) empty_.set();
  }

  size_t count_ = 0;
  bool closed_ = false;
  Event empty_;
};

}  // namespace leat
