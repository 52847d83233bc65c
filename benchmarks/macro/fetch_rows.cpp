// fetch_rows.cpp: suite 2, the consumer's fetch-size sweep over a log that is in the page cache, and suite 3, latency
// at a fixed rate: until the acknowledgement, and until the arrival at a consumer whose fetch is parked.
#include <fmt/format.h>

#include <utility>

#include "benchmarks/macro/broker.h"

namespace leat::bench {
namespace {

constexpr double kLogBytes = 512e6;

void add_fetch(int32_t bytes_max, int32_t record_bytes, bool durable) {
  const BatchShape shape{.record_count = 65'536 / record_bytes, .record_bytes = record_bytes};
  const std::vector<uint8_t> batch = make_batch(shape);
  Row row{.name = fmt::format("fetch/{}KiB_of_{}B_records", bytes_max >> 10, record_bytes), .run = nullptr};
  if (durable) {
    row.name += "_durable";
    row.plan.configs.emplace_back("flush.messages", "1");
  }
  row.prepare = [shape, batch_bytes = batch.size()](const Address& broker, const std::string& topic) -> Result<void> {
    ProduceLoad fill{.broker = broker, .target = {.topic = topic}, .shape = shape};
    fill.request_count = scaled(kLogBytes) / batch_bytes + 1;
    TRY(run_produce(fill));
    return {};
  };
  row.run = [bytes_max](const Address& broker, const std::string& topic) {
    return run_fetch({.broker = broker,
                      .topic = topic,
                      .bytes_max = bytes_max,
                      .total_bytes = UINT64_MAX,
                      .seconds_max = throughput_seconds()});
  };
  const size_t batches = std::max<size_t>(1, static_cast<size_t>(bytes_max) / batch.size());
  for (size_t i = 0; i < batches; ++i) {
    row.ceiling_fetched.insert(row.ceiling_fetched.end(), batch.begin(), batch.end());
  }
  add_row(std::move(row));
}

struct RateRow {
  std::string name;
  double requests_per_second;
  int32_t record_count = 1;
  bool end_to_end = false;
  bool durable = false;
};

void add_rate(const RateRow& rate) {
  Row row{.name = rate.name, .run = nullptr};
  if (rate.durable) row.plan.configs.emplace_back("flush.messages", "1");
  row.run = [rate](const Address& broker, const std::string& topic) {
    RateLoad load{.broker = broker, .topic = topic, .shape = {.record_count = rate.record_count}};
    load.acks = rate.durable ? int16_t{-1} : int16_t{1};
    load.requests_per_second = rate.requests_per_second;
    load.duration = rate_duration(5);
    load.end_to_end = rate.end_to_end;
    return run_rate(load);
  };
  row.ceiling_keeps = rate.durable ? Keep::kDurable : Keep::kNothing;
  // The null responder parks nothing: end to end it would answer fetches that have nothing to say, without end.
  if (rate.end_to_end) row.ceiling = Row::Ceiling::kNone;
  add_row(std::move(row));
}

}  // namespace

void register_fetch_rows() {
  for (const int32_t bytes_max : {64 << 10, 256 << 10, 1 << 20, 4 << 20}) add_fetch(bytes_max, 1024, false);
  add_fetch(1 << 20, 1024, true);
  add_fetch(1 << 20, 100, false);
  add_fetch(4 << 20, 10'240, false);
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
