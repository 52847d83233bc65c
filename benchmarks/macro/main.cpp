// main.cpp: leat_bench_macro: Google Benchmark's own flags (--benchmark_filter=REGEX, --benchmark_out=FILE
// --benchmark_out_format=csv ...) over the macro suites.
#include "benchmarks/macro/broker.h"

int main(int argc, char** argv) {
  using namespace leat::bench;
  register_produce_rows();
  register_fetch_rows();
  register_latency_rows();
  register_flush_rows();
  register_scaling_rows();
  register_ceiling_rows();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
