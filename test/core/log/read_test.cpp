// read_test.cpp: reads from memory and from files, limits, segments one behind the other, and lookups by time.
#include <fmt/format.h>

#include <algorithm>

#include "core/log/file_names.h"
#include "core/log/segment_read.h"
#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

LogConfig read_config() {
  LogConfig config;
  config.flush = FlushPolicy::kNone;
  config.segment_bytes = 3000;
  config.index_interval_bytes = 300;
  return config;
}

// Written, sealed and out of memory, so that the index files are used.
void settle(OpenLog& log) { log.run(log.log->begin_checkpoint(log.now_ms)); }

}  // namespace

TEST_CASE("read: from any offset, in memory or on disk, the same", "[log][read]") {
  for (const bool cached : {false, true}) {
    for (const bool settled : {false, true}) {
      SimFileSystem disk(1);
      TailCache cache(1 << 20);
      OpenLog log(disk, read_config());
      log.tail_cache = cached ? &cache : nullptr;
      log.create();
      for (int i = 0; i < 60; ++i)
        log.append_one(
            {.records = 1 + i % 4, .value_bytes = static_cast<size_t>(i * 7 % 90), .codec = static_cast<Codec>(i % 5)});
      if (settled) settle(log);
      const std::vector<SeenRecord> all = log.read_all();
      const auto end = static_cast<int64_t>(all.size());
      REQUIRE(log.log->offsets().log_end == Offset(end));
      for (int64_t from = 0; from < end; ++from) {
        const std::vector<SeenRecord> seen = log.read_from(Offset(from));
        REQUIRE(std::equal(seen.begin(), seen.end(), all.begin() + from, all.end()));
      }
      CHECK(log.read(Offset(end))->size_bytes == 0);
      CHECK(log.read(Offset(end + 1)).error().code == Errc::kOffsetOutOfRange);
      CHECK(log.read(Offset(-1)).error().code == Errc::kOffsetOutOfRange);
    }
  }
}

TEST_CASE("read: from the page cache without a worker, or not at all", "[log][read]") {
  SimFileSystem disk(1);
  OpenLog log(disk, read_config());
  log.create();
  for (int i = 0; i < 20; ++i) log.append_one({.value_bytes = 100});
  const auto cached_read = [&log](int64_t from, int64_t bytes_max) {
    return log.log->plan_read(Offset(from), {.bytes_max = bytes_max})->read->execute_cached();
  };
  CHECK_FALSE(cached_read(19, 1000));  // the system cannot tell what is cached
  disk.set_page_cache_known(true);
  for (int64_t from = 0; from < 20; ++from) {
    const std::optional<FetchedBatches> fetched = cached_read(from, 1000);
    REQUIRE(fetched);
    CHECK(fetched->size_bytes == log.read(Offset(from), {.bytes_max = 1000})->size_bytes);
    CHECK(records_of(*fetched).front().offset == from);
  }
  CHECK_FALSE(cached_read(0, FileSegmentRead::kCachedBytesMax + 1));  // too long for the loop
  settle(log);
  CHECK_FALSE(cached_read(0, 1000));  // its index is a file now
  CHECK(cached_read(19, 1000));       // the active segment's is in memory
  std::string active;
  for (const std::string& name : log.file_names()) {
    if (name.ends_with(".log")) active = join_path(kFolder, name);
  }
  const int64_t last_batch = disk.stat(active)->size_bytes - cached_read(19, 1000)->size_bytes;
  flip_bit(disk, active, last_batch + static_cast<int64_t>(kBatchLengthAt));
  CHECK_FALSE(cached_read(19, 1000));  // damage: the worker tells
}

