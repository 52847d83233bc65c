// retention_test.cpp: what is deleted, when, and that readers and restarts do not mind.
#include <fmt/format.h>

#include <algorithm>

#include "core/log/retention.h"
#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

LogConfig retained() {
  LogConfig config;
  config.flush = FlushPolicy::kNone;
  config.segment_bytes = 1000;
  config.retention_ms = -1;
  config.file_delete_delay_ms = 60'000;
  return config;
}

std::vector<std::string> log_files(OpenLog& log, std::string_view suffix) {
  std::vector<std::string> found;
  for (const std::string& name : log.file_names()) {
    if (name.ends_with(suffix)) found.push_back(name);
  }
  return found;
}

}  // namespace

TEST_CASE("retention: by size, keeping at least retention.bytes", "[log][retention]") {  // CASES L17
  const std::vector<SegmentFacts> segments{
      {Offset(0), Offset(10), 1000, 5, 5}, {Offset(10), Offset(20), 2000, 5, 5}, {Offset(20), Offset(30), 1000, 5, 5}};
  LogConfig config = retained();
  const auto removable = [&](int64_t retention_bytes) {
    config.retention_bytes = retention_bytes;
    return removable_segments(segments,
                              {.config = config, .log_start = Offset(0), .high_watermark = Offset(30), .now_ms = 10})
        .size();
  };
  CHECK(removable(-1) == 0);
  CHECK(removable(4000) == 0);
  CHECK(removable(3001) == 0);
  CHECK(removable(3000) == 1);
  CHECK(removable(2000) == 1);
  CHECK(removable(1001) == 1);
  CHECK(removable(1000) == 2);
  CHECK(removable(0) == 2);  // never the active one
  config.delete_old = false;
  CHECK(removable(0) == 0);
}

TEST_CASE("retention: by size on a log, with restart", "[log][retention]") {
  SimFileSystem disk(1);
  LogConfig config = retained();
  config.retention_bytes = 2000;
  OpenLog log(disk, config);
  log.create();
  log.append_many(20, {.value_bytes = 100});
  REQUIRE(log.log->segment_count() == 4);
  const int64_t size = log.log->size_bytes();
  std::unique_ptr<SegmentRead> read = std::move(log.log->plan_read(Offset(0), {})->read);
  std::unique_ptr<SegmentRead> late = std::move(log.log->plan_read(Offset(1), {})->read);
  const std::vector<std::string> notes = log.retention();
  REQUIRE(notes.size() == 1);
  CHECK(log.log->segment_count() == 3);
  CHECK(log.log->offsets().log_start == Offset(5));
  CHECK(log.log->size_bytes() < size);
  CHECK(log.log->plan_read(Offset(4), {}).error().code == Errc::kOffsetOutOfRange);
  CHECK(records_of(*read->execute()).size() == 20);  // planned before, still served
  CHECK(log_files(log, ".log.deleted").size() == 1);
  log.now_ms += 59'999;
  CHECK(log.retention().empty());
  CHECK(log_files(log, ".log.deleted").size() == 1);
  log.now_ms += 1;
  log.retention();
  CHECK(log_files(log, ".deleted").empty());
  (void)late->execute();  // whatever it says, it says it without harm
  log.recover_unclean();
  CHECK(log.log->offsets().log_start == Offset(5));
  CHECK(log.read_all().size() == 15);
}

TEST_CASE("retention: as long as numbers go is for ever", "[log][retention]") {
  SimFileSystem disk(1);
  LogConfig config = retained();
  config.retention_bytes = 2000;
  config.retention_ms = INT64_MAX;
  config.file_delete_delay_ms = INT64_MAX;
  OpenLog log(disk, config);
  log.create();
  log.append_many(20, {.value_bytes = 100});
  const std::vector<std::string> notes = log.retention();
  REQUIRE(notes.size() == 1);  // the deletion by size: no timestamp is further ahead than that
  CHECK(notes[0].find("deleted by retention.bytes") != std::string::npos);
  log.now_ms += int64_t{10} * 365 * 24 * 3600 * 1000;
  CHECK(log.retention().empty());
  CHECK(log.log->segment_count() == 3);
  CHECK(log_files(log, ".log.deleted").size() == 1);
}

TEST_CASE("retention: a read of a deleted segment that is gone is out of range", "[log][retention]") {
  SimFileSystem disk(1);
  LogConfig config = retained();
  config.retention_bytes = 1000;
  config.file_delete_delay_ms = 0;
  OpenLog log(disk, config);
  log.create();
  log.append_many(20, {.value_bytes = 100});
  log.run(log.log->begin_checkpoint(log.now_ms));  // closes the files of sealed segments
  std::unique_ptr<SegmentRead> read = std::move(log.log->plan_read(Offset(0), {.bytes_max = 1})->read);
  log.retention();
  log.retention();
  CHECK(read->execute().error().code == Errc::kOffsetOutOfRange);
}

