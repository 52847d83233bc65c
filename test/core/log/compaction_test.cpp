// compaction_test.cpp: what a log keeps when it is compacted, and when it is. Readers: compaction_read_test.cpp.
// Crashes: compaction_crash_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "core/log/compaction_range.h"
#include "test/core/log/compaction_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

std::vector<std::vector<uint8_t>> batches_of(CompactedLog& log) {
  std::vector<std::vector<uint8_t>> batches;
  log.for_each_batch(
      [&batches](const BatchView& batch) { batches.emplace_back(batch.bytes().begin(), batch.bytes().end()); });
  return batches;
}

}  // namespace

TEST_CASE("compaction: the last record of each key stays, at its offset", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  log.write({{"a", "1"}, {"b", "1"}});
  log.write({{"b", "2"}, {"c", "1"}, {"b", "3"}});
  log.write({{"a", "2"}, {"d", "1"}});
  log.settle();
  const LogOffsets before = log.log->offsets();
  const std::vector<std::string> notes = log.compact();
  CHECK(notes.size() == 1);
  CHECK(log.kept() == std::vector<SeenKeyed>{{3, "c", "1"}, {4, "b", "3"}, {5, "a", "2"}, {6, "d", "1"}});
  CHECK(log.log->offsets().log_start == before.log_start);
  CHECK(log.log->offsets().log_end == before.log_end);
  CHECK(log.log->cleaned_offset() == Offset(7));
  CHECK_FALSE(log.compact_once());
}

TEST_CASE("compaction: the active segment is not touched", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  log.write({{"a", "1"}});
  log.write({{"a", "2"}, {"a", "3"}});
  log.run(log.log->begin_flush(log.now_ms));
  log.compact();
  CHECK(log.keyed() == std::vector<SeenKeyed>{{0, "a", "1"}, {1, "a", "2"}, {2, "a", "3"}});
  log.settle();
  log.compact();
  CHECK(log.kept() == std::vector<SeenKeyed>{{2, "a", "3"}});
}

TEST_CASE("compaction: a topic without the policy is left alone", "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  config.compact = false;
  CompactedLog log(disk, config);
  log.create();
  log.write_rounds(3);
  CHECK_FALSE(log.compact_once());
  config.compact = true;
  log.log->set_config(config);
  CHECK(log.compact_once());
}

TEST_CASE("compaction: a batch that keeps all its records is copied byte for byte", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  KeyedBatch packed;
  packed.records = {{"x", std::string(500, 'x')}, {"y", std::string(500, 'y')}};
  packed.options.codec = Codec::kZstd;
  log.write({{"a", "1"}});
  log.write_batch(packed);
  log.write({{"a", "2"}});
  log.settle();
  const std::vector<std::vector<uint8_t>> before = batches_of(log);
  log.compact();
  const std::vector<std::vector<uint8_t>> after = batches_of(log);
  REQUIRE(before.size() == 4);
  REQUIRE(after.size() == 3);
  CHECK(std::equal(after.begin(), after.end(), before.begin() + 1));
}

TEST_CASE("compaction: a segment that would stay as it is is not written", "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  config.segment_bytes = 300;  // no two become one
  CompactedLog log(disk, config);
  log.create();
  log.write({{"a", std::string(100, 'x')}});
  log.write({{"b", std::string(100, 'x')}});
  log.settle();
  const uint64_t changes = disk.operations();
  log.compact();
  CHECK(disk.operations() == changes);
  CHECK(log.log->cleaned_offset() == Offset(2));
  log.write({{"b", std::string(100, 'y')}});
  log.settle();
  log.compact();
  CHECK(log.kept().size() == 2);
}

