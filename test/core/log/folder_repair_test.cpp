// folder_repair_test.cpp: damage is taken out and kept aside, whole batches stay, and what is left is a log that
// readers get through; whatever was damaged, and whenever the power goes.
#include "core/log/folder_repair.h"

#include <algorithm>

#include "core/log/checkpoint_text.h"
#include "core/log/file_names.h"
#include "core/log/folder_check.h"
#include "core/log/side_file.h"
#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

constexpr std::string_view kRecoveryPoints = "/data/recovery-point-offset-checkpoint";

// A data directory with one partition, stopped in order: 20 batches of one record, five in a segment.
struct Stopped {
  SimFileSystem disk;
  OpenLog log;
  std::vector<SeenRecord> before;
  int64_t batch_bytes = 0;

  static LogConfig settings() {
    LogConfig config = small_segments(FlushPolicy::kCommit);
    config.segment_bytes = 1000;
    return config;
  }

  explicit Stopped(uint64_t seed) : disk(seed), log(disk, settings()) {
    log.create();
    log.append_many(20, {.value_bytes = 100});
    log.close();
    before = log.read_all();
    REQUIRE(log.log->segment_count() == 4);
    log.log.reset();
    batch_bytes = size_of(disk, kFirstLog) / 5;
    const std::string points = encode_offset_checkpoint({{TopicPartition{"t", 0}, Offset(20)}});
    REQUIRE(replace_text_file(disk, kRecoveryPoints, points, SyncKind::kData));
  }

  Result<RepairReport> repair(RepairMode mode = RepairMode::kRepair) {
    const auto use = mode == RepairMode::kDryRun ? OfflineDirectory::Use::kLook : OfflineDirectory::Use::kChange;
    TRY(directory, OfflineDirectory::open(disk, "/data", use));
    return repair_folder(directory, std::string(kFolder), mode, kStartMs);
  }

  FolderCheck check() {
    Result<FolderCheck> check = check_folder(disk, std::string(kFolder), {.recovery_point = Offset(20)});
    if (!check) FAIL(check.error().context);
    return std::move(*check);
  }

  // As leatd starts after a clean stop, or a crash.
  void start(bool clean) {
    const Result<void> started = log.recover({.clean_shutdown = clean, .recovery_point = Offset(20)});
    if (!started) FAIL(started.error().context);
  }

  void require_whole(size_t records) {
    for (const bool clean : {true, false}) {
      start(clean);
      REQUIRE(log.report.damaged.empty());
      REQUIRE(log.log->offsets().log_end >= Offset(20));
      REQUIRE(log.read_all().size() == records);
      REQUIRE(log.read_on_from(log.log->offsets().log_start) == log.log->offsets().log_end);
      log.log.reset();
    }
  }
};

int64_t good_records(const FolderCheck& check) {
  int64_t count = 0;
  for (const SegmentCheck& segment : check.segments) count += segment.record_count;
  return count;
}

std::vector<std::string> texts_of(OpenLog& log) {
  std::vector<std::string> texts;
  for (const std::string& name : log.file_names()) {
    texts.push_back(name + ": " + file_text(log.files, join_path(kFolder, name)));
  }
  return texts;
}

}  // namespace

TEST_CASE("folder repair: damage is taken out, and all that is good stays", "[log][check]") {
  Stopped stopped(3);
  const std::string first(kFirstLog);
  const int64_t batch_bytes = stopped.batch_bytes;
  flip_bit(stopped.disk, first, batch_bytes * 1 + 90);
  flip_bit(stopped.disk, first, batch_bytes * 3 + static_cast<int64_t>(kBatchLengthAt) + 1);
  flip_bit(stopped.disk, "/data/t-0/00000000000000000005.timeindex", 2);
  const std::string damaged = file_text(stopped.disk, first);
  const Result<RepairReport> repaired = stopped.repair();
  REQUIRE(repaired);
  CHECK(repaired->removed_bytes == batch_bytes * 2);
  REQUIRE(repaired->taken_out.size() == 2);
  CHECK_FALSE(repaired->made_anew.empty());
  CHECK(repaired->lost.empty());
  CHECK(repaired->left.empty());
  for (const DamagedRange& range : repaired->taken_out) {
    CHECK(file_text(stopped.disk, side_file_path(range.path, range.begin)) ==
          damaged.substr(static_cast<size_t>(range.begin.v), static_cast<size_t>(range.size_bytes)));
  }
  const FolderCheck check = stopped.check();
  CHECK_FALSE(check.has_damage());
  CHECK(check.derived.empty());
  stopped.start(true);
  CHECK(stopped.log.report.indexes_rebuilt == 0);
  std::vector<SeenRecord> expected = stopped.before;
  expected.erase(expected.begin() + 3);
  expected.erase(expected.begin() + 1);
  CHECK(stopped.log.read_all() == expected);
  stopped.require_whole(18);
}

