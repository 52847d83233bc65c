// broker.h: the broker that the macro suites drive, and how a row of theirs is measured.
//   LEAT_BENCH_BROKER=HOST:PORT   any Kafka; needed
//   LEAT_BENCH_PID=PID            its process on this machine: rows then tell its CPU time for each MB
//   LEAT_BENCH_SCALE=0.1          how much work a row does, 1 being what docs/benchmarks.md was made with
// A row is one manual-time iteration, repeated; every repetition uses a topic of its own and deletes it.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

#include "benchmarks/load/load.h"

namespace leat::bench {

struct BrokerUnderTest {
  Address address;
  int pid = 0;  // 0: unknown
  double scale = 1;
};
const BrokerUnderTest& broker_under_test();

uint64_t scaled(double count);  // at least 1

// CPU time that the broker's process has used, in seconds; 0 when its pid is not known.
double broker_cpu_seconds();

// Writes a scratch file of that size and deletes it, so that the memory which the page cache will need has been
// touched: on virtual machines the first touch is slower than anything that is measured here.
void touch_memory(uint64_t bytes);

// Runs `run` once, on a new topic where `plan` has a name, and reports: time, req/s, msg/s, MB/s, latency percentiles
// in microseconds, CPU of the broker, the machine's load average.
using Run = std::function<Result<LoadResult>(const std::string& topic)>;
void measure(benchmark::State& state, const TopicPlan& plan, uint64_t bytes_expected, const Run& run);

// Three repetitions, of which median, min and max are reported.
void configure(benchmark::internal::Benchmark* row);

void register_produce_rows();
void register_fetch_rows();
void register_latency_rows();
void register_flush_rows();
void register_scaling_rows();
void register_ceiling_rows();

}  // namespace leat::bench
