// task.h: coroutines. Task<T> is lazy: it runs when awaited, and resumes its awaiter when it ends. `spawn` starts a
// Task<void> of its own. A coroutine is never resumed inside the stack of whoever wakes it: wakers hand its handle to
// Scheduler::resume_soon and the loop's ready queue resumes it, once, also on timeout, disconnect and shutdown.
// g++ 12 traps, all measured at -O0 to -O2, with and without sanitizers:
// - a capturing lambda or an aggregate temporary inside a co_await expression is destroyed twice: name it first;
// - co_await INSIDE THE CONDITION of if, while, for or switch, or beside && and ||, gives a coroutine that never runs:
//     const Woken woken = co_await event.wait();      // name the result first
//     if (woken == Woken::kSet) ...
// - parameters of coroutines by value; no capturing-lambda coroutines.
// Thread: the loop.
#pragma once

#include <coroutine>
#include <cstdlib>
#include <exception>
#include <optional>
#include <utility>

#include "core/base/result.h"
#include "net/loop/small_pool.h"

namespace leat {

template <class T = void>
class Task;

namespace task_internal {

// Frames come and go with each request.
struct PooledFrame {
  static void* operator new(size_t bytes) { return small_pool::take(bytes); }
  static void operator delete(void* memory, size_t bytes) noexcept { small_pool::give_back(memory, bytes); }
};

struct PromiseBase : PooledFrame {
  std::coroutine_handle<> continuation = std::noop_coroutine();

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
      return finished.promise().continuation;
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() const noexcept {
    std::terminate();
  }  // no exceptions of ours; a library's are caught at the call
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object() noexcept;
  void return_value(T result) noexcept { value.emplace(std::move(result)); }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
};

}  // namespace task_internal

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = task_internal::Promise<T>;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    handle_.promise().continuation = awaiter;
    return handle_;
  }
  T await_resume() noexcept {
    if constexpr (!std::is_void_v<T>) return std::move(*handle_.promise().value);
  }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

namespace task_internal {
template <class T>
Task<T> Promise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

}  // namespace task_internal

// A coroutine that owns itself: runs until its first wait at once, frees its frame at its end.
struct Detached {
  struct promise_type : task_internal::PooledFrame {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void unhandled_exception() const noexcept { std::terminate(); }
    void return_void() const noexcept {}
  };
};

// Runs `task` on its own until its end. Whoever spawns holds a Gate that counts it (gate.h) when shutdown must wait for
// it.
inline Detached spawn(Task<void> task) { co_await std::move(task); }

}  // namespace leat

// TRY inside a coroutine.
#define LEAT_CO_TRY_VALUE(name, expression)                                      \
  auto name##_result = (expression);                                             \
  if (!name##_result) [[unlikely]]                                               \
    co_return ::tl::unexpected<::leat::Error>(std::move(name##_result).error()); \
  auto& name = *name##_result
#define LEAT_CO_TRY_VOID(expression)                                            \
  do {                                                                          \
    if (auto try_result = (expression); !try_result) [[unlikely]]               \
      co_return ::tl::unexpected<::leat::Error>(std::move(try_result).error()); \
  } while (false)
#define CO_TRY(...) LEAT_TRY_PICK(__VA_ARGS__, LEAT_CO_TRY_VALUE, LEAT_CO_TRY_VOID, unused)(__VA_ARGS__)
