// produce_cases.cpp: records go in in every form and with every setting, and come out as they were; what is refused
// says why, and what stands behind it goes on in order.
#include <array>

#include "test/client_live/case.h"
#include "test/client_live/ledger.h"

namespace leat::client_live {
namespace {

using client::Acks;
using client::Compression;
using client::ProducerRecord;
using client::Result;
using client::Task;

Task<Result<client::DeliveredRecord>> send_awaited(client::Producer* producer, std::string topic) {
  constexpr int64_t kTimestampMs = 1'700'000'000'123;
  const std::array<client::Header, 3> headers{client::Header{.key = "a", .value = "1"},
                                              client::Header{.key = "empty", .value = ""},
                                              client::Header{.key = "null", .value = std::nullopt}};
  const ProducerRecord record{
      .topic = topic, .key = "key", .value = "value", .partition = 1, .timestamp_ms = kTimestampMs, .headers = headers};
  Result<client::DeliveredRecord> outcome = co_await producer->send(record);
  co_return outcome;
}

void check_awaited(const client::RecordView& record) {
  require(record.key == "key" && record.value == "value", "key and value came otherwise");
  require(record.timestamp_ms == 1'700'000'000'123, "the timestamp came otherwise");
  require(record.headers.size() == 3, "three headers were sent");
  std::vector<client::Header> headers;
  for (const client::Header& header : record.headers) headers.push_back(header);
  require(headers[0].key == "a" && headers[0].value == "1", "the first header");
  require(headers[1].value == "" && headers[1].value.has_value(), "an empty header is not null");
  require(headers[2].key == "null" && !headers[2].value, "a null header");
}

void forms(const Place& place) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "forms", 2, {{"retention.ms", "-1"}});
  const auto producer = need(client->producer(), "a producer");
  const auto sent = need(client->run(send_awaited(producer.get(), topic)), "an awaited record");
  require(sent.partition == 1 && sent.offset == 0, "it is the first of the partition that it named");
  int64_t told_offset = -1;
  const auto note = [&told_offset](const client::DeliveryReport& report) {
    told_offset = report.ok() ? report.offset : -2;
  };
  need(producer->send({.topic = topic, .key = "", .value = std::nullopt, .partition = 1}, note), "a tombstone");
  need(producer->send({.topic = topic, .value = "", .partition = 1}, {}), "an empty value without a key");
  need(producer->flush(10'000), "flush()");
  require(told_offset == 1, "the tombstone's offset");

  const auto consumer = need(client->consumer({.auto_offset_reset = client::OffsetReset::kEarliest}), "a consumer");
  need(consumer->assign({{topic, 1}}), "assign()");
  int count = 0;
  while (count < 3) {
    const client::Records records = need(consumer->poll(10'000), "poll()");
    require(!records.empty(), "the records do not come");
    for (const client::RecordView& record : records) {
      const int number = count++;
      require(record.offset == number, "the records came in another order");
      if (number == 0) check_awaited(record);
      if (number == 1)
        require(record.key == "" && record.key.has_value() && !record.value, "an empty key, a null value");
      if (number == 2) require(!record.key && record.value == "" && record.value.has_value(), "no key, an empty value");
    }
  }
}

void codecs(const Place& place) {
  constexpr std::array kCodecs{Compression::kNone, Compression::kGzip, Compression::kSnappy, Compression::kLz4,
                               Compression::kZstd};
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "codecs", static_cast<int32_t>(kCodecs.size()));
  constexpr int kCount = 2'000;
  for (size_t i = 0; i < kCodecs.size(); ++i) {
    // The first batch is of one record, the others of hundreds: compressed on the loop, and by a worker.
    const auto producer = need(client->producer({.compression = kCodecs[i], .linger_ms = 20}), "a producer");
    int refused = 0;
    const auto note = [&refused](const client::DeliveryReport& report) { refused += report.ok() ? 0 : 1; };
    for (int n = 0; n < kCount; ++n) {
      const std::string value = std::to_string(n) + std::string(200, static_cast<char>('a' + n % 26));
      need(producer->send({.topic = topic, .value = value, .partition = static_cast<int32_t>(i)}, note), "send()");
      if (n == 0) need(producer->flush(30'000), "flush()");
    }
    need(producer->flush(30'000), "flush()");
    require(refused == 0, std::to_string(refused) + " records were refused with codec " + std::to_string(i));
  }
  for (size_t i = 0; i < kCodecs.size(); ++i) {
    const auto consumer = need(client->consumer({.auto_offset_reset = client::OffsetReset::kEarliest}), "a consumer");
    need(consumer->assign({{topic, static_cast<int32_t>(i)}}), "assign()");
    const std::vector<Stored> got = read(*consumer, kCount);
    for (int n = 0; n < kCount; ++n) {
      const Stored& one = got[static_cast<size_t>(n)];
      const std::string value = std::to_string(n) + std::string(200, static_cast<char>('a' + n % 26));
      require(one.offset == n && one.value == value, "codec " + std::to_string(i) + ": record " + std::to_string(n));
    }
  }
}

void acks(const Place& place) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "acks", 1);
  constexpr std::array kAll{Acks::kNone, Acks::kLeader, Acks::kAll};
  for (const Acks acks_wanted : kAll) {
    const auto producer = need(client->producer({.acks = acks_wanted}), "a producer");
    int64_t told = -2;
    const auto note = [&told](const client::DeliveryReport& report) { told = report.ok() ? report.offset : -3; };
    need(producer->send({.topic = topic, .value = "v"}, note), "send()");
    need(producer->flush(10'000), "flush()");
    require(acks_wanted == Acks::kNone ? told == -1 : told >= 0, "an outcome of " + std::to_string(told));
  }
  const auto consumer = need(client->consumer({.auto_offset_reset = client::OffsetReset::kEarliest}), "a consumer");
  need(consumer->assign({{topic, 0}}), "assign()");
  require(read(*consumer, 3).size() == 3, "three records");
}

void refusals(const Place& place) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "refusals", 2);
  const auto producer = need(client->producer(), "a producer");
  fill(*client, topic, 2, 2);
  const std::string huge(2 << 20, 'x');
  const Result<> too_large = producer->send({.topic = topic, .value = huge}, {});
  require(!too_large && too_large.error().cause() == client::Cause::kTooLarge, "a record larger than a request");
  const Result<> no_topic = producer->send({.topic = "", .value = "v"}, {});
  require(!no_topic && no_topic.error().cause() == client::Cause::kInvalidArgument, "a record without a topic");
  std::string told;
  const auto note = [&told](const client::DeliveryReport& report) { told = report.ok() ? "ok" : report.error->name(); };
  need(producer->send({.topic = "not/a/name", .value = "v"}, note), "send()");
  need(producer->flush(30'000), "flush()");
  require(told == "INVALID_TOPIC_EXCEPTION", "a name that cannot be: " + told);
  need(producer->close(10'000), "close()");
  const Result<> late = producer->send({.topic = topic, .value = "v"}, {});
  require(!late && late.error().cause() == client::Cause::kClosed, "a closed producer takes records");
}

// A record that the broker refuses leaves a gap in the sequences of those in flight behind it.
void gap(const Place& place) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "gap", 1, {{"max.message.bytes", "2000"}});
  const auto producer = need(client->producer({.linger_ms = 0, .batch_records_max = 1}), "a producer");
  Ledger ledger;
  constexpr int kCount = 300;
  for (int i = 0; i < kCount; ++i) {
    const RecordName name = ledger.begin(0);
    const std::string value = ledger.value_of(name, i % 40 == 20 ? 5'000 : 10);
    need(producer->send({.topic = topic, .key = "k0", .value = value}, ledger.teller(name)), "send()");
  }
  need(producer->flush(60'000), "flush()");
  ledger.check_told_once();
  for (const Ledger::Entry& entry : ledger.entries()) {
    const bool is_large = entry.name.number % 40 == 20;
    require((entry.told == Told::kFailed) == is_large,
            "record " + std::to_string(entry.name.number) + ": " + ledger.first_error());
  }
  require(ledger.first_error().find("MESSAGE_TOO_LARGE") != std::string::npos, ledger.first_error());
  const auto consumer = need(client->consumer({.auto_offset_reset = client::OffsetReset::kEarliest}), "a consumer");
  need(consumer->assign({{topic, 0}}), "assign()");
  const size_t stored = kCount - ledger.failed();
  uint64_t next = 0;
  for (const Stored& one : read(*consumer, stored)) {
    if (next % 40 == 20) ++next;
    const std::optional<RecordName> name = name_in(one.value);
    require(name && name->number == next++, "the records around the refused ones are out of order: " + one.value);
  }
}

constexpr std::array kCases{
    Case{"produce_forms", forms},       Case{"produce_codecs", codecs}, Case{"produce_acks", acks},
    Case{"produce_refusals", refusals}, Case{"produce_gap", gap},
};

}  // namespace

std::span<const Case> produce_cases() { return kCases; }

}  // namespace leat::client_live
