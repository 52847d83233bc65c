// found_by_simulation_test.cpp: what the power-loss simulation (test/simulation) has found, each as the smallest
// story that shows it, over some seeds of the disk.
#include <fmt/format.h>

#include "core/log/file_names.h"
#include "test/core/log/log_fixture.h"

namespace leat::test {
namespace {

constexpr uint64_t kSeeds = 200;
const LogConfig kDurable{.segment_bytes = 2000, .index_interval_bytes = 200, .flush = FlushPolicy::kCommit};

void after_power_loss(SimFileSystem& files, OpenLog& log, Offset recovery_point = Offset(0)) {
  log.log.reset();
  files.lose_power();
  log.health = {};
  log.recover_unclean(recovery_point);
}

// Offsets from the log start on are dense, and end at the log end.
void require_dense(OpenLog& log) {
  int64_t next = log.log->offsets().log_start.v;
  for (const SeenRecord& record : log.read_all()) REQUIRE(record.offset == next++);
  REQUIRE(next == log.log->offsets().log_end.v);
}

}  // namespace

TEST_CASE("read: a limit that ends inside a segment does not go on in the next one", "[log][read]") {
  SimFileSystem files(1);
  OpenLog log(files, kDurable);
  log.create();
  log.append_many(1, {.value_bytes = 50});
  log.append_many(1, {.value_bytes = 1500});
  log.append_many(1, {.value_bytes = 700});  // rolls
  log.append_many(1, {.value_bytes = 50});
  REQUIRE(log.log->segment_count() == 2);
  for (int64_t bytes_max = 1; bytes_max < 3000; bytes_max += 7) {
    const Result<FetchedBatches> fetched = log.read(Offset(0), {.bytes_max = bytes_max});
    REQUIRE(fetched);
    int64_t next = 0;
    for (const SeenRecord& record : records_of(*fetched)) REQUIRE(record.offset == next++);
  }
}

TEST_CASE("append: torn bytes of a failed write do not come back under what was acknowledged behind them",
          "[log][append]") {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    SimFileSystem files(seed);
    OpenLog log(files, kDurable);
    log.create();
    log.append_many(1, {.value_bytes = 900});
    files.set_fault_rates({.short_write_one_in = 1});
    REQUIRE(log.append_one({.value_bytes = 900}).error);
    files.set_fault_rates({});
    log.append_many(1, {.value_bytes = 1400});  // does not fit: a new segment
    REQUIRE(log.log->segment_count() == 2);
    after_power_loss(files, log);
    REQUIRE(log.log->offsets().log_end == Offset(2));
    REQUIRE(log.read_all().size() == 2);
    CHECK(log.report.damaged.empty());
  }
}

TEST_CASE("recovery: what it shows after a failed sync is what the disk has", "[log][recovery]") {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    SimFileSystem files(seed);
    OpenLog log(files, kDurable);
    log.create();
    log.append_many(1, {.value_bytes = 100});
    files.fail_sync_at(1);
    REQUIRE(log.append_one({.records = 3, .value_bytes = 300}).error);
    log.log.reset();
    files.kill_process();
    log.health = {};
    log.recover_unclean();
    log.append_many(1, {.value_bytes = 100});
    const std::vector<SeenRecord> seen = log.read_all();
    after_power_loss(files, log);
    REQUIRE(log.read_all() == seen);
  }
}

TEST_CASE("recovery: the name of a file that a failed write made is not taken for durable", "[log][recovery]") {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    SimFileSystem files(seed);
    OpenLog log(files, kDurable);
    log.create();
    log.append_many(1, {.value_bytes = 1500});
    log.run(log.log->begin_checkpoint(log.now_ms));
    files.set_fault_rates({.write_error_one_in = 1});
    REQUIRE(log.append_one({.value_bytes = 1000}).error);
    files.set_fault_rates({});
    log.log.reset();
    files.kill_process();
    log.recover_unclean(Offset(1));
    log.append_many(1, {.value_bytes = 1000});
    after_power_loss(files, log, Offset(1));
    REQUIRE(log.read_all().size() == 2);
  }
}