TEST_CASE("retention: by time, the active segment is sealed first", "[log][retention]") {
  SimFileSystem disk(1);
  LogConfig config = retained();
  config.retention_ms = 1000;
  OpenLog log(disk, config);
  log.create();
  log.append_many(20, {.value_bytes = 100, .timestamp_step_ms = 10});
  log.now_ms = kStartMs + 1000;
  CHECK(log.retention().empty());
  log.now_ms = kStartMs + 1041;  // five records in a segment: the newest of the first is at 40
  CHECK(log.retention().size() == 1);
  CHECK(log.log->offsets().log_start == Offset(5));
  log.now_ms = kStartMs + 10'000;
  CHECK(log.retention().size() == 3);
  CHECK(log.log->offsets().log_start == Offset(20));
  CHECK(log.log->offsets().log_end == Offset(20));
  CHECK(log.log->segment_count() == 1);
  CHECK(log.log->size_bytes() == 0);
  CHECK(log.read_all().empty());
  SECTION("the offsets survive a restart") {
    log.recover_unclean();
    CHECK(log.log->offsets().log_start == Offset(20));
    CHECK(log.append_one({}).base_offset == Offset(20));
  }
  SECTION("appends go on") {
    log.now_ms = kStartMs;
    CHECK(log.append_one({}).base_offset == Offset(20));
    CHECK(log.read_all().size() == 1);
  }
}

TEST_CASE("retention: the active segment is not sealed under an append", "[log][retention]") {
  SimFileSystem disk(1);
  LogConfig config = retained();
  config.retention_ms = 1000;
  OpenLog log(disk, config);
  log.create();
  log.append_many(2, {});
  std::vector<AppendInput> inputs;
  inputs.push_back(make_input({}));
  const std::unique_ptr<LogAppend> append = log.log->begin_append(inputs, log.now_ms);
  log.now_ms += 5000;
  CHECK(log.log->begin_retention(log.now_ms) == nullptr);
  append->write();
  log.log->on_written(*append);
  CHECK(log.retention().size() == 1);
  CHECK(log.log->offsets().log_start == Offset(3));
}

TEST_CASE("retention: timestamps of the future, none, and long ago", "[log][retention]") {  // CASES L16
  SimFileSystem disk(1);
  LogConfig config = retained();
  config.retention_ms = 60'000;
  config.segment_bytes = 200;
  OpenLog log(disk, config);
  log.create();
  constexpr int64_t kTenYearsMs = int64_t{10} * 365 * 24 * 3600 * 1000;
  log.append_one({.value_bytes = 100, .timestamp_ms = kStartMs + kTenYearsMs});
  log.append_one({.value_bytes = 100, .timestamp_ms = kNoTimestamp});
  log.append_one({.value_bytes = 100, .timestamp_ms = 0});
  log.append_one({.value_bytes = 100, .timestamp_ms = kStartMs - kTenYearsMs});
  log.append_one({.value_bytes = 100});
  const auto warnings = [](const std::vector<std::string>& notes) {
    return std::count_if(notes.begin(), notes.end(),
                         [](const std::string& note) { return note.find("future") != std::string::npos; });
  };
  CHECK(warnings(log.retention()) == 1);
  log.now_ms += 60'000;
  const std::vector<std::string> notes = log.retention();
  CHECK(warnings(notes) == 0);  // said once
  CHECK(log.log->offsets().log_start == Offset(0));
  log.now_ms += 1;
  log.retention();
  CHECK(log.log->offsets().log_start == Offset(5));  // by the time of its append, and what is behind it follows
  // A clock that steps back makes nothing older.
  log.append_one({.value_bytes = 100, .timestamp_ms = log.now_ms});
  log.now_ms -= 7'200'000;
  log.retention();
  CHECK(log.log->offsets().log_start == Offset(5));
}

TEST_CASE("retention: delete records", "[log][retention]") {
  SimFileSystem disk(1);
  OpenLog log(disk, retained());
  log.create();
  log.append_many(20, {.value_bytes = 100});
  CHECK(log.log->advance_log_start(Offset(21)).error().code == Errc::kOffsetOutOfRange);
  REQUIRE(log.log->advance_log_start(Offset(7)));
  CHECK(log.log->offsets().log_start == Offset(7));
  REQUIRE(log.log->advance_log_start(Offset(3)));  // never back
  CHECK(log.log->offsets().log_start == Offset(7));
  CHECK(log.log->plan_read(Offset(6), {}).error().code == Errc::kOffsetOutOfRange);
  CHECK(log.read_all().size() == 13);
  CHECK(log.retention().size() == 1);
  log.recover_unclean(Offset(0), Offset(7));
  CHECK(log.log->offsets().log_start == Offset(7));
  CHECK(log.read_all().size() == 13);
  REQUIRE(log.log->advance_log_start(Offset(20)));
  log.retention();
  CHECK(log.log->segment_count() == 1);
  CHECK(log.read_all().empty());
  log.recover_unclean(Offset(20), Offset(20));
  CHECK(log.append_one({}).base_offset == Offset(20));
}

