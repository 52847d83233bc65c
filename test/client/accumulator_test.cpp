// accumulator_test.cpp: the producer's machine without I/O: what becomes a batch, when, where, and in what order, and
// what becomes of its records at the end. Failures: accumulator_faults_test.cpp.
#include <map>
#include <string>

#include "core/record/partitioner.h"
#include "test/client/accumulator_fixture.h"

namespace leat::test {
namespace {

using namespace client;          // NOLINT: a test's own file
using namespace client::detail;  // NOLINT
using Machine = AccumulatorFixture;

}  // namespace

TEST_CASE("accumulator: a batch leaves after linger_ms, or when it is full", "[client][producer]") {
  ProducerSettings settings;
  settings.linger_ms = 5;
  settings.batch_records_max = 10;
  Machine m(settings);
  m.know("t", {1});
  m.greet();
  for (int i = 0; i < 9; ++i) REQUIRE(m.append("t", "v") == AppendStatus::kTaken);
  CHECK(m.requests().empty());
  m.advance(4);
  CHECK(m.requests().empty());
  m.advance(1);
  auto first = m.requests();
  REQUIRE(first.size() == 1);
  CHECK(first[0].node == 1);
  CHECK(first[0].items[0].batch->record_count() == 9);
  for (int i = 0; i < 10; ++i) REQUIRE(m.append("t", "v") == AppendStatus::kTaken);
  auto second = m.requests();
  REQUIRE(second.size() == 1);
  CHECK(second[0].items[0].batch->record_count() == 10);
  m.answer(second[0], ErrorCode::kNone, 109);
  m.answer(first[0], ErrorCode::kNone, 100);
  CHECK(m.outcomes.size() == 19);
  CHECK(m.outcomes[0] == 100);
  CHECK(m.outcomes[18] == 118);
  CHECK(m.accumulator.buffered_bytes() == 0);
}

TEST_CASE("accumulator: batch bytes", "[client][producer]") {
  ProducerSettings settings;
  settings.batch_bytes_max = 1000;
  Machine m(settings);
  m.know("t", {1});
  const std::string value(100, 'v');
  for (int i = 0; i < 100; ++i) REQUIRE(m.append("t", value) == AppendStatus::kTaken);
  (void)m.accumulator.begin_flush();
  size_t records = 0;
  for (auto round = m.requests(); !round.empty(); round = m.requests()) {
    for (auto& request : round) {
      for (const SendItem& item : request.items) {
        CHECK(item.batch->packed_size_bytes() <= 1000);
        records += static_cast<size_t>(item.batch->record_count());
      }
    }
    for (auto& request : round) m.answer(request, ErrorCode::kNone);
  }
  CHECK(records == 100);
}

TEST_CASE("accumulator: while a broker has all requests it may have, batches go on filling", "[client][producer]") {
  ProducerSettings settings;
  settings.requests_in_flight_max = 1;
  Machine m(settings);
  m.know("t", {1});
  REQUIRE(m.append("t", "a", 0) == AppendStatus::kTaken);
  m.advance(5);
  auto first = m.requests();
  REQUIRE(first.size() == 1);
  for (int i = 0; i < 5; ++i) {
    REQUIRE(m.append("t", "b", 0) == AppendStatus::kTaken);
    m.advance(20);
    CHECK(m.requests().empty());
  }
  m.answer(first[0], ErrorCode::kNone);
  auto second = m.requests();
  REQUIRE(second.size() == 1);
  CHECK(second[0].items[0].batch->record_count() == 5);
}

TEST_CASE("accumulator: records of a batch that is held back have their own times", "[client][producer]") {
  ProducerSettings settings;
  settings.requests_in_flight_max = 1;
  Machine m(settings);
  REQUIRE(m.append("t", "a", 0) == AppendStatus::kTaken);
  m.know("t", {1});
  m.advance(5);
  auto first = m.requests();
  REQUIRE(first.size() == 1);
  const int64_t begin_ms = m.clock.wall_ms();
  for (int i = 0; i < 5; ++i) {
    REQUIRE(m.append("t", "b", 0) == AppendStatus::kTaken);
    m.advance(1'000);
    CHECK(m.requests().empty());
  }
  m.answer(first[0], ErrorCode::kNone);
  auto second = m.requests();
  REQUIRE(second.size() == 1);
  const BatchView batch(second[0].items[0].batch->packed().view());
  CHECK(batch.base_timestamp() == begin_ms);
  CHECK(batch.max_timestamp() == begin_ms + 4'000);
}

TEST_CASE("accumulator: one request for all partitions of a broker, a batch each", "[client][producer]") {
  Machine m;
  m.know("t", {1, 2, 1, 2});
  for (int32_t p = 0; p < 4; ++p) REQUIRE(m.append("t", "v", p) == AppendStatus::kTaken);
  (void)m.accumulator.begin_flush();
  auto sent = m.requests();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].items.size() == 2);
  CHECK(sent[1].items.size() == 2);
}

TEST_CASE("accumulator: keys go where Java's client puts them, others stick for a batch", "[client][producer]") {
  ProducerSettings settings;
  settings.batch_records_max = 10;
  Machine m(settings);
  m.know("t", {1, 1, 1, 1, 1, 1, 1});
  DeliveryCallback nobody;
  for (const std::string key : {"a", "kafka", "21", "key-with-more"}) {
    OutcomePlace place;
    REQUIRE(m.accumulator.append({.topic = "t", .key = key}, nobody, &place) == AppendStatus::kTaken);
  }
  (void)m.accumulator.begin_flush();
  std::map<int32_t, int> by_key;
  for (const std::string key : {"a", "kafka", "21", "key-with-more"}) ++by_key[partition_for_key(as_bytes(key), 7)];
  for (auto& request : m.requests()) {
    for (const SendItem& item : request.items) CHECK(item.batch->record_count() == by_key[item.partition->index]);
  }
  std::map<int32_t, int32_t> records;
  Machine sticky(settings);
  sticky.know("t", {1, 1, 1, 1, 1, 1, 1});
  for (int i = 0; i < 400; ++i) {
    REQUIRE(sticky.append("t", "v") == AppendStatus::kTaken);
    for (auto& request : sticky.requests()) {
      for (const SendItem& item : request.items) {
        CHECK(item.batch->record_count() == 10);
        records[item.partition->index] += item.batch->record_count();
      }
      sticky.answer(request, ErrorCode::kNone);
    }
  }
  CHECK(records.size() == 7);
}

TEST_CASE("accumulator: a sticky partition has a leader where one has", "[client][producer]") {
  ProducerSettings settings;
  settings.batch_records_max = 1;
  Machine m(settings);
  m.know("t", {-1, -1, 3, -1});
  for (int i = 0; i < 5; ++i) {
    REQUIRE(m.append("t", "v") == AppendStatus::kTaken);
    INFO("record " << i);
    auto sent = m.requests();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].items[0].partition->index == 2);
    m.answer(sent[0], ErrorCode::kNone);
  }
}

