// leat_on_thread.cpp: the client with a thread of its own; the program's thread sends, polls and waits. One awaited
// record after the other is a coroutine's work, which runs in the client's thread.
#include <memory>
#include <utility>

#include "benchmarks/client/leat_work.h"

namespace leat::bench {
namespace {

struct Made {
  std::unique_ptr<client::Client> client;
  std::unique_ptr<client::Producer> producer;
};

Result<Made> make_producer(const Order& order) {
  auto made = client::Client::create(client_settings(order));
  if (!made) return refused(made.error());
  auto producer = (*made)->producer(producer_settings(order));
  if (!producer) return refused(producer.error());
  return Made{.client = *std::move(made), .producer = *std::move(producer)};
}

// `told` outlives the producer, which tells it of every record, also when this fails. The values are made before the
// clock starts, as the other contenders make them.
Result<void> send_all(client::Producer& producer, const std::string& topic, const std::vector<std::string>& values,
                      uint64_t record_count, Told& told) {
  told = Told();
  for (uint64_t sent = 0; sent < record_count;) {
    const client::ProducerRecord record{.topic = topic, .value = values[sent & (values.size() - 1)]};
    const client::Result<> taken =
        producer.send(record, [&told](const client::DeliveryReport& report) { note(report, told); });
    if (taken) [[likely]] {
      ++sent;
      continue;
    }
    if (taken.error().cause() != client::Cause::kQueueFull) return refused(taken.error());
    const client::Result<> room = producer.ready().wait();
    if (!room) return refused(room.error());
  }
  const client::Result<> flushed = producer.flush(kPatienceMs).wait();
  if (!flushed) return refused(flushed.error());
  return told.check(record_count);
}

Result<Figures> produce(const Order& order) {
  const std::vector<std::string> values = make_values(order.record_bytes);
  Told told;
  TRY(made, make_producer(order));
  TRY(send_all(*made.producer, order.topic, values, order.warm_up_count, told));
  const Stopwatch watch;
  TRY(send_all(*made.producer, order.topic, values, order.record_count, told));
  return measured(order, watch);
}

Result<Figures> consume(const Order& order) {
  auto created = client::Client::create(client_settings(order));
  if (!created) return refused(created.error());
  auto made = (*created)->consumer(consumer_settings(order));
  if (!made) return refused(made.error());
  client::Consumer& consumer = **made;
  const client::Result<> assigned = consumer.assign(all_partitions(order));
  if (!assigned) return refused(assigned.error());
  Seen seen;
  while (seen.records < order.record_count) {
    const client::Result<client::Records> records = consumer.poll(kPatienceMs).wait();
    if (!records) return refused(records.error());
    const uint64_t before = seen.records;
    note(*records, seen);
    if (seen.records == before) return fail(Errc::kTimedOut, "no more records came");
  }
  return seen.figures();
}

Result<Figures> round_trip(const Order& order) {
  TRY(made, make_producer(order));
  RoundTrips result;
  const Stopwatch watch;
  made.client->run(round_trips(made.producer.get(), &order, &result));
  return result.figures(order, watch);
}

Result<Figures> queue(const Order& order) {
  const std::vector<std::string> values = make_values(order.record_bytes);
  Told told;
  TRY(made, make_producer(order));
  Figures figures{.records = static_cast<double>(order.record_count), .resident_before_mb = resident_mb()};
  const Stopwatch watch;
  for (uint64_t i = 0; i < order.record_count; ++i) {
    const client::ProducerRecord record{.topic = order.topic, .value = values[i & (values.size() - 1)]};
    const client::Result<> taken =
        made.producer->send(record, [&told](const client::DeliveryReport& report) { note(report, told); });
    if (!taken) return refused(taken.error());
  }
  watch.stop(figures);
  figures.resident_peak_mb = resident_peak_mb();
  (void)made.producer->close(0).wait();
  if (told.failed == order.record_count) return figures;
  return fail(Errc::kIo, std::to_string(told.failed) + " of " + std::to_string(order.record_count) + " were reported");
}

}  // namespace

Result<Figures> work_on_thread(const Order& order) {
  return carry_out(order, {.produce = produce, .consume = consume, .round_trip = round_trip, .queue = queue});
}

}  // namespace leat::bench
