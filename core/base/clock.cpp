// clock.cpp: the system's clocks, and the one that tests drive.
#include "core/base/clock.h"

namespace leat {

int64_t SystemClock::wall_ms() const noexcept {
  return std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch()).count();
}
Nanos SystemClock::monotonic() const noexcept {
  return std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch());
}
void ManualClock::advance(Nanos by) noexcept {
  monotonic_ += by;
  remainder_ += by;
  const auto whole = std::chrono::duration_cast<Millis>(remainder_);
  wall_ms_ += whole.count();
  remainder_ -= whole;
}

}  // namespace leat
