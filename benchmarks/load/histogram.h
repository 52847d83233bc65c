// histogram.h: latencies in nanoseconds, by buckets of 1/32 of a power of two: 3 % exact from 1 ns to hours, fixed
// memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace leat::bench {

class Histogram {
 public:
  void add(uint64_t nanoseconds) noexcept {
    ++counts_[bucket(nanoseconds)];
    ++count_;
    sum_ += nanoseconds;
    max_ = std::max(max_, nanoseconds);
  }
  void merge(const Histogram& other) noexcept {
    for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    max_ = std::max(max_, other.max_);
  }
  uint64_t count() const noexcept { return count_; }
  uint64_t max() const noexcept { return max_; }
  double mean() const noexcept { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }
  // The upper edge of the bucket that holds the given share (0.99) of all values.
  uint64_t percentile(double share) const noexcept {
    const auto rank = static_cast<uint64_t>(share * static_cast<double>(count_));
    uint64_t seen = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen > rank) return std::min(upper_edge(i), max_);
    }
    return max_;
  }

 private:
  static constexpr unsigned kSubBits = 5;
  static constexpr size_t bucket(uint64_t value) noexcept {
    if (value < (1U << kSubBits)) return value;
    const auto exponent = static_cast<unsigned>(std::bit_width(value)) - 1 - kSubBits;
    return (static_cast<size_t>(exponent + 1) << kSubBits) + ((value >> exponent) & ((1U << kSubBits) - 1));
  }
  static constexpr uint64_t upper_edge(size_t index) noexcept {
    if (index < (1U << kSubBits)) return index;
    const auto exponent = (index >> kSubBits) - 1;
    return (((index & ((1U << kSubBits) - 1)) + (1U << kSubBits) + 1) << exponent) - 1;
  }

  std::array<uint64_t, 60U << kSubBits> counts_{};
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  uint64_t max_ = 0;
};

}  // namespace leat::bench
