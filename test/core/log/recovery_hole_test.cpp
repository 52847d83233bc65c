// recovery_hole_test.cpp: where records are lost, readers are carried across their offsets: by a batch without records
// when nothing stands behind them.
#include <algorithm>

#include "core/log/file_names.h"
#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

LogConfig one_segment(FlushPolicy flush = FlushPolicy::kCommit) {
  LogConfig config = small_segments(flush);
  config.segment_bytes = 1 << 20;
  return config;
}

// Whoever begins anywhere in the log comes to its end, and waits there and nowhere else.
void require_carried(OpenLog& log) {
  const LogOffsets& offsets = log.log->offsets();
  for (Offset from = offsets.log_start; from < std::min(offsets.log_end, offsets.log_start + 60); from += 1) {
    INFO("from " << from.v << " to " << offsets.log_end.v);
    REQUIRE(log.read_on_from(from) == offsets.log_end);
  }
}

// Of every kind of start, one after the other.
void require_carried_over_restarts(OpenLog& log) {
  const Offset end = log.log->offsets().log_end;
  require_carried(log);
  const size_t segments = log.log->segment_count();
  log.recover_unclean(log.log->recovery_point());
  CHECK(log.report.damaged.empty());
  require_carried(log);
  log.close();
  log.recover_clean();
  CHECK(log.report.damaged.empty());
  CHECK(log.log->offsets().log_end == end);
  CHECK(log.log->segment_count() == segments);
  require_carried(log);
  CHECK(log.append_one({.text = "after"}).base_offset == end);
  require_carried(log);
  REQUIRE(records_of(*log.read(end)).front().value.starts_with("after"));
}

// Batches of one record each, of which the file has the first only.
void lose_all_but(OpenLog& log, int64_t count, int64_t written) {
  log.append_many(static_cast<int>(written), {});
  log.close();
  const int64_t batch_bytes = size_of(log.files, kFirstLog) / written;
  truncate_file(log.files, kFirstLog, batch_bytes * count);
}

}  // namespace

TEST_CASE("recovery hole: behind a corrupt middle stands a batch as Kafka's cleaner leaves them", "[log][recovery]") {
  for (const FlushPolicy flush : {FlushPolicy::kNone, FlushPolicy::kCommit}) {
    SimFileSystem disk(5);
    OpenLog log(disk, one_segment(flush));
    log.create();
    log.append_many(2, {});
    const int64_t good = log.log->size_bytes();
    log.append_many(5, {.value_bytes = 100});
    flip_bit(disk, kFirstLog, good + 80);
    log.recover_unclean();
    REQUIRE(log.report.saved_aside_bytes > 0);
    CHECK(log.log->offsets().log_end == Offset(7));
    const Result<FetchedBatches> fetched = log.read(Offset(2));
    REQUIRE(fetched);
    REQUIRE(fetched->pieces.size() == 1);
    const BatchView batch(fetched->pieces[0].view());
    REQUIRE(fetched->size_bytes == static_cast<int64_t>(kBatchHeaderBytes));
    CHECK(batch.crc_matches());
    CHECK(batch.base_offset() == Offset(2));
    CHECK(batch.last_offset_delta() == 4);
    CHECK(batch.record_count() == 0);
    CHECK(batch.attributes() == 0);
    CHECK(batch.base_timestamp() == kNoTimestamp);
    CHECK(batch.max_timestamp() == kNoTimestamp);
    CHECK(batch.producer_id() == kNoProducerId);
    CHECK(batch.producer_epoch() == kNoProducerEpoch);
    CHECK(batch.base_sequence() == kNoSequence);
    CHECK(batch.leader_epoch() == log.log->leader_epoch());
    // Who has read what is gone now learns it.
    CHECK(log.log->end_offset_for(0).end_offset == Offset(2));
    require_carried_over_restarts(log);
  }
}

