// producer_test.cpp: sequences, epochs, duplicates, expiry and snapshots of idempotent producers.
#include <fmt/format.h>

#include "core/codec/writer.h"
#include "core/log/producer_snapshot.h"
#include "core/log/producer_state.h"
#include "core/record/crc32c.h"
#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

NewBatch of(int64_t producer_id, int16_t epoch, int32_t sequence, int records = 1) {
  return {.records = records, .producer_id = producer_id, .producer_epoch = epoch, .base_sequence = sequence};
}

LogConfig no_flush() {
  LogConfig config;
  config.flush = FlushPolicy::kNone;
  return config;
}

}  // namespace

TEST_CASE("producer: an unknown one may start anywhere, then sequences are dense", "[log][producer]") {
  SimFileSystem disk(1);
  OpenLog log(disk, no_flush());
  log.create();
  CHECK(log.append_one(of(1, 0, 77)).base_offset == Offset(0));
  CHECK(log.append_one(of(1, 0, 79)).error->code == Errc::kOutOfOrderSequence);
  CHECK(log.append_one(of(1, 0, 78, 3)).base_offset == Offset(1));
  CHECK(log.append_one(of(1, 0, 81)).base_offset == Offset(4));
  CHECK(log.append_one(of(1, 0, 70)).error->code == Errc::kOutOfOrderSequence);
}

TEST_CASE("producer: the last five batches again are duplicates with their first offset", "[log][producer]") {
  SimFileSystem disk(1);
  OpenLog log(disk, no_flush());
  log.create();
  for (int i = 0; i < 7; ++i) log.append_one(of(1, 0, i * 2, 2));
  for (int i = 2; i < 7; ++i) {
    const BatchOutcome again = log.append_one(of(1, 0, i * 2, 2));
    CHECK(!again.error);
    CHECK(again.duplicate);
    CHECK(again.base_offset == Offset(i * 2));
  }
  CHECK(log.append_one(of(1, 0, 2, 2)).error->code == Errc::kOutOfOrderSequence);  // the sixth but last
  CHECK(log.append_one(of(1, 0, 12, 1)).error->code ==
        Errc::kOutOfOrderSequence);  // another batch of the same first sequence
  CHECK(log.log->offsets().log_end == Offset(14));
}

TEST_CASE("producer: duplicates and the next batch within one job", "[log][producer]") {
  SimFileSystem disk(1);
  LogConfig config;
  OpenLog log(disk, config);
  log.create();
  std::vector<AppendInput> inputs;
  for (const int32_t sequence : {0, 1, 0, 2, 5, 2}) inputs.push_back(make_input(of(1, 0, sequence)));
  inputs.push_back(make_input({}));
  const std::vector<BatchOutcome> outcomes = log.append(std::move(inputs));
  CHECK(outcomes[0].base_offset == Offset(0));
  CHECK(outcomes[1].base_offset == Offset(1));
  CHECK((outcomes[2].duplicate && outcomes[2].base_offset == Offset(0)));
  CHECK(outcomes[3].base_offset == Offset(2));
  CHECK(outcomes[4].error->code == Errc::kOutOfOrderSequence);
  CHECK((outcomes[5].duplicate && outcomes[5].base_offset == Offset(2)));
  CHECK(outcomes[6].base_offset == Offset(3));
}

TEST_CASE("producer: epochs", "[log][producer]") {
  SimFileSystem disk(1);
  OpenLog log(disk, no_flush());
  log.create();
  log.append_one(of(1, 3, 0));
  CHECK(log.append_one(of(1, 2, 0)).error->code == Errc::kInvalidProducerEpoch);
  CHECK(log.append_one(of(1, 4, 1)).error->code == Errc::kOutOfOrderSequence);
  CHECK(log.append_one(of(1, 4, 0)).base_offset == Offset(1));
  CHECK(log.append_one(of(1, 3, 0)).error->code == Errc::kInvalidProducerEpoch);  // no duplicate across epochs
  CHECK(log.append_one(of(2, 9, 5)).base_offset == Offset(2));
}

TEST_CASE("producer: sequences wrap to 0 behind 2^31-1", "[log][producer]") {
  SimFileSystem disk(1);
  OpenLog log(disk, no_flush());
  log.create();
  CHECK(log.append_one(of(1, 0, INT32_MAX - 1, 2)).base_offset == Offset(0));
  CHECK(log.append_one(of(1, 0, 1)).error->code == Errc::kOutOfOrderSequence);
  CHECK(log.append_one(of(1, 0, 0)).base_offset == Offset(2));
  // A batch in which they wrap.
  CHECK(log.append_one(of(2, 0, INT32_MAX, 3)).base_offset == Offset(3));
  CHECK(log.append_one(of(2, 0, 2)).base_offset == Offset(6));
  const BatchOutcome again = log.append_one(of(2, 0, INT32_MAX, 3));
  CHECK(again.duplicate);
  CHECK(again.base_offset == Offset(3));
  CHECK(sequence_plus(INT32_MAX, 1) == 0);
}

