// latency_histogram.h: durations counted in buckets some 1.6 % wide, so that percentiles of a billion samples cost 30
// KB.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/base/clock.h"

namespace leat::cli {

class LatencyHistogram {
 public:
  void add(Nanos duration) noexcept;
  int64_t count() const noexcept { return count_; }
  // The duration that `fraction` of the samples do not pass; 0 without samples.
  Nanos percentile(double fraction) const noexcept;
  Nanos max() const noexcept { return Nanos(max_ns_); }
  Nanos mean() const noexcept { return Nanos(count_ == 0 ? 0 : sum_ns_ / count_); }

 private:
  // 64 buckets for each power of two; values below 64 have their own.
  static constexpr int kBits = 6;
  static constexpr size_t kBuckets = (64 - kBits + 1) << kBits;
  static size_t bucket_of(uint64_t value_ns) noexcept;
  static uint64_t upper_bound_of(size_t bucket) noexcept;

  std::array<int64_t, kBuckets> counts_{};
  int64_t count_ = 0;
  int64_t sum_ns_ = 0;
  int64_t max_ns_ = 0;
};

}  // namespace leat::cli
