// folder_check_test.cpp: what is damage, where it ends, and when it is a torn tail; in agreement with a start.
#include "core/log/folder_check.h"

#include <fmt/format.h>

#include "core/log/file_names.h"
#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

LogConfig one_segment() {
  LogConfig config = small_segments(FlushPolicy::kCommit);
  config.segment_bytes = 1 << 20;
  return config;
}

FolderCheck check_of(FileSystem& files, Offset recovery_point = Offset(0)) {
  Result<FolderCheck> check = check_folder(files, std::string(kFolder), {.recovery_point = recovery_point});
  if (!check) FAIL(check.error().context);
  return std::move(*check);
}

// A log of equal batches that was closed; what the check says is about the bytes alone.
struct ClosedLog {
  SimFileSystem disk;
  OpenLog log;
  int64_t batch_bytes = 0;

  ClosedLog(uint64_t seed, int batches, const LogConfig& config) : disk(seed), log(disk, config) {
    log.create();
    log.append_many(batches, {.records = 2, .value_bytes = 60});
    log.close();
    batch_bytes = BatchView(as_bytes(file_text(disk, kFirstLog))).size_bytes();
    log.log.reset();
  }
};

}  // namespace

TEST_CASE("folder check: a good log is good, every byte of it", "[log][check]") {
  ClosedLog closed(1, 20, small_segments(FlushPolicy::kCommit));
  const FolderCheck check = check_of(closed.disk, Offset(40));
  CHECK_FALSE(check.has_damage());
  CHECK(check.derived.empty());
  CHECK(check.overlaps.empty());
  CHECK_FALSE(check.lost);
  REQUIRE(check.segments.size() > 1);
  int64_t records = 0;
  for (const SegmentCheck& segment : check.segments) {
    records += segment.record_count;
    CHECK(segment.oddities.empty());
    CHECK(segment.index_entry_count > 0);
    CHECK(segment.size_bytes == segment.batch_count * closed.batch_bytes);
  }
  CHECK(records == 40);
  CHECK(check.segments.back().next_offset == Offset(40));
}

TEST_CASE("folder check: each damaged batch is a range, the others stay good", "[log][check]") {
  for (const size_t field : {kBatchLengthAt + 1, kBatchLengthAt + 3, kMagicAt, kCrcAt, kAttributesAt,
                             kLastOffsetDeltaAt + 3, kBaseOffsetAt + 1, kRecordCountAt + 3, kBatchHeaderBytes + 5}) {
    INFO("byte " << field);
    ClosedLog closed(1, 10, one_segment());
    for (const int64_t batch : {2, 5}) {
      flip_bit(closed.disk, kFirstLog, batch * closed.batch_bytes + static_cast<int64_t>(field), 2);
    }
    const FolderCheck check = check_of(closed.disk);
    const SegmentCheck& segment = check.segments.at(0);
    CHECK(segment.batch_count == 8);
    CHECK(segment.is_corrupt());
    REQUIRE(segment.damaged.size() == 2);
    CHECK(segment.damaged[0].begin == Position(2 * closed.batch_bytes));
    CHECK(segment.damaged[0].size_bytes == closed.batch_bytes);
    CHECK(segment.damaged[1].begin == Position(5 * closed.batch_bytes));
    CHECK(segment.damaged[1].size_bytes == closed.batch_bytes);
    CHECK(segment.damaged[0].kind == DamageKind::kCorrupt);
    CHECK(segment.indexes.empty());  // their entries are right
  }
}

