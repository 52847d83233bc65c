// append_test.cpp: appending, rolling, failing writes and syncs, and what readers may see of it.
#include <fmt/format.h>

#include "core/codec/writer.h"
#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

LogConfig config_of(FlushPolicy flush) {
  LogConfig config;
  config.flush = flush;
  return config;
}

}  // namespace

TEST_CASE("log: a new log is empty and starts at 0", "[log]") {
  SimFileSystem disk(1);
  OpenLog log(disk);
  log.create();
  CHECK(log.log->offsets().log_end == Offset(0));
  CHECK(log.log->leader_epoch() == 0);
  CHECK(log.read_all().empty());
  CHECK(log.file_names() ==
        std::vector<std::string>{"00000000000000000000.log", "leader-epoch-checkpoint", "partition.metadata"});
  CHECK(file_text(disk, "/data/t-0/partition.metadata") == "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAABAA\n");
  Result<std::unique_ptr<PartitionLog>> twice = PartitionLog::create(
      {.files = disk, .directory = std::string(kFolder), .name = {"t", 0}, .topic_id = {}, .config = {}});
  REQUIRE(!twice);
  CHECK(twice.error().code == Errc::kAlreadyExists);
}

TEST_CASE("log: batches get consecutive offsets and are read back unchanged", "[log]") {
  for (const FlushPolicy flush : {FlushPolicy::kNone, FlushPolicy::kCommit, FlushPolicy::kFull}) {
    SimFileSystem disk(1);
    OpenLog log(disk, config_of(flush));
    log.create();
    for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
      const Offset expected = log.log->offsets().log_end;
      const BatchOutcome outcome = log.append_one({.records = 3, .codec = codec, .text = "abc"});
      REQUIRE(!outcome.error);
      CHECK(outcome.base_offset == expected);
      CHECK(outcome.append_time_ms == kNoTimestamp);
    }
    const std::vector<SeenRecord> all = log.read_all();
    REQUIRE(all.size() == 15);
    for (size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i].offset == static_cast<int64_t>(i));
      CHECK(all[i].timestamp_ms == kStartMs + static_cast<int64_t>(i % 3));
    }
    CHECK(log.log->offsets().high_watermark == Offset(15));
  }
}

TEST_CASE("log: the high watermark waits for the sync, readers of the log end do not", "[log]") {
  SimFileSystem disk(1);
  OpenLog log(disk, config_of(FlushPolicy::kCommit));
  log.create();
  std::vector<AppendInput> inputs;
  inputs.push_back(make_input({.records = 2}));
  const std::unique_ptr<LogAppend> append = log.log->begin_append(inputs, kStartMs);
  CHECK(inputs.empty());
  append->write();
  CHECK(log.log->offsets().log_end == Offset(0));
  log.log->on_written(*append);
  CHECK(log.log->offsets().log_end == Offset(2));
  CHECK(log.log->offsets().high_watermark == Offset(0));
  REQUIRE(append->needs_sync());
  append->sync();
  log.log->on_synced(*append);
  CHECK(log.log->offsets().high_watermark == Offset(2));
}

TEST_CASE("log: appends that are written may wait for one sync together", "[log]") {
  SimFileSystem disk(1);
  OpenLog log(disk, config_of(FlushPolicy::kCommit));
  log.create();
  REQUIRE(!log.append_one({.records = 1}).error);  // makes the file
  std::vector<std::unique_ptr<LogAppend>> appends;
  for (int i = 0; i < 3; ++i) {
    std::vector<AppendInput> inputs;
    inputs.push_back(make_input({.records = 2}));
    appends.push_back(log.log->begin_append(inputs, kStartMs));
    REQUIRE(appends.back()->is_plain());
    appends.back()->write();
    log.log->on_written(*appends.back());
  }
  CHECK(log.log->offsets().log_end == Offset(7));
  CHECK(log.log->offsets().high_watermark == Offset(1));
  const auto finish = [&](size_t begin, size_t end) {
    for (size_t i = begin; i + 1 < end; ++i) appends[i]->share_sync_of(*appends[end - 1]);
    for (size_t i = begin; i < end; ++i) log.log->on_synced(*appends[i]);
  };
  SECTION("each goes as far as its sync") {
    appends[1]->sync();
    finish(0, 2);
    CHECK(log.log->offsets().high_watermark == Offset(5));
    appends[2]->sync();
    finish(2, 3);
    CHECK(log.log->offsets().high_watermark == Offset(7));
    CHECK(log.read_all().size() == 7);
  }
  SECTION("a failed one fails all, and all behind it") {
    disk.fail_sync_at(1);
    appends[1]->sync();
    finish(0, 2);
    appends[2]->sync();
    finish(2, 3);
    for (const auto& append : appends) CHECK(append->outcomes[0].error);
    CHECK(log.log->health().offline);
    CHECK(log.log->offsets().high_watermark == Offset(1));
  }
}

