// leat_work.cpp: see leat_work.h.
#include "benchmarks/client/leat_work.h"

#include <chrono>

namespace leat::bench {
namespace {

client::Compression compression_of(const std::string& codec) {
  if (codec == "gzip") return client::Compression::kGzip;
  if (codec == "snappy") return client::Compression::kSnappy;
  if (codec == "lz4") return client::Compression::kLz4;
  if (codec == "zstd") return client::Compression::kZstd;
  return client::Compression::kNone;
}

}  // namespace

client::ClientSettings client_settings(const Order& order) {
  client::ClientSettings settings;
  settings.bootstrap_servers = order.broker;
  return settings;
}

client::ProducerSettings producer_settings(const Order& order) {
  const bool idempotent = order.sequences == Order::Sequences::kOn;
  client::ProducerSettings settings;
  settings.acks = idempotent ? client::Acks::kAll : client::Acks::kLeader;
  settings.idempotence = idempotent ? client::Idempotence::kRequired : client::Idempotence::kOff;
  settings.compression = compression_of(order.codec);
  settings.linger_ms = order.linger_ms;
  if (order.work == Order::Work::kQueue) settings.buffer_bytes_max = size_t{1} << 30;
  return settings;
}

client::ConsumerSettings consumer_settings(const Order& order) {
  client::ConsumerSettings settings;
  settings.auto_offset_reset = client::OffsetReset::kEarliest;
  settings.enable_auto_commit = client::AutoCommit::kNo;
  settings.check_crcs = order.crcs == Order::Crcs::kChecked ? client::CrcCheck::kYes : client::CrcCheck::kNo;
  return settings;
}

std::vector<client::TopicPartition> all_partitions(const Order& order) {
  std::vector<client::TopicPartition> partitions;
  for (int32_t i = 0; i < order.partition_count; ++i) partitions.push_back({order.topic, i});
  return partitions;
}

void note(const client::Records& read, Seen& seen) {
  uint64_t count = 0;
  for (const client::RecordView& record : read) {
    seen.bytes += record.value ? record.value->size() : 0;
    ++count;
  }
  seen.records += count;
  seen.note_first();
}

Result<Figures> RoundTrips::figures(const Order& order, const Stopwatch& watch) const {
  if (!trouble.empty()) return fail(Errc::kIo, trouble);
  Figures figures = measured(order, watch);
  take_percentiles(latency, figures);
  return figures;
}

client::Task<> consume_all(client::Consumer* consumer, Reading* reading, uint64_t record_count) {
  Seen& seen = reading->seen;
  while (seen.records < record_count) {
    const client::Result<client::Records> records = co_await consumer->poll(kPatienceMs);
    if (!records) {
      reading->trouble = records.error().message();
      co_return;
    }
    const uint64_t before = seen.records;
    note(*records, seen);
    if (seen.records == before) {
      reading->trouble = "no more records came";
      co_return;
    }
  }
}

client::Task<> round_trips(client::Producer* producer, const Order* order, RoundTrips* result) {
  const std::vector<std::string> values = make_values(order->record_bytes);
  const uint64_t count = order->warm_up_count + order->record_count;
  for (uint64_t i = 0; i < count; ++i) {
    const client::ProducerRecord record{.topic = order->topic, .value = values[i & (values.size() - 1)]};
    const auto begin = std::chrono::steady_clock::now();
    const client::Result<client::DeliveredRecord> sent = co_await producer->send(record);
    if (!sent) {
      result->trouble = sent.error().message();
      co_return;
    }
    if (i >= order->warm_up_count) result->latency.add(nanoseconds_since(begin));
  }
}

Result<Figures> carry_out(const Order& order) {
  if (order.style == "thread") return work_on_thread(order);
  if (order.style == "loop") return work_on_loop(order);
  return fail(Errc::kInvalidArgument, "the client has two styles, thread and loop, not '" + order.style + "'");
}

}  // namespace leat::bench
