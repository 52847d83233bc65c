// accumulator_splitting_test.cpp: the producer's machine without I/O when a broker takes no batch as large as those
// that it is sent: they come again as smaller ones, in order, and only a record that is too large by itself fails.
#include <map>
#include <string>
#include <vector>

#include "test/client/accumulator_fixture.h"

namespace leat::test {
namespace {

using namespace client;          // NOLINT: a test's own file
using namespace client::detail;  // NOLINT
using Machine = AccumulatorFixture;

// Numbered records of "t"-0 in one batch, sent.
Accumulator::Request send_many(Machine& m, int count, size_t value_bytes = 100) {
  for (int i = 0; i < count; ++i) {
    REQUIRE(m.append("t", std::to_string(i) + std::string(value_bytes, 'v'), 0) == AppendStatus::kTaken);
  }
  (void)m.accumulator.begin_flush();
  auto sent = m.requests();
  REQUIRE(sent.size() == 1);
  REQUIRE(sent[0].items.size() == 1);
  return std::move(sent[0]);
}

void pack_all(Machine& m) {
  for (const PackItem& item : m.accumulator.take_to_pack()) {
    m.accumulator.on_packed(item, Codec::kZstd, ProducerBatch::pack(Codec::kZstd, std::nullopt, item.records.view()));
  }
}

int32_t count_of(const Accumulator::Request& request) { return request.items.at(0).batch->record_count(); }

// A broker that takes batches of `records_max` at most, until nothing more is sent. Gives the sizes of what it took.
std::vector<int32_t> serve(Machine& m, int32_t records_max) {
  std::vector<int32_t> taken;
  int32_t offset = 0;
  for (;;) {
    pack_all(m);
    const auto sent = m.requests();
    if (sent.empty()) return taken;
    for (const auto& request : sent) {
      const int32_t count = count_of(request);
      const bool is_too_large = count > records_max;
      if (!is_too_large) CHECK(request.items[0].base_sequence == offset);
      m.answer(request, is_too_large ? ErrorCode::kMessageTooLarge : ErrorCode::kNone, offset);
      if (is_too_large) continue;
      offset += count;
      taken.push_back(count);
    }
  }
}

void check_all_delivered(const Machine& m, size_t count) {
  REQUIRE(m.outcomes.size() == count);
  for (const auto& [number, offset] : m.outcomes) CHECK(offset == static_cast<int64_t>(number));
}

}  // namespace

TEST_CASE("accumulator: a batch that is too large is split until it passes, with the sequences that it had",
          "[client][producer]") {
  for (const Compression compression : {Compression::kNone, Compression::kZstd}) {
    for (const ErrorCode code : {ErrorCode::kMessageTooLarge, ErrorCode::kRecordListTooLarge}) {
      ProducerSettings settings;
      settings.compression = compression;
      Machine m(settings);
      m.know("t", {1});
      constexpr int kCount = 20;
      for (int i = 0; i < kCount; ++i) REQUIRE(m.append("t", std::to_string(i), 0) == AppendStatus::kTaken);
      (void)m.accumulator.begin_flush();
      auto whole = m.requests();
      if (compression != Compression::kNone) {
        REQUIRE(whole.empty());
        pack_all(m);
        whole = m.requests();
      }
      REQUIRE(whole.size() == 1);
      REQUIRE(count_of(whole[0]) == kCount);
      m.answer(whole[0], code);
      const std::vector<int32_t> taken = serve(m, 5);
      CHECK(taken.size() >= kCount / 5);
      check_all_delivered(m, kCount);
      CHECK(m.accumulator.buffered_bytes() == 0);
      CHECK(m.accumulator.stats().records_delivered == kCount);
    }
  }
}

TEST_CASE("accumulator: what is behind a batch that is split keeps its place and its sequences", "[client][producer]") {
  for (const bool idempotent : {true, false}) {
    Machine m({}, idempotent);
    m.know("t", {1});
    if (idempotent) m.greet();
    const int32_t first = idempotent ? 1 : kNoSequence;
    const auto large = send_many(m, 8);
    const auto behind = m.send_one("behind");
    m.answer(large, ErrorCode::kMessageTooLarge);
    CHECK(m.requests().empty());  // all in flight come back before anything goes out again
    m.answer(behind, idempotent ? ErrorCode::kOutOfOrderSequenceNumber : ErrorCode::kRequestTimedOut);
    m.advance(5'000);
    const auto again = m.requests();
    REQUIRE(again.size() == 3);
    int32_t sequence = first;
    int32_t offset = 0;
    for (size_t i = 0; i < again.size(); ++i) {
      const int32_t count = count_of(again[i]);
      CHECK(count == (i < 2 ? 4 : 1));
      CHECK(again[i].items[0].base_sequence == sequence);
      m.answer(again[i], ErrorCode::kNone, offset);
      offset += count;
      if (idempotent) sequence += count;
    }
    check_all_delivered(m, 9);
  }
}

TEST_CASE("accumulator: only the record that is too large by itself fails", "[client][producer]") {
  Machine m;
  m.know("t", {1});
  REQUIRE(m.append("t", "small", 0) == AppendStatus::kTaken);
  REQUIRE(m.append("t", std::string(10'000, 'v'), 0) == AppendStatus::kTaken);
  REQUIRE(m.append("t", "small too", 0) == AppendStatus::kTaken);
  (void)m.accumulator.begin_flush();
  int64_t offset = 0;
  for (int rounds = 0; m.outcomes.size() < 3 && rounds < 20; ++rounds) {
    for (const auto& request : m.requests()) {
      const SendItem& item = request.items.at(0);
      const int32_t count = item.batch->record_count();
      const bool is_large = item.batch->size_bytes() > 5'000;
      m.answer(request, is_large ? ErrorCode::kMessageTooLarge : ErrorCode::kNone, offset);
      if (!is_large) offset += count;
    }
    m.advance(1'000);
  }
  CHECK(m.outcomes == std::map<size_t, int64_t>{{0, 0}, {1, -100}, {2, 1}});
  CHECK(m.last_error.find("MESSAGE_TOO_LARGE") != std::string::npos);
  CHECK(m.accumulator.buffered_bytes() == 0);
}

TEST_CASE("accumulator: a flush, the time of delivery and an abort hold for what a batch is split into",
          "[client][producer]") {
  ProducerSettings settings;
  settings.delivery_timeout_ms = 1'000;
  settings.request_timeout_ms = 500;
  {
    Machine m(settings);
    m.know("t", {1});
    const auto large = send_many(m, 8);
    const uint64_t flushed = m.accumulator.begin_flush();
    m.advance(900);
    m.answer(large, ErrorCode::kMessageTooLarge);
    CHECK(!m.accumulator.is_flushed(flushed));
    const auto first = m.requests();  // until it is stored the other one waits
    REQUIRE(first.size() == 1);
    m.advance(100);  // a second since send(), and not since the split
    m.accumulator.tick();
    m.take_reports();
    CHECK(m.outcomes.size() == 8);
    CHECK(m.outcomes.at(7) == -100);
    CHECK(m.accumulator.is_flushed(flushed));
    m.answer(first[0], ErrorCode::kNone, 0);  // late: told already
    CHECK(m.outcomes.size() == 8);
  }
  Machine m(settings);
  m.know("t", {1});
  m.answer(send_many(m, 8), ErrorCode::kMessageTooLarge);
  m.accumulator.abort(client::Error(Cause::kClosed, "closed"));
  m.take_reports();
  CHECK(m.outcomes.size() == 8);
  CHECK(m.accumulator.buffered_bytes() == 0);
}

TEST_CASE("accumulator: a batch that is given up before its answer is not split", "[client][producer]") {
  Machine m;
  m.know("t", {1});
  const auto large = send_many(m, 8);
  m.advance(m.settings.delivery_timeout_ms);
  m.accumulator.tick();
  m.take_reports();
  CHECK(m.outcomes.size() == 8);
  m.answer(large, ErrorCode::kMessageTooLarge);
  CHECK(m.requests().empty());
  CHECK(m.accumulator.stats().batches_split == 0);
}

}  // namespace leat::test
