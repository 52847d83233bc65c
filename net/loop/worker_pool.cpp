// worker_pool.cpp: see worker_pool.h.
#include "net/loop/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace leat {

namespace {

void relax_cpu() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

WorkerPool::WorkerPool(const WorkerPoolOptions& options, Post post) : post_(std::move(post)), spin_(options.spin) {
  const std::array<size_t, kWorkQueueCount> bounds{options.sync_running_max, options.read_running_max,
                                                   options.cpu_running_max, options.write_running_max};
  for (size_t i = 0; i < kWorkQueueCount; ++i) {
    queues_[i].running_max = std::max<size_t>(bounds[i], 1);
    threads_max_ += queues_[i].running_max;
  }
  threads_.reserve(threads_max_);
}

WorkerPool::~WorkerPool() { shutdown(); }

void WorkerPool::submit(WorkQueue queue, std::unique_ptr<Job> job) {
  std::unique_lock lock(mutex_);
  if (stopping_) {
    lock.unlock();
    job->cancelled = true;
    complete(std::move(job));
    return;
  }
  queues_[static_cast<size_t>(queue)].waiting.push_back(std::move(job));
  waiting_hint_.fetch_add(1, std::memory_order_release);
  const bool wake = bring_in_thread();
  lock.unlock();
  if (wake) work_.notify_one();
}

size_t WorkerPool::queued(WorkQueue queue) const noexcept {
  const std::lock_guard lock(mutex_);
  const Queue& asked = queues_[static_cast<size_t>(queue)];
  return asked.waiting.size() + asked.running;
}

bool WorkerPool::shutting_down() const noexcept {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void WorkerPool::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  for (Queue& queue : queues_) {
    for (auto& job : std::exchange(queue.waiting, {})) {
      job->cancelled = true;
      complete(std::move(job));
    }
  }
  deliver_completed();
}

void WorkerPool::run_thread() noexcept {
#ifdef __linux__
  pthread_setname_np(pthread_self(), "leat-worker");
#endif
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    Queue* queue = runnable();
    if (queue == nullptr && spin_.count() > 0 && !spinning_) {
      spin(lock);
      queue = stopping_ ? nullptr : runnable();
    }
    if (stopping_) break;
    if (queue == nullptr) {
      sleep(lock);
      continue;
    }
    std::unique_ptr<Job> job = std::move(queue->waiting.front());
    queue->waiting.pop_front();
    waiting_hint_.fetch_sub(1, std::memory_order_relaxed);
    ++queue->running;
    const bool wake = bring_in_thread();
    lock.unlock();
    if (wake) work_.notify_one();
    job->run();
    complete(std::move(job));
    lock.lock();
    --queue->running;
  }
}

void WorkerPool::spin(std::unique_lock<std::mutex>& lock) noexcept {
  constexpr int kLooksPerClockRead = 32;
  spinning_ = true;
  lock.unlock();
  const auto until = std::chrono::steady_clock::now() + spin_;
  bool found = false;
  while (!found && std::chrono::steady_clock::now() < until) {
    for (int i = 0; i < kLooksPerClockRead && !found; ++i) {
      found = waiting_hint_.load(std::memory_order_acquire) > 0;
      relax_cpu();
    }
  }
  lock.lock();
  spinning_ = false;
}

// Whoever notifies moves one thread from sleeping_ to woken_ under the lock. A spurious wake-up may take the place of
// the thread that was meant; then that one finds woken_ at 0 and counts itself out of sleeping_, and the sums hold.
void WorkerPool::sleep(std::unique_lock<std::mutex>& lock) noexcept {
  ++sleeping_;
  work_.wait(lock);
  if (woken_ > 0) {
    --woken_;
  } else if (sleeping_ > 0) {
    --sleeping_;
  }
}

WorkerPool::Queue* WorkerPool::runnable() noexcept {
  for (size_t i = 0; i < kWorkQueueCount; ++i) {
    Queue& queue = queues_[(next_queue_ + i) % kWorkQueueCount];
    if (queue.waiting.empty() || queue.running == queue.running_max) continue;
    next_queue_ = (next_queue_ + i + 1) % kWorkQueueCount;
    return &queue;
  }
  return nullptr;
}

bool WorkerPool::bring_in_thread() noexcept {
  if (woken_ > 0 || spinning_ || stopping_) return false;
  if (sleeping_ == 0 && threads_.size() == threads_max_) return false;
  const bool can_run = std::any_of(queues_.begin(), queues_.end(), [](const Queue& queue) {
    return !queue.waiting.empty() && queue.running < queue.running_max;
  });
  if (!can_run) return false;
  if (sleeping_ == 0) {
    threads_.emplace_back([this]() noexcept { run_thread(); });
    return false;
  }
  --sleeping_;
  ++woken_;
  return true;
}

void WorkerPool::complete(std::unique_ptr<Job> job) {
  bool first = false;
  {
    const std::lock_guard lock(completed_mutex_);
    first = completed_.empty();
    completed_.push_back(std::move(job));
  }
  if (first) post_([this] { deliver_completed(); });
}

void WorkerPool::deliver_completed() {
  std::vector<std::unique_ptr<Job>> jobs;
  {
    const std::lock_guard lock(completed_mutex_);
    jobs.swap(completed_);
  }
  for (auto& job : jobs) job->done();
}

}  // namespace leat
