// manual_scheduler.cpp: see manual_scheduler.h.
#include "test/support/manual_scheduler.h"

#include <algorithm>
#include <utility>

namespace leat {

ManualScheduler::ManualScheduler(JobMode mode, uint64_t seed) : mode_(mode), random_(seed) {}
ManualScheduler::~ManualScheduler() { cancel_jobs(); }

void ManualScheduler::resume_soon(std::coroutine_handle<> coroutine) { ready_.push_back({coroutine, nullptr}); }
void ManualScheduler::call_soon(std::function<void()> action) { ready_.push_back({nullptr, std::move(action)}); }
void ManualScheduler::post(std::function<void()> action) { call_soon(std::move(action)); }
void ManualScheduler::before_poll(std::function<void()> action) { before_poll_.push_back(std::move(action)); }

void ManualScheduler::run_until_idle() {
  while (true) {
    if (run_ready()) continue;
    if (!before_poll_.empty()) {
      for (auto& hook : std::exchange(before_poll_, {})) hook();
      continue;
    }
    // In automatic mode a second job sometimes begins before the first is delivered, so that completions change places.
    const bool began = mode_ == JobMode::kAutomatic && begin_job();
    if (began && random_.one_in(2)) continue;
    if (workers_.finished.empty()) return;
    deliver_job();
  }
}

void ManualScheduler::advance(Millis by) {
  const Nanos until = clock_.monotonic() + by;
  run_until_idle();
  for (auto next = timers_.heap.next_deadline(); next && *next <= until; next = timers_.heap.next_deadline()) {
    advance_to_next_timer();
  }
  clock_.advance(until - clock_.monotonic());
}

bool ManualScheduler::advance_to_next_timer() {
  const auto next = timers_.heap.next_deadline();
  if (!next) return false;
  if (*next > clock_.monotonic()) clock_.advance(*next - clock_.monotonic());
  while (auto action = timers_.heap.take_expired(*next)) (*action)();
  run_until_idle();
  return true;
}

bool ManualScheduler::run_job() {
  if (!begin_job()) return false;
  deliver_job();
  run_until_idle();
  return true;
}

void ManualScheduler::run_jobs() {
  run_until_idle();
  while (run_job()) {
  }
}

void ManualScheduler::cancel_jobs() {
  workers_.stopped = true;
  for (auto& queue : workers_.waiting) {
    for (auto& job : std::exchange(queue, {})) {
      job->cancelled = true;
      workers_.finished.push_back(std::move(job));
    }
  }
  while (!workers_.finished.empty() || run_ready()) {
    if (!workers_.finished.empty()) deliver_job();
  }
}

size_t ManualScheduler::jobs_waiting() const noexcept {
  size_t count = 0;
  for (const auto& queue : workers_.waiting) count += queue.size();
  return count;
}

void ManualScheduler::ManualWorkers::submit(WorkQueue queue, std::unique_ptr<Job> job) {
  if (stopped) {
    job->cancelled = true;
    finished.push_back(std::move(job));
  } else {
    waiting[static_cast<size_t>(queue)].push_back(std::move(job));
  }
}

size_t ManualScheduler::ManualWorkers::queued(WorkQueue queue) const noexcept {
  return waiting[static_cast<size_t>(queue)].size();
}

bool ManualScheduler::run_ready() {
  if (ready_.empty()) return false;
  while (!ready_.empty()) {
    Ready next = std::move(ready_.front());
    ready_.pop_front();
    if (next.coroutine) {
      next.coroutine.resume();
    } else {
      next.action();
    }
  }
  return true;
}

bool ManualScheduler::begin_job() {
  std::array<std::deque<std::unique_ptr<Job>>*, kWorkQueueCount> candidates{};
  size_t count = 0;
  for (auto& queue : workers_.waiting) {
    if (!queue.empty()) candidates[count++] = &queue;
  }
  if (count == 0) return false;
  auto& queue = *candidates[random_.below(count)];
  std::unique_ptr<Job> job = std::move(queue.front());
  queue.pop_front();
  job->run();
  workers_.finished.push_back(std::move(job));
  return true;
}

void ManualScheduler::deliver_job() {
  auto& finished = workers_.finished;
  const auto picked = finished.begin() + static_cast<std::ptrdiff_t>(random_.below(finished.size()));
  std::unique_ptr<Job> job = std::move(*picked);
  finished.erase(picked);
  job->done();
}

}  // namespace leat
