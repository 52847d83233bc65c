// fetch_rows.cpp: suite 2, the consumer's fetch-size sweep over a log that is in the page cache, and suite 3,
// end-to-end latency in five settings of rate, batch and policy.
#include <fmt/format.h>

#include "benchmarks/macro/broker.h"

namespace leat::bench {
namespace {

void add_fetch(int32_t bytes_max, int32_t record_bytes) {
  const std::string name = fmt::format("fetch/{}KiB_of_{}B_records", bytes_max >> 10, record_bytes);
  auto* row = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const BatchShape shape{.record_count = 65'536 / record_bytes, .record_bytes = record_bytes};
    const uint64_t log_bytes = scaled(512e6);
    measure(state, TopicPlan{}, log_bytes, [&](const std::string& topic) -> Result<LoadResult> {
      const Address& broker = broker_under_test().address;
      ProduceLoad fill{.broker = broker, .target = {.topic = topic}, .shape = shape};
      fill.request_count = log_bytes / make_batch(shape).size() + 1;
      TRY(run_produce(fill));
      return run_fetch({.broker = broker, .topic = topic, .bytes_max = bytes_max, .total_bytes = scaled(3e9)});
    });
  });
  configure(row);
}

struct RateRow {
  std::string name;
  double requests_per_second;
  int32_t record_count = 1;
  bool end_to_end = false;
  bool durable = false;
  double seconds = 5;
};

void add_rate(const RateRow& row) {
  auto* registered = benchmark::RegisterBenchmark(row.name.c_str(), [row](benchmark::State& state) {
    TopicPlan plan;
    if (row.durable) plan.configs.emplace_back("flush.messages", "1");
    measure(state, plan, 0, [&](const std::string& topic) {
      RateLoad load{.broker = broker_under_test().address, .topic = topic, .shape = {.record_count = row.record_count}};
      load.acks = row.durable ? int16_t{-1} : int16_t{1};
      load.requests_per_second = row.requests_per_second;
      load.duration = Millis(static_cast<int64_t>(scaled(row.seconds * 1000)));
      load.end_to_end = row.end_to_end;
      return run_rate(load);
    });
  });
  configure(registered);
}

}  // namespace

void register_fetch_rows() {
  for (const int32_t bytes_max : {64 << 10, 256 << 10, 1 << 20, 4 << 20}) add_fetch(bytes_max, 1024);
  add_fetch(1 << 20, 100);
  add_fetch(4 << 20, 10'240);
}

void register_latency_rows() {
  add_rate({.name = "ack/1k_per_s", .requests_per_second = 1000});
  add_rate({.name = "ack/1k_per_s_durable", .requests_per_second = 1000, .durable = true});
  add_rate({.name = "end_to_end/1k_per_s", .requests_per_second = 1000, .end_to_end = true});
  add_rate({.name = "end_to_end/10k_per_s", .requests_per_second = 10'000, .end_to_end = true});
  add_rate({.name = "end_to_end/50k_per_s_batches_of_10",
            .requests_per_second = 5000,
            .record_count = 10,
            .end_to_end = true});
  add_rate({.name = "end_to_end/1k_per_s_durable", .requests_per_second = 1000, .end_to_end = true, .durable = true});
  add_rate({.name = "end_to_end/200_per_s_durable", .requests_per_second = 200, .end_to_end = true, .durable = true});
}

}  // namespace leat::bench
