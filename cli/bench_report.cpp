// bench_report.cpp: numbers for people, and for programs with --json.
#include "cli/bench_report.h"

#include <fmt/format.h>

#include "cli/json_text.h"

namespace leat::cli {
namespace {

constexpr double kMegabyte = 1e6;

double seconds(Nanos duration) { return std::chrono::duration<double>(duration).count(); }
double micros(Nanos duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

JsonRaw latencies_json(const LatencyHistogram& latencies) {
  return JsonObject({{"count", latencies.count()},
                     {"mean", micros(latencies.mean())},
                     {"p50", micros(latencies.percentile(0.5))},
                     {"p90", micros(latencies.percentile(0.9))},
                     {"p99", micros(latencies.percentile(0.99))},
                     {"p999", micros(latencies.percentile(0.999))},
                     {"max", micros(latencies.max())}})
      .raw();
}

std::string latencies_text(const LatencyHistogram& latencies) {
  return fmt::format("p50 {}  p90 {}  p99 {}  p99.9 {}  max {}", micros_text(latencies.percentile(0.5)),
                     micros_text(latencies.percentile(0.9)), micros_text(latencies.percentile(0.99)),
                     micros_text(latencies.percentile(0.999)), micros_text(latencies.max()));
}

}  // namespace

std::string micros_text(Nanos duration) {
  const double value = micros(duration);
  if (value < 1e3) return fmt::format("{:.0f} us", value);
  if (value < 1e6) return fmt::format("{:.2f} ms", value / 1e3);
  return fmt::format("{:.2f} s", value / 1e6);
}

void BenchProgress::show(Nanos now, const BenchTotals& totals, const LatencyHistogram& latencies) {
  if (now - last_ < std::chrono::seconds(1) || session_.options.quiet) return;
  const double elapsed = seconds(now - last_);
  session_.console.progress(fmt::format(
      "{:5.0f} s  {:>10.0f} records/s  {:>8.1f} MB/s  {:>8.0f} requests/s  p99 {}", seconds(now - begin_),
      static_cast<double>(totals.records - last_totals_.records) / elapsed,
      static_cast<double>(totals.bytes - last_totals_.bytes) / kMegabyte / elapsed,
      static_cast<double>(totals.requests - last_totals_.requests) / elapsed, micros_text(latencies.percentile(0.99))));
  last_ = now;
  last_totals_ = totals;
}

void print_result(Session& session, const BenchResult& result) {
  session.console.end_progress();
  const double elapsed = std::max(seconds(result.elapsed), 1e-9);
  const double records = static_cast<double>(result.totals.records) / elapsed;
  const double megabytes = static_cast<double>(result.totals.bytes) / kMegabyte / elapsed;
  const double requests = static_cast<double>(result.totals.requests) / elapsed;
  if (session.options.json) {
    JsonObject object{{"bench", result.name},
                      {"seconds", elapsed},
                      {"requests", result.totals.requests},
                      {"records", result.totals.records},
                      {"bytes", result.totals.bytes},
                      {"records_per_second", records},
                      {"megabytes_per_second", megabytes},
                      {"requests_per_second", requests},
                      {result.latency_name + "_us", latencies_json(result.latencies)}};
    if (result.end_to_end != nullptr) object.add("end_to_end_us", latencies_json(*result.end_to_end));
    session.out(object.line());
    return;
  }
  session.out(fmt::format("{}: {} records in {:.2f} s: {:.0f} records/s, {:.1f} MB/s, {:.0f} requests/s\n", result.name,
                          result.totals.records, elapsed, records, megabytes, requests));
  session.out(fmt::format("{}: {}\n", result.latency_name, latencies_text(result.latencies)));
  if (result.end_to_end != nullptr) session.out(fmt::format("end to end: {}\n", latencies_text(*result.end_to_end)));
}

}  // namespace leat::cli