TEST_CASE("accumulator: refusals", "[client][producer]") {
  ProducerSettings settings;
  settings.partitioner = Partitioner::kExplicit;
  Machine m(settings);
  CHECK(m.append("t", "v") == AppendStatus::kNoPartition);
  CHECK(m.append("t", "v", -2) == AppendStatus::kNoSuchPartition);
  CHECK(m.append("", "v", 0) == AppendStatus::kNoTopic);
  CHECK(m.append("t", std::string(2 << 20, 'v'), 0) == AppendStatus::kTooLarge);
  m.know("t", {1, 1});
  CHECK(m.append("t", "v", 1) == AppendStatus::kTaken);
  m.know("t", {1, 1});
  CHECK(m.append("t", "v", 2) == AppendStatus::kNoSuchPartition);
  CHECK(m.append("t", std::string(1'040'000, 'v'), 0) == AppendStatus::kTaken);  // larger than a batch: alone
}

TEST_CASE("accumulator: records of an unknown topic wait, and keep their callbacks and their flush",
          "[client][producer]") {
  ProducerSettings settings;
  settings.batch_bytes_max = 2000;
  Machine m(settings);
  for (int i = 0; i < 100; ++i) REQUIRE(m.append("t", "value " + std::to_string(i)) == AppendStatus::kTaken);
  CHECK(m.accumulator.take_wanted_topics() == std::vector<std::string>{"t"});
  const uint64_t flush = m.accumulator.begin_flush();
  CHECK(m.requests().empty());
  CHECK(!m.accumulator.is_flushed(flush));
  const size_t before = m.accumulator.buffered_bytes();
  m.know("t", {1, 2, 1});
  CHECK(m.accumulator.buffered_bytes() <= before + 100);
  CHECK(!m.accumulator.is_flushed(flush));
  for (auto round = m.requests(); !round.empty(); round = m.requests()) {
    for (auto& request : round) m.answer(request, ErrorCode::kNone, 50);
  }
  CHECK(m.outcomes.size() == 100);
  CHECK(m.accumulator.is_flushed(flush));
  CHECK(m.accumulator.buffered_bytes() == 0);
}

TEST_CASE("accumulator: records that waited for their topic fill batches as others do, and those leave at once",
          "[client][producer]") {
  ProducerSettings settings;
  settings.linger_ms = 1'000;
  settings.batch_records_max = 10;
  Machine m(settings);
  const auto sent_batches = [&m] {
    std::vector<int32_t> counts;
    for (auto round = m.requests(); !round.empty(); round = m.requests()) {
      for (auto& request : round) {
        counts.push_back(request.items.at(0).batch->record_count());
        m.answer(request, ErrorCode::kNone);
      }
    }
    return counts;
  };
  for (int i = 0; i < 20; ++i) REQUIRE(m.append("t", "v") == AppendStatus::kTaken);
  m.know("t", {1});
  CHECK(sent_batches() == std::vector<int32_t>{10, 10});
  for (int i = 0; i < 10; ++i) REQUIRE(m.append("t", "v") == AppendStatus::kTaken);
  CHECK(sent_batches() == std::vector<int32_t>{10});
  CHECK(m.outcomes.size() == 30);
}