TEST_CASE("compaction: neighbours that have become small are one segment, up to segment.bytes", "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  config.segment_bytes = 1000;
  CompactedLog log(disk, config);
  log.create();
  for (int i = 0; i < 12; ++i) log.write({{fmt::format("key {}", i % 6), std::string(150, 'x')}});
  log.settle();
  REQUIRE(log.log->segment_count() == 13);
  const int64_t size = log.log->size_bytes();
  log.compact();
  CHECK(log.log->segment_count() == 4);  // by what they held before: four to a segment
  CHECK(log.count_files(".log") == 4);
  CHECK(log.count_files(".index") == 4);
  CHECK(log.count_files(".timeindex") == 4);
  CHECK(log.count_files(".cleaned") == 0);
  CHECK(log.count_files(".swap") == 0);
  CHECK(log.kept().size() == 6);
  CHECK(log.log->size_bytes() < size);
  int64_t on_disk = 0;
  for (const std::string& name : log.file_names()) {
    if (name.ends_with(".log")) on_disk += disk.stat(join_path(kFolder, name))->size_bytes;
  }
  CHECK(on_disk == log.log->size_bytes());
  log.write({{"key 0", "y"}});
  log.settle();
  log.compact();
  CHECK(log.log->segment_count() < 5);
  CHECK(log.kept().size() == 6);
}

TEST_CASE("compaction: a tombstone goes when its time has passed, on a quiet log, over a restart",  // CASES L20
          "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  config.delete_retention_ms = 5000;
  CompactedLog log(disk, config);
  log.create();
  KeyedBatch ahead;
  ahead.records = {{"k", "v", kStartMs + 3'600'000}};
  log.write_batch(ahead);
  log.settle();
  log.compact();
  log.write({{"k", std::nullopt}, {"other", "1"}});
  log.settle();
  log.compact();
  const std::vector<SeenKeyed> with_tombstone{{2, "k", std::nullopt}, {3, "other", "1"}};
  const std::vector<SeenKeyed> without{{3, "other", "1"}};
  CHECK(log.kept() == with_tombstone);
  log.now_ms += 4999;
  log.compact();
  CHECK(log.kept() == with_tombstone);
  SECTION("in the same process") {}
  SECTION("after a clean stop") {
    log.close();
    const Offset end = log.log->offsets().log_end;
    REQUIRE(log.recover({.clean_shutdown = true, .recovery_point = end, .cleaned = log.log->cleaned_offset()}));
  }
  SECTION("after a crash that forgot where compaction was") {
    const Offset point = log.log->recovery_point();
    disk.lose_power();
    log.recover_unclean(point);
  }
  log.run(log.log->begin_checkpoint(log.now_ms));
  log.compact();
  CHECK(log.kept() == with_tombstone);
  log.now_ms += 1;
  log.compact();
  CHECK(log.kept() == without);
  CHECK_FALSE(log.compact_once());
}

TEST_CASE("compaction: delete.retention.ms of 0 lets tombstones go in the pass after", "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  config.delete_retention_ms = 0;
  CompactedLog log(disk, config);
  log.create();
  log.write({{"k", "v"}});
  log.write({{"k", std::nullopt}});
  log.settle();
  CHECK(log.compact().size() == 2);
  CHECK(log.kept().empty());
}

TEST_CASE("compaction: a producer's sequence is known when the log is read again", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  KeyedBatch batch;
  batch.options = {.producer_id = 9, .producer_epoch = 1, .base_sequence = 0};
  batch.records = {{"a", "1"}, {"b", "1"}};
  log.write_batch(batch);
  batch.options.base_sequence = 2;
  log.write_batch(batch);
  log.write({{"a", "2"}, {"b", "2"}});
  log.settle();
  log.compact();
  CHECK(log.kept() == std::vector<SeenKeyed>{{4, "a", "2"}, {5, "b", "2"}});
  int empty_batches = 0;
  log.for_each_batch([&empty_batches](const BatchView& seen) { empty_batches += seen.record_count() == 0; });
  CHECK(empty_batches == 1);
  disk.remove_matching(".snapshot");
  log.recover_unclean();
  const std::vector<ProducerSummary> producers = log.log->producers();
  REQUIRE(producers.size() == 1);
  CHECK(producers[0].last_sequence == 3);
  std::vector<AppendInput> again;
  again.push_back(make_keyed(batch));
  const std::vector<BatchOutcome> outcomes = log.append(std::move(again));
  CHECK(outcomes.at(0).duplicate);
  CHECK(outcomes.at(0).base_offset == Offset(2));
}

