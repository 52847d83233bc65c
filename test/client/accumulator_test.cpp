// accumulator_test.cpp: the producer's machine without I/O: what becomes a batch, when, where, and in what order, and
// what answers do to it.
#include "client/producer/accumulator.h"

#include <map>
#include <set>
#include <string>

#include "core/record/partitioner.h"
#include "test/support/catch.h"

namespace leat::test {
namespace {

using namespace client;          // NOLINT: a test's own file
using namespace client::detail;  // NOLINT

struct Machine {
  explicit Machine(ProducerSettings made_with = {}, bool with_idempotence = true)
      : settings(made_with), accumulator(settings, with_idempotence, clock, random) {
    if (with_idempotence) accumulator.set_identity({.producer_id = 9, .epoch = 0});
  }
  ~Machine() {
    accumulator.abort(client::Error(Cause::kClosed, "end of the test"));
    take_reports();
  }

  void know(const std::string& topic, std::vector<int32_t> leaders) {
    KnownTopic known{.error = ErrorCode::kNone, .topic_id = {}, .partitions = {}, .answered = true};
    for (const int32_t leader : leaders) known.partitions.push_back({ErrorCode::kNone, leader, 0});
    accumulator.on_topic(topic, known);
    metadata[topic] = std::move(known);
  }
  AppendStatus append(std::string_view topic, std::string_view value, int32_t partition = kAnyPartition) {
    const size_t number = sent++;
    DeliveryCallback callback = [this, number](const DeliveryReport& report) {
      REQUIRE(outcomes.emplace(number, report.ok() ? report.offset : -100).second);
    };
    const AppendStatus status = accumulator.append({.topic = topic, .value = value, .partition = partition}, callback);
    // As the producer does: a topic that is met for the first time is looked up in what is known already.
    const auto known = metadata.find(std::string(topic));
    if (known != metadata.end() && met.insert(known->first).second) accumulator.on_topic(topic, known->second);
    return status;
  }
  std::vector<Accumulator::Request> requests() {
    std::vector<Accumulator::Request> all;
    accumulator.tick();
    while (auto request = accumulator.take_request()) {
      for (SendItem& item : request->items) {
        if (item.needs_stamp) item.batch->stamp(item.identity, item.base_sequence);
      }
      all.push_back(*std::move(request));
    }
    return all;
  }
  void answer(const Accumulator::Request& request, ErrorCode code, int64_t base_offset = 0) {
    for (const SendItem& item : request.items) accumulator.on_answer(item, {.code = code, .base_offset = base_offset});
    accumulator.on_request_ended(request.node);
    take_reports();
  }
  void take_reports() {
    for (ReportItem& item : accumulator.take_reports()) {
      if (item.error) last_error = item.error->message();
      item.batch->report({.error = item.error ? &*item.error : nullptr,
                          .topic = item.topic->name,
                          .partition = item.partition,
                          .offset = item.base_offset});
    }
  }
  void advance(int64_t ms) { clock.advance(Millis(ms)); }
  // One batch of one record, sent: for tests of order.
  Accumulator::Request send_one(const std::string& value) {
    REQUIRE(append("t", value, 0) == AppendStatus::kTaken);
    (void)accumulator.begin_flush();
    auto sent_now = requests();
    REQUIRE(sent_now.size() == 1);
    return std::move(sent_now.front());
  }

  // One record of "t"-0 is stored: the broker knows the producer, and more than one batch may be in flight. It is
  // counted nowhere but in the sequence.
  void greet() {
    const auto first = send_one("hello");
    answer(first, ErrorCode::kNone);
    outcomes.clear();
    sent = 0;
  }

