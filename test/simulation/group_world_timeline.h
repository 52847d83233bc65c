// group_world_timeline.h: the time of one simulated world of groups, and what is yet to happen in it. Nothing happens
// elsewhere, and what is due at one moment happens in the order in which it was asked for: a seed replays.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "core/base/random.h"

namespace leat {

class GroupTimeline {
 public:
  int64_t now_ms() const noexcept { return now_ms_; }
  void after(int64_t delay_ms, std::function<void()> what) {
    waiting_.emplace(std::pair(now_ms_ + delay_ms, next_++), std::move(what));
  }
  void run_for(int64_t duration_ms) {
    const int64_t end_ms = now_ms_ + duration_ms;
    while (!waiting_.empty() && waiting_.begin()->first.first <= end_ms) {
      const auto first = waiting_.extract(waiting_.begin());
      now_ms_ = first.key().first;
      first.mapped()();
    }
    now_ms_ = end_ms;
  }

 private:
  int64_t now_ms_ = 0;
  uint64_t next_ = 0;
  std::map<std::pair<int64_t, uint64_t>, std::function<void()>> waiting_;
};

inline int64_t random_below(Random& random, int64_t bound) {
  return static_cast<int64_t>(random.below(static_cast<uint64_t>(bound)));
}
inline int32_t random_below(Random& random, int32_t bound) {
  return static_cast<int32_t>(random.below(static_cast<uint64_t>(bound)));
}

}  // namespace leat
