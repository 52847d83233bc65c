// missing_records_test.cpp: segments that are gone, or shorter than they were, are told of; gaps that have a reason are
// not. By a start, by the check, and the repair covers them.
#include "core/log/missing_records.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/log/checkpoint_text.h"
#include "core/log/file_names.h"
#include "core/log/folder_check.h"
#include "core/log/folder_repair.h"
#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

std::string log_of(int64_t base_offset) { return segment_path(kFolder, Offset(base_offset), kLogSuffix); }

// Closed in order: 40 batches of one record, ten in a segment; index entries in each.
struct Closed {
  SimFileSystem disk;
  OpenLog log;
  std::vector<SeenRecord> before;
  RecoveryHints hints{.recovery_point = Offset(40), .compacted = Compacted::kNo};

  static LogConfig settings() {
    LogConfig config = small_segments(FlushPolicy::kCommit);
    config.segment_bytes = 1800;
    return config;
  }

  explicit Closed(uint64_t seed = 1) : disk(seed), log(disk, settings()) {
    log.create();
    log.append_many(40, {.value_bytes = 100});
    log.close();
    before = log.read_all();
    REQUIRE(log.log->segment_count() == 4);
    REQUIRE(disk.stat(log_of(10)));
    log.log.reset();
  }

  // The lines of one that is not told to be a clean stop, or is.
  std::vector<std::string> start(bool clean) {
    hints.clean_shutdown = clean;
    const Result<void> started = log.recover(hints);
    if (!started) FAIL(started.error().context);
    std::vector<std::string> damaged = log.report.damaged;
    return damaged;
  }
  FolderCheck check() {
    Result<FolderCheck> found = check_folder(disk, std::string(kFolder), hints);
    if (!found) FAIL(found.error().context);
    return std::move(*found);
  }
  Result<RepairReport> repair() {
    REQUIRE(replace_text_file(disk, "/data/recovery-point-offset-checkpoint",
                              encode_offset_checkpoint({{TopicPartition{"t", 0}, Offset(40)}}), SyncKind::kData));
    TRY(directory, OfflineDirectory::open(disk, "/data", OfflineDirectory::Use::kChange));
    return repair_folder(directory, std::string(kFolder), RepairMode::kRepair, kStartMs);
  }
  void remove(int64_t base_offset, std::initializer_list<std::string_view> suffixes) {
    for (const std::string_view suffix : suffixes) {
      REQUIRE(disk.remove(segment_path(kFolder, Offset(base_offset), suffix)));
    }
    REQUIRE(disk.sync_directory(kFolder));
  }
};

bool tells(const std::vector<std::string>& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(),
                     [part](const std::string& line) { return line.find(part) != std::string::npos; });
}

std::vector<std::string> texts_of(const std::vector<MissingRecords>& all) {
  std::vector<std::string> texts;
  for (const MissingRecords& missing : all) texts.push_back(missing.what);
  return texts;
}

}  // namespace

TEST_CASE("missing records: a closed segment that is gone is told of, with all its files or without",
          "[log][missing]") {
  for (const bool with_indexes : {false, true}) {
    for (const int64_t gone : {10, 20}) {
      INFO("segment " << gone << ", with its indexes " << with_indexes);
      Closed closed;
      if (with_indexes) closed.remove(gone, {kLogSuffix, kIndexSuffix, kTimeIndexSuffix});
      if (!with_indexes) closed.remove(gone, {kLogSuffix});
      const std::string range = fmt::format("the records of offsets {} to {} are missing", gone, gone + 9);
      const FolderCheck check = closed.check();
      CHECK(check.has_damage());
      CHECK(tells(texts_of(check.missing), range));
      // At each start: nothing is changed that keeps the segment from being put back.
      for (const bool clean : {true, false, true}) {
        const std::vector<std::string> damaged = closed.start(clean);
        REQUIRE(damaged.size() == 1);
        CHECK(tells(damaged, range));
        CHECK(tells(damaged, log_of(gone - 10)));
        CHECK(closed.log.report.doubts.empty());
        CHECK(closed.log.read_all().size() == 30);
        CHECK(closed.log.read_on_from(Offset(0)) == Offset(40));
        closed.log.log.reset();
      }
      const std::vector<std::string> names = closed.log.file_names();
      const bool is_left =
          std::find(names.begin(), names.end(), segment_file_name(Offset(gone), kIndexSuffix)) != names.end();
      CHECK(is_left == !with_indexes);
    }
  }
}