TEST_CASE("folder repair: not while a broker has the directory", "[log][check]") {
  Stopped stopped(3);
  flip_bit(stopped.disk, kFirstLog, 90);
  SeededRandom random(1);
  {
    const auto directory =
        LogDirectory::open({.files = stopped.disk, .path = "/data", .random = random, .cluster_id = std::nullopt});
    REQUIRE(directory);
    const Result<RepairReport> refused = stopped.repair();
    REQUIRE(!refused);
    CHECK(refused.error().code == Errc::kLocked);
    CHECK(refused.error().context.find("stop it first") != std::string::npos);
    CHECK(stopped.repair(RepairMode::kDryRun));
  }
  CHECK(stopped.repair());
}

TEST_CASE("folder repair: a dry run says the same, and changes nothing", "[log][check]") {
  Stopped stopped(3);
  flip_bit(stopped.disk, "/data/t-0/00000000000000000005.log", 70);
  truncate_file(stopped.disk, "/data/t-0/00000000000000000015.log", 2 * stopped.batch_bytes + 20);
  const std::vector<std::string> texts = texts_of(stopped.log);
  const uint64_t operations = stopped.disk.operations();
  const Result<RepairReport> dry = stopped.repair(RepairMode::kDryRun);
  REQUIRE(dry);
  CHECK(stopped.disk.operations() == operations);
  CHECK(texts_of(stopped.log) == texts);
  CHECK(dry->removed_bytes == stopped.batch_bytes + 20);
  REQUIRE(dry->lost.size() == 1);
  CHECK(dry->lost[0].find("17 to 19") != std::string::npos);
  const Result<RepairReport> repaired = stopped.repair();
  REQUIRE(repaired);
  CHECK(repaired->removed_bytes == dry->removed_bytes);
  CHECK(repaired->lost == dry->lost);
  stopped.require_whole(16);
}

TEST_CASE("folder repair: a folder that needs nothing is not changed", "[log][check]") {
  Stopped stopped(3);
  const std::vector<std::string> texts = texts_of(stopped.log);
  const Result<RepairReport> repaired = stopped.repair();
  REQUIRE(repaired);
  CHECK_FALSE(repaired->has_work());
  CHECK(texts_of(stopped.log) == texts);
  stopped.start(true);
  CHECK(stopped.log.log->leader_epoch() == 0);
}

TEST_CASE("folder repair: a torn tail is kept aside, too", "[log][check]") {
  Stopped stopped(3);
  const std::string last = "/data/t-0/00000000000000000015.log";
  append_bytes(stopped.disk, last, std::vector<uint8_t>(33, 9));
  const Result<RepairReport> repaired = stopped.repair();
  REQUIRE(repaired);
  REQUIRE(repaired->taken_out.size() == 1);
  CHECK(repaired->taken_out[0].kind == DamageKind::kTornTail);
  CHECK(size_of(stopped.disk, last) == 5 * stopped.batch_bytes);
  CHECK(size_of(stopped.disk, side_file_path(last, Position(5 * stopped.batch_bytes))) == 33);
  stopped.require_whole(20);
}

TEST_CASE("folder repair: a copy outside of a data directory has no checkpoints", "[log][check]") {
  Stopped stopped(3);
  REQUIRE(stopped.disk.remove(kRecoveryPoints));
  flip_bit(stopped.disk, "/data/t-0/00000000000000000015.log", 70);
  REQUIRE(stopped.repair());
  CHECK_FALSE(stopped.check().has_damage());
  stopped.require_whole(19);
}

