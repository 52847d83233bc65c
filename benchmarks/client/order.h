// order.h: what a contender is asked to do, and the figures that it gives. Contenders are programs of their own
// (leat_bench_client_leat, leat_bench_client_rdkafka), so that CPU time and memory are their own; leat_bench_client has
// the rows and runs them. An order is a program's arguments, the figures come back on its stdout:
//   leat_bench_client_leat work=produce style=loop broker=127.0.0.1:9092 topic=t records=3000000 ...
//   records 3000000\nseconds 1.25\n...
// An argument that is left out has its default. Pure but for the measuring, which is Linux's where it says so.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/load/histogram.h"
#include "core/base/result.h"

namespace leat::bench {

struct Order {
  enum class Work : uint8_t {
    kProduce,    // records as fast as they are taken, until each has its outcome
    kConsume,    // all records of a topic, from the beginning
    kRoundTrip,  // one record after the other, each awaited
    kQueue,      // records for a broker that cannot be reached: what keeping them takes
  };
  enum class Sequences : uint8_t { kOff, kOn };  // idempotence
  enum class Crcs : uint8_t { kUnchecked, kChecked };

  Work work = Work::kProduce;
  std::string style = "thread";  // leat's: "thread", a client with a thread of its own; "loop", on the program's loop
  std::string broker = "127.0.0.1:9092";
  std::string topic = "bench";
  int32_t partition_count = 1;
  uint64_t record_count = 1;
  uint64_t warm_up_count = 0;  // records before the clock starts
  int32_t record_bytes = 100;  // of the value; no key
  int32_t linger_ms = 5;
  Sequences sequences = Sequences::kOff;  // on: acks = all, which both clients ask for then; off: acks = 1
  std::string codec = "none";
  Crcs crcs = Crcs::kChecked;
};
std::vector<std::string> to_arguments(const Order& order);
Result<Order> parse_order(const std::vector<std::string>& arguments);

struct Figures {  // 0: not measured
  double records = 0;
  double seconds = 0;
  double cpu_seconds = 0;  // user and system, of all threads
  double p50_us = 0;
  double p99_us = 0;
  double resident_before_mb = 0;
  double resident_peak_mb = 0;
};
std::string to_text(const Figures& figures);
Result<Figures> parse_figures(std::string_view text);

// Time and CPU time of this process from when it was made.
class Stopwatch {
 public:
  Stopwatch() noexcept;
  void stop(Figures& figures) const noexcept;

 private:
  std::chrono::steady_clock::time_point begin_;
  double cpu_seconds_;
};
uint64_t nanoseconds_since(std::chrono::steady_clock::time_point begin) noexcept;
// All records of the order, in the time that the watch has run.
Figures measured(const Order& order, const Stopwatch& watch) noexcept;
void take_percentiles(const Histogram& latency, Figures& figures) noexcept;

// Of this process, from /proc; 0 elsewhere.
double resident_mb();
double resident_peak_mb();

// Values that are text-like and different, so that codecs find about what they find in real logs; a power of two.
std::vector<std::string> make_values(int32_t record_bytes);

inline constexpr int kPatienceMs = 60'000;  // a contender that waits longer for anything gives up

// What delivery reports have told.
struct Told {
  uint64_t delivered = 0;
  uint64_t failed = 0;
  std::string words;  // of the first failure

  uint64_t outcomes() const noexcept { return delivered + failed; }
  Result<void> check(uint64_t expected) const;
};

// What a consumer has read. The clock starts with the first records, which are not counted; where they were all, it has
// run from the beginning.
struct Seen {
  uint64_t records = 0;
  uint64_t first_records = 0;
  uint64_t bytes = 0;
  Stopwatch from_beginning = {};
  std::optional<Stopwatch> from_first = std::nullopt;

  void note_first();  // after each time that something may have come
  Figures figures() const noexcept;
};

// How a contender does each work.
struct Works {
  Result<Figures> (*produce)(const Order& order);
  Result<Figures> (*consume)(const Order& order);
  Result<Figures> (*round_trip)(const Order& order);
  Result<Figures> (*queue)(const Order& order);
};
Result<Figures> carry_out(const Order& order, const Works& works);

// What each contender's program is.
Result<Figures> carry_out(const Order& order);

}  // namespace leat::bench