TEST_CASE("log: append time is stamped, with a CRC that holds", "[log]") {
  SimFileSystem disk(1);
  LogConfig config = config_of(FlushPolicy::kNone);
  config.timestamp_type = TimestampType::kLogAppendTime;
  OpenLog log(disk, config);
  log.create();
  log.now_ms = kStartMs + 5;
  const BatchOutcome outcome = log.append_one({.records = 2, .codec = Codec::kZstd, .timestamp_ms = 17});
  CHECK(outcome.append_time_ms == kStartMs + 5);
  const std::vector<SeenRecord> all = log.read_all();  // checks CRCs
  REQUIRE(all.size() == 2);
  CHECK(all[1].timestamp_ms == kStartMs + 5);
}

TEST_CASE("log: one job takes many batches, in order", "[log]") {
  SimFileSystem disk(1);
  OpenLog log(disk, config_of(FlushPolicy::kCommit));
  log.create();
  std::vector<AppendInput> inputs;
  for (int i = 0; i < 100; ++i)
    inputs.push_back(make_input({.records = 1 + i % 3, .text = fmt::format("batch {}", i)}));
  const uint64_t syncs_before = disk.operations();
  const std::vector<BatchOutcome> outcomes = log.append(std::move(inputs));
  REQUIRE(outcomes.size() == 100);
  CHECK(disk.operations() - syncs_before == 2);  // one write, one sync
  int64_t next = 0;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    CHECK(outcomes[i].base_offset.v == next);
    next += 1 + static_cast<int64_t>(i % 3);
  }
  CHECK(log.read_all().size() == static_cast<size_t>(next));
}

TEST_CASE("segment: rolls by size, and a job stops before it", "[log][roll]") {
  SimFileSystem disk(1);
  LogConfig config = config_of(FlushPolicy::kCommit);
  config.segment_bytes = 1000;
  OpenLog log(disk, config);
  log.create();
  std::vector<AppendInput> inputs;
  for (int i = 0; i < 20; ++i) inputs.push_back(make_input({.value_bytes = 100}));
  const std::vector<BatchOutcome> outcomes = log.append(std::move(inputs));
  CHECK(outcomes.size() == 20);
  CHECK(log.log->segment_count() == 4);  // 171 bytes a batch: five in each
  CHECK(log.read_all().size() == 20);
}

TEST_CASE("segment: append past index range rolls", "[log][roll]") {
  SimFileSystem disk(1);
  OpenLog log(disk, config_of(FlushPolicy::kNone));
  log.create();
  const auto append_with_delta = [&log](int32_t last_offset_delta) {
    AppendInput input = make_input({});
    to_big_endian(last_offset_delta, input.batch.bytes.unpublished().data() + kLastOffsetDeltaAt);
    input.batch.last_offset_delta = last_offset_delta;
    std::vector<AppendInput> inputs;
    inputs.push_back(std::move(input));
    return log.append(std::move(inputs))[0];
  };
  CHECK(append_with_delta(INT32_MAX - 10).base_offset == Offset(0));
  CHECK(append_with_delta(5).base_offset == Offset(INT32_MAX - 9));
  CHECK(log.log->segment_count() == 1);
  CHECK(append_with_delta(20).base_offset == Offset(int64_t{INT32_MAX} - 3));
  CHECK(log.log->segment_count() == 2);
  CHECK(log.log->offsets().log_end == Offset(int64_t{INT32_MAX} + 18));
}