TEST_CASE("producer: a forgotten one is not out of order", "[log][producer]") {  // CASES L21
  SimFileSystem disk(1);
  LogConfig config = no_flush();
  config.producer_id_expiration_ms = 5000;
  config.segment_bytes = 200;
  OpenLog log(disk, config);
  log.create();
  for (int i = 0; i < 3; ++i) log.append_one(of(1, 0, i));
  SECTION("expired") {
    log.now_ms += 4999;
    log.retention();
    CHECK(log.log->producers().size() == 1);
    log.now_ms += 1;
    log.retention();
    CHECK(log.log->producers().empty());
    CHECK(!log.append_one(of(1, 0, 3)).error);
    CHECK(!log.append_one(of(1, 0, 4)).error);
  }
  SECTION("old record timestamps do not make it expire") {
    log.append_one({.timestamp_ms = 17, .producer_id = 2});
    log.retention();
    CHECK(log.log->producers().size() == 2);
  }
  SECTION("its records deleted") {
    REQUIRE(log.log->advance_log_start(Offset(3)));
    log.retention();
    CHECK(!log.append_one(of(1, 0, 3)).error);
  }
  SECTION("killed, and its records deleted") {
    REQUIRE(log.log->advance_log_start(Offset(3)));
    log.retention();
    log.recover_unclean(Offset(0), Offset(3));
    CHECK(!log.append_one(of(1, 0, 3)).error);
  }
  SECTION("killed and its snapshot gone: the last batch again is a duplicate") {
    log.run(log.log->begin_checkpoint(log.now_ms));
    disk.remove_matching(".snapshot");
    log.recover_unclean(Offset(3));
    const BatchOutcome again = log.append_one(of(1, 0, 2));
    CHECK(again.duplicate);
    CHECK(again.base_offset == Offset(2));
  }
  SECTION("killed: the last batch again is a duplicate, of the snapshot too") {
    log.run(log.log->begin_checkpoint(log.now_ms));
    log.recover_unclean(Offset(3));
    CHECK(log.report.scanned_bytes < 300);
    CHECK(log.append_one(of(1, 0, 2)).duplicate);
    CHECK(log.append_one(of(1, 0, 3)).base_offset == Offset(3));
  }
}

TEST_CASE("producer: a checkpoint while an append is in doubt does not know it", "[log][producer]") {
  SimFileSystem disk(1);
  OpenLog log(disk, no_flush());
  log.create();
  log.append_one(of(1, 0, 0));
  std::vector<AppendInput> inputs;
  inputs.push_back(make_input(of(1, 0, 1)));
  inputs.push_back(make_input(of(2, 0, 0)));
  std::unique_ptr<LogAppend> append = log.log->begin_append(inputs, log.now_ms);
  log.run(log.log->begin_checkpoint(log.now_ms));
  append.reset();
  const Result<void> reopened = log.recover({.clean_shutdown = true, .recovery_point = Offset(1)});
  REQUIRE(reopened);
  REQUIRE(log.log->producers().size() == 1);
  CHECK(log.log->producers()[0].last_sequence == 0);
}

TEST_CASE("producer snapshot: round trip, and every damage is seen", "[log][producer]") {
  ProducerState state;
  for (int64_t id = 1; id <= 20; ++id) {
    ProducerEntry entry;
    entry.epoch = static_cast<int16_t>(id);
    entry.last_append_ms = id * 1000;
    entry.coordinator_epoch = -1;
    if (id % 5 != 0)
      entry.add_batch(
          {.last_sequence = static_cast<int32_t>(id * 10), .offset_delta = 3, .last_offset = Offset(id * 100)});
    if (id % 7 == 0) entry.transaction_start = Offset(id);
    state.put(id, entry);
  }
  const std::vector<uint8_t> bytes = encode_producer_snapshot(state);
  const Result<ProducerState> read = decode_producer_snapshot(bytes, "s", 10'000);
  REQUIRE(read);
  REQUIRE(read->size() == 20);
  CHECK(read->entries().at(3).last_batch().first_offset() == Offset(297));
  CHECK(read->entries().at(3).last_append_ms == 3000);
  CHECK(read->entries().at(13).last_append_ms == 10'000);  // none lives for ever
  CHECK(read->entries().at(5).batch_count() == 0);
  CHECK(read->entries().at(7).transaction_start == Offset(7));
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK(!decode_producer_snapshot(ByteView(bytes).first(size), "s", 0));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<uint8_t> damaged = bytes;
    damaged[i] ^= 0x10;
    CHECK(!decode_producer_snapshot(damaged, "s", 0));
  }
  // A right CRC over a wrong count.
  std::vector<uint8_t> forged = bytes;
  to_big_endian(int32_t{0x7fffffff}, forged.data() + 6);
  to_big_endian(crc32c(ByteView(forged).subspan(6)), forged.data() + 2);
  CHECK(decode_producer_snapshot(forged, "s", 0).error().code == Errc::kCorrupt);
}