TEST_CASE("retention: a log start is written down as far as the log is durable", "[log][retention]") {
  SimFileSystem disk(1);
  OpenLog unsynced(disk, small_segments(FlushPolicy::kNone));
  unsynced.create();
  unsynced.append_many(20, {.value_bytes = 100});
  REQUIRE(unsynced.log->advance_log_start(Offset(15)));
  CHECK(unsynced.log->offsets().log_start == Offset(15));
  CHECK(unsynced.log->durable_log_start() == Offset(0));
  unsynced.run(unsynced.log->begin_checkpoint(unsynced.now_ms));
  CHECK(unsynced.log->durable_log_start() == Offset(15));
  unsynced.append_one({});
  REQUIRE(unsynced.log->advance_log_start(Offset(21)));
  CHECK(unsynced.log->durable_log_start() == Offset(20));
  unsynced.recover_unclean(Offset(20), Offset(20));
  CHECK(unsynced.log->durable_log_start() == Offset(20));

  SimFileSystem other_disk(1);
  OpenLog synced(other_disk, small_segments(FlushPolicy::kCommit));
  synced.create();
  synced.append_many(20, {.value_bytes = 100});
  REQUIRE(synced.log->advance_log_start(Offset(15)));
  CHECK(synced.log->durable_log_start() == Offset(15));
  LogConfig config = synced.config;
  config.flush = FlushPolicy::kNone;  // what comes under it does not count until it is synced
  synced.log->set_config(config);
  synced.append_one({});
  REQUIRE(synced.log->advance_log_start(Offset(21)));
  CHECK(synced.log->durable_log_start() == Offset(20));
  config.flush = FlushPolicy::kCommit;
  synced.log->set_config(config);
  CHECK(synced.log->durable_log_start() == Offset(20));
  synced.append_one({});
  CHECK(synced.log->durable_log_start() == Offset(21));
}

TEST_CASE("retention: under commit nothing beyond the high watermark goes", "[log][retention]") {
  const std::vector<SegmentFacts> segments{{Offset(0), Offset(10), 1000, 5, 5}, {Offset(10), Offset(20), 1000, 5, 5}};
  LogConfig config = retained();
  config.retention_ms = 1;
  const auto removable = [&](int64_t high_watermark) {
    return removable_segments(
               segments,
               {.config = config, .log_start = Offset(0), .high_watermark = Offset(high_watermark), .now_ms = 1000})
        .size();
  };
  CHECK(removable(9) == 0);
  CHECK(removable(10) == 1);
  CHECK(removable(20) == 2);
}

TEST_CASE("upkeep: flush.messages and flush.ms move the recovery point without holding the high watermark",
          "[log][upkeep]") {
  SimFileSystem disk(1);
  LogConfig config = retained();
  config.segment_bytes = 1 << 20;
  config.flush_messages = 10;
  config.flush_ms = 5000;
  OpenLog log(disk, config);
  log.create();
  log.append_many(9, {});
  CHECK(log.log->offsets().high_watermark == Offset(9));
  CHECK(log.log->begin_flush(log.now_ms) == nullptr);
  log.append_many(1, {});
  log.run(log.log->begin_flush(log.now_ms));
  CHECK(log.log->recovery_point() == Offset(10));
  log.append_one({});
  CHECK(log.log->begin_flush(log.now_ms + 4999) == nullptr);
  log.run(log.log->begin_flush(log.now_ms + 5000));
  CHECK(log.log->recovery_point() == Offset(11));
  const std::vector<SeenRecord> before = log.read_all();
  disk.lose_power();
  log.recover_unclean(Offset(11));
  CHECK(log.read_all() == before);
}

