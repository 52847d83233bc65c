// row_report.cpp: see row_report.h.
#include "benchmarks/report/row_report.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace leat::bench {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

// Google Benchmark 1.8 renamed these.
template <class AnyRun>
bool run_failed(const AnyRun& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred;
  } else {
    return static_cast<int>(run.skipped) != 0;
  }
}
template <class AnyRun>
std::string failure_of(const AnyRun& run) {
  if constexpr (requires { run.error_message; }) {
    return run.error_message;
  } else {
    return run.skip_message;
  }
}

std::string name_of(const Run& run) {
  return run.run_name.args.empty() ? run.run_name.function_name : run.run_name.function_name + "/" + run.run_name.args;
}

std::vector<double> values_of(const std::vector<Run>& runs, const std::string& counter) {
  std::vector<double> values;
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) continue;
    if (counter == "ns") {
      values.push_back(run.real_accumulated_time * 1e9 / static_cast<double>(std::max<int64_t>(run.iterations, 1)));
    } else if (const auto found = run.counters.find(counter); found != run.counters.end()) {
      values.push_back(found->second.value);
    }
  }
  std::sort(values.begin(), values.end());
  return values;
}

double load_average() {
  double averages[1] = {0};
  return getloadavg(averages, 1) == 1 ? averages[0] : 0;
}

std::string in_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

RowReport::RowReport(std::vector<Figure> figures, const std::string& csv_path) : figures_(std::move(figures)) {
  if (csv_path.empty()) return;
  csv_ = std::fopen(csv_path.c_str(), "w");
  if (csv_ == nullptr) {
    std::fprintf(stderr, "cannot write %s\n", csv_path.c_str());
    ++failed_count_;
    return;
  }
  std::fprintf(csv_, "row,repetitions,load_avg");
  for (const Figure& figure : figures_) {
    const char* name = figure.counter.c_str();
    std::fprintf(csv_, ",%s_median,%s_min,%s_max", name, name, name);
  }
  std::fprintf(csv_, ",error\n");
}

RowReport::~RowReport() {
  if (csv_ != nullptr) (void)std::fclose(csv_);
}

void RowReport::ReportRuns(const std::vector<Run>& runs) {
  std::string failure;
  std::string name;
  int64_t count = 0;
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) continue;
    name = name_of(run);
    ++count;
    if (run_failed(run)) failure = failure_of(run).empty() ? "failed" : failure_of(run);
  }
  if (count == 0) return;  // the library's own aggregates
  std::string line = name;
  line.resize(std::max<size_t>(line.size() + 1, 44), ' ');
  std::string row = in_quotes(name) + "," + std::to_string(count) + "," + std::to_string(load_average());
  for (const Figure& figure : figures_) {
    const std::vector<double> values = values_of(runs, figure.counter);
    if (values.empty() || !failure.empty()) {
      row += ",,,";
      continue;
    }
    char numbers[128];
    std::snprintf(numbers, sizeof numbers, ",%.6g,%.6g,%.6g", median(values), values.front(), values.back());
    row += numbers;
    if (!figure.shown_on_terminal) continue;
    line += " " + figure.counter + " " + readable(median(values));
    if (values.size() > 1) line += " [" + readable(values.front()) + " " + readable(values.back()) + "]";
  }
  if (!failure.empty()) {
    ++failed_count_;
    line += " FAILED: " + failure;
  }
  std::printf("%s\n", line.c_str());
  (void)std::fflush(stdout);
  if (csv_ == nullptr) return;
  std::fprintf(csv_, "%s,%s\n", row.c_str(), failure.empty() ? "" : in_quotes(failure).c_str());
  (void)std::fflush(csv_);
}

double median(const std::vector<double>& sorted) {
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::string readable(double value) {
  char text[64];
  std::snprintf(text, sizeof text, std::abs(value) >= 100 ? "%.0f" : "%.3g", value);
  std::string digits = text;
  if (std::abs(value) < 1000) return digits;
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

int repetitions() {
  const char* given = std::getenv("LEAT_BENCH_REPETITIONS");
  return given == nullptr ? 3 : std::max(1, std::atoi(given));
}

int run_rows(int argc, char** argv, const std::vector<Figure>& figures) {
  constexpr std::string_view kCsvFlag = "--csv=";
  std::string csv_path;
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.substr(0, kCsvFlag.size()) == kCsvFlag) {
      csv_path = argument.substr(kCsvFlag.size());
    } else {
      others.push_back(argv[i]);
    }
  }
  int other_count = static_cast<int>(others.size());
  benchmark::Initialize(&other_count, others.data());
  if (benchmark::ReportUnrecognizedArguments(other_count, others.data())) return 2;
  RowReport report(figures, csv_path);
  const size_t matched = benchmark::RunSpecifiedBenchmarks(&report);
  benchmark::Shutdown();
  if (matched == 0) {
    std::fprintf(stderr, "no row matches\n");
    return 2;
  }
  if (report.failed_count() > 0) std::fprintf(stderr, "%d rows failed\n", report.failed_count());
  return report.failed_count() > 0 ? 1 : 0;
}

}  // namespace leat::bench
