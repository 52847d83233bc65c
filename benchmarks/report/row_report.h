// row_report.h: how the suites report: one line on the terminal and one row of CSV for each row, with median, min and
// max of every figure over the repetitions, and the machine's load average, because a figure without it says little.
// Thread: main.
//   leat_bench_macro [--csv=FILE] [--benchmark_filter=REGEX and Google Benchmark's other flags]
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

namespace leat::bench {

struct Figure {
  std::string counter;            // of the benchmark's counters; "ns" is the real time of one iteration
  bool shown_on_terminal = true;  // all are in the CSV
};

class RowReport final : public benchmark::BenchmarkReporter {
 public:
  RowReport(std::vector<Figure> figures, const std::string& csv_path);
  ~RowReport() override;
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;  // all repetitions of one row

  int failed_count() const noexcept { return failed_count_; }

 private:
  std::vector<Figure> figures_;
  FILE* csv_ = nullptr;
  int failed_count_ = 0;
};

// How often a row runs: LEAT_BENCH_REPETITIONS, 3 if it is not set.
int repetitions();

double median(const std::vector<double>& sorted);  // of at least one
std::string readable(double value);                // 12345678 as 12,345,678; small values keep three digits

// main() of a suite, after its rows were registered. Fails when a row fails, or when no row matches the filter.
int run_rows(int argc, char** argv, const std::vector<Figure>& figures);

}  // namespace leat::bench