TEST_CASE("missing records: where each record counts, the log is not opened, nor changed", "[log][missing]") {
  const auto refused = [](Closed& closed, bool clean) {
    closed.hints.clean_shutdown = clean;
    closed.hints.on_loss = OnLoss::kRefuse;
    const std::vector<std::string> names = closed.log.file_names();
    const Result<void> started = closed.log.recover(closed.hints);
    REQUIRE_FALSE(started);
    CHECK(started.error().code == Errc::kCorrupt);
    CHECK(closed.log.file_names() == names);
    return started.error().context;
  };
  for (const bool clean : {true, false}) {
    Closed gone;
    gone.remove(10, {kLogSuffix});
    CHECK(refused(gone, clean).find("the records of offsets 10 to 19 are missing") != std::string::npos);
    Closed shorter;
    truncate_file(shorter.disk, log_of(30), size_of(shorter.disk, log_of(30)) / 2);
    CHECK(refused(shorter, clean).find("records up to offset 40 were durable") != std::string::npos);
    Closed whole;
    whole.hints.on_loss = OnLoss::kRefuse;
    CHECK(whole.start(clean).empty());
  }
  Closed damaged;
  damaged.hints.recovery_point = Offset(30);
  flip_bit(damaged.disk, log_of(30), size_of(damaged.disk, log_of(30)) / 10 * 4 + 80);
  CHECK(refused(damaged, false).find("valid batches in or behind it would be lost") != std::string::npos);
}

TEST_CASE("missing records: a segment that is put back is as if it had never been away", "[log][missing]") {
  Closed closed;
  const std::string bytes = file_text(closed.disk, log_of(20));
  closed.remove(20, {kLogSuffix});
  CHECK(closed.start(false).size() == 1);
  closed.log.log.reset();
  put_file(closed.disk, log_of(20), as_bytes(bytes));
  CHECK(closed.start(true).empty());
  CHECK(closed.log.report.indexes_rebuilt == 0);
  CHECK(closed.log.read_all() == closed.before);
  closed.log.log.reset();
  CHECK_FALSE(closed.check().has_damage());
}

TEST_CASE("missing records: a closed segment that is shorter than it was is told of", "[log][missing]") {
  for (const int64_t batches : {0, 1, 9}) {
    INFO(batches << " batches left");
    Closed closed;
    truncate_file(closed.disk, log_of(10), size_of(closed.disk, log_of(10)) / 10 * batches);
    const std::string range = fmt::format("the records of offsets {} to 19 are missing", 10 + batches);
    CHECK(tells(texts_of(closed.check().missing), range));
    for (const bool clean : {true, false}) {
      CHECK(tells(closed.start(clean), range));
      CHECK(closed.log.read_all().size() == static_cast<size_t>(30 + batches));
      closed.log.log.reset();
    }
  }
}

TEST_CASE("missing records: the first segment, after a stop in order", "[log][missing]") {
  for (const bool with_indexes : {false, true}) {
    Closed closed;
    if (with_indexes) closed.remove(0, {kLogSuffix, kIndexSuffix, kTimeIndexSuffix});
    if (!with_indexes) closed.remove(0, {kLogSuffix});
    // Without an index, and after a crash, retention may have taken it: the log start is written down a little later.
    CHECK(closed.start(false).size() == (with_indexes ? 0 : 1));
    closed.log.log.reset();
    closed.hints.log_start_is_exact = true;
    CHECK(tells(closed.start(true), "the records of offsets 0 to 9 are missing"));
    closed.log.log.reset();
    CHECK(tells(texts_of(closed.check().missing), "the records of offsets 0 to 9 are missing"));
    closed.hints.log_start = Offset(5);  // some of them were deleted
    CHECK(tells(closed.start(true), "the records of offsets 5 to 9 are missing"));
    closed.log.log.reset();
    closed.hints.log_start = Offset(10);  // all
    CHECK(closed.start(true).empty());
    CHECK_FALSE(tells(closed.log.file_names(), "00000000000000000000.index"));
  }
}

