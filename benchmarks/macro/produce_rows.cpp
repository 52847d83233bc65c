// produce_rows.cpp: suite 1 (producer batch x size sweep), suite 4 (what the flush policies cost) and suite 5 (producer
// scaling), with their neighbours: idempotent producers, compressed batches, 100 partitions, and the headline rows
// under flush.messages=1, which leatd reads as its policy commit and Kafka as a flush after each append.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "benchmarks/macro/broker.h"

namespace leat::bench {
namespace {

struct ProduceRow {
  std::string name = {};
  BatchShape shape = {};
  int connections = 1;
  int in_flight = 8;
  int32_t partition_count = 1;
  int16_t acks = 1;
  bool idempotent = false;
  bool durable = false;  // flush.messages=1, acks=all
};

constexpr BatchShape kSmall{.record_count = 1, .record_bytes = 100};
constexpr BatchShape kThousand{.record_count = 1000, .record_bytes = 100};
constexpr BatchShape kLarge{.record_count = 1000, .record_bytes = 1024};

constexpr double kBytesMax = 2e9;         // of one repetition: it must fit into the page cache twice
constexpr double kRequestsMax = 1e6;      // more than any broker does in throughput_seconds()
constexpr double kDurableBytesMax = 5e8;  // all of which reaches the disk

uint64_t request_count(const ProduceRow& row, size_t batch_bytes) {
  const double bytes_max = row.durable ? kDurableBytesMax : kBytesMax;
  const double count = std::min(kRequestsMax, bytes_max / static_cast<double>(batch_bytes));
  return scaled(count) + static_cast<uint64_t>(row.connections);
}

void add(const ProduceRow& produce) {
  const size_t batch_bytes = make_batch(produce.shape).size();
  const uint64_t requests = request_count(produce, batch_bytes);
  Row row{.name = produce.name, .run = nullptr};
  row.plan.partition_count = produce.partition_count;
  if (produce.durable) row.plan.configs.emplace_back("flush.messages", "1");
  row.bytes_written = requests * batch_bytes;
  row.ceiling_keeps = produce.durable ? Keep::kDurable : Keep::kNothing;
  row.run = [produce, requests](const Address& broker, const std::string& topic) {
    ProduceLoad load{.broker = broker, .target = {}, .shape = produce.shape};
    load.target = {.topic = topic,
                   .partition_count = produce.partition_count,
                   .acks = produce.durable ? int16_t{-1} : produce.acks};
    load.connections = produce.connections;
    load.in_flight = produce.in_flight;
    load.request_count = requests;
    load.seconds_max = throughput_seconds();
    load.idempotent = produce.idempotent;
    return run_produce(load);
  };
  add_row(std::move(row));
}

// DESIGN's table, each row also durable.
void add_headline(const ProduceRow& row) {
  add(row);
  ProduceRow durable = row;
  durable.name += "_durable";
  durable.durable = true;
  add(durable);
}

void add_sweep() {
  for (const int32_t size : {10, 100, 1024, 10'240}) {
    for (const int32_t count : {1, 10, 100, 1000}) {
      const BatchShape shape{.record_count = count, .record_bytes = size};
      if (int64_t{count} * size > 1'000'000 && size > 1024) continue;  // above max.message.bytes
      const ProduceRow row{.name = fmt::format("produce/{}B_x_{}", size, count), .shape = shape};
      if (row.name == "produce/100B_x_1" || count == 1000) {
        add_headline(row);
      } else {
        add(row);
      }
    }
  }
}

}  // namespace

void register_produce_rows() {
  add_sweep();
  add_headline({.name = "produce/100B_x_1_8_connections", .shape = kSmall, .connections = 8});
  add_headline({.name = "produce/100B_x_1_one_in_flight", .shape = kSmall, .in_flight = 1});
  for (const auto& [codec, name] : {std::pair{Codec::kLz4, "lz4"}, std::pair{Codec::kZstd, "zstd"}}) {
    BatchShape shape = kThousand;
    shape.codec = codec;
    add({.name = fmt::format("produce/100B_x_1000_{}", name), .shape = shape});
    shape = kLarge;
    shape.codec = codec;
    add({.name = fmt::format("produce/1024B_x_1000_{}", name), .shape = shape});
  }
  // A producer of the Java client may have five batches in flight when it is idempotent.
  for (const auto& [shape, name] :
       {std::pair{kSmall, "100B_x_1"}, std::pair{kThousand, "100B_x_1000"}, std::pair{kLarge, "1024B_x_1000"}}) {
    add({.name = fmt::format("produce/{}_idempotent", name), .shape = shape, .in_flight = 5, .idempotent = true});
  }
  ProduceRow spread{.name = "produce/100B_x_1_100_partitions", .shape = kSmall, .connections = 100, .in_flight = 1};
  spread.partition_count = 100;
  add_headline(spread);
}

void register_scaling_rows() {
  for (const int connections : {1, 2, 4, 8}) {
    add({.name = fmt::format("scaling/100B_x_1_connections_{}", connections),
         .shape = kSmall,
         .connections = connections});
    add({.name = fmt::format("scaling/100B_x_1000_connections_{}", connections),
         .shape = kThousand,
         .connections = connections});
  }
}

void register_flush_rows() {
  for (const int connections : {1, 32}) {
    ProduceRow row{.shape = kSmall, .connections = connections, .in_flight = 1, .acks = -1};
    row.name = fmt::format("flush/none_{}_connections", connections);
    add(row);
    row.name = fmt::format("flush/commit_{}_connections", connections);
    row.durable = true;
    add(row);
  }
  add({.name = "flush/commit_32_connections_32_partitions",
       .shape = kSmall,
       .connections = 32,
       .in_flight = 1,
       .partition_count = 32,
       .durable = true});
}

}  // namespace leat::bench
