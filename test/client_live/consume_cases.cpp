// consume_cases.cpp: consumers without a group: where they begin, go and stop, and what they keep.
#include <array>
#include <future>

#include "test/client_live/case.h"

namespace leat::client_live {
namespace {

using client::Consumer;
using client::OffsetReset;
using client::TopicPartition;

void expect_run(const std::vector<Stored>& got, int32_t partition, int64_t first, int64_t end) {
  int64_t due = first;
  for (const Stored& one : got) {
    if (one.partition != partition) continue;
    require(one.offset == due++, "partition " + std::to_string(partition) + ": offset " + std::to_string(one.offset));
  }
  require(due == end, "partition " + std::to_string(partition) + " stops before offset " + std::to_string(due));
}

void seek_and_pause(const Place& place) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "seek", 3);
  fill(*client, topic, 3, 300);
  const auto consumer = need(client->consumer({.auto_offset_reset = OffsetReset::kEarliest}), "a consumer");
  need(consumer->assign(partitions_of(topic, 3)), "assign()");
  require(consumer->assignment() == partitions_of(topic, 3), "what was assigned");
  const std::vector<Stored> all = read(*consumer, 300);
  for (int32_t i = 0; i < 3; ++i) expect_run(all, i, 0, 100);
  require(need(consumer->position({topic, 1}), "position()") == 100, "the position is behind what was given");

  need(consumer->seek({topic, 1}, 42), "seek()");
  expect_run(read(*consumer, 58), 1, 42, 100);
  need(consumer->seek({topic, 2}, client::kEarliestOffset), "seek()");
  expect_run(read(*consumer, 100), 2, 0, 100);

  need(consumer->pause({{topic, 0}}), "pause()");
  fill(*client, topic, 3, 30, 300);
  const std::vector<Stored> others = read(*consumer, 20);
  expect_run(others, 0, 100, 100);
  expect_run(others, 1, 100, 110);
  expect_nothing(*consumer, milliseconds(700));
  need(consumer->resume({{topic, 0}}), "resume()");
  expect_run(read(*consumer, 10), 0, 100, 110);

  need(consumer->seek({topic, 0}, client::kLatestOffset), "seek()");
  expect_nothing(*consumer, milliseconds(300));
  need_error(consumer->seek({topic, 9}, 0), "INVALID_ARGUMENT", "a partition that is not assigned");
  need(consumer->close(5'000), "close()");
}

void latest(const Place& place) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "latest", 1);
  fill(*client, topic, 1, 20);
  const auto consumer = need(client->consumer({}), "a consumer");
  need(consumer->assign({{topic, 0}}), "assign()");
  eventually(seconds(10), "it stands at the end", [&] {
    expect_nothing(*consumer, milliseconds(100));
    const auto position = consumer->position({topic, 0});
    return position && *position == 20;
  });
  fill(*client, topic, 1, 5, 20);
  expect_run(read(*consumer, 5), 0, 20, 25);
}

