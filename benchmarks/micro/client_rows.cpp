// client_rows.cpp: what the client does once for each record: encoding it into its batch, choosing its partition,
// reporting its outcome, and on the other side checking it and handing it out; and once for each batch, its CRC.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <leat/client.h>

#include "benchmarks/load/load.h"
#include "benchmarks/micro/micro.h"
#include "client/consumer/fetched_records.h"
#include "client/producer/accumulator.h"
#include "core/base/check.h"
#include "core/record/partitioner.h"

namespace leat::bench {
namespace {

using client::DeliveryCallback;
using client::DeliveryReport;
using client::detail::Accumulator;
using client::detail::AppendStatus;
using client::detail::FetchedChunk;
using client::detail::FetchedRecords;
using client::detail::ProducerBatch;

constexpr int kRecords = 1'000;  // of a batch
constexpr int64_t kBeginMs = 1'700'000'000'000;

enum class Told : uint8_t { kNobody, kEach };  // who has a callback

DeliveryCallback callback_for(Told told, uint64_t& count) {
  if (told == Told::kNobody) return {};
  return [&count](const DeliveryReport&) { ++count; };
}

// One record into a batch, and its share of the batch's begin, end and reports.
void add_append(const std::string& name, size_t value_bytes, Told told) {
  add_micro("client/append_" + name, [value_bytes, told](benchmark::State& state) {
    const std::string value(value_bytes, 'v');
    const client::ProducerRecord record{.topic = "orders", .value = value};
    const ProducerBatch::Guess guess{.size_bytes = kRecords * (value_bytes + 16), .record_count = kRecords};
    uint64_t count = 0;
    uint64_t id = 0;
    for ([[maybe_unused]] auto _ : state) {
      ProducerBatch batch(++id, Nanos(0), guess);
      for (int i = 0; i < kRecords; ++i) {
        DeliveryCallback on_delivery = callback_for(told, count);
        batch.append(record, kBeginMs + i / 16, on_delivery);
      }
      batch.report({.topic = "orders", .partition = 0, .offset = 0});
      benchmark::DoNotOptimize(batch.size_bytes());
    }
    ENSURE(count == (told == Told::kEach ? id * kRecords : 0));
    set_bytes(state, kRecords * value_bytes);
    state.SetItemsProcessed(state.iterations() * kRecords);
  });
}

// Everything that is ready goes out and is answered at once.
uint64_t answer_all(Accumulator& accumulator) {
  (void)accumulator.begin_flush();
  accumulator.tick();
  uint64_t records = 0;
  while (std::optional<Accumulator::Request> request = accumulator.take_request()) {
    for (const auto& item : request->items) {
      records += static_cast<uint64_t>(item.batch->record_count());
      accumulator.on_answer(item, {.code = ErrorCode::kNone, .base_offset = 0});
    }
    accumulator.on_request_ended(request->node);
  }
  for (client::detail::ReportItem& item : accumulator.take_reports()) {
    item.batch->report({.topic = item.topic->name, .partition = item.partition, .offset = item.base_offset});
  }
  return records;
}

// What send() does but for the lock, and what becomes of the batches but for encoding, sockets and CRCs.
void add_send(const std::string& name, int32_t partition_count, std::optional<std::string> key) {
  add_micro("client/send_100B_" + name, [partition_count, key = std::move(key)](benchmark::State& state) {
    const SystemClock clock;
    SeededRandom random(1);
    client::ProducerSettings settings;
    settings.idempotence = client::Idempotence::kOff;
    Accumulator accumulator(settings, false, clock, random);
    const std::string value(100, 'v');
    client::ProducerRecord record{.topic = "orders", .value = value};
    if (key) record.key = *key;
    uint64_t count = 0;
    const auto send = [&] {
      DeliveryCallback on_delivery = callback_for(Told::kEach, count);
      ENSURE(accumulator.append(record, on_delivery) == AppendStatus::kTaken);
    };
    send();  // so that the topic is asked for
    client::detail::KnownTopic known{.error = ErrorCode::kNone, .topic_id = {}, .partitions = {}, .answered = true};
    for (int32_t i = 0; i < partition_count; ++i) known.partitions.push_back({ErrorCode::kNone, 1, 0});
    accumulator.on_topic("orders", known);
    uint64_t answered = 0;
    for ([[maybe_unused]] auto _ : state) {
      for (int i = 0; i < 10 * kRecords; ++i) send();
      answered += answer_all(accumulator);
    }
    answered += answer_all(accumulator);
    ENSURE(count == answered, "{} outcomes of {} records", count, answered);
    state.SetItemsProcessed(state.iterations() * 10 * kRecords);
  });
}

void add_stamp() {
  add_micro("client/stamp_100B_x_1000", [](benchmark::State& state) {
    const std::string value(100, 'v');
    ProducerBatch batch(1, Nanos(0), {});
    for (int i = 0; i < kRecords; ++i) {
      DeliveryCallback nobody;
      batch.append({.topic = "orders", .value = value}, kBeginMs, nobody);
    }
    batch.seal_unpacked();
    int32_t sequence = 0;
    for ([[maybe_unused]] auto _ : state) {
      benchmark::DoNotOptimize(batch.stamp({.producer_id = 1, .epoch = 0}, ++sequence).data());
    }
    set_bytes(state, batch.size_bytes());
  });
}

void add_murmur2(size_t key_bytes) {
  add_micro(fmt::format("client/murmur2_{}B", key_bytes), [key_bytes](benchmark::State& state) {
    const std::vector<uint8_t> key(key_bytes, 'k');
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(partition_for_key(key, 8));
    set_bytes(state, key_bytes);
  });
}

// Ten batches, as an answer has them.
client::detail::ChunkOrder chunk_order(const BatchShape& shape, client::CrcCheck check) {
  std::vector<uint8_t> answer;
  for (int i = 0; i < 10; ++i) {
    std::vector<uint8_t> batch = make_batch(shape);
    set_base_offset(batch, Offset(int64_t{i} * shape.record_count));
    answer.insert(answer.end(), batch.begin(), batch.end());
  }
  client::detail::ChunkOrder order;
  order.topic = std::make_shared<const std::string>("orders");
  order.records = Slice::copy_of(answer);
  order.check_crcs = check;
  order.unpacked_bytes_max = 1 << 30;
  return order;
}

void add_check(const std::string& name, const BatchShape& shape, client::CrcCheck check) {
  add_micro("client/check_" + name, [shape, check](benchmark::State& state) {
    const client::detail::ChunkOrder order = chunk_order(shape, check);
    for ([[maybe_unused]] auto _ : state) {
      FetchedChunk chunk(order);
      chunk.read();
      ENSURE(chunk.parts().size() == 10 && !chunk.error());
    }
    set_bytes(state, order.records.size());
    state.SetItemsProcessed(state.iterations() * 10 * shape.record_count);
  });
}

void add_iteration(const std::string& name, const BatchShape& shape) {
  add_micro("client/iterate_" + name, [shape](benchmark::State& state) {
    const auto chunk = std::make_shared<FetchedChunk>(chunk_order(shape, client::CrcCheck::kYes));
    chunk->read();
    const auto fetched = std::make_shared<FetchedRecords>();
    fetched->add(chunk, 0, chunk->parts().size());
    const client::Records records(fetched);
    size_t bytes = 0;
    for ([[maybe_unused]] auto _ : state) {
      for (const client::RecordView& record : records) bytes += record.value->size();
    }
    benchmark::DoNotOptimize(bytes);
    state.SetItemsProcessed(state.iterations() * 10 * shape.record_count);
  });
}

}  // namespace

void register_client_rows() {
  for (const size_t value_bytes : {size_t{10}, size_t{100}, size_t{1'000}}) {
    add_append(fmt::format("{}B", value_bytes), value_bytes, Told::kNobody);
    add_append(fmt::format("{}B_callback", value_bytes), value_bytes, Told::kEach);
  }
  add_send("1_partition", 1, std::nullopt);
  add_send("8_partitions", 8, std::nullopt);
  add_send("8_partitions_keyed", 8, "customer-4711");
  add_stamp();
  for (const size_t key_bytes : {size_t{8}, size_t{32}, size_t{256}}) add_murmur2(key_bytes);
  const BatchShape thousand{.record_count = 1'000, .record_bytes = 100};
  const BatchShape ten{.record_count = 10, .record_bytes = 100};
  add_check("100B_x_1000", thousand, client::CrcCheck::kYes);
  add_check("100B_x_1000_no_crc", thousand, client::CrcCheck::kNo);
  add_check("100B_x_10", ten, client::CrcCheck::kYes);
  add_check("100B_x_1000_lz4", {.record_count = 1'000, .record_bytes = 100, .codec = Codec::kLz4},
            client::CrcCheck::kYes);
  add_iteration("100B_x_1000", thousand);
  add_iteration("100B_x_10", ten);
}

}  // namespace leat::bench
