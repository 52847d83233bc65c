// segment_audit_test.cpp: what is read of a sealed segment is checked once; what the check says of it, and that upkeep
// beside it does not confuse it.
#include "core/log/segment_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/log/file_names.h"
#include "test/core/log/compaction_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

std::string log_of(int64_t base_offset) { return segment_path(kFolder, Offset(base_offset), kLogSuffix); }

// 40 batches of one record, ten in a segment; all but the last segment sealed, with their indexes in files.
struct Written {
  SimFileSystem disk{1};
  OpenLog log;
  int64_t batch_bytes = 0;

  static LogConfig settings() {
    LogConfig config = small_segments(FlushPolicy::kCommit);
    config.segment_bytes = 1800;
    return config;
  }
  Written() : log(disk, settings()) {
    log.create();
    log.append_many(40, {.value_bytes = 100});
    log.run(log.log->begin_checkpoint(log.now_ms));
    REQUIRE(log.log->segment_count() == 4);
    batch_bytes = size_of(disk, log_of(10)) / 10;
  }
};

// From the log's start to its end, as a handler of Fetch does it.
void read_through(OpenLog& log) {
  for (Offset at = log.log->offsets().log_start; at < log.log->offsets().log_end;) {
    Result<ReadPlan> plan = log.log->plan_read(at, {.bytes_max = 700});
    REQUIRE(plan);
    REQUIRE(plan->read);
    const Result<FetchedBatches> fetched = plan->read->execute();
    if (!fetched || fetched->pieces.empty()) {
      at += 1;
      continue;
    }
    if (fetched->end) log.log->note_read_end(*fetched->end);
    at = next_offset_of(*fetched);
  }
}

std::vector<std::string> run_piece(OpenLog& log, Maintenance& piece) {
  piece.execute();
  log.log->finish(piece);
  CHECK_FALSE(piece.error);
  if (piece.goes_on) CHECK(log.log->may_audit());
  return piece.damaged;
}

struct Audited {
  int pieces = 0;
  std::vector<std::string> lines;
};
Audited audit(OpenLog& log, int64_t bytes_max = 1 << 20) {
  Audited all;
  while (const std::unique_ptr<Maintenance> piece = log.log->begin_audit(bytes_max)) {
    ++all.pieces;
    const std::vector<std::string> lines = run_piece(log, *piece);
    all.lines.insert(all.lines.end(), lines.begin(), lines.end());
  }
  return all;
}

bool tells(const std::string& line, std::string_view part) { return line.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("audit: a sealed segment that is read is checked once, in pieces", "[log][audit]") {
  for (const int64_t bytes_max : {int64_t{1}, int64_t{400}, int64_t{1} << 20}) {
    Written written;
    CHECK_FALSE(written.log.log->may_audit());
    CHECK(written.log.log->begin_audit(bytes_max) == nullptr);
    read_through(written.log);
    CHECK(written.log.log->may_audit());
    const Audited all = audit(written.log, bytes_max);
    CHECK(all.lines.empty());
    CHECK(all.pieces >= 3);
    CHECK((all.pieces > 30) == (bytes_max == 1));
    CHECK_FALSE(written.log.log->may_audit());
    read_through(written.log);
    CHECK_FALSE(written.log.log->may_audit());
    CHECK(audit(written.log).pieces == 0);
  }
}

TEST_CASE("audit: one changed bit is told of, with file, position and offset, wherever it is", "[log][audit]") {
  const int64_t batch_bytes = Written().batch_bytes;
  for (int64_t in_batch = 0; in_batch < batch_bytes; ++in_batch) {
    // A leader epoch stands outside the CRC, and decides nothing in durable bytes.
    const bool is_epoch = in_batch >= 12 && in_batch < 16;
    if (is_epoch) continue;
    INFO("byte " << in_batch << " of the batch");
    Written written;
    flip_bit(written.disk, log_of(10), 4 * batch_bytes + in_batch);
    read_through(written.log);
    const Audited all = audit(written.log, 500);
    REQUIRE(all.lines.size() == 1);
    CHECK(tells(all.lines[0], fmt::format("{} at {}, offset 14 on: ", log_of(10), 4 * batch_bytes)));
    CHECK(audit(written.log).lines.empty());
  }
}

TEST_CASE("audit: of a segment that is damaged all over a few lines are enough", "[log][audit]") {
  Written written;
  for (int64_t batch = 1; batch < 10; ++batch) {
    flip_bit(written.disk, log_of(10), batch * written.batch_bytes + written.batch_bytes - 5);
  }
  flip_bit(written.disk, log_of(20), written.batch_bytes - 5);
  read_through(written.log);
  const Audited all = audit(written.log, 1);
  REQUIRE(all.lines.size() == 6);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(tells(all.lines[i], fmt::format("{} at {}, offset {} on: ", log_of(10),
                                          static_cast<int64_t>(i + 1) * written.batch_bytes, 11 + i)));
    CHECK(tells(all.lines[i], "leat log verify") == (i == 4));
  }
  CHECK(tells(all.lines[5], log_of(20) + " at 0, offset 20 on: "));
}

