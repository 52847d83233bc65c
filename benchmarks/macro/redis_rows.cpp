// redis_rows.cpp: durable single records into a Redis stream, the row to compare flush/commit_32_connections with.
//   LEAT_BENCH_REDIS=HOST:PORT   a redis-server with appendfsync always; without it the row is not there
#include <utility>

#include "benchmarks/load/redis_load.h"
#include "benchmarks/macro/broker.h"

namespace leat::bench {

void register_redis_rows() {
  const Result<Address> server = parse_address(environment("LEAT_BENCH_REDIS"));
  if (!server) return;
  auto* row = benchmark::RegisterBenchmark("redis/xadd_32_connections", [server = *server](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      RedisLoad load{.server = server};
      load.request_count = scaled(1e6);
      load.seconds_max = throughput_seconds();
      const Result<LoadResult> result = run_redis(load);
      if (!result) return state.SkipWithError(result.error().context.c_str());
      report(state, *result);
    }
  });
  configure(row);
}

}  // namespace leat::bench
