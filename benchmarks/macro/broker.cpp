// broker.cpp: see broker.h.
#include "benchmarks/macro/broker.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace leat::bench {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

double load_average() {
  double averages[1] = {0};
  return getloadavg(averages, 1) == 1 ? averages[0] : 0;
}

double microseconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

void report(benchmark::State& state, const LoadResult& result, double cpu_seconds) {
  const double megabytes = static_cast<double>(result.bytes) / 1e6;
  state.SetIterationTime(result.seconds);
  state.counters["req_s"] = static_cast<double>(result.requests) / result.seconds;
  state.counters["msg_s"] = static_cast<double>(result.records) / result.seconds;
  state.counters["MB_s"] = megabytes / result.seconds;
  state.counters["mean_us"] = result.latency.mean() / 1000;
  state.counters["p50_us"] = microseconds(result.latency.percentile(0.5));
  state.counters["p99_us"] = microseconds(result.latency.percentile(0.99));
  state.counters["p999_us"] = microseconds(result.latency.percentile(0.999));
  state.counters["cpu_ms_MB"] = megabytes > 0 ? cpu_seconds * 1000 / megabytes : 0;
  state.counters["load_avg"] = load_average();
}

}  // namespace

const BrokerUnderTest& broker_under_test() {
  static const BrokerUnderTest broker = [] {
    BrokerUnderTest found;
    const Result<Address> address = parse_address(environment("LEAT_BENCH_BROKER"));
    if (!address) {
      std::fprintf(stderr, "LEAT_BENCH_BROKER must be HOST:PORT of the broker to drive (./dev bench starts one)\n");
      std::exit(2);
    }
    found.address = *address;
    found.pid = std::atoi(environment("LEAT_BENCH_PID").c_str());
    const std::string scale = environment("LEAT_BENCH_SCALE");
    if (!scale.empty()) found.scale = std::max(0.001, std::atof(scale.c_str()));
    return found;
  }();
  return broker;
}

uint64_t scaled(double count) {
  return std::max<uint64_t>(1, static_cast<uint64_t>(count * broker_under_test().scale));
}

double broker_cpu_seconds() {
  std::ifstream file("/proc/" + std::to_string(broker_under_test().pid) + "/stat");
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

void touch_memory(uint64_t bytes) {
  std::string path = environment("TMPDIR");
  if (path.empty()) path = "/tmp";
  path += "/leat-bench-scratch." + std::to_string(getpid());
  const int descriptor = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return;
  (void)unlink(path.c_str());
  const std::vector<char> chunk(4 << 20, 'x');
  for (uint64_t written = 0; written < bytes; written += chunk.size()) {
    if (write(descriptor, chunk.data(), chunk.size()) < 0) break;
  }
  (void)close(descriptor);
}

void measure(benchmark::State& state, const TopicPlan& plan, uint64_t bytes_expected, const Run& run) {
  static int topic_number = 0;
  TopicPlan own = plan;
  own.name = "bench-" + std::to_string(getpid()) + "-" + std::to_string(++topic_number);
  const Address& address = broker_under_test().address;
  for ([[maybe_unused]] auto _ : state) {
    if (const Result<void> created = create_topic(address, own); !created) {
      state.SkipWithError(created.error().context.c_str());
      return;
    }
    touch_memory(std::min<uint64_t>(bytes_expected + bytes_expected / 8, uint64_t{4} << 30));
    const double cpu_before = broker_cpu_seconds();
    const Result<LoadResult> result = run(own.name);
    const double cpu_after = broker_cpu_seconds();
    (void)delete_topic(address, own.name);
    if (!result) {
      state.SkipWithError(result.error().context.c_str());
      return;
    }
    report(state, *result, cpu_after - cpu_before);
  }
}

void configure(benchmark::internal::Benchmark* row) {
  row->UseManualTime()->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);
  row->ComputeStatistics("min", [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); });
  row->ComputeStatistics("max", [](const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); });
}

}  // namespace leat::bench
