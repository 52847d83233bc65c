// waiting.h: deadlines, and asking again until something holds: brokers tell nobody when a topic, a setting or a group
// has become what it shall be.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "test/client_live/require.h"

namespace leat::client_live {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline void pause(milliseconds duration) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock held(mutex);
  never.wait_for(held, duration, [] { return false; });
}

// Asks until `holds` gives true; fails with `what` when the time is over.
inline void eventually(seconds at_most, const std::string& what, const std::function<bool()>& holds) {
  constexpr milliseconds kPause{50};
  const Clock::time_point deadline = Clock::now() + at_most;
  while (!holds()) {
    require(Clock::now() < deadline, what + ": not so after " + std::to_string(at_most.count()) + " s");
    pause(kPause);
  }
}

}  // namespace leat::client_live
