// ceiling_rows.cpp: what the machine and the load generator can do when the broker does no work: the limits beside
// which the other rows are read, by the names of the rows that they belong to.
#include <algorithm>
#include <utility>

#include "benchmarks/load/scratch.h"
#include "benchmarks/macro/broker.h"

namespace leat::bench {
namespace {

struct CeilingRow {
  const char* name;
  BatchShape shape = {.record_count = 1, .record_bytes = 100};
  int connections = 1;
  int in_flight = 8;
  Keep keep = Keep::kNothing;
  double bytes_max = 2e9;
};

void add_produce(const CeilingRow& row) {
  auto* registered = benchmark::RegisterBenchmark(row.name, [row](benchmark::State& state) {
    ProduceLoad load{.broker = {}, .target = {.topic = "null"}, .shape = row.shape};
    load.connections = row.connections;
    load.in_flight = row.in_flight;
    load.seconds_max = throughput_seconds();
    load.request_count = scaled(4e6);
    if (row.keep != Keep::kNothing) {
      load.request_count =
          std::min(load.request_count, scaled(row.bytes_max / static_cast<double>(make_batch(row.shape).size())));
      touch_memory(scaled(row.bytes_max));
      if (row.keep == Keep::kDurable) settle_disk();
    }
    load.request_count += static_cast<uint64_t>(row.connections);
    const NullResponder responder({.topic = "null", .keep = row.keep});
    load.broker = responder.address();
    for ([[maybe_unused]] auto _ : state) {
      const Result<LoadResult> result = run_produce(load);
      if (!result) return state.SkipWithError(result.error().context.c_str());
      report(state, *result);
    }
  });
  configure(registered);
}

void add_ack_rate(const char* name, Keep keep) {
  auto* row = benchmark::RegisterBenchmark(name, [keep](benchmark::State& state) {
    if (keep == Keep::kDurable) settle_disk();
    const NullResponder responder({.topic = "null", .keep = keep});
    for ([[maybe_unused]] auto _ : state) {
      RateLoad load{.broker = responder.address(), .topic = "null", .shape = {}};
      load.duration = rate_duration(5);
      const Result<LoadResult> result = run_rate(load);
      if (!result) return state.SkipWithError(result.error().context.c_str());
      report(state, *result);
    }
  });
  configure(row);
}

void add_fetch() {
  auto* row = benchmark::RegisterBenchmark("ceiling/fetch_1024KiB", [](benchmark::State& state) {
    const NullResponder responder(
        {.topic = "null", .fetched = make_batch({.record_count = 1000, .record_bytes = 1024})});
    for ([[maybe_unused]] auto _ : state) {
      const Result<LoadResult> result = run_fetch({.broker = responder.address(),
                                                   .topic = "null",
                                                   .total_bytes = UINT64_MAX,
                                                   .seconds_max = throughput_seconds()});
      if (!result) return state.SkipWithError(result.error().context.c_str());
      report(state, *result);
    }
  });
  configure(row);
}

}  // namespace

void register_ceiling_rows() {
  constexpr BatchShape kThousand{.record_count = 1000, .record_bytes = 100};
  constexpr BatchShape kLarge{.record_count = 1000, .record_bytes = 1024};
  add_produce({.name = "ceiling/produce_100B_x_1"});
  add_produce({.name = "ceiling/produce_100B_x_1_8_connections", .connections = 8});
  add_produce({.name = "ceiling/produce_100B_x_1_32_connections", .connections = 32, .in_flight = 1});
  add_produce({.name = "ceiling/produce_100B_x_1_100_connections", .connections = 100, .in_flight = 1});
  add_produce({.name = "ceiling/produce_100B_x_1_one_in_flight", .in_flight = 1});
  add_produce({.name = "ceiling/produce_100B_x_1000", .shape = kThousand});
  add_produce({.name = "ceiling/produce_1024B_x_1000", .shape = kLarge});
  add_produce({.name = "ceiling/produce_100B_x_1000_pwrite", .shape = kThousand, .keep = Keep::kFile});
  add_produce({.name = "ceiling/produce_1024B_x_1000_pwrite", .shape = kLarge, .keep = Keep::kFile});
  add_produce({.name = "ceiling/produce_100B_x_1_durable", .keep = Keep::kDurable, .bytes_max = 1e8});
  add_produce({.name = "ceiling/produce_100B_x_1_8_connections_durable",
               .connections = 8,
               .keep = Keep::kDurable,
               .bytes_max = 1e8});
  add_produce({.name = "ceiling/produce_100B_x_1_one_in_flight_durable",
               .in_flight = 1,
               .keep = Keep::kDurable,
               .bytes_max = 1e8});
  add_produce({.name = "ceiling/commit_32_connections",
               .connections = 32,
               .in_flight = 1,
               .keep = Keep::kDurable,
               .bytes_max = 1e8});
  add_produce(
      {.name = "ceiling/produce_100B_x_1000_durable", .shape = kThousand, .keep = Keep::kDurable, .bytes_max = 5e8});
  add_produce(
      {.name = "ceiling/produce_1024B_x_1000_durable", .shape = kLarge, .keep = Keep::kDurable, .bytes_max = 5e8});
  add_fetch();
  add_ack_rate("ceiling/ack_1k_per_s", Keep::kNothing);
  add_ack_rate("ceiling/ack_1k_per_s_durable", Keep::kDurable);
}

}  // namespace leat::bench
