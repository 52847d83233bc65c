// latency_histogram.cpp: the bucket of a value is its power of two and the six bits behind the leading one.
#include "cli/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace leat::cli {

size_t LatencyHistogram::bucket_of(uint64_t value_ns) noexcept {
  if (value_ns < (1U << kBits)) return static_cast<size_t>(value_ns);
  const int shift = static_cast<int>(std::bit_width(value_ns)) - 1 - kBits;
  return (static_cast<size_t>(shift + 1) << kBits) + static_cast<size_t>((value_ns >> shift) & ((1U << kBits) - 1));
}

uint64_t LatencyHistogram::upper_bound_of(size_t bucket) noexcept {
  if (bucket < (1U << kBits)) return bucket;
  const size_t shift = (bucket >> kBits) - 1;
  const uint64_t leading = (uint64_t{1} << kBits) | (bucket & ((1U << kBits) - 1));
  return ((leading + 1) << shift) - 1;
}

void LatencyHistogram::add(Nanos duration) noexcept {
  const int64_t value_ns = std::max<int64_t>(duration.count(), 0);
  ++counts_[bucket_of(static_cast<uint64_t>(value_ns))];
  ++count_;
  sum_ns_ += value_ns;
  max_ns_ = std::max(max_ns_, value_ns);
}

Nanos LatencyHistogram::percentile(double fraction) const noexcept {
  const auto wanted = static_cast<int64_t>(std::ceil(fraction * static_cast<double>(count_)));
  int64_t seen = 0;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += counts_[bucket];
    if (seen >= std::max<int64_t>(wanted, 1))
      return std::min(Nanos(static_cast<int64_t>(upper_bound_of(bucket))), max());
  }
  return Nanos(0);
}

}  // namespace leat::cli
