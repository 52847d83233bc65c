// ceiling_rows.cpp: what the machine and the load generator can do when the broker keeps nothing: the limits beside
// which the other rows are read.
#include "benchmarks/load/null_responder.h"
#include "benchmarks/macro/broker.h"

namespace leat::bench {
namespace {

void add_produce(const char* name, const BatchShape& shape, int connections, int in_flight, double requests) {
  auto* row = benchmark::RegisterBenchmark(name, [=](benchmark::State& state) {
    const NullResponder responder("null", {});
    for ([[maybe_unused]] auto _ : state) {
      ProduceLoad load{.broker = responder.address(), .target = {.topic = "null"}, .shape = shape};
      load.connections = connections;
      load.in_flight = in_flight;
      load.request_count = scaled(requests) + static_cast<uint64_t>(connections);
      const Result<LoadResult> result = run_produce(load);
      if (!result) return state.SkipWithError(result.error().context.c_str());
      state.SetIterationTime(result->seconds);
      state.counters["req_s"] = static_cast<double>(result->requests) / result->seconds;
      state.counters["msg_s"] = static_cast<double>(result->records) / result->seconds;
      state.counters["MB_s"] = static_cast<double>(result->bytes) / 1e6 / result->seconds;
      state.counters["mean_us"] = result->latency.mean() / 1000;
    }
  });
  configure(row);
}

}  // namespace

void register_ceiling_rows() {
  add_produce("ceiling/produce_100B_x_1", {.record_count = 1, .record_bytes = 100}, 1, 8, 1'000'000);
  add_produce("ceiling/produce_100B_x_1_8_connections", {.record_count = 1, .record_bytes = 100}, 8, 8, 2'000'000);
  add_produce("ceiling/round_trip", {.record_count = 1, .record_bytes = 100}, 1, 1, 50'000);
  add_produce("ceiling/produce_100B_x_1000", {.record_count = 1000, .record_bytes = 100}, 1, 8, 20'000);
  add_produce("ceiling/produce_1024B_x_1000", {.record_count = 1000, .record_bytes = 1024}, 1, 8, 4'000);
  auto* row = benchmark::RegisterBenchmark("ceiling/fetch_1MiB", [](benchmark::State& state) {
    const NullResponder responder("null", make_batch({.record_count = 1000, .record_bytes = 1024}));
    for ([[maybe_unused]] auto _ : state) {
      const Result<LoadResult> result =
          run_fetch({.broker = responder.address(), .topic = "null", .total_bytes = scaled(4e9)});
      if (!result) return state.SkipWithError(result.error().context.c_str());
      state.SetIterationTime(result->seconds);
      state.counters["MB_s"] = static_cast<double>(result->bytes) / 1e6 / result->seconds;
    }
  });
  configure(row);
}

}  // namespace leat::bench
