// metrics.cpp: see metrics.h.
#include "server/metrics.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/check.h"

namespace leat {

void Log2Histogram::add(Nanos took) noexcept {
  const auto nanos = static_cast<uint64_t>(std::max<int64_t>(took.count(), 1));
  const uint64_t whole_micros_below = (nanos - 1) / 1000;  // a bound itself belongs to its bucket
  ++counts_[std::min<size_t>(static_cast<size_t>(std::bit_width(whole_micros_below)), kBuckets)];
  sum_ += std::max(took, Nanos(0));
}

uint64_t Log2Histogram::count() const noexcept { return std::accumulate(counts_.begin(), counts_.end(), uint64_t{0}); }

void LaneMetrics::on_refused(Errc code) noexcept {
  if (code == Errc::kNoSpace) ++refused_no_space;
  if (code == Errc::kIo || code == Errc::kOffline) ++failed_storage;
}

size_t RequestMetrics::slot(int16_t api_key) noexcept {
  ENSURE(api_key >= 0 && api_key <= kApiKeyMax, "API key {}", api_key);
  return static_cast<size_t>(api_key);
}

}  // namespace leat
