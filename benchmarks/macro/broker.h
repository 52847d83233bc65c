// broker.h: the broker that the macro suites and leat_bench_client drive, and how a row of the former is measured.
// Taken from the environment:
//   LEAT_BENCH_BROKER=HOST:PORT   any Kafka; needed by the suites that drive one
//   LEAT_BENCH_PID=PID            its process on this machine: rows then tell its CPU time for each MB
//   LEAT_BENCH_SCALE=0.1          how much work a row does, 1 being what docs/benchmarks.md was made with
//   LEAT_BENCH_SECONDS=30         how long a row with a fixed rate takes, whatever the scale
//   LEAT_BENCH_CEILING=0          without the null responder beside each row
//   LEAT_BENCH_REPETITIONS=1      how often a row runs (3)
//   TMPDIR                        where scratch files go: the disk of the broker
// A row is one manual-time iteration, repeated; every repetition uses a topic of its own and deletes it.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/load/load.h"
#include "benchmarks/load/null_responder.h"

namespace leat::bench {

std::string environment(const char* name);  // "" when it is not set
const Address& broker_address();            // ends the process when it is not known
double broker_cpu_seconds();                // user and system time of its process; 0 when LEAT_BENCH_PID is not set

uint64_t scaled(double count);               // at least 1
double throughput_seconds();                 // no row that goes as fast as it can takes longer than this
Millis rate_duration(double seconds_usual);  // of a row with a fixed rate

// A row. `run` drives the broker at the given address, which is the null responder's for the ceiling beside it.
struct Row {
  using Run = std::function<Result<LoadResult>(const Address& broker, const std::string& topic)>;
  using Prepare = std::function<Result<void>(const Address& broker, const std::string& topic)>;
  std::string name;
  TopicPlan plan = {};         // its name is given
  uint64_t bytes_written = 0;  // about: so much memory is touched before
  Prepare prepare = nullptr;   // before the measurement
  Run run;
  Keep ceiling_keeps = Keep::kNothing;
  std::vector<uint8_t> ceiling_fetched = {};
  enum class Ceiling : uint8_t { kNone, kBesideIt } ceiling = Ceiling::kBesideIt;
};
void add_row(Row row);

// The figures of a result, as counters; a row without a broker has no CPU time.
void report(benchmark::State& state, const LoadResult& result);

// One manual-time iteration, as often as repetitions() says.
void configure(benchmark::internal::Benchmark* row);

void register_produce_rows();
void register_fetch_rows();
void register_latency_rows();
void register_flush_rows();
void register_scaling_rows();
void register_group_rows();
void register_ceiling_rows();
void register_limit_rows();
void register_redis_rows();

}  // namespace leat::bench
