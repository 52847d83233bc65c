// redis_load.h: single records into a Redis stream, to compare durable appends with: one XADD in flight on each
// connection, raw RESP. Thread: the caller's.
#pragma once

#include "benchmarks/load/load.h"

namespace leat::bench {

struct RedisLoad {
  Address server;
  int connections = 32;
  int32_t record_bytes = 100;
  uint64_t request_count = 10'000;  // over all connections
  double seconds_max = 0;           // 0: no such limit
};
Result<LoadResult> run_redis(const RedisLoad& load);

}  // namespace leat::bench