TEST_CASE("read: large batches in the page cache are left where they are", "[log][read]") {
  SimFileSystem disk(1);
  LogConfig config = read_config();
  config.segment_bytes = 300'000;
  OpenLog log(disk, config);
  log.create();
  constexpr int64_t kBatches = 40;
  for (int64_t i = 0; i < kBatches; ++i) log.append_one({.value_bytes = 12'000});
  REQUIRE(log.log->segment_count() > 1);
  const auto locate = [&log](int64_t from, const ReadLimits& limits, int64_t room_bytes = INT64_MAX) {
    return log.log->plan_read(Offset(from), limits)->read->locate_cached(room_bytes);
  };
  // As one text, from the files.
  const auto bytes_at = [&](const StoredBatches& located) {
    std::vector<uint8_t> all;
    for (const StoredRange& range : located.ranges) {
      for (const std::string& name : log.file_names()) {
        const std::string path = join_path(kFolder, name);
        if (!name.ends_with(".log") || disk.stat(path)->size_bytes < range.position) continue;
        std::vector<uint8_t> bytes(range.size_bytes);
        Result<std::unique_ptr<File>> file = disk.open(path, OpenMode::kRead);
        if (*(*file)->read_at(Position(range.position), bytes) < bytes.size()) continue;
        all.insert(all.end(), bytes.begin(), bytes.end());
        break;
      }
    }
    return all;
  };
  CHECK_FALSE(locate(kBatches - 15, {.bytes_max = 150'000}));  // the system cannot tell what is cached
  disk.set_page_cache_known(true);
  const int64_t active = log.log->offsets().log_end.v - 15;  // sealed segments' indexes may be files
  for (int64_t from = active; from < active + 3; ++from) {
    const ReadLimits limits{.bytes_max = 140'000 + from * 1000};
    const std::optional<StoredBatches> located = locate(from, limits);
    REQUIRE(located);
    CHECK(located->size_bytes == log.read(Offset(from), limits)->size_bytes);
    CHECK(located->size_bytes <= limits.bytes_max);
  }
  const std::optional<StoredBatches> whole = locate(active, {.bytes_max = 1 << 20});
  REQUIRE(whole);
  REQUIRE(whole->ranges.size() == 1);
  CHECK(static_cast<int64_t>(bytes_at(*whole).size()) == whole->size_bytes);
  // Limits: the room of the response, the high watermark, and what is too little to be worth it.
  CHECK(locate(active, {.bytes_max = 1 << 20}, 140'000)->size_bytes <= 140'000);
  CHECK_FALSE(locate(active, {.bytes_max = 1 << 20}, FileSegmentRead::kStoredBytesMin - 1));
  CHECK_FALSE(locate(active, {.bytes_max = 1 << 20, .upper = Offset(active + 2)}));
  CHECK(locate(active, {.bytes_max = 1 << 20, .upper = Offset(active + 12)})->size_bytes < whole->size_bytes);
}

TEST_CASE("read: whoever goes on in a sealed segment needs no worker", "[log][read]") {
  SimFileSystem disk(1);
  disk.set_page_cache_known(true);
  LogConfig config = read_config();
  config.segment_bytes = 4000;
  OpenLog log(disk, config);
  log.create();
  for (int i = 0; i < 60; ++i) log.append_one({.value_bytes = 100});
  settle(log);
  const auto cached_read = [&log](int64_t from) {
    return log.log->plan_read(Offset(from), {.bytes_max = 700})->read->execute_cached();
  };
  const Result<FetchedBatches> first = log.log->plan_read(Offset(0), {.bytes_max = 700})->read->execute();
  REQUIRE(first);
  REQUIRE(first->end);
  const int64_t next = first->end->next_offset.v;
  CHECK_FALSE(cached_read(next));
  log.log->note_read_end(*first->end);
  std::optional<FetchedBatches> second = cached_read(next);
  REQUIRE(second);
  CHECK(records_of(*second) == records_of(*log.read(Offset(next), {.bytes_max = 700})));
  CHECK_FALSE(cached_read(next + 1));  // nobody stopped there
  REQUIRE(second->end);
  log.log->note_read_end(*second->end);
  CHECK(cached_read(second->end->next_offset.v));
  // The file is closed when nobody has come back between two ticks of the upkeep.
  (void)log.log->begin_flush(log.now_ms);
  CHECK(cached_read(second->end->next_offset.v));
  (void)log.log->begin_flush(log.now_ms);
  (void)log.log->begin_flush(log.now_ms);
  CHECK_FALSE(cached_read(second->end->next_offset.v));
  // Of another segment of that name: not believed.
  ReadEnd other = *second->end;
  other.lease = std::make_shared<const int>(0);
  log.log->note_read_end(other);
  CHECK_FALSE(cached_read(other.next_offset.v));
}

TEST_CASE("read: a file that is gone while its segment is not is damage, not an offset out of range", "[log][read]") {
  SimFileSystem disk(1);
  OpenLog log(disk, small_segments(FlushPolicy::kCommit));
  log.create();
  log.append_many(60, {.value_bytes = 100});
  settle(log);
  REQUIRE(log.log->segment_count() > 3);
  const std::vector<SeenRecord> all = log.read_all();
  const std::string gone(kFirstLog);
  const std::string kept = file_text(disk, gone);
  REQUIRE(disk.remove(gone));
  // A consumer would go to the log start, where it is, or to the log end.
  const Result<FetchedBatches> refused = log.read(Offset(0), {.bytes_max = 1});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::kCorrupt);
  CHECK(refused.error().context.find(gone + ": the file is missing, with offsets 0 to ") == 0);
  const Result<std::optional<TimestampOffset>> looked = log.log->plan_lookup_by_time(kStartMs)->execute();
  REQUIRE_FALSE(looked);
  CHECK(looked.error().code == Errc::kCorrupt);
  CHECK(log.read_from(Offset(40)) == std::vector<SeenRecord>(all.begin() + 40, all.end()));
  put_file(disk, gone, as_bytes(kept));
  CHECK(log.read_all() == all);
  // Of a log that is closed, as that of a topic that is deleted, somebody may still read.
  const std::unique_ptr<SegmentRead> late = std::move(log.log->plan_read(Offset(0), {.bytes_max = 1})->read);
  log.log.reset();
  REQUIRE(disk.remove(gone));
  CHECK(late->execute().error().code == Errc::kOffsetOutOfRange);
}

TEST_CASE("read: where a file has got shorter a reader is told, not given nothing for ever", "[log][read]") {
  for (const bool of_active : {false, true}) {
    SimFileSystem disk(1);
    OpenLog log(disk, small_segments(FlushPolicy::kCommit));
    log.create();
    log.append_many(50, {.value_bytes = 100});
    settle(log);
    const std::vector<SeenRecord> all = log.read_all();
    const std::vector<std::string> names = log.file_names();
    std::vector<std::string> logs;
    for (const std::string& name : names) {
      if (name.ends_with(kLogSuffix)) logs.push_back(name);
    }
    REQUIRE(logs.size() > 2);
    const std::string& name = of_active ? logs.back() : logs.front();
    const std::string path = join_path(kFolder, name);
    const int64_t base = parse_segment_file_name(name)->base_offset.v;
    const int64_t batch_bytes = size_of(disk, kFirstLog) / parse_segment_file_name(logs[1])->base_offset.v;
    const std::string bytes = file_text(disk, path);
    REQUIRE(static_cast<int64_t>(bytes.size()) >= 2 * batch_bytes);
    for (int64_t size_bytes = batch_bytes; size_bytes < 2 * batch_bytes; ++size_bytes) {
      INFO("active " << of_active << ", " << size_bytes << " bytes are left");
      truncate_file(disk, path, size_bytes);
      const Result<FetchedBatches> left = log.read(Offset(base), {.bytes_max = 10'000});
      REQUIRE(left);
      CHECK(next_offset_of(*left) == Offset(base + 1));
      const Result<FetchedBatches> refused = log.read(Offset(base + 1), {.bytes_max = 10'000});
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == Errc::kCorrupt);
      CHECK(refused.error().context.find(fmt::format("{} at {}: ", path, batch_bytes)) == 0);
      put_file(disk, path, as_bytes(bytes));
    }
    CHECK(log.read_all() == all);
  }
}

TEST_CASE("read: a length that has rotted does not make a giant of a batch", "[log][read]") {
  SimFileSystem disk(1);
  LogConfig config = read_config();
  config.segment_bytes = 64 << 20;
  OpenLog log(disk, config);
  log.create();
  for (int i = 0; i < 24; ++i) log.append_one({.value_bytes = 1'000'000});
  flip_bit(disk, kFirstLog, static_cast<int64_t>(kBatchLengthAt), 0);  // 16 MiB more
  const Result<FetchedBatches> refused = log.read(Offset(0), {.bytes_max = 1000});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::kCorrupt);
  CHECK(refused.error().context.find(fmt::format("{} at 0: batch at offset 0, of ", kFirstLog)) == 0);
  CHECK(next_offset_of(*log.read(Offset(1), {.bytes_max = 1000})) == Offset(2));
  // A batch that is as large in truth comes whole; the loop leaves it to a worker.
  disk.set_page_cache_known(true);
  log.append_one({.value_bytes = static_cast<size_t>(FileSegmentRead::kBelievedBytesMax) + 1});
  CHECK_FALSE(log.log->plan_read(Offset(24), {.bytes_max = 1000})->read->execute_cached());
  CHECK(next_offset_of(*log.read(Offset(24), {.bytes_max = 1000})) == Offset(25));
}

TEST_CASE("read: what a file that has got shorter does not have is not left in it", "[log][read]") {
  SimFileSystem disk(1);
  disk.set_page_cache_known(true);
  LogConfig config = read_config();
  config.segment_bytes = 1 << 20;
  OpenLog log(disk, config);
  log.create();
  for (int i = 0; i < 4; ++i) log.append_one({.value_bytes = 70'000});
  const auto locate = [&log] {
    return log.log->plan_read(Offset(0), {.bytes_max = 1 << 20})->read->locate_cached(INT64_MAX);
  };
  REQUIRE(locate());
  const int64_t size_bytes = size_of(disk, kFirstLog);
  CHECK(locate()->size_bytes == size_bytes);
  truncate_file(disk, kFirstLog, size_bytes - 1);
  CHECK_FALSE(locate());
  CHECK(next_offset_of(*log.read(Offset(0))) == Offset(3));
  CHECK(log.read(Offset(3)).error().code == Errc::kCorrupt);
}

TEST_CASE("read: small batches are not left in the file", "[log][read]") {
  SimFileSystem disk(1);
  disk.set_page_cache_known(true);
  LogConfig config = read_config();
  config.segment_bytes = 1 << 20;
  OpenLog log(disk, config);
  log.create();
  for (int i = 0; i < 300; ++i) log.append_one({.value_bytes = 500});
  CHECK_FALSE(log.log->plan_read(Offset(0), {.bytes_max = 100'000})->read->locate_cached(INT64_MAX));
  CHECK(log.log->plan_read(Offset(0), {.bytes_max = 100'000})->read->execute_cached());
}

TEST_CASE("read: first batch larger than the limit comes whole, the rest respects it", "[log][read]") {
  for (const bool cached : {false, true}) {
    SimFileSystem disk(1);
    TailCache cache(1 << 20);
    LogConfig config = read_config();
    config.segment_bytes = 1 << 20;
    OpenLog log(disk, config);
    log.tail_cache = cached ? &cache : nullptr;
    log.create();
    log.append_one({.value_bytes = 900});
    log.append_one({.value_bytes = 50});
    log.append_one({.value_bytes = 900});
    CHECK(records_of(*log.read(Offset(0), {.bytes_max = 1})).size() == 1);
    CHECK(records_of(*log.read(Offset(0), {.bytes_max = 0})).size() == 1);
    CHECK(log.read(Offset(0), {.bytes_max = 100, .first_batch_whole = false})->size_bytes == 0);
    CHECK(records_of(*log.read(Offset(0), {.bytes_max = 1100})).size() == 2);
    CHECK(records_of(*log.read(Offset(1), {.bytes_max = 300})).size() == 1);
    CHECK(records_of(*log.read(Offset(0), {.bytes_max = 1 << 20})).size() == 3);
    CHECK(records_of(*log.read(Offset(0), {.bytes_max = 1 << 20, .upper = Offset(2)})).size() == 2);
    CHECK(log.read(Offset(2), {.upper = Offset(2)})->size_bytes == 0);
  }
}

TEST_CASE("read: goes on into the next segment and over empty ones", "[log][read]") {
  SimFileSystem disk(1);
  LogConfig config = read_config();
  config.segment_bytes = 400;
  OpenLog log(disk, config);
  log.create();
  log.append_many(4, {.value_bytes = 100});
  log.recover_unclean();
  // An empty segment in the middle: a crash right after a roll leaves one.
  put_file(disk, "/data/t-0/00000000000000000004.log", {});
  put_file(disk, "/data/t-0/00000000000000000007.log", {});
  log.recover_unclean();
  const int64_t before = log.log->offsets().log_end.v;
  CHECK(before == 7);
  log.append_many(4, {.value_bytes = 100});
  CHECK(log.read_all().size() == 8);
  CHECK(log.read_from(Offset(5)).front().offset == 7);
}

TEST_CASE("read: batches that only end behind the upper bound are not given", "[log][read]") {
  SimFileSystem disk(1);
  OpenLog log(disk, read_config());
  log.create();
  log.append_many(3, {.records = 5});
  CHECK(records_of(*log.read(Offset(0), {.upper = Offset(12)})).size() == 10);
  CHECK(records_of(*log.read(Offset(7), {.upper = Offset(10)})).size() == 5);
}

TEST_CASE("tail cache: small batches become one piece, large ones stay in their block", "[log][cache]") {
  TailCache cache(10 << 20);
  const std::unique_ptr<TailCache::Tail> tail = cache.make_tail();
  for (int i = 0; i < 20; ++i) {
    const AppendInput input = make_input({.value_bytes = 100});
    set_base_offset(input.batch.bytes.unpublished(), Offset(i));
    tail->insert(Offset(i), Offset(i), input.batch.bytes);
  }
  const auto read = tail->read(Offset(3), {.bytes_max = 1 << 20});
  REQUIRE(read);
  CHECK(read->pieces.size() == 1);
  CHECK(records_of(*read).size() == 17);
  CHECK(records_of(*read).front().offset == 3);
  AppendInput large = make_input({.value_bytes = 100'000});
  set_base_offset(large.batch.bytes.unpublished(), Offset(20));
  tail->insert(Offset(20), Offset(20), large.batch.bytes);
  const auto last = tail->read(Offset(20), {});
  REQUIRE(last);
  CHECK(last->pieces[0].data() == large.batch.bytes.data());
  CHECK(!tail->read(Offset(21), {}));
  CHECK(!tail->read(Offset(-1), {}));
}

TEST_CASE("tail cache: a small slice of a large block is copied out of it, and charged for what it pins",
          "[log][cache]") {
  TailCache cache(10 << 20);
  const std::unique_ptr<TailCache::Tail> tail = cache.make_tail();
  BlockRef block = BlockRef::allocate(4 << 20);
  const AppendInput input = make_input({.value_bytes = 40'000});
  std::memcpy(block.data(), input.batch.bytes.data(), input.batch.bytes.size());
  {
    const Slice slice(block, 0, input.batch.bytes.size());
    tail->insert(Offset(0), Offset(0), slice);
  }
  CHECK(block.unique());
  CHECK(cache.charged_bytes() < 200'000);
  CHECK(records_of(*tail->read(Offset(0), {})).size() == 1);
}

TEST_CASE("tail cache: stays within its budget, oldest of all partitions first", "[log][cache]") {
  TailCache cache(1 << 20);
  const std::unique_ptr<TailCache::Tail> quiet = cache.make_tail();
  std::unique_ptr<TailCache::Tail> busy = cache.make_tail();
  const AppendInput small = make_input({.value_bytes = 100});
  const AppendInput large = make_input({.value_bytes = 60'000});
  quiet->insert(Offset(0), Offset(0), small.batch.bytes);
  for (int i = 0; i < 5; ++i) busy->insert(Offset(i), Offset(i), large.batch.bytes);
  CHECK(quiet->read(Offset(0), {}));
  CHECK(busy->read(Offset(0), {}));
  for (int i = 5; i < 100; ++i) {
    busy->insert(Offset(i), Offset(i), large.batch.bytes);
    REQUIRE(cache.charged_bytes() <= cache.budget_bytes());
  }
  CHECK(!quiet->read(Offset(0), {}));
  CHECK(!busy->read(Offset(0), {}));
  CHECK(busy->read(Offset(99), {}));
  quiet->insert(Offset(1), Offset(1), small.batch.bytes);
  CHECK(quiet->read(Offset(1), {}));
  CHECK(!quiet->read(Offset(0), {}));
  busy.reset();
  CHECK(cache.charged_bytes() == quiet->charged_bytes());
  cache.set_budget(0);
  CHECK(cache.charged_bytes() == 0);
  CHECK(!quiet->read(Offset(1), {}));
  quiet->insert(Offset(2), Offset(2), small.batch.bytes);
  CHECK(!quiet->read(Offset(2), {}));
}

TEST_CASE("tail cache: readers far behind do not touch it, hot readers touch no file", "[log][cache]") {
  SimFileSystem disk(1);
  TailCache cache(8 << 10);
  LogConfig config = read_config();
  config.segment_bytes = 1 << 20;
  OpenLog log(disk, config);
  log.tail_cache = &cache;
  log.create();
  log.append_many(200, {.value_bytes = 100});
  CHECK(log.log->plan_read(Offset(199), {})->cached);
  CHECK(log.log->plan_read(Offset(0), {})->read);
  const size_t charged = cache.charged_bytes();
  CHECK(log.read_all().size() == 200);
  CHECK(cache.charged_bytes() == charged);
  CHECK(log.log->plan_read(Offset(199), {})->cached);
}

TEST_CASE("time: exact to the record for all codecs", "[log][time]") {  // CASES L08
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    for (const bool restart : {false, true}) {
      SimFileSystem disk(1);
      OpenLog log(disk, read_config());
      log.create();
      log.append_one({.records = 3, .codec = codec, .timestamp_ms = 1000, .timestamp_step_ms = 1000});
      log.append_one({.records = 2, .codec = codec, .timestamp_ms = 500, .timestamp_step_ms = 3500});
      if (restart) {
        log.close();
        disk.remove_matching(".timeindex");
        log.recover_clean();
      }
      CHECK(log.lookup(1500)->offset == Offset(1));
      CHECK(log.lookup(2000)->offset == Offset(1));
      CHECK(log.lookup(2000)->timestamp_ms == 2000);
      CHECK(log.lookup(3500)->offset == Offset(4));
      CHECK(log.lookup(0)->offset == Offset(0));
      CHECK(!log.lookup(9999));
      CHECK(log.lookup_max()->offset == Offset(4));
      CHECK(log.lookup_max()->timestamp_ms == 4000);
    }
  }
}

TEST_CASE("time: answers as a linear search, over segments, with restarts", "[log][time]") {
  SimFileSystem disk(1);
  OpenLog log(disk, read_config());
  log.create();
  SeededRandom random(17);
  for (int i = 0; i < 150; ++i) {
    log.append_one({.records = 1 + static_cast<int>(random.below(3)),
                    .codec = static_cast<Codec>(random.below(5)),
                    .timestamp_ms = static_cast<int64_t>(1000 + i * 10 + static_cast<int64_t>(random.below(300))),
                    .timestamp_step_ms = static_cast<int64_t>(random.below(50)) - 20});
  }
  REQUIRE(log.log->segment_count() > 3);
  const auto check = [&log](int64_t log_start) {
    const std::vector<SeenRecord> all = log.read_from(Offset(log_start));
    for (int64_t wanted = 900; wanted < 3000; wanted += 7) {
      const auto expected = std::find_if(all.begin(), all.end(),
                                         [wanted](const SeenRecord& record) { return record.timestamp_ms >= wanted; });
      const std::optional<TimestampOffset> found = log.lookup(wanted);
      REQUIRE(found.has_value() == (expected != all.end()));
      if (found) {
        REQUIRE(found->offset.v == expected->offset);
        REQUIRE(found->timestamp_ms == expected->timestamp_ms);
      }
    }
    const auto greatest = std::max_element(all.begin(), all.end(), [](const SeenRecord& a, const SeenRecord& b) {
      return a.timestamp_ms < b.timestamp_ms;
    });
    REQUIRE(log.lookup_max()->offset.v == greatest->offset);
  };
  check(0);
  settle(log);
  check(0);
  log.close();
  log.recover_clean();
  check(0);
  log.recover_unclean();
  check(0);
  for (const int64_t start : {1, 33, 77, 120}) {
    REQUIRE(log.log->advance_log_start(Offset(start)));
    check(start);
  }
}

TEST_CASE("time: nothing above the high watermark counts, nothing in an empty log", "[log][time]") {
  SimFileSystem disk(1);
  LogConfig config = read_config();
  config.flush = FlushPolicy::kCommit;
  OpenLog log(disk, config);
  log.create();
  CHECK(!log.lookup(0));
  CHECK(!log.lookup_max());
  log.append_one({.timestamp_ms = 1000});
  std::vector<AppendInput> inputs;
  inputs.push_back(make_input({.timestamp_ms = 2000}));
  const std::unique_ptr<LogAppend> append = log.log->begin_append(inputs, log.now_ms);
  append->write();
  log.log->on_written(*append);
  CHECK(!log.lookup(1500));
  CHECK(log.lookup_max()->timestamp_ms == 1000);
  append->sync();
  log.log->on_synced(*append);
  CHECK(log.lookup(1500)->offset == Offset(1));
}

TEST_CASE("time: batches without timestamps, and a batch that unpacks too far", "[log][time]") {
  SimFileSystem disk(1);
  OpenLog log(disk, read_config());
  log.create();
  log.append_one({.timestamp_ms = kNoTimestamp});
  CHECK(!log.lookup(0));
  CHECK(!log.lookup_max());
  log.append_one({.timestamp_ms = 50});
  CHECK(log.lookup(0)->offset == Offset(1));
}
