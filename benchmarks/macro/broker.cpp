// broker.cpp: see broker.h.
#include "benchmarks/macro/broker.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "benchmarks/load/scratch.h"
#include "benchmarks/report/row_report.h"

namespace leat::bench {
namespace {

constexpr double kThroughputSeconds = 2;
constexpr uint64_t kTouchedBytesMax = uint64_t{4} << 30;

double number_from_environment(const char* name, double otherwise) {
  const std::string text = environment(name);
  return text.empty() ? otherwise : std::atof(text.c_str());
}

double scale() {
  static const double value = std::max(0.001, number_from_environment("LEAT_BENCH_SCALE", 1));
  return value;
}

double microseconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

// What the load generator does when the broker costs nothing, once a row.
void report_ceiling(benchmark::State& state, const Row& row) {
  static std::map<std::string, LoadResult> known;
  if (row.ceiling == Row::Ceiling::kNone || environment("LEAT_BENCH_CEILING") == "0") return;
  auto found = known.find(row.name);
  if (found == known.end()) {
    if (row.ceiling_keeps != Keep::kNothing) touch_memory(std::min(row.bytes_written, kTouchedBytesMax));
    if (row.ceiling_keeps == Keep::kDurable) settle_disk();
    const NullResponder responder({.topic = "null", .fetched = row.ceiling_fetched, .keep = row.ceiling_keeps});
    const Result<LoadResult> result = row.run(responder.address(), "null");
    if (!result) return state.SkipWithError(("null responder: " + result.error().context).c_str());
    found = known.emplace(row.name, *result).first;
  }
  state.counters["ceiling_req_s"] = static_cast<double>(found->second.requests) / found->second.seconds;
  state.counters["ceiling_p50_us"] = microseconds(found->second.latency.percentile(0.5));
}

void measure(benchmark::State& state, const Row& row) {
  static int topic_number = 0;
  const Address& broker = broker_address();
  TopicPlan plan = row.plan;
  plan.name = "bench-" + std::to_string(getpid()) + "-" + std::to_string(++topic_number);
  if (const Result<void> created = create_topic(broker, plan); !created) {
    return state.SkipWithError(created.error().context.c_str());
  }
  Result<void> prepared;
  if (row.prepare) prepared = row.prepare(broker, plan.name);
  touch_memory(std::min(row.bytes_written + row.bytes_written / 8, kTouchedBytesMax));
  if (row.ceiling_keeps == Keep::kDurable) settle_disk();
  const double cpu_before = broker_cpu_seconds();
  const Result<LoadResult> result = prepared ? row.run(broker, plan.name) : fail(prepared.error());
  const double cpu_seconds = broker_cpu_seconds() - cpu_before;
  const Result<void> deleted = delete_topic(broker, plan.name);
  if (!result) return state.SkipWithError(result.error().context.c_str());
  if (!deleted) return state.SkipWithError(deleted.error().context.c_str());
  report(state, *result);
  if (result->bytes > 0) {
    state.counters["cpu_ms_MB"] = cpu_seconds * 1000 / (static_cast<double>(result->bytes) / 1e6);
  }
  report_ceiling(state, row);
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const Address& broker_address() {
  static const Address address = [] {
    const Result<Address> given = parse_address(environment("LEAT_BENCH_BROKER"));
    if (!given) {
      std::fprintf(stderr, "LEAT_BENCH_BROKER must be HOST:PORT of the broker to drive (./dev bench starts one)\n");
      std::exit(2);
    }
    return *given;
  }();
  return address;
}

double broker_cpu_seconds() {
  std::ifstream file("/proc/" + environment("LEAT_BENCH_PID") + "/stat");
  std::string line;
  if (!std::getline(file, line)) return 0;
  // The second field is a name in parentheses that may hold blanks; user and system time are the 12th and 13th after
  // it.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

uint64_t scaled(double count) { return std::max<uint64_t>(1, static_cast<uint64_t>(count * scale())); }

double throughput_seconds() { return std::max(0.02, kThroughputSeconds * scale()); }

Millis rate_duration(double seconds_usual) {
  const double seconds = number_from_environment("LEAT_BENCH_SECONDS", seconds_usual * scale());
  return Millis(std::max<int64_t>(50, static_cast<int64_t>(seconds * 1000)));
}

void report(benchmark::State& state, const LoadResult& result) {
  state.SetIterationTime(result.seconds);
  state.counters["req_s"] = static_cast<double>(result.requests) / result.seconds;
  state.counters["msg_s"] = static_cast<double>(result.records) / result.seconds;
  state.counters["MB_s"] = static_cast<double>(result.bytes) / 1e6 / result.seconds;
  state.counters["mean_us"] = result.latency.mean() / 1000;
  for (const auto& [name, share] : {std::pair{"p10_us", 0.1},
                                    {"p25_us", 0.25},
                                    {"p50_us", 0.5},
                                    {"p75_us", 0.75},
                                    {"p90_us", 0.9},
                                    {"p95_us", 0.95},
                                    {"p99_us", 0.99},
                                    {"p999_us", 0.999},
                                    {"p9999_us", 0.9999}}) {
    state.counters[name] = microseconds(result.latency.percentile(share));
  }
  state.counters["max_us"] = microseconds(result.latency.max());
  if (result.lateness.count() > 0) state.counters["late_p99_us"] = microseconds(result.lateness.percentile(0.99));
}

void add_row(Row row) {
  const std::string name = row.name;
  auto* registered = benchmark::RegisterBenchmark(name.c_str(), [row = std::move(row)](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) measure(state, row);
  });
  configure(registered);
}

void configure(benchmark::internal::Benchmark* row) {
  row->UseManualTime()->Iterations(1)->Repetitions(repetitions())->Unit(benchmark::kMillisecond);
}

}  // namespace leat::bench