void times(const Place& place) {
  constexpr int64_t kBaseMs = 1'600'000'000'000;
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "times", 1, {{"retention.ms", "-1"}});
  const auto producer = need(client->producer(), "a producer");
  for (int64_t i = 0; i < 10; ++i) {
    need(producer->send({.topic = topic, .value = "v", .timestamp_ms = kBaseMs + i * 1'000}, {}), "send()");
    need(producer->flush(10'000), "flush()");
  }
  const auto consumer = need(client->consumer({.auto_offset_reset = OffsetReset::kEarliest}), "a consumer");
  const TopicPartition name{.topic = topic, .partition = 0};
  const auto found = need(consumer->offsets_for_times({{name, kBaseMs + 6'001}}), "offsets_for_times()");
  require(found.at(name).offset == 7, "the first record at or after a time");
  need(consumer->assign({name}), "assign()");
  need(consumer->seek(name, found.at(name).offset), "seek()");
  expect_run(read(*consumer, 3), 0, 7, 10);
}

void out_of_range(const Place& place) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "out-of-range", 1);
  fill(*client, topic, 1, 20);
  const TopicPartition name{.topic = topic, .partition = 0};
  need(client->admin().delete_records({{name, 12}}), "delete_records()");
  const auto goes_on = need(client->consumer({.auto_offset_reset = OffsetReset::kEarliest}), "a consumer");
  need(goes_on->assign({name}), "assign()");
  need(goes_on->seek(name, 3), "seek()");
  expect_run(read(*goes_on, 8), 0, 12, 20);

  const auto tells = need(client->consumer({.auto_offset_reset = OffsetReset::kNone}), "a consumer");
  need(tells->assign({name}), "assign()");
  need(tells->seek(name, 3), "seek()");
  need_error(tells->poll(10'000).wait(), "OFFSET_OUT_OF_RANGE", "an offset that is gone");
  expect_nothing(*tells, milliseconds(300));  // told once
  need(tells->seek(name, 15), "seek()");
  expect_run(read(*tells, 5), 0, 15, 20);
}

void bounds(const Place& place) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "bounds", 2);
  fill(*client, topic, 2, 4'000);
  client::ConsumerSettings settings;
  settings.auto_offset_reset = OffsetReset::kEarliest;
  settings.isolation_level = client::IsolationLevel::kReadCommitted;
  settings.poll_records_max = 1;  // whole batches
  settings.fetch_bytes_max = 2'000;
  settings.partition_fetch_bytes_max = 1'000;
  settings.prefetch_bytes_max = 10'000;
  settings.partition_prefetch_bytes_max = 3'000;
  const auto consumer = need(client->consumer(settings), "a consumer");
  need(consumer->assign(partitions_of(topic, 2)), "assign()");
  const std::vector<Stored> all = read(*consumer, 4'000);
  for (int32_t i = 0; i < 2; ++i) expect_run(all, i, 0, 2'000);
  require(consumer->stats().records_given == 4'000, "the count of records given");
}

void kept_records(const Place& place) {
  auto client = connect(place);
  const std::string topic = make_topic(place, *client, "kept", 1);
  fill(*client, topic, 1, 100);
  auto consumer = need(client->consumer({.auto_offset_reset = OffsetReset::kEarliest}), "a consumer");
  need(consumer->assign({{topic, 0}}), "assign()");
  std::vector<client::Records> kept;
  size_t count = 0;
  while (count < 100) {
    kept.push_back(need(consumer->poll(10'000), "poll()"));
    require(!kept.back().empty(), "the records do not come");
    count += kept.back().count_max();
  }
  consumer.reset();
  client.reset();
  int64_t due = 0;
  for (const client::Records& records : kept) {
    for (const client::RecordView& record : records) {
      require(record.value == std::to_string(due++), "a record changed after its client's end");
    }
  }
}

void callbacks(const Place& place) {
  const auto client = connect(place);
  const std::string topic = make_topic(place, *client, "callbacks", 1);
  fill(*client, topic, 1, 100);
  struct {
    int count = 0;
    std::promise<std::string> ended;
  } seen;  // outlives the consumer, whose end is the last call
  const auto consumer = need(client->consumer({.auto_offset_reset = OffsetReset::kEarliest}), "a consumer");
  need(consumer->assign({{topic, 0}}), "assign()");
  consumer->poll_each([&seen](client::Result<client::Records> records) {
    if (!records) {
      seen.ended.set_value(records.error().message());
      return Consumer::Continue::kStop;
    }
    for (const client::RecordView& record : *records) seen.count += record.value ? 1 : 0;
    if (seen.count < 100) return Consumer::Continue::kGoOn;
    seen.ended.set_value("");
    return Consumer::Continue::kStop;
  });
  std::future<std::string> ended = seen.ended.get_future();
  require(ended.wait_for(seconds(30)) == std::future_status::ready, "the callbacks stopped");
  const std::string error = ended.get();
  require(error.empty(), error);
}

constexpr std::array kCases{
    Case{"consume_seek_and_pause", seek_and_pause},
    Case{"consume_latest", latest},
    Case{"consume_times", times},
    Case{"consume_out_of_range", out_of_range},
    Case{"consume_bounds", bounds},
    Case{"consume_kept_records", kept_records},
    Case{"consume_callbacks", callbacks},
};

}  // namespace

std::span<const Case> consume_cases() { return kCases; }

}  // namespace leat::client_live