TEST_CASE("missing records: only what was durable, and was not deleted, counts", "[log][missing]") {
  Closed closed;
  closed.remove(10, {kLogSuffix});
  closed.hints.log_start = Offset(20);
  CHECK(closed.start(true).empty());
  closed.log.log.reset();
  CHECK_FALSE(closed.check().has_damage());

  Closed cut;
  cut.remove(20, {kLogSuffix});
  cut.hints.recovery_point = Offset(15);
  CHECK_FALSE(cut.check().has_damage());
  CHECK(cut.start(false).empty());
  // A crash has taken it before it was durable: its offsets are accounted for from now on.
  CHECK(tells(cut.log.report.notes, "offsets 20 to 29 were lost before they were durable"));
  CHECK(cut.log.read_all().size() == 30);
  CHECK(cut.log.read_on_from(Offset(15)) == Offset(40));
  cut.log.close();
  cut.hints.recovery_point = Offset(40);
  CHECK(cut.start(true).empty());
  CHECK(cut.log.read_on_from(Offset(15)) == Offset(40));
  cut.log.log.reset();
  CHECK_FALSE(cut.check().has_damage());
}

TEST_CASE("missing records: gaps of compaction are none of ours", "[log][missing]") {
  Closed closed;
  closed.remove(10, {kLogSuffix, kIndexSuffix, kTimeIndexSuffix});
  closed.hints.compacted = Compacted::kMaybe;  // also when the policy is delete again
  for (const bool clean : {true, false}) {
    CHECK(closed.start(clean).empty());
    CHECK(closed.log.report.doubts.empty());
    CHECK(closed.log.log->may_be_compacted());
    closed.log.log.reset();
  }
  CHECK_FALSE(closed.check().has_damage());
  closed.hints.compacted = Compacted::kUnknown;  // nobody can tell, so it is said
  CHECK(closed.start(true).empty());
  REQUIRE(closed.log.report.doubts.size() == 1);
  CHECK(tells(closed.log.report.doubts, "offsets 10 to 19 are missing, unless compaction took them"));
  CHECK(closed.log.log->may_be_compacted());  // from now on for good
  closed.log.log.reset();
  CHECK(closed.check().missing.empty());
  CHECK(closed.check().doubtful.size() == 1);
  closed.hints.compacted = Compacted::kNo;  // but the topic has the policy
  closed.log.config.compact = true;
  CHECK(closed.start(true).empty());
  CHECK(closed.log.log->may_be_compacted());
}

TEST_CASE("missing records: a log without gaps of which nothing was noted is like any other", "[log][missing]") {
  for (const bool clean : {true, false}) {
    Closed closed;
    closed.hints.compacted = Compacted::kUnknown;
    CHECK(closed.start(clean).empty());
    CHECK(closed.log.report.doubts.empty());
    CHECK_FALSE(closed.log.log->may_be_compacted());
  }
  Closed taken_in;
  taken_in.hints = {.foreign = true};
  CHECK(taken_in.start(false).empty());
  CHECK_FALSE(taken_in.log.log->may_be_compacted());
  taken_in.log.log.reset();
  taken_in.remove(10, {kLogSuffix, kIndexSuffix, kTimeIndexSuffix});
  CHECK(taken_in.start(false).empty());
  CHECK(taken_in.log.log->may_be_compacted());
}

TEST_CASE("missing records: of a compacted log an index without its log tells, and one that goes on behind it",
          "[log][missing]") {
  Closed closed;
  closed.hints.compacted = Compacted::kMaybe;
  closed.remove(10, {kLogSuffix});
  for (const bool clean : {true, false}) {
    CHECK(tells(closed.start(clean),
                "00000000000000000010.log is gone, its index is there: the records of offsets 10 to 19"));
    closed.log.log.reset();
  }
  CHECK(closed.check().missing.size() == 1);

  for (const int64_t batches : {0, 3}) {
    INFO(batches << " batches left");
    Closed cut;
    cut.hints.compacted = Compacted::kMaybe;
    truncate_file(cut.disk, log_of(10), size_of(cut.disk, log_of(10)) / 10 * batches);
    for (const bool clean : {true, false}) {
      CHECK(tells(cut.start(clean), "its index goes on to 1"));
      cut.log.log.reset();
    }
  }
}

