// bench_report.h: the progress line and the result of a bench.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/latency_histogram.h"
#include "cli/session.h"

namespace leat::cli {

struct BenchTotals {
  int64_t requests = 0;
  int64_t records = 0;
  int64_t bytes = 0;
};

std::string micros_text(Nanos duration);  // "126 us", "4.2 ms", "1.3 s"

// One line a second on a terminal's error stream.
class BenchProgress {
 public:
  BenchProgress(Session& session, Nanos begin) noexcept : session_(session), begin_(begin), last_(begin) {}
  void show(Nanos now, const BenchTotals& totals, const LatencyHistogram& latencies);

 private:
  Session& session_;
  Nanos begin_;
  Nanos last_;
  BenchTotals last_totals_;
};

struct BenchResult {
  std::string name;
  Nanos elapsed{0};
  BenchTotals totals;
  const LatencyHistogram& latencies;
  std::string latency_name;  // what the latencies are of
  const LatencyHistogram* end_to_end = nullptr;
};
void print_result(Session& session, const BenchResult& result);

}  // namespace leat::cli
