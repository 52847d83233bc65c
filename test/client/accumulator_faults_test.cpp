// accumulator_faults_test.cpp: the producer's machine without I/O when things go wrong: what is sent again, in what
// order and under which epoch, what is given up, and when.
#include <map>
#include <string>

#include "test/client/accumulator_fixture.h"

namespace leat::test {
namespace {

using namespace client;          // NOLINT: a test's own file
using namespace client::detail;  // NOLINT
using Machine = AccumulatorFixture;

}  // namespace

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
    CHECK(m.outcomes.size() == 3);
    CHECK(m.outcomes[1] == -1);
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

TEST_CASE("accumulator: records that are late name what the broker answered last", "[client][producer]") {
  ProducerSettings settings;
  settings.delivery_timeout_ms = 1'000;
  settings.request_timeout_ms = 500;
  for (const ErrorCode code :
       {ErrorCode::kKafkaStorageError, ErrorCode::kNotEnoughReplicas, ErrorCode::kRequestTimedOut}) {
    Machine m(settings);
    m.know("t", {1});
    m.answer(m.send_one("a"), ErrorCode::kLeaderNotAvailable);
    m.advance(300);
    for (const auto& again : m.requests()) m.answer(again, code);
    REQUIRE(m.append("t", "behind it", 0) == AppendStatus::kTaken);
    m.advance(1'000);
    m.accumulator.tick();
    m.take_reports();
    CHECK(m.outcomes == std::map<size_t, int64_t>{{0, -100}, {1, -100}});
    INFO(m.last_error);
    CHECK(m.last_refusal == code);
    CHECK(m.last_error.find(std::string(error_name(code)) + ": ") != std::string::npos);
    const bool is_disk = code == ErrorCode::kKafkaStorageError;
    CHECK((m.last_error.find("free space on it; its log says more") != std::string::npos) == is_disk);
  }
  Machine m(settings);
  m.know("t", {1});
  const auto sent = m.send_one("a");
  m.answer(sent, ErrorCode::kKafkaStorageError);
  m.advance(300);
  for (const auto& again : m.requests()) {
    m.accumulator.on_failed(again.items[0], client::Error(Cause::kUnreachable, "broker n1:9092 is away"));
    m.accumulator.on_request_ended(1);
  }
  m.advance(700);
  m.accumulator.tick();
  m.take_reports();
  CHECK(!m.last_refusal);  // the last one says nothing of a refusal
  CHECK(m.last_error.find("broker n1:9092 is away") != std::string::npos);
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

}  // namespace leat::test
