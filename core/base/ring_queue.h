// ring_queue.h: a first-in first-out queue in one piece of memory that is reused: no allocation for each few elements,
// as std::deque makes, and none at all while it is empty and has never been used. Elements can be reached by their
// place from the front. Invariant: capacity is 0 or a power of two; slots outside [first, first + size) hold T().
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace leat {

template <class T>
class RingQueue {
 public:
  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](size_t place) noexcept { return items_[(first_ + place) & (items_.size() - 1)]; }
  const T& operator[](size_t place) const noexcept { return items_[(first_ + place) & (items_.size() - 1)]; }
  T& front() noexcept {
    ENSURE(size_ > 0);
    return items_[first_];
  }
  T& back() noexcept {
    ENSURE(size_ > 0);
    return (*this)[size_ - 1];
  }

  void push_back(T item) {
    if (size_ == items_.size()) grow();
    items_[(first_ + size_) & (items_.size() - 1)] = std::move(item);
    ++size_;
  }
  void pop_front() noexcept {
    ENSURE(size_ > 0);
    items_[first_] = T();
    first_ = (first_ + 1) & (items_.size() - 1);
    --size_;
    // A burst is over: its memory is not kept for ever.
    if (size_ == 0 && items_.size() > kKeptCapacity) *this = RingQueue();
  }
  void clear() noexcept { *this = RingQueue(); }

 private:
  static constexpr size_t kFirstCapacity = 1;  // ten thousand idle connections have two or three of these
  static constexpr size_t kKeptCapacity = 64;

  void grow() {
    std::vector<T> larger(items_.empty() ? kFirstCapacity : items_.size() * 2);
    for (size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    items_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> items_;
  size_t first_ = 0;
  size_t size_ = 0;
};

}  // namespace leat