TEST_CASE("compaction: min.compaction.lag.ms keeps records, max.compaction.lag.ms seals the active segment",
          "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  config.min_compaction_lag_ms = 100'000;
  CompactedLog log(disk, config);
  log.create();
  log.write_rounds(2);
  CHECK_FALSE(log.compact_once());
  log.now_ms += 100'000;
  CHECK(log.compact().size() == 1);
  CHECK(log.kept().size() == 3);
  config.min_compaction_lag_ms = 0;
  config.min_cleanable_dirty_ratio = 1;
  config.max_compaction_lag_ms = 20'000;
  log.log->set_config(config);
  const size_t segments = log.log->segment_count();
  CHECK_FALSE(log.compact_once());  // sealed now, and to be indexed first
  CHECK(log.log->segment_count() == segments + 1);
  log.run(log.log->begin_flush(log.now_ms));
  log.now_ms += 20'001;
  CHECK(log.compact().size() == 1);
  CHECK(log.log->cleaned_offset() == log.log->offsets().log_end);
}

TEST_CASE("compaction: when the map is full the pass ends, and the next one goes on", "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  config.segment_bytes = 100'000;
  CompactedLog log(disk, config);
  log.create();
  constexpr int kKeys = 2000;  // of which 768 fit
  for (int round = 0; round < 2; ++round) {
    for (int first = 0; first < kKeys; first += 100) {
      std::vector<Keyed> records;
      for (int key = first; key < first + 100; ++key) {
        records.push_back({fmt::format("key {}", key), fmt::format("{}", round)});
      }
      log.write(std::move(records));
    }
  }
  log.settle();
  const std::vector<std::string> notes = log.compact({.step_bytes_max = 3000, .map_bytes_max = 24 * 1024});
  CHECK(notes.size() > 4);
  const std::vector<SeenKeyed> kept = log.kept();
  REQUIRE(kept.size() == kKeys);
  for (int key = 0; key < kKeys; ++key) {
    REQUIRE(kept[static_cast<size_t>(key)] == SeenKeyed{kKeys + key, fmt::format("key {}", key), "1"});
  }
}

TEST_CASE("compaction: a piece reads no more than it may", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  log.write_rounds(10);
  int pieces = 0;
  while (log.compact_once({.step_bytes_max = 1})) ++pieces;
  CHECK(pieces > 20);  // a batch each, twice
  CHECK(log.kept().size() == 3);
}

TEST_CASE("compaction: damage bars it, and takes nothing", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  log.write_rounds(4);
  log.close();
  flip_bit(disk, "/data/t-0/00000000000000000003.log", 80);
  REQUIRE(log.recover({.clean_shutdown = true, .recovery_point = Offset(13)}));
  const std::vector<std::string> names = log.file_names();
  std::unique_ptr<Maintenance> work = log.log->begin_compaction(log.now_ms, {});
  REQUIRE(work);
  work->execute();
  log.log->finish(*work);
  REQUIRE(work->error);
  CHECK(work->error->code == Errc::kCorrupt);
  CHECK_FALSE(work->goes_on);
  log.now_ms += 1'000'000;
  CHECK_FALSE(log.compact_once());
  CHECK(log.file_names() == names);
}

TEST_CASE("compaction: after a full disk it tries again later, and leaves nothing behind", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  log.write_rounds(30);
  disk.limit_space_to_used_and(0);
  std::unique_ptr<Maintenance> work;
  while ((work = log.log->begin_compaction(log.now_ms, {})) != nullptr) {
    work->execute();
    log.log->finish(*work);
  }
  CHECK_FALSE(log.log->health().offline);
  CHECK(log.log->cleaned_offset() == Offset(0));
  disk.set_space_bytes(std::nullopt);
  CHECK_FALSE(log.compact_once());
  log.now_ms += 10'000;
  CHECK(log.compact().size() == 1);
  CHECK(log.kept().size() == 3);
  CHECK(log.count_files(".cleaned") == 0);
}

TEST_CASE("compaction: retention that takes segments of a pass ends it", "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  config.delete_old = true;
  config.segment_bytes = 300;
  CompactedLog log(disk, config);
  log.create();
  for (int i = 0; i < 6; ++i) log.write({{"a", std::string(100, 'x')}, {fmt::format("key {}", i), "1"}});
  log.settle();
  std::unique_ptr<Maintenance> piece = log.log->begin_compaction(log.now_ms, {.step_bytes_max = 500});
  REQUIRE(piece);
  config.retention_bytes = 700;
  log.log->set_config(config);
  CHECK_FALSE(log.retention().empty());
  log.retention();  // the files are gone
  const Offset log_start = log.log->offsets().log_start;
  CHECK(log_start > Offset(0));
  piece->execute();
  log.log->finish(*piece);
  CHECK_FALSE(piece->error);
  log.compact();
  CHECK(log.kept().front().offset >= log_start.v);
  CHECK(log.log->offsets().log_start == log_start);
  CHECK(log.count_files(".cleaned") == 0);
}

