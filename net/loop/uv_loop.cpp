// uv_loop.cpp: see uv_loop.h.
#include "net/loop/uv_loop.h"

#include <uv.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "net/loop/timer_heap.h"

namespace leat {

namespace {
constexpr size_t kResumesPerTurnMax = 4096;  // then sockets are looked at, so that busy coroutines cannot starve them
}

// The loop and its five handles, which live until their close callbacks have run.
class UvLoop::Handles {
 public:
  Handles(UvLoop& owner, uv_loop_t* existing) : loop(existing != nullptr ? existing : &own_loop_) {
    if (existing == nullptr) ENSURE(uv_loop_init(&own_loop_) == 0);
    ENSURE(uv_async_init(loop, &async, [](uv_async_t*) noexcept {}) ==
           0);  // the turn that follows takes what was posted
    ENSURE(uv_prepare_init(loop, &prepare) == 0);
    ENSURE(uv_check_init(loop, &check) == 0);
    ENSURE(uv_idle_init(loop, &idle) == 0);
    ENSURE(uv_timer_init(loop, &timer) == 0);
    prepare.data = &owner;
    check.data = &owner;
    uv_prepare_start(&prepare, [](uv_prepare_t* handle) noexcept { static_cast<UvLoop*>(handle->data)->turn(); });
    uv_check_start(&check, [](uv_check_t* handle) noexcept { static_cast<UvLoop*>(handle->data)->sleeping_ = false; });
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  bool owns_loop() const noexcept { return loop == &own_loop_; }

  // Ends all five, and then itself; an own loop ends as well.
  void close() noexcept {
    for (uv_handle_t* handle : {reinterpret_cast<uv_handle_t*>(&async), reinterpret_cast<uv_handle_t*>(&prepare),
                                reinterpret_cast<uv_handle_t*>(&check), reinterpret_cast<uv_handle_t*>(&idle),
                                reinterpret_cast<uv_handle_t*>(&timer)}) {
      handle->data = this;
      ++open_;
      uv_close(handle, [](uv_handle_t* closed) noexcept {
        auto* const self = static_cast<Handles*>(closed->data);
        if (--self->open_ == 0 && !self->owns_loop()) delete self;
      });
    }
    if (!owns_loop()) return;
    uv_run(&own_loop_, UV_RUN_DEFAULT);
    ENSURE(uv_loop_close(&own_loop_) == 0, "a handle was left open");
    delete this;
  }

 private:
  uv_loop_t own_loop_;
  int open_ = 0;

 public:
  uv_loop_t* const loop;
  uv_async_t async;
  uv_prepare_t prepare;
  uv_check_t check;
  uv_idle_t idle;  // active while work is left over: libuv then polls without waiting
  uv_timer_t timer;
};

class UvLoop::UvTimers final : public Timers {
 public:
  UvTimers(const Clock& clock, uv_timer_t& timer) noexcept : clock_(clock), timer_(timer) { timer_.data = this; }

  TimerId start(Millis after, std::function<void()> on_expired) override {
    const Nanos deadline = clock_.monotonic() + std::max(Nanos(after), Nanos(0));
    const TimerId id = heap_.start(deadline, std::move(on_expired));
    if (!armed_for_ || deadline < *armed_for_) arm(deadline);
    return id;
  }

  // The uv_timer stays armed for a cancelled deadline: it fires once in vain, which is cheaper than re-arming at each
  // cancel.
  void cancel(TimerId timer) noexcept override { heap_.cancel(timer); }

 private:
  void arm(Nanos deadline) noexcept {
    armed_for_ = deadline;
    const Nanos now = clock_.monotonic();
    const auto wait = deadline > now ? std::chrono::ceil<Millis>(deadline - now) : Millis(0);
    uv_update_time(timer_.loop);  // libuv counts from its cached time, which is as old as this turn
    uv_timer_start(
        &timer_, [](uv_timer_t* timer) noexcept { static_cast<UvTimers*>(timer->data)->fire(); },
        static_cast<uint64_t>(wait.count()), 0);
  }

  void fire() noexcept {
    armed_for_.reset();
    // `now` is read once: a timer that is started by an expiring one waits for the next turn, however short it is.
    const Nanos now = clock_.monotonic();
    while (auto action = heap_.take_expired(now)) (*action)();
    const auto next = heap_.next_deadline();
    if (next && (!armed_for_ || *next < *armed_for_)) arm(*next);
  }