TEST_CASE("upkeep: rolled segments are synced and their indexes written soon, files closed", "[log][upkeep]") {
  SimFileSystem disk(1);
  LogConfig config = retained();
  config.index_interval_bytes = 100;
  OpenLog log(disk, config);
  log.create();
  log.append_many(4, {.value_bytes = 100});
  CHECK(log.log->begin_flush(log.now_ms) == nullptr);
  log.append_many(10, {.value_bytes = 100});
  const std::vector<SeenRecord> before = log.read_all();
  std::unique_ptr<Maintenance> work = log.log->begin_flush(log.now_ms);
  REQUIRE(work);
  CHECK(log.log->begin_checkpoint(log.now_ms) == nullptr);  // one at a time
  log.append_one({});                                       // while it is out
  work->execute();
  log.log->finish(*work);
  CHECK(log.log->recovery_point() == Offset(14));
  CHECK(log_files(log, ".index").size() == 3);
  CHECK(log_files(log, ".snapshot") == std::vector<std::string>{"00000000000000000014.snapshot"});
  std::vector<SeenRecord> after = log.read_all();
  after.pop_back();
  CHECK(after == before);
}

TEST_CASE("upkeep: a failed sync in the background takes the log offline", "[log][upkeep]") {
  SimFileSystem disk(1);
  OpenLog log(disk, retained());
  log.create();
  log.append_many(3, {});
  disk.fail_sync_at(1);
  std::unique_ptr<Maintenance> work = log.log->begin_checkpoint(log.now_ms);
  work->execute();
  log.log->finish(*work);
  CHECK(work->error);
  CHECK(log.log->health().offline);
  CHECK(log.log->recovery_point() == Offset(0));
  CHECK(log.append_one({}).error->code == Errc::kOffline);
}

TEST_CASE("upkeep: two snapshots are kept", "[log][upkeep]") {
  SimFileSystem disk(1);
  OpenLog log(disk, retained());
  log.create();
  for (int i = 0; i < 5; ++i) {
    log.append_one({});
    log.run(log.log->begin_checkpoint(log.now_ms));
    CHECK(log.log->begin_checkpoint(log.now_ms) == nullptr);
  }
  CHECK(log_files(log, ".snapshot") ==
        std::vector<std::string>{"00000000000000000004.snapshot", "00000000000000000005.snapshot"});
}

TEST_CASE("retention: a flipped bit in a time index does not make a segment old", "[log][retention]") {
  SimFileSystem disk(1);
  LogConfig config = retained();
  config.retention_ms = 1000;
  disk.set_now_ms(kStartMs);
  OpenLog log(disk, config);
  log.now_ms = kStartMs + 100;
  log.create();
  log.append_many(20, {.value_bytes = 100});
  log.close();
  const std::string path = "/data/t-0/00000000000000000000.timeindex";
  flip_bit(disk, path, 2, 0);  // of the only entry's timestamp: a year ago, or so
  log.recover_clean();
  const std::vector<std::string> first = log.retention();
  log.retention();
  CHECK(log.log->offsets().log_start == Offset(0));
  CHECK(log.lookup(kStartMs)->offset == Offset(0));
  log.now_ms += 5000;
  log.retention();
  log.retention();
  CHECK(log.log->offsets().log_start == Offset(20));
}

TEST_CASE("retention: a segment that cannot be read does not keep the log for ever", "[log][retention]") {
  enum class Fault : uint8_t { kGone, kUnreadable };
  for (const Fault fault : {Fault::kGone, Fault::kUnreadable}) {
    for (const int64_t appended_ms : {kStartMs, kStartMs + 4500}) {
      INFO("fault " << static_cast<int>(fault) << ", appended " << appended_ms - kStartMs);
      SimFileSystem disk(1);
      disk.set_now_ms(appended_ms);
      LogConfig config = small_segments(FlushPolicy::kCommit);
      config.retention_ms = 1000;
      OpenLog log(disk, config);
      log.create();
      // Of each segment the first record is the youngest, so that its end does not confirm what the time index says.
      for (int i = 0; i < 50; ++i) log.append_one({.value_bytes = 100, .timestamp_ms = kStartMs - i});
      log.close();
      log.now_ms = kStartMs + 5000;
      log.recover_clean();
      REQUIRE(log.log->segment_count() > 3);
      if (fault == Fault::kGone) REQUIRE(disk.remove(kFirstLog));
      if (fault == Fault::kUnreadable) disk.set_fault_rates({.read_error_one_in = 1});
      const std::unique_ptr<Maintenance> check = log.log->begin_retention(log.now_ms);
      REQUIRE(check);
      check->execute();
      log.log->finish(*check);
      disk.set_fault_rates({});
      CHECK_FALSE(check->error);
      REQUIRE(!check->damaged.empty());
      CHECK(check->damaged[0].find(kFirstLog) != std::string::npos);
      CHECK(check->damaged[0].find("last append") != std::string::npos);
      log.retention();
      log.retention();
      CHECK(log.log->offsets().log_start == Offset(appended_ms == kStartMs ? 50 : 0));
    }
  }
}
