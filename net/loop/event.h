// event.h: what coroutines wait on. Event is set once and stays set; any number of coroutines wait, each with a
// deadline of its own or none. OneShot<T> is an Event that brings a value to one waiter. Every waiter is resumed
// exactly once, through the scheduler's ready queue, never inside the stack of whoever sets the event: with kSet,
// kTimedOut, or kCancelled when the event was cancelled or destroyed first (shutdown, disconnect). A waiter whose frame
// is destroyed before it was woken leaves the list by itself. Thread: the loop.
//   const Woken woken = co_await event.wait_for(Millis(500));
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>
#include <utility>

#include "net/loop/scheduler.h"

namespace leat {

enum class Woken : uint8_t { kSet, kTimedOut, kCancelled };

class Event {
 public:
  class Wait {  // the awaiter; a node of the event's list while it waits
   public:
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait();

    bool await_ready() noexcept;
    void await_suspend(std::coroutine_handle<> awaiter);
    Woken await_resume() noexcept;

   private:
    friend Event;
    Wait(Event& event, std::optional<Millis> timeout) noexcept;
    void wake(Woken result);  // takes it off the list

    Event* event_;
    Scheduler& scheduler_;
    std::optional<Millis> timeout_;
    std::optional<Woken> result_;
    std::coroutine_handle<> awaiter_;
    TimerId timer_ = kNoTimer;
    Wait* previous_ = nullptr;
    Wait* next_ = nullptr;
    bool waiting_ = false;    // on the event's list
    bool scheduled_ = false;  // in the ready queue: the frame must not be destroyed now
  };

  explicit Event(Scheduler& scheduler) noexcept : scheduler_(scheduler) {}
  ~Event() { cancel(); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void set();     // again is fine
  void cancel();  // who waits now or later gets kCancelled, unless it was set before
  bool is_set() const noexcept { return outcome_ == Woken::kSet; }
  size_t waiting() const noexcept;

  [[nodiscard]] Wait wait() noexcept { return {*this, std::nullopt}; }
  [[nodiscard]] Wait wait_for(Millis timeout) noexcept { return {*this, timeout}; }

 private:
  void finish(Woken outcome);
  void link(Wait& wait) noexcept;
  void unlink(Wait& wait) noexcept;

  Scheduler& scheduler_;
  std::optional<Woken> outcome_;
  Wait* first_ = nullptr;
  Wait* last_ = nullptr;
};

// A value on its way from one who has it to one who waits for it.
template <class T>
class OneShot {
 public:
  explicit OneShot(Scheduler& scheduler) noexcept : event_(scheduler) {}

  void set(T value) {
    if (event_.is_set()) return;
    value_.emplace(std::move(value));
    event_.set();
  }
  void cancel() { event_.cancel(); }
  bool is_set() const noexcept { return event_.is_set(); }
  [[nodiscard]] Event::Wait wait() noexcept { return event_.wait(); }
  [[nodiscard]] Event::Wait wait_for(Millis timeout) noexcept { return event_.wait_for(timeout); }
  T& value() noexcept { return *value_; }  // after kSet

 private:
  std::optional<T> value_;
  Event event_;
};

// co_await sleep_for(scheduler, Millis(100));
class SleepFor {
 public:
  SleepFor(Scheduler& scheduler, Millis duration) noexcept : event_(scheduler), wait_(event_.wait_for(duration)) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiter) { wait_.await_suspend(awaiter); }
  void await_resume() noexcept { (void)wait_.await_resume(); }

 private:
  Event event_;
  Event::Wait wait_;
};
inline SleepFor sleep_for(Scheduler& scheduler, Millis duration) noexcept { return {scheduler, duration}; }

}  // namespace leat
