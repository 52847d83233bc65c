// pending.h: the answer of a call, on its way. Every call but Producer::send gives one, and it can be taken in three
// ways, once:
//   Result<TopicList> topics = co_await admin.list_topics();                        // in a coroutine
//   admin.list_topics().then([](Result<TopicList> topics) { ... });                 // by a callback
//   Result<TopicList> topics = admin.list_topics().wait();                          // by waiting, in another thread
// The call is under way whether or not anybody takes its answer. Coroutines go on, and callbacks run, in the thread of
// the client's loop, never inside the call itself; wait() must not be called in that thread. A Pending may be destroyed
// at any time: then the answer is dropped. Every Pending is answered, also when the client is closed (kClosed).
#pragma once

#include <condition_variable>
#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <leat/result.h>

namespace leat::client {

namespace detail {

// Where coroutines and callbacks run. From any thread; when the loop is gone, things run where they are given.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void resume_soon(std::coroutine_handle<> coroutine) = 0;
  virtual void call_soon(std::function<void()> action) = 0;
  virtual bool is_loop_thread() const noexcept = 0;
};

// What is the same for every T: who waits, and for what.
class PendingStateBase {
 public:
  explicit PendingStateBase(std::shared_ptr<Executor> executor) noexcept;
  PendingStateBase(const PendingStateBase&) = delete;
  PendingStateBase& operator=(const PendingStateBase&) = delete;

  bool is_done() noexcept;
  bool suspend(std::coroutine_handle<> awaiter) noexcept;  // false: there is an answer already
  void forget() noexcept;                                  // the awaiting coroutine is gone
  void call_when_done(std::function<void()> action);
  void block_until_done();

 protected:
  ~PendingStateBase() = default;
  std::mutex mutex_;
  void announce(std::unique_lock<std::mutex> held);  // the answer is there

 private:
  std::shared_ptr<Executor> executor_;
  std::condition_variable done_changed_;
  std::coroutine_handle<> awaiter_;
  std::function<void()> action_;
  bool done_ = false;
};

template <class T>
class PendingState final : public PendingStateBase {
 public:
  using PendingStateBase::PendingStateBase;

  void complete(Result<T> answer) {  // the first answer counts
    std::unique_lock held(mutex_);
    if (answer_) return;
    answer_.emplace(std::move(answer));
    announce(std::move(held));
  }
  Result<T> take() { return std::move(*answer_); }  // once, when done

 private:
  std::optional<Result<T>> answer_;
};

}  // namespace detail

template <class T = void>
class [[nodiscard]] Pending {
 public:
  explicit Pending(std::shared_ptr<detail::PendingState<T>> state) noexcept : state_(std::move(state)) {}
  Pending(Pending&&) noexcept = default;
  Pending& operator=(Pending&&) noexcept = default;
  ~Pending() {
    if (state_) state_->forget();
  }

  bool is_done() const noexcept { return state_->is_done(); }

  bool await_ready() const noexcept { return state_->is_done(); }
  bool await_suspend(std::coroutine_handle<> awaiter) noexcept { return state_->suspend(awaiter); }
  Result<T> await_resume() { return state_->take(); }

  void then(std::function<void(Result<T>)> on_done) && {
    auto state = std::move(state_);
    auto* const waiting = state.get();
    waiting->call_when_done([state = std::move(state), on_done = std::move(on_done)] { on_done(state->take()); });
  }
  void ignore() && { state_.reset(); }

  Result<T> wait() && {
    state_->block_until_done();
    return state_->take();
  }

 private:
  std::shared_ptr<detail::PendingState<T>> state_;
};

}  // namespace leat::client
