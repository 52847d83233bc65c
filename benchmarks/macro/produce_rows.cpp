// produce_rows.cpp: suite 1 (producer batch x size sweep) and suite 5 (producer scaling), with their neighbours:
// idempotent producers, compressed batches, 100 partitions, and the headline rows under flush.messages=1.
#include <fmt/format.h>

#include "benchmarks/macro/broker.h"

namespace leat::bench {
namespace {

struct ProduceRow {
  std::string name;
  BatchShape shape;
  int connections = 1;
  int in_flight = 8;
  double requests = 10'000;
  int32_t partition_count = 1;
  int16_t acks = 1;
  bool idempotent = false;
  bool durable = false;  // flush.messages=1, acks=all
};

void add(const ProduceRow& row) {
  auto* registered = benchmark::RegisterBenchmark(row.name.c_str(), [row](benchmark::State& state) {
    TopicPlan plan{.name = "", .partition_count = row.partition_count, .configs = {}};
    if (row.durable) plan.configs.emplace_back("flush.messages", "1");
    const uint64_t requests = scaled(row.requests) + static_cast<uint64_t>(row.connections);
    const uint64_t bytes = requests * make_batch(row.shape).size();
    measure(state, plan, bytes, [&](const std::string& topic) {
      ProduceLoad load{.broker = broker_under_test().address, .target = {}, .shape = row.shape};
      load.target = {
          .topic = topic, .partition_count = row.partition_count, .acks = row.durable ? int16_t{-1} : row.acks};
      load.connections = row.connections;
      load.in_flight = row.in_flight;
      load.request_count = requests;
      load.idempotent = row.idempotent;
      return run_produce(load);
    });
  });
  configure(registered);
}

// Work that takes a second or so at the speeds of DESIGN's table.
double requests_for(const BatchShape& shape) {
  const double bytes = static_cast<double>(shape.record_count) * (shape.record_bytes + 10.0) + 61;
  return std::min(200'000.0, 1.5e9 / bytes);
}

}  // namespace

void register_produce_rows() {
  for (const int32_t size : {10, 100, 1024, 10'240}) {
    for (const int32_t count : {1, 10, 100, 1000}) {
      const BatchShape shape{.record_count = count, .record_bytes = size};
      if (int64_t{count} * size > 1'000'000 && size > 1024) continue;  // above max.message.bytes
      add({.name = fmt::format("produce/{}B_x_{}", size, count), .shape = shape, .requests = requests_for(shape)});
    }
  }
  const BatchShape small{.record_count = 1, .record_bytes = 100};
  const BatchShape thousand{.record_count = 1000, .record_bytes = 100};
  add({.name = "produce/100B_x_1_one_in_flight", .shape = small, .in_flight = 1, .requests = 20'000});
  add({.name = "produce/100B_x_1_idempotent", .shape = small, .in_flight = 5, .requests = 100'000, .idempotent = true});
  add({.name = "produce/100B_x_1000_idempotent",
       .shape = thousand,
       .in_flight = 5,
       .requests = 8'000,
       .idempotent = true});
  for (const auto& [codec, name] : {std::pair{Codec::kLz4, "lz4"}, std::pair{Codec::kZstd, "zstd"}}) {
    add({.name = fmt::format("produce/100B_x_1000_{}", name),
         .shape = {.record_count = 1000, .record_bytes = 100, .codec = codec},
         .requests = 8'000});
  }
  add({.name = "produce/100B_x_1_100_partitions",
       .shape = small,
       .connections = 100,
       .in_flight = 1,
       .requests = 200'000,
       .partition_count = 100});
  add({.name = "produce/100B_x_1_durable", .shape = small, .requests = 20'000, .durable = true});
  add({.name = "produce/100B_x_1000_durable", .shape = thousand, .requests = 5'000, .durable = true});
  add({.name = "produce/1024B_x_1000_durable",
       .shape = {.record_count = 1000, .record_bytes = 1024},
       .requests = 1'000,
       .durable = true});
}

void register_scaling_rows() {
  for (const int connections : {1, 2, 4, 8}) {
    add({.name = fmt::format("scaling/100B_x_1_connections_{}", connections),
         .shape = {.record_count = 1, .record_bytes = 100},
         .connections = connections,
         .requests = 200'000});
    add({.name = fmt::format("scaling/100B_x_1000_connections_{}", connections),
         .shape = {.record_count = 1000, .record_bytes = 100},
         .connections = connections,
         .requests = 10'000});
  }
}

void register_flush_rows() {
  const BatchShape small{.record_count = 1, .record_bytes = 100};
  add({.name = "flush/none_32_connections",
       .shape = small,
       .connections = 32,
       .in_flight = 1,
       .requests = 200'000,
       .acks = -1});
  add({.name = "flush/commit_32_connections",
       .shape = small,
       .connections = 32,
       .in_flight = 1,
       .requests = 30'000,
       .durable = true});
  add({.name = "flush/commit_1_connection",
       .shape = small,
       .connections = 1,
       .in_flight = 1,
       .requests = 3'000,
       .durable = true});
}

}  // namespace leat::bench