TEST_CASE("folder check: a torn tail is one only at the end of the log, above what was durable", "[log][check]") {
  ClosedLog closed(1, 10, one_segment());
  const std::string bytes = file_text(closed.disk, kFirstLog);
  const int64_t last = 9 * closed.batch_bytes;
  const auto put = [&closed](const std::string& text) { put_file(closed.disk, kFirstLog, as_bytes(text)); };
  SECTION("cut at any byte") {
    for (int64_t size = last + 1; size < last + closed.batch_bytes; ++size) {
      put(bytes.substr(0, static_cast<size_t>(size)));
      const FolderCheck check = check_of(closed.disk, Offset(18));
      REQUIRE(check.segments[0].damaged.size() == 1);
      REQUIRE(check.segments[0].damaged[0].kind == DamageKind::kTornTail);
      REQUIRE(check.segments[0].damaged[0].begin == Position(last));
      REQUIRE(check.segments[0].damaged[0].size_bytes == size - last);
      REQUIRE_FALSE(check.segments[0].is_corrupt());
      REQUIRE_FALSE(check.lost);
      // One record more was durable: then it is damage, and the record is lost.
      const FolderCheck durable = check_of(closed.disk, Offset(19));
      REQUIRE(durable.segments[0].is_corrupt());
      REQUIRE(durable.lost);
      REQUIRE(durable.lost->begin == Offset(18));
      REQUIRE(durable.lost->end == Offset(19));
    }
  }
  SECTION("zeros, noise, a wrong CRC") {
    std::string wrong_crc = bytes;
    char& in_a_record = wrong_crc[static_cast<size_t>(last) + 80];
    in_a_record = static_cast<char>(in_a_record ^ 1);
    for (const std::string& text :
         {bytes + std::string(500, '\0'), bytes + std::string(500, 'x'), wrong_crc, wrong_crc + std::string(7, 'x')}) {
      put(text);
      const FolderCheck check = check_of(closed.disk);
      REQUIRE(check.segments[0].damaged.size() == 1);
      CHECK(check.segments[0].damaged[0].kind == DamageKind::kTornTail);
    }
  }
  SECTION("but not with a whole batch in or behind it") {
    std::string wrong_length = bytes;
    char& in_a_length = wrong_length[static_cast<size_t>(5 * closed.batch_bytes) + kBatchLengthAt + 1];
    in_a_length = static_cast<char>(in_a_length ^ 1);
    for (const std::string& text : {wrong_length, bytes + bytes.substr(0, static_cast<size_t>(closed.batch_bytes))}) {
      put(text);
      const FolderCheck check = check_of(closed.disk);
      REQUIRE(check.segments[0].damaged.size() == 1);
      CHECK(check.segments[0].damaged[0].kind == DamageKind::kCorrupt);
      CHECK(check.segments[0].damaged[0].size_bytes == closed.batch_bytes);
    }
  }
  SECTION("nor in front of another segment that holds something") {
    put(bytes.substr(0, static_cast<size_t>(last) + 10));
    const std::string next = segment_path(kFolder, Offset(30), kLogSuffix);
    REQUIRE(closed.disk.open(next, OpenMode::kCreate));
    CHECK_FALSE(check_of(closed.disk).segments[0].is_corrupt());
    put_file(closed.disk, next, as_bytes("x"));
    const FolderCheck check = check_of(closed.disk);
    CHECK(check.segments[0].is_corrupt());
    CHECK_FALSE(check.segments[1].is_corrupt());
    Result<SegmentCheckOptions> options = check_options_of(closed.disk, std::string(kFirstLog), {});
    REQUIRE(options);
    CHECK(options->place == SegmentPlace::kSealed);
    CHECK(options->next_base == Offset(30));
  }
}

TEST_CASE("folder check: what it says is what a start does", "[log][check][fuzz]") {
  int torn = 0;
  int corrupt = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    INFO("seed " << seed);
    ClosedLog closed(seed, 12, one_segment());
    SeededRandom random(seed);
    const auto size = [&closed] { return static_cast<uint64_t>(size_of(closed.disk, kFirstLog)); };
    const uint64_t kind = random.below(4);
    if (kind == 0) append_bytes(closed.disk, kFirstLog, std::vector<uint8_t>(1 + random.below(300)));
    if (kind == 1 || kind == 2) truncate_file(closed.disk, kFirstLog, static_cast<int64_t>(random.below(size())));
    if (kind >= 2 && size() > 0) {
      flip_bit(closed.disk, kFirstLog, static_cast<int64_t>(random.below(size())), static_cast<int>(random.below(8)));
    }
    const FolderCheck check = check_of(closed.disk);
    const SegmentCheck& segment = check.segments[0];
    closed.log.recover_unclean();
    const RecoveryReport& report = closed.log.report;
    if (segment.is_corrupt() || !segment.oddities.empty()) {
      ++corrupt;
      CHECK_FALSE(report.damaged.empty());
    } else if (!segment.damaged.empty()) {
      ++torn;
      REQUIRE(segment.damaged.size() == 1);
      CHECK(report.cut_bytes == segment.damaged[0].size_bytes);
      CHECK(report.damaged.empty());
    } else {
      CHECK(report.cut_bytes == 0);
      CHECK(report.damaged.empty());
    }
  }
  CHECK(torn > 10);
  CHECK(corrupt > 10);
}

