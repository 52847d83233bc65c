// compaction_read_test.cpp: what readers see of a log that is compacted meanwhile, or has been: reads, look-ups by
// time, the log's end, the tail cache.
#include <fmt/format.h>

#include <algorithm>

#include "test/core/log/compaction_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

LogConfig compacted_soon() {
  LogConfig config = compacted();
  config.delete_retention_ms = 0;
  config.max_compaction_lag_ms = 10'000;
  return config;
}

// Of a log that is compacted soon.
void compact_to_nothing(CompactedLog& log) {
  log.create();
  log.write({{"a", "1"}});
  log.write({{"a", std::nullopt}, {"b", std::nullopt}});
  log.now_ms += 10'001;
  CHECK_FALSE(log.compact_once());  // seals the active one
  log.run(log.log->begin_flush(log.now_ms));
  log.compact();
}

}  // namespace

TEST_CASE("compaction: a reader that has begun goes on with what it saw", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  log.write_rounds(4);
  const std::vector<SeenKeyed> before = log.keyed();
  std::unique_ptr<SegmentRead> early = std::move(log.log->plan_read(Offset(0), {.bytes_max = 100'000})->read);
  std::unique_ptr<TimeLookup> lookup = log.log->plan_lookup_by_time(0);
  REQUIRE(early);
  log.compact();
  // In memory the log is compacted; the files still have what the reader asked for.
  CHECK(log.kept().size() == 3);
  CHECK(log.log->cleaned_offset() == Offset(0));
  CHECK(log.count_files(".log.cleaned") == 1);
  CHECK(log.count_files(".log") == 5);
  CHECK_FALSE(log.compact_once());
  const Result<FetchedBatches> fetched = early->execute();
  REQUIRE(fetched);
  std::vector<SeenKeyed> seen;
  for (const Slice& piece : fetched->pieces) {
    for (SeenKeyed& record : keyed_of(piece.view())) seen.push_back(std::move(record));
  }
  CHECK(std::equal(seen.begin(), seen.end(), before.begin()));
  CHECK(seen.size() > 3);
  CHECK((*lookup->execute())->offset == Offset(0));
  early.reset();
  CHECK_FALSE(log.compact_once());  // the lookup
  lookup.reset();
  CHECK(log.compact().size() == 1);
  CHECK(log.count_files(".log") == 2);
  CHECK(log.kept().size() == 3);
}

TEST_CASE("compaction: a read that is planned between goes on when the names have changed", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  log.write_rounds(4);
  std::unique_ptr<SegmentRead> early = std::move(log.log->plan_read(Offset(0), {})->read);
  log.compact();
  std::unique_ptr<SegmentRead> between = std::move(log.log->plan_read(Offset(0), {})->read);
  std::unique_ptr<TimeLookup> lookup = log.log->plan_lookup_max_timestamp();
  early.reset();
  log.compact();
  CHECK(log.count_files(".cleaned") == 0);
  const Result<FetchedBatches> fetched = between->execute();
  REQUIRE(fetched);
  CHECK(keyed_of(fetched->pieces.front().view()).front().offset == 9);
  CHECK((*lookup->execute())->offset == Offset(12));
}

TEST_CASE("compaction: gaps are served right", "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted();
  config.index_interval_bytes = 100;
  CompactedLog log(disk, config);
  log.create();
  for (int i = 0; i < 40; ++i) {
    log.write({{fmt::format("key {}", i % 7), "x"}, {fmt::format("key {}", i % 5), "y"}, {"often", "z"}});
  }
  log.settle();
  log.compact();
  const std::vector<SeenKeyed> left = log.keyed();
  REQUIRE(left.size() < 20);
  const auto check_all = [&log, &left] {
    for (int64_t from = 0; from < log.log->offsets().log_end.v; ++from) {
      INFO("from " << from);
      const auto first =
          std::find_if(left.begin(), left.end(), [from](const SeenKeyed& record) { return record.offset >= from; });
      REQUIRE(log.keyed_from(Offset(from)) == std::vector<SeenKeyed>(first, left.end()));
    }
  };
  check_all();
  log.recover_unclean(log.log->recovery_point());
  check_all();
  disk.remove_matching("index");
  log.recover_unclean(log.log->recovery_point());
  check_all();
}

TEST_CASE("compaction: look-ups by time find the first record that is left", "[log][compaction]") {
  SimFileSystem disk(1);
  for (const bool stamped : {false, true}) {
    LogConfig config = compacted();
    if (stamped) config.timestamp_type = TimestampType::kLogAppendTime;
    CompactedLog log(disk, config);
    if (stamped) (void)remove_tree(disk, kFolder);
    log.create();
    KeyedBatch batch;
    batch.options = {.producer_id = 9, .producer_epoch = 1, .base_sequence = 0};
    batch.records = {{"a", "1"}, {"b", "1"}};
    log.write_batch(batch);  // the header stays: for its producer
    const int64_t first_ms = log.now_ms;
    log.write({{"a", "2"}, {"c", "1"}});
    const int64_t second_ms = log.now_ms;
    log.write({{"a", "3"}, {"b", "2"}});
    const int64_t third_ms = log.now_ms;
    log.settle();
    log.compact();
    for (int start = 0; start < 2; ++start) {
      CHECK(log.lookup(first_ms - 1)->offset == Offset(3));
      CHECK(log.lookup(first_ms)->offset == Offset(3));
      CHECK(log.lookup(second_ms)->offset == Offset(3));
      CHECK(log.lookup(second_ms)->timestamp_ms == second_ms);
      CHECK(log.lookup(second_ms + 1)->offset == Offset(4));
      CHECK(log.lookup(third_ms)->timestamp_ms == third_ms);
      CHECK(log.lookup_max()->offset == Offset(6));
      log.recover_unclean(log.log->recovery_point());
    }
  }
}

TEST_CASE("compaction: the greatest timestamp may be that of a batch without records", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk);
  log.create();
  KeyedBatch ahead;
  ahead.options = {.producer_id = 9, .producer_epoch = 1, .base_sequence = 0};
  ahead.records = {{"a", "1", kStartMs + 1'000'000'000}};
  log.write_batch(ahead);
  log.write({{"a", "2"}});
  log.settle();
  log.compact();
  REQUIRE(log.lookup_max());
  CHECK(log.lookup_max()->offset == Offset(2));  // the filler
  CHECK_FALSE(log.lookup(kStartMs + 1'000'000'000));
}

TEST_CASE("compaction: the log end stays where nothing is left before it", "[log][compaction]") {
  SimFileSystem disk(1);
  LogConfig config = compacted_soon();
  config.flush = FlushPolicy::kCommit;
  CompactedLog log(disk, config);
  compact_to_nothing(log);
  CHECK(log.keyed().empty());
  CHECK(log.log->offsets().log_end == Offset(3));
  CHECK(log.keyed_from(Offset(0)).empty());
  disk.lose_power();
  log.recover_unclean();  // not even the recovery point tells
  CHECK(log.log->offsets().log_end == Offset(3));
  CHECK(log.append_one({}).base_offset == Offset(3));
}

TEST_CASE("compaction: readers come to the end of a log of which nothing is left", "[log][compaction]") {
  SimFileSystem disk(1);
  CompactedLog log(disk, compacted_soon());
  compact_to_nothing(log);
  const auto empty_batches = [&log] {
    int count = 0;
    log.for_each_batch([&count](const BatchView& batch) { count += batch.record_count() == 0 ? 1 : 0; });
    return count;
  };
  CHECK(log.keyed().empty());
  CHECK(empty_batches() == 1);
  for (int64_t from = 0; from < 3; ++from) CHECK(log.read_on_from(Offset(from)) == Offset(3));
  log.recover_unclean(log.log->recovery_point());
  for (int64_t from = 0; from < 3; ++from) CHECK(log.read_on_from(Offset(from)) == Offset(3));
  CHECK_FALSE(log.lookup(0));
  CHECK_FALSE(log.lookup_max());
  // Behind a record it is not needed any more.
  log.write({{"c", "1"}});
  log.settle();
  log.compact();
  CHECK(log.kept() == std::vector<SeenKeyed>{{3, "c", "1"}});
  CHECK(empty_batches() == 0);
  CHECK(log.read_on_from(Offset(0)) == log.log->offsets().log_end);
}

TEST_CASE("compaction: the tail cache forgets what is gone", "[log][compaction]") {
  SimFileSystem disk(1);
  TailCache cache(1 << 20);
  CompactedLog log(disk);
  log.tail_cache = &cache;
  log.create();
  log.write_rounds(4);
  CHECK(log.log->plan_read(Offset(0), {})->cached);
  log.compact();
  CHECK(log.log->plan_read(Offset(0), {})->read);
  CHECK(log.log->plan_read(Offset(12), {})->cached);  // of the active segment
  CHECK(log.kept().size() == 3);
  log.log.reset();
}