TEST_CASE("retention: a loss of power neither brings back a front with a hole nor turns offsets back",
          "[log][retention]") {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    SimFileSystem files(seed);
    LogConfig config = kDurable;
    config.retention_bytes = 1000;
    config.file_delete_delay_ms = 0;
    if (seed % 2 == 0) config.flush = FlushPolicy::kNone;
    OpenLog log(files, config);
    log.create();
    log.append_many(8, {.value_bytes = 1200});
    log.run(log.log->begin_checkpoint(log.now_ms));
    const Offset durable = log.log->recovery_point();
    log.append_many(1, {.value_bytes = 1200});
    std::unique_ptr<Maintenance> work = log.log->begin_retention(log.now_ms);
    REQUIRE(work);
    files.lose_power_at(1 + seed % 40);
    work->execute();
    work.reset();
    after_power_loss(files, log, seed % 3 == 0 ? Offset(0) : durable);
    REQUIRE(log.log->offsets().log_end >= durable);
    if (config.flush == FlushPolicy::kCommit) require_dense(log);
  }
}

TEST_CASE("retention: a removal that failed is done before the next one", "[log][retention]") {
  SimFileSystem files(1);
  LogConfig config = kDurable;
  config.retention_bytes = 2000;
  config.file_delete_delay_ms = 0;
  OpenLog log(files, config);
  log.create();
  log.append_many(5, {.value_bytes = 1200});
  std::unique_ptr<Maintenance> work = log.log->begin_retention(log.now_ms);
  REQUIRE(work);
  work->error = Error(Errc::kNoSpace, "full");  // as if its first step had failed
  log.log->finish(*work);
  const Offset log_start = log.log->offsets().log_start;
  log.append_many(2, {.value_bytes = 1200});
  log.retention();
  REQUIRE(log.log->offsets().log_start > log_start);
  log.recover_unclean();
  REQUIRE(log.log->offsets().log_start > log_start);
  require_dense(log);
}

TEST_CASE("read: a rotten index hides nothing", "[log][read]") {
  SimFileSystem files(1);
  OpenLog log(files, kDurable);
  log.create();
  log.append_many(30, {.value_bytes = 60});
  log.close();
  const std::vector<SeenRecord> before = log.read_all();
  const std::string index = segment_path(kFolder, Offset(0), kIndexSuffix);
  const int64_t size_bytes = files.stat(index)->size_bytes;
  REQUIRE(size_bytes >= 16);
  for (int64_t bit = 0; bit < size_bytes * 8; ++bit) {
    INFO("bit " << bit);
    REQUIRE(files.flip_bit(index, Position(bit / 8), static_cast<int>(bit % 8)));
    REQUIRE(log.recover({.clean_shutdown = true, .recovery_point = Offset(30)}));
    REQUIRE(log.read_all() == before);
    for (const SeenRecord& record : before) REQUIRE(log.read_from(Offset(record.offset)).front() == record);
    REQUIRE(files.flip_bit(index, Position(bit / 8), static_cast<int>(bit % 8)));
  }
}

TEST_CASE("lookup by time: an index file that was half written passes nothing over", "[log][time]") {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    SimFileSystem files(seed);
    OpenLog log(files, kDurable);
    log.create();
    log.append_many(6, {.value_bytes = 150});
    log.run(log.log->begin_checkpoint(log.now_ms));  // the segment is active: its index files are not synced
    const Offset point = log.log->recovery_point();
    log.append_many(20, {.value_bytes = 150, .timestamp_ms = kStartMs + 1000});
    after_power_loss(files, log, point);
    REQUIRE(log.lookup(kStartMs + 2)->offset == Offset(2));
    REQUIRE(log.lookup(kStartMs + 1000)->offset == Offset(6));
    // Rebuilt in memory, and written again by a checkpoint that fails on the way.
    files.set_fault_rates({.short_write_one_in = 3, .write_error_one_in = 3});
    std::unique_ptr<Maintenance> work = log.log->begin_checkpoint(log.now_ms);
    if (work) work->execute();
    if (work) log.log->finish(*work);
    files.set_fault_rates({});
    const Offset point_after = log.log->recovery_point();
    log.log.reset();
    files.kill_process();
    log.health = {};
    log.recover_unclean(point_after);
    REQUIRE(log.lookup(kStartMs + 2)->offset == Offset(2));
    REQUIRE(log.lookup(kStartMs + 1000)->offset == Offset(6));
  }
}

}  // namespace leat::test