  const Clock& clock_;
  uv_timer_t& timer_;
  TimerHeap heap_;
  std::optional<Nanos> armed_for_;
};

UvLoop::UvLoop(const Clock& clock, const WorkerPoolOptions& workers) : UvLoop(nullptr, clock, workers) {}

UvLoop::UvLoop(uv_loop_s* existing, const Clock& clock, const WorkerPoolOptions& workers)
    : clock_(clock),
      handles_(new Handles(*this, existing)),
      timers_(std::make_unique<UvTimers>(clock, handles_->timer)),
      workers_(
          std::make_unique<WorkerPool>(workers, [this](std::function<void()> action) { post(std::move(action)); })) {}

UvLoop::~UvLoop() {
  shutdown_workers();
  workers_.reset();
  timers_.reset();
  uv_timer_stop(&handles_->timer);
  handles_->close();
}

void UvLoop::run() {
  ENSURE(handles_->owns_loop(), "the loop is run by its owner");
  uv_run(handles_->loop, UV_RUN_DEFAULT);
}

void UvLoop::stop() noexcept { uv_stop(handles_->loop); }

void UvLoop::shutdown_workers() {
  workers_->shutdown();
  size_t budget = SIZE_MAX;
  do {
    take_posted();
  } while (run_ready(budget) || run_before_poll(budget));
}

const Clock& UvLoop::clock() const noexcept { return clock_; }
Timers& UvLoop::timers() noexcept { return *timers_; }
Workers& UvLoop::workers() noexcept { return *workers_; }
uv_loop_s* UvLoop::raw() noexcept { return handles_->loop; }

void UvLoop::resume_soon(std::coroutine_handle<> coroutine) {
  ready_.push_back({coroutine, nullptr});
  note_work();
}
void UvLoop::call_soon(std::function<void()> action) {
  ready_.push_back({nullptr, std::move(action)});
  note_work();
}
void UvLoop::before_poll(std::function<void()> action) {
  before_poll_.push_back(std::move(action));
  note_work();
}

// Between our turn and the poll only callbacks of an existing loop's owner can run (a prepare callback of theirs that
// comes after ours): the poll must then not sleep. During the poll this costs nothing more than one look.
void UvLoop::note_work() noexcept {
  if (!sleeping_.load(std::memory_order_relaxed) || handles_->owns_loop()) return;
  sleeping_ = false;
  uv_idle_start(&handles_->idle, [](uv_idle_t*) noexcept {});
}

void UvLoop::post(std::function<void()> action) {
  {
    const std::lock_guard lock(posted_mutex_);
    posted_.push_back(std::move(action));
  }
  if (sleeping_.exchange(false)) uv_async_send(&handles_->async);
}

void UvLoop::turn() noexcept {
  size_t budget = kResumesPerTurnMax;
  bool more = true;
  while (more && budget > 0) {
    take_posted();
    const bool ran = run_ready(budget);
    const bool hooked = run_before_poll(budget);
    more = ran || hooked;
  }
  bool left_over = running_next_ < running_.size() || !ready_.empty() || !before_poll_.empty();
  if (!left_over) {
    // A post that came before the flag is seen here; one that comes after finds the flag and wakes us.
    sleeping_ = true;
    const std::lock_guard lock(posted_mutex_);
    left_over = !posted_.empty();
  }
  if (left_over) {
    sleeping_ = false;
    uv_idle_start(&handles_->idle, [](uv_idle_t*) noexcept {});
  } else {
    uv_idle_stop(&handles_->idle);
  }
}

// Runs what is ready, in order, also what becomes ready meanwhile, at most `budget` items. True when it ran any.
bool UvLoop::run_ready(size_t& budget) noexcept {
  bool ran = false;
  while (budget > 0) {
    if (running_next_ == running_.size()) {
      running_.clear();
      running_next_ = 0;
      if (ready_.empty()) break;
      running_.swap(ready_);
    }
    Ready next = std::move(running_[running_next_++]);
    --budget;
    ran = true;
    if (next.coroutine) {
      next.coroutine.resume();
    } else {
      next.action();
    }
  }
  return ran;
}

bool UvLoop::take_posted() {
  std::vector<std::function<void()>> posted;
  {
    const std::lock_guard lock(posted_mutex_);
    posted.swap(posted_);
  }
  for (auto& action : posted) call_soon(std::move(action));
  return !posted.empty();
}

bool UvLoop::run_before_poll(size_t& budget) noexcept {
  std::vector<std::function<void()>> hooks;
  hooks.swap(before_poll_);
  budget -= std::min(budget, hooks.size());
  for (auto& hook : hooks) hook();
  return !hooks.empty();
}

}  // namespace leat
