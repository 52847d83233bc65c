// metrics.h: what the broker counts of itself: plain numbers in fixed places, owned and changed by the loop alone, so
// that counting is an addition and nothing more. Times are taken only while somebody may ask for them (timed), and no
// more than once for a request and once for a turn of the loop. The HTTP listener never reads any of this: it asks the
// loop for a copy (metrics_snapshot.h). The transport and the tail cache have counters of their own. Thread: the loop.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace leat {

// How often something took how long. Bucket i has what took at most 2^i microseconds and more than bucket i - 1; the
// last one, what took longer than half a minute.
class Log2Histogram {
 public:
  static constexpr size_t kBuckets = 26;  // 1 us to 33.6 s
  static constexpr Nanos upper_bound(size_t bucket) noexcept { return Micros(int64_t{1} << bucket); }

  void add(Nanos took) noexcept;
  uint64_t count() const noexcept;
  Nanos sum() const noexcept { return sum_; }
  const std::array<uint64_t, kBuckets + 1>& counts() const noexcept { return counts_; }  // the last: longer than all

 private:
  std::array<uint64_t, kBuckets + 1> counts_{};
  Nanos sum_{0};
};

enum class Timed : uint8_t { kNo, kYes };
inline Nanos time_if(Timed timed, const Clock& clock) noexcept {
  return timed == Timed::kYes ? clock.monotonic() : Nanos(0);
}

// What the lanes of one LaneStarter did together.
struct LaneMetrics {
  Timed timed = Timed::kNo;  // whether write() and sync() are
  uint64_t jobs = 0;         // writes, of one batch or many
  uint64_t batches = 0;      // answered, refused ones too
  uint64_t records = 0;
  uint64_t bytes = 0;
  uint64_t refused_no_space = 0;  // batches: the disk is full, or its free space below the reserve
  uint64_t failed_storage = 0;    // batches: a write or sync failed, or the log directory is offline
  Log2Histogram write_time;
  Log2Histogram sync_time;

  void on_refused(Errc code) noexcept;
  void on_wrote(Nanos took) noexcept {
    if (timed == Timed::kYes) write_time.add(took);
  }
  void on_synced(Nanos took) noexcept {
    if (timed == Timed::kYes) sync_time.add(took);
  }
};

// Requests by API. Keys above those of Kafka's table cannot be served and are never counted here.
class RequestMetrics {
 public:
  static constexpr int16_t kApiKeyMax = 93;
  static constexpr size_t kApis = kApiKeyMax + 1;
  using Errors = std::map<std::pair<int16_t, int16_t>, uint64_t>;  // (API key, error code)

  Timed timed = Timed::kNo;
  uint64_t refused = 0;  // closed instead of answered: malformed, not served, acks=0 that failed

  void on_answered(int16_t api_key) noexcept { ++counts_[slot(api_key)]; }
  void on_took(int16_t api_key, Nanos took) noexcept { times_[slot(api_key)].add(took); }
  void on_error(int16_t api_key, int16_t error_code) { ++errors_[{api_key, error_code}]; }

  uint64_t count(int16_t api_key) const noexcept { return counts_[slot(api_key)]; }
  const Log2Histogram& times(int16_t api_key) const noexcept { return times_[slot(api_key)]; }
  const Errors& errors() const noexcept { return errors_; }

 private:
  static size_t slot(int16_t api_key) noexcept;

  std::array<uint64_t, kApis> counts_{};
  std::array<Log2Histogram, kApis> times_{};
  Errors errors_;  // a node for each pair that ever occurred: bounded by Kafka's tables
};
}  // namespace leat