  ProducerSettings settings;
  ManualClock clock;
  SeededRandom random{1};
  std::map<std::string, KnownTopic> metadata;
  std::set<std::string> met;
  std::map<size_t, int64_t> outcomes;  // by number; -100: failed
  size_t sent = 0;
  std::string last_error;
  Accumulator accumulator;
};

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

TEST_CASE("accumulator: after a failure all in flight come back first, then go out again in order",
          "[client][producer]") {
  Machine m;
  m.know("t", {1});
  m.greet();
  std::vector<Accumulator::Request> sent;
  for (const char* value : {"a", "b", "c"}) sent.push_back(m.send_one(value));
  m.answer(sent[0], ErrorCode::kNotLeaderOrFollower);
  CHECK(m.accumulator.take_metadata_is_stale());
  m.advance(5'000);
  CHECK(m.requests().empty());
  m.answer(sent[1], ErrorCode::kOutOfOrderSequenceNumber);
  m.advance(5'000);
  CHECK(m.requests().empty());
  m.answer(sent[2], ErrorCode::kOutOfOrderSequenceNumber);
  m.advance(5'000);
  m.know("t", {2});
  auto again = m.requests();
  REQUIRE(again.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(again[i].node == 2);
    CHECK(again[i].items[0].base_sequence == 1 + static_cast<int32_t>(i));
    CHECK(!again[i].items[0].needs_stamp);
    m.answer(again[i], ErrorCode::kNone, static_cast<int64_t>(i));
  }
  CHECK(m.outcomes == std::map<size_t, int64_t>{{0, 0}, {1, 1}, {2, 2}});
}

TEST_CASE("accumulator: one in the middle comes back, those around it were stored", "[client][producer]") {
  for (const bool idempotent : {true, false}) {
    Machine m({}, idempotent);
    m.know("t", {1});
    m.greet();
    std::vector<Accumulator::Request> sent;
    for (const char* value : {"a", "b", "c"}) sent.push_back(m.send_one(value));
    m.answer(sent[0], ErrorCode::kNone, 0);
    m.answer(sent[1], ErrorCode::kRequestTimedOut);
    m.answer(sent[2], ErrorCode::kNone, 2);
    CHECK(m.outcomes.size() == 2);
    m.advance(1'000);
    auto again = m.requests();
    REQUIRE(again.size() == 1);
    m.answer(again[0], ErrorCode::kDuplicateSequenceNumber);
    CHECK(m.outcomes.size() == (idempotent ? 3 : 3));
    CHECK(m.outcomes[1] == (idempotent ? -1 : -1));
  }
}

TEST_CASE("accumulator: a leader that moves while requests are in flight does not split the order",
          "[client][producer]") {
  Machine m;
  m.know("t", {1});
  const auto a = m.send_one("a");
  m.know("t", {2});
  REQUIRE(m.append("t", "b", 0) == AppendStatus::kTaken);
  (void)m.accumulator.begin_flush();
  CHECK(m.requests().empty());  // the old leader may still store it
  m.answer(a, ErrorCode::kNone);
  auto b = m.requests();
  REQUIRE(b.size() == 1);
  CHECK(b[0].node == 2);
}

TEST_CASE("accumulator: no batch goes so far ahead of one without an answer that brokers forget that one",
          "[client][producer]") {
  Machine m;
  m.know("t", {1});
  m.greet();
  const auto a = m.send_one("a");
  std::vector<Accumulator::Request> behind;
  for (const char* value : {"b", "c", "d", "e"}) behind.push_back(m.send_one(value));
  m.answer(a, ErrorCode::kRequestTimedOut);  // it may be stored
  for (const auto& request : behind) m.answer(request, ErrorCode::kNone);
  REQUIRE(m.append("t", "f", 0) == AppendStatus::kTaken);
  (void)m.accumulator.begin_flush();
  m.advance(1'000);
  const auto again = m.requests();  // with "f" stored as well, "a" would be the sixth from the end
  REQUIRE(again.size() == 1);
  CHECK(again[0].items[0].batch_id == a.items[0].batch_id);
  CHECK(m.requests().empty());
  m.answer(again[0], ErrorCode::kNone);
  CHECK(m.requests().size() == 1);
}

TEST_CASE("accumulator: a gap means a new epoch, and no record twice", "[client][producer]") {
  Machine m;
  m.know("t", {1});
  m.greet();
  const auto a = m.send_one("a");
  const auto b = m.send_one("b");
  const auto c = m.send_one("c");
  m.answer(a, ErrorCode::kMessageTooLarge);  // given up: nothing behind it can be stored under its sequence
  CHECK(m.outcomes[0] == -100);
  m.answer(b, ErrorCode::kOutOfOrderSequenceNumber);
  m.answer(c, ErrorCode::kOutOfOrderSequenceNumber);
  m.advance(1'000);
  auto again = m.requests();
  REQUIRE(again.size() == 1);  // alone: a broker that forgot the producer would take the second without the first
  CHECK(again[0].items[0].identity.epoch == 1);
  CHECK(again[0].items[0].base_sequence == 0);
  CHECK(again[0].items[0].needs_stamp);
  m.answer(again[0], ErrorCode::kNone, 0);
  auto behind = m.requests();
  REQUIRE(behind.size() == 1);
  CHECK(behind[0].items[0].base_sequence == 1);
  m.answer(behind[0], ErrorCode::kNone, 1);
  CHECK(m.outcomes.size() == 3);
  // Another partition goes on under the epoch that it has.
  m.know("t", {1, 1});
  REQUIRE(m.append("t", "d", 1) == AppendStatus::kTaken);
  (void)m.accumulator.begin_flush();
  CHECK(m.requests().at(0).items[0].identity.epoch == 1);
}

TEST_CASE("accumulator: when epochs run out a new producer id is asked for", "[client][producer]") {
  Machine m;
  m.accumulator.set_identity({.producer_id = 9, .epoch = INT16_MAX});
  m.know("t", {1});
  const auto a = m.send_one("a");
  m.answer(a, ErrorCode::kOutOfOrderSequenceNumber);
  CHECK(m.accumulator.needs_identity());
  m.advance(1'000);
  CHECK(m.requests().empty());
  m.accumulator.set_identity({.producer_id = 10, .epoch = 0});
  auto again = m.requests();
  REQUIRE(again.size() == 1);
  CHECK(again[0].items[0].identity == ProducerIdentity{.producer_id = 10, .epoch = 0});
  CHECK(again[0].items[0].base_sequence == 0);
}

TEST_CASE("accumulator: time is over, wherever a batch is", "[client][producer]") {
  ProducerSettings settings;
  settings.delivery_timeout_ms = 1'000;
  settings.request_timeout_ms = 500;
  settings.requests_in_flight_max = 1;
  Machine m(settings);
  REQUIRE(m.append("nowhere", "staged") == AppendStatus::kTaken);
  m.know("t", {1});
  m.know("leaderless", {-1});
  const auto in_flight = m.send_one("in flight");
  REQUIRE(m.append("t", "behind", 0) == AppendStatus::kTaken);
  REQUIRE(m.append("leaderless", "x", 0) == AppendStatus::kTaken);
  m.know("leaderless", {-1});
  m.advance(999);
  m.accumulator.tick();
  m.take_reports();
  CHECK(m.outcomes.empty());
  m.advance(1);
  m.accumulator.tick();
  m.take_reports();
  CHECK(m.outcomes.size() == 4);
  CHECK(m.last_error.find("leaderless-0: not delivered within delivery_timeout_ms = 1000: it has no leader") !=
        std::string::npos);
  // The answer comes late: it was reported already.
  m.answer(in_flight, ErrorCode::kNone, 7);
  CHECK(m.outcomes[1] == -100);
  REQUIRE(m.append("t", "next", 0) == AppendStatus::kTaken);
  (void)m.accumulator.begin_flush();
  auto next = m.requests();
  REQUIRE(next.size() == 1);
  CHECK(next[0].items[0].base_sequence == 1);  // the one in flight was stored, or a gap will be seen
}

TEST_CASE("accumulator: a request that failed as a whole", "[client][producer]") {
  Machine m;
  m.know("t", {1, 1});
  REQUIRE(m.append("t", "a", 0) == AppendStatus::kTaken);
  REQUIRE(m.append("t", "b", 1) == AppendStatus::kTaken);
  (void)m.accumulator.begin_flush();
  auto sent = m.requests();
  REQUIRE(sent.size() == 1);
  for (const SendItem& item : sent[0].items) {
    m.accumulator.on_failed(item, client::Error(Cause::kNetwork, "reset"));
  }
  m.accumulator.on_request_ended(1);
  CHECK(m.accumulator.take_metadata_is_stale());
  CHECK(m.requests().empty());
  m.advance(200);
  auto again = m.requests();
  REQUIRE(again.size() == 1);
  CHECK(again[0].items.size() == 2);
  for (const SendItem& item : again[0].items) {
    m.accumulator.on_failed(item, client::Error(Cause::kUnsupported, "no such API"));
  }
  m.accumulator.on_request_ended(1);
  m.take_reports();
  CHECK(m.outcomes.size() == 2);
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

// A broker that knows nothing of a producer takes any sequence for its first.
TEST_CASE("accumulator: until a batch is stored, the ones behind it are not in flight with it", "[client][producer]") {
  for (const bool idempotent : {true, false}) {
    Machine m({}, idempotent);
    m.know("t", {1});
    const auto first = m.send_one("a");
    REQUIRE(m.append("t", "b", 0) == AppendStatus::kTaken);
    (void)m.accumulator.begin_flush();
    auto beside = m.requests();
    CHECK(beside.size() == (idempotent ? 0 : 1));
    if (!idempotent) continue;
    m.answer(first, ErrorCode::kNotEnoughReplicas);  // "b" would have been stored by now
    m.advance(1'000);
    auto again = m.requests();
    REQUIRE(again.size() == 1);
    CHECK(again[0].items[0].base_sequence == 0);
    m.answer(again[0], ErrorCode::kNone, 0);
    auto second = m.requests();
    REQUIRE(second.size() == 1);
    CHECK(second[0].items[0].base_sequence == 1);
    m.answer(second[0], ErrorCode::kNone, 1);
    CHECK(m.outcomes == std::map<size_t, int64_t>{{0, 0}, {1, 1}});
  }
}

TEST_CASE("accumulator: a leader that goes away and comes back gets one batch of a partition a request",
          "[client][producer]") {
  ProducerSettings settings;
  settings.requests_in_flight_max = 1;
  settings.batch_records_max = 1;
  Machine m(settings);
  m.know("t", {1, 1});
  m.greet();
  REQUIRE(m.append("t", "on its way", 1) == AppendStatus::kTaken);
  const auto on_its_way = m.requests();
  REQUIRE(on_its_way.size() == 1);
  for (const char* value : {"a", "b", "c"}) REQUIRE(m.append("t", value, 0) == AppendStatus::kTaken);
  for (const int32_t leader : {2, 1, 2, 1}) m.know("t", {leader, 1});
  CHECK(m.requests().empty());  // the broker has all that it may have
  m.answer(on_its_way[0], ErrorCode::kNone);
  for (int64_t offset = 0; offset < 3; ++offset) {
    auto sent = m.requests();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].items.size() == 1);
    m.answer(sent[0], ErrorCode::kNone, offset);
  }
  CHECK(m.outcomes.size() == 4);
  CHECK(m.requests().empty());
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