TEST_CASE("folder check: index files are held against the batches", "[log][check]") {
  const std::string index = segment_path(kFolder, Offset(0), kIndexSuffix);
  const std::string times = segment_path(kFolder, Offset(0), kTimeIndexSuffix);
  for (const std::string& path : {index, times}) {
    ClosedLog closed(1, 20, small_segments(FlushPolicy::kCommit));
    const int64_t bits = size_of(closed.disk, path) * 8;
    for (int64_t bit = 0; bit < bits; ++bit) {
      // It names the other offset of the same batch then, which leads to the same.
      if (path == times && bit % 96 == 88) continue;
      INFO(path << " bit " << bit);
      REQUIRE(closed.disk.flip_bit(path, Position(bit / 8), static_cast<int>(bit % 8)));
      const FolderCheck check = check_of(closed.disk, Offset(40));
      REQUIRE_FALSE(check.has_damage());
      REQUIRE_FALSE(check.derived.empty());
      REQUIRE(check.bad_files.size() == 2);
      REQUIRE(closed.disk.flip_bit(path, Position(bit / 8), static_cast<int>(bit % 8)));
    }
    truncate_file(closed.disk, path, bits / 8 - 1);
    CHECK_FALSE(check_of(closed.disk).derived.empty());
    REQUIRE(closed.disk.remove(path));
    const FolderCheck without = check_of(closed.disk);
    CHECK(without.derived.size() == 1);
    CHECK(without.bad_files.empty());
  }
}

TEST_CASE("folder check: snapshots, epochs, leftovers and strays are told of", "[log][check]") {
  ClosedLog closed(1, 10, one_segment());
  put_file(closed.disk, segment_path(kFolder, Offset(20), kSnapshotSuffix), as_bytes("no snapshot"));
  put_file(closed.disk, join_path(kFolder, kLeaderEpochFile), as_bytes("0\n1\n5\n"));
  put_file(closed.disk, join_path(kFolder, "00000000000000000007.log.deleted"), as_bytes("x"));
  put_file(closed.disk, join_path(kFolder, "notes.txt"), as_bytes("mine"));
  const FolderCheck check = check_of(closed.disk);
  CHECK_FALSE(check.has_damage());
  CHECK(check.derived.size() == 2);
  CHECK(check.bad_files.size() == 2);
  CHECK(check.notes.size() == 2);
}

TEST_CASE("folder check: a log start beyond the end is told of", "[log][check]") {
  ClosedLog closed(1, 10, one_segment());
  const auto check = [&closed](Offset log_start) {
    Result<FolderCheck> found =
        check_folder(closed.disk, std::string(kFolder), {.recovery_point = Offset(20), .log_start = log_start});
    if (!found) FAIL(found.error().context);
    return std::move(*found);
  };
  for (const int64_t good : {0, 7, 20}) CHECK(check(Offset(good)).checkpoint_faults.empty());
  truncate_file(closed.disk, kFirstLog, 5 * closed.batch_bytes);
  const FolderCheck bad = check(Offset(21));
  REQUIRE(bad.checkpoint_faults.size() == 1);
  CHECK(bad.checkpoint_faults[0] == "log-start-offset-checkpoint says that t-0 begins at offset 21, but it ends at 20");
  REQUIRE(bad.lost);  // it hides nothing
  CHECK(bad.lost->begin == Offset(10));
}

TEST_CASE("folder check: a batch without records is a batch", "[log][check]") {
  ClosedLog closed(1, 10, one_segment());
  truncate_file(closed.disk, kFirstLog, 5 * closed.batch_bytes);
  closed.log.recover_unclean(Offset(20));
  closed.log.close();
  const FolderCheck check = check_of(closed.disk, Offset(20));
  CHECK_FALSE(check.has_damage());
  CHECK_FALSE(check.lost);
  CHECK(check.derived.empty());
  REQUIRE(check.segments.size() == 2);
  CHECK(check.segments[1].batch_count == 1);
  CHECK(check.segments[1].record_count == 0);
  CHECK(check.segments[1].oddities.empty());
  CHECK(check.segments[1].next_offset == Offset(20));
}