TEST_CASE("audit: damage up to the end of a segment is one place, and searched in pieces", "[log][audit]") {
  for (const int64_t bytes_max : {int64_t{1}, int64_t{300}}) {
    Written written;
    const std::string path = log_of(10);
    const int64_t size_bytes = size_of(written.disk, path);
    std::string bytes = file_text(written.disk, path);
    std::fill(bytes.begin() + 2 * written.batch_bytes, bytes.end(), '\x02');  // all of it may be a magic
    put_file(written.disk, path, as_bytes(bytes));
    REQUIRE(written.log.log->plan_read(Offset(10), {.bytes_max = 1}));
    const Audited all = audit(written.log, bytes_max);
    REQUIRE(all.lines.size() == 1);
    CHECK(tells(all.lines[0], fmt::format("{} at {}, offset 12 on: ", path, 2 * written.batch_bytes)));
    CHECK(all.pieces > (size_bytes - 2 * written.batch_bytes) / (bytes_max + 1));
  }
}

TEST_CASE("audit: a file that has got shorter is told of, and the check does not stay there", "[log][audit]") {
  Written written;
  read_through(written.log);
  truncate_file(written.disk, log_of(10), 5 * written.batch_bytes);
  const Audited all = audit(written.log);
  REQUIRE(all.lines.size() == 1);
  CHECK(tells(all.lines[0], log_of(10)));
  CHECK_FALSE(written.log.log->may_audit());
}

TEST_CASE("audit: what retention takes meanwhile is no damage", "[log][audit]") {
  for (const bool has_begun : {false, true}) {
    Written written;
    OpenLog& log = written.log;
    read_through(log);
    if (has_begun) {
      const std::unique_ptr<Maintenance> first = log.log->begin_audit(1);
      REQUIRE(first);
      CHECK(run_piece(log, *first).empty());
    }
    const std::unique_ptr<Maintenance> piece = log.log->begin_audit(1);
    REQUIRE(piece);
    CHECK(log.log->begin_audit(1) == nullptr);
    LogConfig config = Written::settings();
    config.retention_bytes = 0;
    log.log->set_config(config);
    CHECK_FALSE(log.retention().empty());
    log.now_ms += config.file_delete_delay_ms + 1;
    log.retention();
    CHECK(log.log->segment_count() == 1);
    CHECK_FALSE(written.disk.stat(log_of(0)));
    CHECK_FALSE(written.disk.stat(log_of(0) + std::string(kDeletedSuffix)));
    CHECK(run_piece(log, *piece).empty());
    CHECK(audit(log).lines.empty());
    CHECK_FALSE(log.log->may_audit());
  }
}

TEST_CASE("audit: of a segment that has left the log no more is read, and nothing told", "[log][audit]") {
  for (const bool is_closed : {false, true}) {
    Written written;
    OpenLog& log = written.log;
    flip_bit(written.disk, log_of(0), 9 * written.batch_bytes + written.batch_bytes - 5);
    read_through(log);
    const std::unique_ptr<Maintenance> first = log.log->begin_audit(1);
    REQUIRE(first);
    CHECK(run_piece(log, *first).empty());
    const std::unique_ptr<Maintenance> second = log.log->begin_audit(1 << 20);
    REQUIRE(second);
    if (is_closed) {
      log.log.reset();
      second->execute();
      CHECK(second->damaged.empty());
      continue;
    }
    LogConfig config = Written::settings();
    config.retention_bytes = 0;
    log.log->set_config(config);
    CHECK_FALSE(log.retention().empty());
    CHECK(run_piece(log, *second).empty());
    CHECK(log.log->begin_audit(1) == nullptr);
    CHECK_FALSE(log.log->may_audit());
  }
}

TEST_CASE("audit: a file that is gone while its segment is not is told of", "[log][audit]") {
  Written written;
  read_through(written.log);
  REQUIRE(written.disk.remove(log_of(10)));
  const Audited all = audit(written.log);
  REQUIRE(all.lines.size() == 1);
  CHECK(tells(all.lines[0], log_of(10) + ": the file is missing, with offsets 10 to 19"));
}

TEST_CASE("audit: compaction waits for a file to be open, and then takes its name", "[log][audit]") {
  for (const bool has_begun : {false, true}) {
    SimFileSystem disk(1);
    CompactedLog log(disk);
    log.create();
    log.write_rounds(4);
    read_through(log);
    std::unique_ptr<Maintenance> piece = log.log->begin_audit(1);
    REQUIRE(piece);
    if (has_begun) CHECK(run_piece(log, *std::exchange(piece, nullptr)).empty());
    log.compact();
    CHECK(log.count_files(".log.cleaned") == (has_begun ? 0 : 1));
    if (piece) CHECK(run_piece(log, *piece).empty());
    log.compact();
    CHECK(log.count_files(".log.cleaned") == 0);
    CHECK(audit(log, 1).lines.empty());
    // What came of it is another segment.
    CHECK_FALSE(log.log->may_audit());
    CHECK(log.kept().size() == 3);
    CHECK(log.log->may_audit());
    CHECK(audit(log, 1).lines.empty());
    CHECK_FALSE(log.log->may_audit());
  }
}