TEST_CASE("recovery hole: look-ups, producers and epochs do not mind the batch", "[log][recovery]") {
  SimFileSystem disk(5);
  OpenLog log(disk, one_segment());
  log.create();
  log.append_one({.records = 2, .timestamp_ms = kStartMs + 7, .producer_id = 9, .base_sequence = 0});
  const int64_t good = log.log->size_bytes();
  log.append_many(5, {.value_bytes = 100, .timestamp_ms = kStartMs + 1000});
  flip_bit(disk, kFirstLog, good + 80);
  log.recover_unclean();
  for (int start = 0; start < 2; ++start) {
    CHECK(log.lookup(kStartMs)->offset == Offset(0));
    CHECK_FALSE(log.lookup(kStartMs + 1000));
    CHECK(log.lookup_max()->offset == Offset(1));
    REQUIRE(log.log->producers().size() == 1);
    CHECK(log.log->producers()[0].last_sequence == 1);
    disk.remove_matching("index");
    disk.remove_matching(".snapshot");
    disk.remove_matching("leader-epoch-checkpoint");
    log.recover_unclean();
    CHECK(log.report.damaged.empty());
  }
  CHECK(log.append_one({.records = 1, .timestamp_ms = kStartMs + 2000, .producer_id = 9, .base_sequence = 2})
            .base_offset == Offset(7));
  CHECK(log.lookup(kStartMs + 1000)->offset == Offset(7));
  CHECK(log.lookup_max()->offset == Offset(7));
}

TEST_CASE("recovery hole: records that were durable and are gone without a trace", "[log][recovery]") {
  for (const bool clean : {true, false}) {
    for (const int64_t left : {int64_t{3}, int64_t{1}, int64_t{0}}) {
      INFO("clean " << clean << ", left " << left);
      SimFileSystem disk(5);
      OpenLog log(disk, one_segment());
      log.create();
      lose_all_but(log, left, 10);
      REQUIRE(log.recover({.clean_shutdown = clean, .recovery_point = Offset(10)}));
      CHECK(!log.report.damaged.empty());
      CHECK(log.log->offsets().log_start == Offset(0));
      CHECK(log.log->offsets().log_end == Offset(10));
      CHECK(log.read_all().size() == static_cast<size_t>(left));
      require_carried_over_restarts(log);
    }
  }
}

TEST_CASE("recovery hole: in front of an empty segment, as an older start left it", "[log][recovery]") {
  for (const bool clean : {true, false}) {
    INFO("clean " << clean);
    SimFileSystem disk(5);
    OpenLog log(disk, one_segment());
    log.create();
    log.append_many(5, {});
    log.close();
    REQUIRE(disk.open(segment_path(kFolder, Offset(40), kLogSuffix), OpenMode::kCreate));
    REQUIRE(disk.sync_directory(kFolder));
    REQUIRE(log.recover({.clean_shutdown = clean, .recovery_point = Offset(40)}));
    REQUIRE(log.report.damaged.size() == 1);  // who knows whether that start told of it
    CHECK(log.report.damaged[0].find("nothing stands for offsets 5 to 39") != std::string::npos);
    CHECK(log.log->offsets().log_end == Offset(40));
    CHECK(log.log->leader_epoch() == (clean ? 0 : 1));
    CHECK(log.log->segment_count() == 3);
    CHECK(log.read_all().size() == 5);
    require_carried_over_restarts(log);
  }
}

TEST_CASE("recovery hole: beyond an empty segment", "[log][recovery]") {
  SimFileSystem disk(5);
  OpenLog log(disk, one_segment());
  log.create();
  log.append_many(5, {});
  log.close();
  REQUIRE(disk.open(segment_path(kFolder, Offset(20), kLogSuffix), OpenMode::kCreate));
  REQUIRE(disk.sync_directory(kFolder));
  log.recover_unclean(Offset(50));
  CHECK(log.log->offsets().log_end == Offset(50));
  CHECK(log.log->segment_count() == 2);
  require_carried_over_restarts(log);
}

