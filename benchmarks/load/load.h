// load.h: the load that the macro suites put on a broker: raw requests, encoded once, pipelined, with coalesced writes,
// so that the broker is what is measured. Works against any Kafka (Produce v7, Fetch v11: non-flexible, so that the
// positions of error code and offsets are fixed and cost nothing to read). Every answer's error code is looked at.
// Thread: the caller's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/load/histogram.h"
#include "benchmarks/load/socket.h"
#include "core/base/clock.h"
#include "core/record/batch.h"

namespace leat::bench {

struct BatchShape {
  int32_t record_count = 1;
  int32_t record_bytes = 100;  // of the value; no key
  Codec codec = Codec::kNone;
};
std::vector<uint8_t> make_batch(const BatchShape& shape);

struct ProduceTarget {
  std::string topic;
  int32_t partition_count = 1;  // connection i produces to partition i mod this
  int16_t acks = 1;
};

struct ProduceLoad {
  Address broker;
  ProduceTarget target;
  BatchShape shape;
  int connections = 1;
  int in_flight = 8;
  uint64_t request_count = 10'000;  // over all connections
  double seconds_max = 0;           // when the time is over no new request is sent; 0: no such limit
  bool idempotent = false;          // producer ids and sequences; the CRC is brought up to date in each request
};

struct LoadResult {
  uint64_t requests = 0;
  uint64_t records = 0;
  uint64_t bytes = 0;  // of record batches
  double seconds = 0;
  Histogram latency;   // from the write of a request to its answer
  Histogram lateness;  // of the generator against its own schedule, for loads that have a rate
};

Result<LoadResult> run_produce(const ProduceLoad& load);

struct FetchLoad {
  Address broker;
  std::string topic;
  int32_t partition = 0;
  int32_t bytes_max = 1 << 20;
  uint64_t total_bytes = 0;  // read so many, starting again at offset 0 when the log ends
  double seconds_max = 0;    // or until the time is over; 0: no such limit
};
Result<LoadResult> run_fetch(const FetchLoad& load);

struct RateLoad {
  Address broker;
  std::string topic;
  BatchShape shape;
  int16_t acks = 1;
  double requests_per_second = 1000;
  Millis duration{5000};
  // A second connection keeps a fetch parked, and latency runs from the write to the arrival there.
  bool end_to_end = false;
};
Result<LoadResult> run_rate(const RateLoad& load);

// Creates the topic (deleting one of that name first is the caller's business).
struct TopicPlan {
  std::string name;
  int32_t partition_count = 1;
  std::vector<std::pair<std::string, std::string>> configs;
};
Result<void> create_topic(const Address& broker, const TopicPlan& plan);
Result<void> delete_topic(const Address& broker, const std::string& name);
Result<int64_t> request_producer_id(Socket& socket);

}  // namespace leat::bench
