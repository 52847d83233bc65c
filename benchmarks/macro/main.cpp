// main.cpp: leat_bench_macro: the suites that drive a broker over loopback. See broker.h for the environment and
// row_report.h for the flags.
#include "benchmarks/macro/broker.h"
#include "benchmarks/report/row_report.h"

int main(int argc, char** argv) {
  using namespace leat::bench;
  register_produce_rows();
  register_fetch_rows();
  register_latency_rows();
  register_flush_rows();
  register_scaling_rows();
  register_group_rows();
  register_ceiling_rows();
  register_limit_rows();
  register_redis_rows();
  return run_rows(argc, argv,
                  {{.counter = "req_s"},
                   {.counter = "msg_s"},
                   {.counter = "MB_s"},
                   {.counter = "mean_us"},
                   {.counter = "p10_us", .shown_on_terminal = false},
                   {.counter = "p25_us", .shown_on_terminal = false},
                   {.counter = "p50_us"},
                   {.counter = "p75_us", .shown_on_terminal = false},
                   {.counter = "p90_us", .shown_on_terminal = false},
                   {.counter = "p95_us", .shown_on_terminal = false},
                   {.counter = "p99_us"},
                   {.counter = "p999_us", .shown_on_terminal = false},
                   {.counter = "p9999_us", .shown_on_terminal = false},
                   {.counter = "max_us", .shown_on_terminal = false},
                   {.counter = "late_p99_us", .shown_on_terminal = false},
                   {.counter = "cpu_ms_MB"},
                   {.counter = "ceiling_req_s"},
                   {.counter = "ceiling_p50_us", .shown_on_terminal = false}});
}