TEST_CASE("folder repair: of segments that overlap none is taken for the right one", "[log][check]") {
  Stopped stopped(3);
  put_file(stopped.disk, "/data/t-0/00000000000000000007.log",
           as_bytes(file_text(stopped.disk, "/data/t-0/00000000000000000010.log")));
  const std::vector<std::string> texts = texts_of(stopped.log);
  const Result<RepairReport> refused = stopped.repair();
  REQUIRE(refused);
  CHECK_FALSE(refused->has_work());
  CHECK(!refused->left.empty());
  CHECK(texts_of(stopped.log) == texts);
}

namespace {

void damage(Stopped& stopped, Random& random) {
  const std::vector<std::string> names = stopped.log.file_names();
  for (uint64_t i = 0; i <= random.below(4); ++i) {
    const std::string path = join_path(kFolder, names[random.below(names.size())]);
    if (path.ends_with("partition.metadata")) continue;
    const auto size = static_cast<uint64_t>(size_of(stopped.disk, path));
    switch (random.below(5)) {
      case 0:
        truncate_file(stopped.disk, path, static_cast<int64_t>(random.below(size + 1)));
        break;
      case 1:
        append_bytes(stopped.disk, path, std::vector<uint8_t>(1 + random.below(200), static_cast<uint8_t>(i)));
        break;
      default:
        if (size == 0) break;
        flip_bit(stopped.disk, path, static_cast<int64_t>(random.below(size)), static_cast<int>(random.below(8)));
        break;
    }
  }
}

}  // namespace

TEST_CASE("folder repair: whatever is damaged, all good batches are served afterwards", "[log][check][fuzz]") {
  int taken_out = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    INFO("seed " << seed);
    Stopped stopped(seed);
    SeededRandom random(seed);
    damage(stopped, random);
    const FolderCheck check = stopped.check();
    if (!check.overlaps.empty()) continue;
    const Result<RepairReport> repaired = stopped.repair();
    if (!repaired) FAIL(repaired.error().context);
    taken_out += static_cast<int>(repaired->taken_out.size());
    const FolderCheck after = stopped.check();
    REQUIRE_FALSE(after.has_damage());
    REQUIRE(after.derived.empty());
    REQUIRE_FALSE(after.lost);
    REQUIRE(good_records(after) == good_records(check));
    // An epoch that was flipped up stays so, and others behind it are found too low by a scan of what is not durable.
    stopped.start(true);
    REQUIRE(stopped.log.report.damaged.empty());
    REQUIRE(stopped.log.read_all().size() == static_cast<size_t>(good_records(check)));
    REQUIRE(stopped.log.read_on_from(stopped.log.log->offsets().log_start) == stopped.log.log->offsets().log_end);
    const BatchOutcome next = stopped.log.append_one({.text = "after"});
    if (next.error) FAIL(next.error->context);
  }
  CHECK(taken_out > 50);
}

TEST_CASE("folder repair: the power may go at any moment, and it is done again", "[log][check][power]") {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    bool is_cut_short = true;
    for (uint64_t operation = 1; is_cut_short; ++operation) {
      INFO("seed " << seed << " operation " << operation);
      REQUIRE(operation < 300);
      Stopped stopped(seed);
      flip_bit(stopped.disk, kFirstLog, stopped.batch_bytes + 90);
      flip_bit(stopped.disk, kFirstLog, 3 * stopped.batch_bytes + 90);
      truncate_file(stopped.disk, "/data/t-0/00000000000000000015.log", 2 * stopped.batch_bytes + 20);
      Result<std::unique_ptr<File>> last =
          stopped.disk.open("/data/t-0/00000000000000000015.log", OpenMode::kReadWrite);
      REQUIRE((last && (*last)->sync(SyncKind::kData)));
      stopped.disk.lose_power_at(operation);
      (void)stopped.repair();
      is_cut_short = stopped.disk.power_is_out();
      stopped.disk.lose_power_at(0);
      stopped.disk.lose_power();
      if (seed % 2 == 0) {  // a broker starts before anybody repairs
        stopped.start(false);
        stopped.log.log.reset();
        stopped.disk.kill_process();
      }
      const Result<RepairReport> repaired = stopped.repair();
      if (!repaired) FAIL(repaired.error().context);
      REQUIRE(repaired->left.empty());
      stopped.require_whole(15);
    }
  }
}