TEST_CASE("recovery hole: as wide as offsets go", "[log][recovery]") {
  for (const int64_t end : {int64_t{INT32_MAX} + 3, int64_t{INT32_MAX} + 4, int64_t{INT32_MAX} + 5,
                            int64_t{10'000'000'000}, int64_t{1} << 60}) {
    INFO("end " << end);
    SimFileSystem disk(5);
    OpenLog log(disk, one_segment());
    log.create();
    lose_all_but(log, 3, 5);
    log.recover_unclean(Offset(end));
    REQUIRE(log.log->offsets().log_end == Offset(end));
    CHECK(log.log->segment_count() == 2);
    for (const int64_t from : {int64_t{0}, int64_t{3}, int64_t{4}, end / 2, end - 1}) {
      CHECK(log.read_on_from(Offset(from)) == Offset(end));
    }
    require_carried_over_restarts(log);
  }
}

TEST_CASE("recovery hole: a gap in the middle needs no batch", "[log][recovery]") {
  SimFileSystem disk(5);
  OpenLog log(disk, small_segments(FlushPolicy::kCommit));
  log.create();
  log.append_many(20, {.records = 2, .value_bytes = 100});
  REQUIRE(log.log->segment_count() == 3);
  log.close();
  REQUIRE(disk.remove(segment_path(kFolder, Offset(14), kLogSuffix)));
  for (const bool clean : {true, false}) {
    REQUIRE(log.recover({.clean_shutdown = clean, .recovery_point = Offset(40)}));
    CHECK(log.log->segment_count() == 2);
    CHECK(log.read_all().size() == 26);
    require_carried(log);
  }
}

TEST_CASE("recovery hole: a log whose folder is lost begins where it was known to be", "[log][recovery]") {
  for (const bool made_anew : {false, true}) {  // by the start that finds it missing
    for (const bool start_is_forgotten : {false, true}) {
      INFO("made anew " << made_anew << ", forgotten " << start_is_forgotten);
      SimFileSystem disk(5);
      OpenLog log(disk, one_segment());
      log.create();
      if (!made_anew) {
        log.append_many(10, {});
        log.close();
        REQUIRE(disk.remove(kFirstLog));
      }
      log.recover_unclean(Offset(10), made_anew ? Offset(10) : Offset(0));
      CHECK(log.log->offsets().log_start == Offset(10));
      CHECK(log.log->offsets().log_end == Offset(10));
      if (start_is_forgotten) {  // by a crash before it was written down
        log.recover_unclean(Offset(10));
        CHECK(log.log->offsets().log_end == Offset(10));
        require_carried(log);
      }
      CHECK(log.append_one({}).base_offset == Offset(10));
      require_carried(log);
    }
  }
}

TEST_CASE("recovery hole: damage that stays is told of, not passed over", "[log][recovery]") {
  SimFileSystem disk(5);
  OpenLog log(disk, one_segment());
  log.create();
  lose_all_but(log, 3, 10);
  append_bytes(disk, kFirstLog, std::vector<uint8_t>(30, 7));
  for (int start = 0; start < 3; ++start) {
    log.recover_unclean(Offset(10));
    CHECK(log.log->offsets().log_end == Offset(10));
    for (int64_t from = 3; from < 10; ++from) CHECK(log.read(Offset(from)).error().code == Errc::kCorrupt);
  }
}

TEST_CASE("recovery hole: the power may go at any moment of covering it", "[log][recovery][power]") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    bool is_cut_short = true;
    for (uint64_t operation = 1; is_cut_short; ++operation) {
      INFO("seed " << seed << " operation " << operation);
      REQUIRE(operation < 100);
      SimFileSystem disk(seed);
      OpenLog log(disk, one_segment(seed % 2 == 0 ? FlushPolicy::kNone : FlushPolicy::kCommit));
      log.create();
      lose_all_but(log, 3, 10);
      REQUIRE((*disk.open(kFirstLog, OpenMode::kReadWrite))->sync(SyncKind::kData));
      disk.lose_power_at(operation);
      (void)log.recover({.recovery_point = Offset(10)});
      is_cut_short = disk.power_is_out();
      log.log.reset();
      disk.lose_power_at(0);
      disk.lose_power();
      log.recover_unclean(Offset(10));
      REQUIRE(log.log->offsets().log_end == Offset(10));
      REQUIRE(log.read_all().size() == 3);
      require_carried(log);
      for (const std::string& name : log.file_names()) REQUIRE_FALSE(name.ends_with(kTemporarySuffix));
    }
  }
}

TEST_CASE("recovery hole: a full disk does not keep the rest from being served", "[log][recovery]") {
  int opened = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SimFileSystem disk(seed);
    OpenLog log(disk, one_segment());
    log.create();
    lose_all_but(log, 3, 10);
    disk.limit_space_to_used_and(0);
    const Result<void> started = log.recover({.recovery_point = Offset(10)});
    if (!started) {  // not even a name
      CHECK(started.error().code == Errc::kNoSpace);
      continue;
    }
    ++opened;
    CHECK(log.log->offsets().log_end == Offset(10));
    CHECK(log.read_all().size() == 3);
    disk.set_space_bytes(std::nullopt);
    log.recover_unclean(Offset(10));
    require_carried(log);
  }
  CHECK(opened > 0);
}