TEST_CASE("accumulator: a topic that does not come to be fails after its wait, one that cannot be at once",
          "[client][producer]") {
  Machine m;
  REQUIRE(m.append("t", "v") == AppendStatus::kTaken);
  REQUIRE(m.append("bad", "v") == AppendStatus::kTaken);
  KnownTopic unknown{.error = ErrorCode::kUnknownTopicOrPartition, .topic_id = {}, .partitions = {}, .answered = true};
  m.accumulator.on_topic("t", unknown);
  unknown.error = ErrorCode::kInvalidTopicException;
  m.accumulator.on_topic("bad", unknown);
  m.take_reports();
  CHECK(m.outcomes.size() == 1);
  CHECK(m.accumulator.take_given_up_topics() == std::vector<std::string>{"bad"});
  m.advance(m.settings.unknown_topic_wait_ms);
  unknown.error = ErrorCode::kUnknownTopicOrPartition;
  m.accumulator.on_topic("t", unknown);
  m.take_reports();
  CHECK(m.outcomes.size() == 2);
  CHECK(m.last_error.find("topic 't'") != std::string::npos);
}

TEST_CASE("accumulator: a partition that the topic turns out not to have", "[client][producer]") {
  Machine m;
  REQUIRE(m.append("t", "v", 5) == AppendStatus::kTaken);
  m.know("t", {1, 1});
  m.take_reports();
  CHECK(m.outcomes.at(0) == -100);
  CHECK(m.last_error.find("the topic has 2 partitions") != std::string::npos);
}

TEST_CASE("accumulator: the memory bound", "[client][producer]") {
  ProducerSettings settings;
  settings.buffer_bytes_max = 10'000;
  Machine m(settings);
  m.know("t", {1});
  const std::string value(100, 'v');
  int taken = 0;
  while (m.append("t", value, 0) == AppendStatus::kTaken) ++taken;
  CHECK(taken > 60);
  CHECK(taken < 90);
  // What lingers is sent at once, to make room.
  auto sent = m.requests();
  REQUIRE(sent.size() == 1);
  m.answer(sent[0], ErrorCode::kNone);
  CHECK(m.append("t", value, 0) == AppendStatus::kTaken);
  // A record that is larger than all of it goes alone.
  (void)m.accumulator.begin_flush();
  for (auto& request : m.requests()) m.answer(request, ErrorCode::kNone);
  CHECK(m.append("t", std::string(50'000, 'v'), 0) == AppendStatus::kTaken);
}

TEST_CASE("accumulator: sequences go on from batch to batch", "[client][producer]") {
  Machine m;
  m.know("t", {1});
  m.greet();
  const auto a = m.send_one("a");
  const auto b = m.send_one("b");
  CHECK(a.items[0].base_sequence == 1);
  CHECK(b.items[0].base_sequence == 2);
  CHECK(a.items[0].identity.producer_id == 9);
}

TEST_CASE("accumulator: compressed batches leave in order, though they are packed out of order", "[client][producer]") {
  ProducerSettings settings;
  settings.compression = Compression::kLz4;
  settings.batch_records_max = 1;
  Machine m(settings);
  m.know("t", {1});
  REQUIRE(m.append("t", "a", 0) == AppendStatus::kTaken);
  REQUIRE(m.append("t", "b", 0) == AppendStatus::kTaken);
  auto to_pack = m.accumulator.take_to_pack();
  REQUIRE(to_pack.size() == 2);
  CHECK(m.requests().empty());
  const auto pack = [&](const PackItem& item) {
    m.accumulator.on_packed(item, Codec::kLz4, ProducerBatch::pack(Codec::kLz4, std::nullopt, item.records.view()));
  };
  pack(to_pack[1]);
  CHECK(m.requests().empty());
  pack(to_pack[0]);
  auto first = m.requests();
  REQUIRE(first.size() == 1);
  CHECK(first[0].items[0].base_sequence == 0);
  m.answer(first[0], ErrorCode::kNone, 0);
  auto second = m.requests();
  REQUIRE(second.size() == 1);
  CHECK(second[0].items[0].base_sequence == 1);
  m.answer(second[0], ErrorCode::kNone, 1);
  CHECK(m.outcomes == std::map<size_t, int64_t>{{0, 0}, {1, 1}});
}

TEST_CASE("accumulator: abort reports everything once, also what is in flight", "[client][producer]") {
  Machine m;
  REQUIRE(m.append("nowhere", "staged") == AppendStatus::kTaken);
  m.know("t", {1});
  const auto in_flight = m.send_one("a");
  REQUIRE(m.append("t", "open", 0) == AppendStatus::kTaken);
  m.accumulator.abort(client::Error(Cause::kClosed, "closed"));
  m.take_reports();
  CHECK(m.outcomes.size() == 3);
  CHECK(m.append("t", "late", 0) == AppendStatus::kClosed);
  m.answer(in_flight, ErrorCode::kNone);
  CHECK(m.outcomes.size() == 3);
  CHECK(m.accumulator.buffered_bytes() == 0);
}

}  // namespace leat::test
