// clock.h: where time comes from. Two clocks that are never mixed: wall time for timestamps that users see and that
// survive a restart, monotonic time for every timeout. Nothing else in core, net or server asks the system for the
// time.
#pragma once

#include <chrono>
#include <cstdint>

namespace leat {

using Millis = std::chrono::milliseconds;
using Micros = std::chrono::microseconds;
using Nanos = std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t wall_ms() const noexcept = 0;  // milliseconds since 1970; may step
  virtual Nanos monotonic() const noexcept = 0;  // since some start; never steps back
};

class SystemClock final : public Clock {
 public:
  int64_t wall_ms() const noexcept override;
  Nanos monotonic() const noexcept override;
};

// For tests and the simulator: time passes when told.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t wall_ms = 1'700'000'000'000) noexcept : wall_ms_(wall_ms) {}
  int64_t wall_ms() const noexcept override { return wall_ms_; }
  Nanos monotonic() const noexcept override { return monotonic_; }
  void advance(Nanos by) noexcept;
  void step_wall(Millis by) noexcept { wall_ms_ += by.count(); }

 private:
  int64_t wall_ms_;
  Nanos monotonic_{0};
  Nanos remainder_{0};
};

}  // namespace leat
