// backoff.h: how long to wait before the next attempt: twice as long after each failure in a row, with jitter, so that
// a thousand clients whose broker comes back do not come at once. Pure.
#pragma once

#include <algorithm>

#include "core/base/clock.h"
#include "core/base/random.h"

namespace leat::client::detail {

struct BackoffSettings {
  Millis base{100};
  Millis max{1'000};
};

// `failures` in a row, from 1 on. Between 80 and 120 % of the doubled base, Kafka's jitter.
inline Millis backoff_delay(const BackoffSettings& settings, int failures, Random& random) noexcept {
  constexpr int kDoublingsMax = 20;
  constexpr int64_t kPercentMin = 80;
  constexpr uint64_t kPercentSpread = 41;
  const int doublings = std::clamp(failures - 1, 0, kDoublingsMax);
  const int64_t full = std::min(settings.base.count() << doublings, settings.max.count());
  const auto percent = kPercentMin + static_cast<int64_t>(random.below(kPercentSpread));
  return Millis(std::max<int64_t>(full * percent / 100, 1));
}

}  // namespace leat::client::detail