TEST_CASE("segment: rolls by age of records and by our clock", "[log][roll]") {
  SimFileSystem disk(1);
  LogConfig config = config_of(FlushPolicy::kNone);
  config.segment_ms = 1000;
  OpenLog log(disk, config);
  log.create();
  log.now_ms = kStartMs;
  log.append_one({.timestamp_ms = kStartMs - 100'000});
  log.append_one({.timestamp_ms = kStartMs - 100'000 + 1000});
  CHECK(log.log->segment_count() == 1);
  log.append_one({.timestamp_ms = kStartMs - 100'000 + 1001});
  CHECK(log.log->segment_count() == 2);
  SECTION("a record from the far future counts as now") {
    log.append_one({.timestamp_ms = kStartMs + 1'000'000'000});
    CHECK(log.log->segment_count() == 3);
    log.append_one({.timestamp_ms = kStartMs + 500});
    CHECK(log.log->segment_count() == 3);
  }
  SECTION("without timestamps the clock counts") {
    log.append_one({.timestamp_ms = kNoTimestamp});
    CHECK(log.log->segment_count() == 2);
    log.now_ms += 1001;
    log.append_one({.timestamp_ms = kNoTimestamp});
    CHECK(log.log->segment_count() == 3);
  }
}

TEST_CASE("segment: rolls when its index is full", "[log][roll]") {
  SimFileSystem disk(1);
  LogConfig config = config_of(FlushPolicy::kNone);
  config.index_interval_bytes = 1;
  config.segment_index_bytes = 36;  // three entries of the time index
  OpenLog log(disk, config);
  log.create();
  log.append_many(10, {});
  CHECK(log.log->segment_count() == 3);
  CHECK(log.read_all().size() == 10);
}

TEST_CASE("segment: a batch larger than a segment is refused alone", "[log]") {
  SimFileSystem disk(1);
  LogConfig config = config_of(FlushPolicy::kNone);
  config.segment_bytes = 500;
  OpenLog log(disk, config);
  log.create();
  std::vector<AppendInput> inputs;
  inputs.push_back(make_input({}));
  inputs.push_back(make_input({.value_bytes = 1000}));
  inputs.push_back(make_input({}));
  const std::vector<BatchOutcome> outcomes = log.append(std::move(inputs));
  REQUIRE(outcomes[1].error);
  CHECK(outcomes[1].error->code == Errc::kMessageTooLarge);
  CHECK(outcomes[2].base_offset == Offset(1));
}

TEST_CASE("log: a full disk refuses, keeps serving, and resumes by itself", "[log][disk]") {
  SimFileSystem disk(7);
  OpenLog log(disk, config_of(FlushPolicy::kCommit));
  log.create();
  log.append_many(3, {.value_bytes = 100});
  disk.limit_space_to_used_and(50);
  const BatchOutcome refused = log.append_one({.value_bytes = 100});
  REQUIRE(refused.error);
  CHECK(refused.error->code == Errc::kNoSpace);
  CHECK(!log.log->health().offline);
  CHECK(log.read_all().size() == 3);
  CHECK(disk.stat("/data/t-0/00000000000000000000.log")->size_bytes == log.log->size_bytes());  // no half batch
  disk.set_space_bytes(std::nullopt);
  CHECK(log.append_one({.value_bytes = 100}).base_offset == Offset(3));
  CHECK(log.read_all().size() == 4);
}

TEST_CASE("log: a full disk during roll leaves a log that goes on", "[log][disk]") {
  SimFileSystem disk(7);
  LogConfig config = config_of(FlushPolicy::kCommit);
  config.segment_bytes = 400;
  OpenLog log(disk, config);
  log.create();
  log.append_many(2, {.value_bytes = 100});
  disk.limit_space_to_used_and(0);
  REQUIRE(log.append_one({.value_bytes = 100}).error);
  log.recover_unclean();
  CHECK(log.read_all().size() == 2);
  REQUIRE(log.append_one({.value_bytes = 100}).error);
  disk.set_space_bytes(std::nullopt);
  CHECK(!log.append_one({.value_bytes = 100}).error);
  CHECK(log.read_all().size() == 3);
}

TEST_CASE("log: below the disk reserve clients are refused, internal logs go on", "[log][disk]") {
  SimFileSystem disk(7);
  OpenLog log(disk);
  log.create();
  log.health.below_reserve = true;
  const BatchOutcome refused = log.append_one({});
  REQUIRE(refused.error);
  CHECK(refused.error->code == Errc::kNoSpace);
  log.health.below_reserve = false;
  CHECK(!log.append_one({}).error);
}

TEST_CASE("log: a failed sync takes it offline for writes, reads go on", "[log][disk]") {
  SimFileSystem disk(3);
  OpenLog log(disk, config_of(FlushPolicy::kCommit));
  log.create();
  log.append_many(2, {});
  disk.fail_sync_at(1);
  const BatchOutcome failed = log.append_one({});
  REQUIRE(failed.error);
  CHECK(failed.error->code == Errc::kOffline);
  CHECK(log.log->offsets().high_watermark == Offset(2));
  REQUIRE(log.log->health().offline);
  const BatchOutcome later = log.append_one({});  // syncs would succeed again, but may lie
  REQUIRE(later.error);
  CHECK(later.error->code == Errc::kOffline);
  CHECK(log.read_from(Offset(0)).size() == 3);
  CHECK(log.log->begin_checkpoint(kStartMs) == nullptr);
  CHECK(log.log->begin_close() == nullptr);
}

TEST_CASE("log: a failed directory sync after a roll takes it offline too", "[log][disk]") {
  SimFileSystem disk(3);
  LogConfig config = config_of(FlushPolicy::kCommit);
  config.segment_bytes = 400;
  OpenLog log(disk, config);
  log.create();
  log.append_many(2, {.value_bytes = 100});
  disk.fail_directory_sync_at(1);
  REQUIRE(log.append_one({.value_bytes = 100}).error);
  CHECK(log.log->health().offline);
}

TEST_CASE("log: a failed write rolls sequences back", "[log][producer]") {
  SimFileSystem disk(3);
  OpenLog log(disk, config_of(FlushPolicy::kNone));
  log.create();
  REQUIRE(!log.append_one({.producer_id = 5, .base_sequence = 0}).error);
  disk.limit_space_to_used_and(10);
  REQUIRE(log.append_one({.producer_id = 5, .base_sequence = 1}).error);
  REQUIRE(log.append_one({.producer_id = 6, .base_sequence = 0}).error);
  disk.set_space_bytes(std::nullopt);
  const BatchOutcome again = log.append_one({.producer_id = 5, .base_sequence = 1});
  REQUIRE(!again.error);
  CHECK(!again.duplicate);
  CHECK(again.base_offset == Offset(1));
  CHECK(log.log->producers().size() == 1);
}

TEST_CASE("log: policy may change to commit over segments that were never synced", "[log]") {
  SimFileSystem disk(11);
  LogConfig config = config_of(FlushPolicy::kNone);
  config.segment_bytes = 400;
  OpenLog log(disk, config);
  log.create();
  log.append_many(7, {.value_bytes = 100});
  config.flush = FlushPolicy::kCommit;
  log.config = config;
  log.log->set_config(config);
  log.append_one({.value_bytes = 100});
  const std::vector<SeenRecord> before = log.read_all();
  CHECK(before.size() == 8);
  disk.lose_power();
  log.recover_unclean();
  const std::vector<SeenRecord> after = log.read_all();
  CHECK(after == before);
}

TEST_CASE("append: room that is kept ahead is there on a full disk, over a crash too", "[log][append]") {
  for (const bool loses_power : {false, true}) {
    SimFileSystem disk(1);
    disk.set_now_ms(kStartMs);  // by the file's own time it would be old after the crash, and roll
    LogConfig config = small_segments(FlushPolicy::kCommit);
    config.segment_bytes = 1 << 20;
    config.room_ahead_bytes = 3000;
    OpenLog log(disk, config);
    log.kind = LogKind::kJournal;
    log.create();
    log.append_many(3, {.value_bytes = 100});
    const int64_t size = log.log->size_bytes();
    CHECK(size_of(disk, kFirstLog) == size);
    for (const char* name : {"partition.metadata", "leader-epoch-checkpoint"}) {  // made without a sync
      REQUIRE((*disk.open(join_path(kFolder, name), OpenMode::kReadWrite))->sync(SyncKind::kData));
    }
    disk.limit_space_to_used_and(0);
    log.log.reset();
    if (loses_power) {
      disk.lose_power();
    } else {
      disk.kill_process();
    }
    log.recover_unclean();
    CHECK(log.log->leader_epoch() == 0);  // for nobody reads it; and so no file is needed for another one
    int taken = 0;
    while (!log.append_one({.value_bytes = 100}).error) ++taken;
    CHECK(taken * (size / 3) >= config.room_ahead_bytes - size / 3);
    CHECK(taken < 50);
    const std::vector<SeenRecord> before = log.read_all();
    CHECK(before.size() == static_cast<size_t>(3 + taken));
    // What was cut back is kept for the next one, which may be smaller.
    CHECK(log.append_one({.value_bytes = 100}).error->code == Errc::kNoSpace);
    disk.set_space_bytes(std::nullopt);
    CHECK(log.append_one({.value_bytes = 100}).base_offset == Offset(3 + taken));
    disk.limit_space_to_used_and(0);
    for (int i = 1; i < 10; ++i) CHECK(log.append_one({.value_bytes = 100}).base_offset == Offset(3 + taken + i));
  }
}

TEST_CASE("append: a torn tail that is cut at a start costs no room", "[log][append]") {
  SimFileSystem disk(1);
  disk.set_now_ms(kStartMs);  // by the file's own time it would be old after the crash, and roll
  LogConfig config = small_segments(FlushPolicy::kCommit);
  config.segment_bytes = 1 << 20;
  config.room_ahead_bytes = 3000;
  OpenLog log(disk, config);
  log.kind = LogKind::kJournal;
  log.create();
  log.append_many(3, {.value_bytes = 100});
  append_bytes(disk, kFirstLog, std::vector<uint8_t>(33, 9));
  log.recover_unclean();
  CHECK(log.report.cut_bytes == 33);
  disk.limit_space_to_used_and(0);
  for (int i = 3; i < 13; ++i) CHECK(log.append_one({.value_bytes = 100}).base_offset == Offset(i));
}
