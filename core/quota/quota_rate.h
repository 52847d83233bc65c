// quota_rate.h: the two ways in which Kafka measures against a limit. WindowedRate: what was recorded in a number of
// windows of one length, the last of them still open, over the time that they span; windows in which nothing happened
// count as such, so that a first burst is not taken for a rate. TokenBucket: credit that comes back at the rate of the
// limit, up to a full bucket, and may be overdrawn by the last taker. Both are told the time; it never goes back.
// Invariant: the windows are in order, and no more of them are kept than one behind the number asked for.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/clock.h"
#include "core/base/ring_queue.h"

namespace leat {

struct QuotaWindows {
  int32_t count = 11;  // the whole ones and the one that is open
  Millis size{1000};

  Millis span() const noexcept { return size * count; }
};

// How long to wait is never said to be longer than the wire's int32 can carry.
inline constexpr Millis kThrottleMax{INT32_MAX};

class WindowedRate {
 public:
  explicit WindowedRate(QuotaWindows windows) noexcept : windows_(windows) {}

  void record(double amount, Millis now);
  // Of the amounts that count now.
  double total(Millis now);
  // Zero within the limit (a second); else how long nothing may be recorded for the rate to come down to it.
  Millis throttle(double limit, Millis now);

 private:
  struct Sample {
    Millis start{0};
    Millis last{0};
    double sum = 0;
  };
  void forget_old(Millis now);
  Millis measured_span(Millis now) const noexcept;

  QuotaWindows windows_;
  RingQueue<Sample> samples_;
};

class TokenBucket {
 public:
  explicit TokenBucket(QuotaWindows windows) noexcept : windows_(windows) {}

  void take(double amount, double limit, Millis now) noexcept;
  // Zero unless it is overdrawn; else until it is not.
  Millis throttle(double limit, Millis now) noexcept;

 private:
  void refill(double limit, Millis now) noexcept;

  QuotaWindows windows_;
  std::optional<double> tokens_;  // nullopt: full, nobody has taken any yet
  Millis refilled_{0};
};

}  // namespace leat