TEST_CASE("missing records: an index that retention or compaction left behind is no sign", "[log][missing]") {
  SECTION("a deletion was cut short") {
    Closed closed;
    REQUIRE(closed.disk.rename(log_of(0), log_of(0) + ".deleted"));
    CHECK_FALSE(closed.check().has_damage());
    CHECK(closed.start(false).empty());
    for (const std::string& name : closed.log.file_names()) CHECK_FALSE(name.starts_with("00000000000000000000."));
  }
  SECTION("between two powers") {
    for (uint64_t operation = 1; operation < 30; ++operation) {
      INFO("operation " << operation);
      Closed closed(operation);
      REQUIRE(closed.disk.rename(log_of(0), log_of(0) + ".deleted"));
      REQUIRE(closed.disk.sync_directory(kFolder));
      closed.disk.lose_power_at(operation);
      closed.hints.clean_shutdown = false;
      (void)closed.log.recover(closed.hints);
      closed.log.log.reset();
      closed.disk.lose_power_at(0);
      closed.disk.lose_power();
      REQUIRE(closed.start(false).empty());
    }
  }
  SECTION("behind the end of the log, or beyond what was durable") {
    Closed closed;
    put_file(closed.disk, "/data/t-0/00000000000000000055.index", as_bytes("12345678"));
    CHECK(closed.start(false).empty());
    CHECK_FALSE(tells(closed.log.file_names(), "00000000000000000055.index"));
  }
}

TEST_CASE("missing records: what was set aside has been told of", "[log][missing]") {
  Closed closed;
  truncate_file(closed.disk, log_of(10), size_of(closed.disk, log_of(10)) / 2);
  put_file(closed.disk, log_of(10) + ".930.aside", as_bytes("x"));
  CHECK(closed.start(true).empty());
  closed.log.log.reset();
  CHECK_FALSE(closed.check().has_damage());
  REQUIRE(closed.disk.remove(log_of(10) + ".930.aside"));
  CHECK(closed.start(true).size() == 1);
}

TEST_CASE("missing records: a repair covers them, and all is good", "[log][missing]") {
  for (const int64_t gone : {0, 10, 20}) {
    for (const bool with_indexes : {false, true}) {
      INFO("segment " << gone << ", with its indexes " << with_indexes);
      Closed closed;
      if (with_indexes) closed.remove(gone, {kLogSuffix, kIndexSuffix, kTimeIndexSuffix});
      if (!with_indexes) closed.remove(gone, {kLogSuffix});
      const Result<RepairReport> repaired = closed.repair();
      if (!repaired) FAIL(repaired.error().context);
      if (gone == 0 && with_indexes) {  // as retention leaves it
        CHECK_FALSE(repaired->has_work());
        continue;
      }
      REQUIRE(repaired->lost.size() == 1);
      CHECK(tells(repaired->lost, fmt::format("offsets {} to {}", gone, gone + 9)));
      CHECK(repaired->left.empty());
      for (const bool clean : {true, false}) {
        CHECK(closed.start(clean).empty());
        CHECK(closed.log.read_all().size() == 30);
        CHECK(closed.log.read_on_from(Offset(0)) == Offset(40));
        closed.log.log.reset();
      }
      const FolderCheck check = closed.check();
      CHECK_FALSE(check.has_damage());
      CHECK(check.derived.empty());
      const Result<RepairReport> again = closed.repair();
      REQUIRE(again);
      CHECK_FALSE(again->has_work());
    }
  }
}

TEST_CASE("missing records: a repair covers what it takes out at the end of a segment", "[log][missing]") {
  Closed closed;
  const int64_t batch_bytes = size_of(closed.disk, log_of(10)) / 10;
  flip_bit(closed.disk, log_of(10), 9 * batch_bytes + static_cast<int64_t>(kMagicAt));
  const Result<RepairReport> repaired = closed.repair();
  if (!repaired) FAIL(repaired.error().context);
  CHECK(repaired->taken_out.size() == 1);
  const std::string aside = closed.log.aside_name();
  REQUIRE(!aside.empty());
  REQUIRE(closed.disk.remove(join_path(kFolder, aside)));  // as anybody may
  CHECK_FALSE(closed.check().has_damage());
  CHECK(closed.start(true).empty());
  CHECK(closed.log.read_all().size() == 39);
}

TEST_CASE("missing records: a sealed segment that cannot be read does not keep the log from opening",
          "[log][missing]") {
  int doubted = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Closed closed(seed);
    closed.disk.set_fault_rates({.read_error_one_in = 12});
    closed.hints.clean_shutdown = true;
    const Result<void> started = closed.log.recover(closed.hints);
    closed.disk.set_fault_rates({});
    if (!started) continue;
    CHECK(closed.log.report.damaged.empty());
    doubted += closed.log.report.doubts.empty() ? 0 : 1;
    CHECK(closed.log.read_all() == closed.before);
  }
  CHECK(doubted > 0);
}
