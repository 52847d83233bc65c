// main.cpp: leat_bench_micro. See micro.h, and row_report.h for the flags.
#include "benchmarks/micro/micro.h"

int main(int argc, char** argv) {
  using namespace leat::bench;
  register_codec_rows();
  register_record_rows();
  register_log_rows();
  register_loop_rows();
  register_client_rows();
  return run_rows(argc, argv, {{.counter = "ns"}, {.counter = "bytes_per_second"}, {.counter = "items_per_second"}});
}
