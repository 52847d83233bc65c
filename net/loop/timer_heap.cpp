// timer_heap.cpp: see timer_heap.h.
#include "net/loop/timer_heap.h"

#include <algorithm>

namespace leat {

namespace {
constexpr size_t kRebuildEntriesMin = 64;  // below this dead entries are not worth a rebuild
}

bool TimerHeap::later(const Entry& a, const Entry& b) noexcept {
  return a.deadline != b.deadline ? a.deadline > b.deadline : a.id > b.id;
}

TimerId TimerHeap::start(Nanos deadline, std::function<void()> on_expired) {
  const TimerId id = ++last_id_;
  actions_.emplace(id, std::move(on_expired));
  heap_.push_back({deadline, id});
  std::push_heap(heap_.begin(), heap_.end(), later);
  return id;
}

void TimerHeap::cancel(TimerId timer) noexcept {
  if (actions_.erase(timer) == 0) return;
  if (heap_.size() < kRebuildEntriesMin || heap_.size() < 2 * actions_.size()) return;
  std::erase_if(heap_, [this](const Entry& entry) { return !actions_.contains(entry.id); });
  std::make_heap(heap_.begin(), heap_.end(), later);
}

std::optional<Nanos> TimerHeap::next_deadline() noexcept {
  drop_dead_head();
  if (heap_.empty()) return std::nullopt;
  return heap_.front().deadline;
}

std::optional<std::function<void()>> TimerHeap::take_expired(Nanos now) noexcept {
  drop_dead_head();
  if (heap_.empty() || heap_.front().deadline > now) return std::nullopt;
  auto action = actions_.extract(heap_.front().id);
  pop_head();
  return std::move(action.mapped());
}

void TimerHeap::drop_dead_head() noexcept {
  while (!heap_.empty() && !actions_.contains(heap_.front().id)) pop_head();
}

void TimerHeap::pop_head() noexcept {
  std::pop_heap(heap_.begin(), heap_.end(), later);
  heap_.pop_back();
}

}  // namespace leat