TEST_CASE("compaction: nothing is deleted while a segment waits for its names", "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  config.delete_old = true;
  CompactedLog log(disk, config);
  log.create();
  log.write_rounds(4);
  std::unique_ptr<SegmentRead> reader = std::move(log.log->plan_read(Offset(0), {})->read);
  log.compact();
  config.retention_bytes = 0;
  log.log->set_config(config);
  CHECK(log.retention().empty());
  CHECK(log.log->offsets().log_start == Offset(0));
  reader.reset();
  log.compact();
  CHECK(log.retention().size() == 1);
  CHECK(log.log->offsets().log_start == Offset(12));
}

TEST_CASE("compaction: turned off in the middle it leaves nothing behind", "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  CompactedLog log(disk, config);
  log.create();
  log.write_rounds(10);
  for (int i = 0; i < 14; ++i) REQUIRE(log.compact_once({.step_bytes_max = 1}));
  REQUIRE(log.count_files(".cleaned") == 1);
  config.compact = false;
  log.log->set_config(config);
  log.compact();
  CHECK(log.count_files(".cleaned") == 0);
  CHECK(log.keyed().size() == 31);
  CHECK(log.log->cleaned_offset() == Offset(0));
}

TEST_CASE("compaction: a pass ends before transactions", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  log.write_rounds(2);
  KeyedBatch in_transaction;
  in_transaction.options = {
      .producer_id = 9, .producer_epoch = 1, .base_sequence = 0, .kind = BatchKind::kTransactional};
  in_transaction.records = {{"a", "perhaps"}};
  log.write_batch(in_transaction);
  log.write_rounds(2);
  const std::vector<std::string> notes = log.compact();
  CHECK(notes.size() >= 2);
  CHECK(log.log->cleaned_offset() == Offset(7));
  CHECK(log.kept().size() == 3 + 1 + 6);
  CHECK_FALSE(log.compact_once());
}

TEST_CASE("compaction: where it has been is remembered over a restart", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  log.write_rounds(4);
  log.compact();
  const Offset cleaned = log.log->cleaned_offset();
  log.close();
  SECTION("a hint that holds") {
    REQUIRE(log.recover({.clean_shutdown = true, .recovery_point = Offset(13), .cleaned = cleaned}));
    CHECK(log.log->cleaned_offset() == cleaned);
    log.compact();  // a look at what dates tombstones have
    CHECK_FALSE(log.compact_once());
  }
  SECTION("a hint beyond the log is of another one") {
    REQUIRE(log.recover({.clean_shutdown = true, .recovery_point = Offset(13), .cleaned = Offset(14)}));
    CHECK(log.log->cleaned_offset() == Offset(0));
  }
  CHECK(log.kept().size() == 3);
}

TEST_CASE("compaction: an internal log stays as small as what lives in it", "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  config.segment_bytes = 100 << 20;   // offsets.topic.segment.bytes
  config.segment_ms = INT64_MAX / 4;  // ends by size alone
  config.min_cleanable_dirty_ratio = 0.5;
  CompactedLog log(disk, config);
  log.kind = LogKind::kInternal;
  log.create();
  constexpr int kKeys = 1000;
  int64_t largest = 0;
  for (int batch = 0; batch < 2000; ++batch) {
    KeyedBatch commits;
    for (int i = 0; i < 100; ++i) {
      commits.records.push_back(
          {fmt::format("group/topic/{}", (batch * 100 + i) % kKeys), fmt::format("{:064}", batch)});
    }
    log.append_batch(std::move(commits));
    log.run(log.log->begin_flush(log.now_ms));
    log.compact();
    largest = std::max(largest, log.log->size_bytes());
  }
  CHECK(log.log->offsets().log_end == Offset(200'000));
  CHECK(largest < 3 * kEagerSegmentBytes);
  CHECK(log.log->segment_count() <= 3);
}
