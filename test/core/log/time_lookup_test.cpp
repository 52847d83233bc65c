// time_lookup_test.cpp: lookups by time where files are damaged or go meanwhile: no good record is passed over. What
// they answer else: read_test.cpp.
#include "core/log/time_lookup.h"

#include <fmt/format.h>

#include "core/log/file_names.h"
#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

// Batches of one record, the timestamp of each kStartMs and its offset; ten in a segment, all but the last sealed.
struct Timed {
  static constexpr int kBatches = 40;
  SimFileSystem disk{1};
  OpenLog log;
  int64_t batch_bytes = 0;

  static LogConfig settings() {
    LogConfig config = small_segments(FlushPolicy::kCommit);
    config.segment_bytes = 1800;
    return config;
  }
  Timed() : log(disk, settings()) {
    log.create();
    log.append_many(kBatches, {.value_bytes = 100});
    log.run(log.log->begin_checkpoint(log.now_ms));
    REQUIRE(log.log->segment_count() == 4);
    batch_bytes = size_of(disk, kFirstLog) / 10;
  }
  // Of the index files of the second segment.
  int64_t size_bytes_of(std::string_view suffix) { return size_of(disk, segment_path(kFolder, Offset(10), suffix)); }
  void reopen() {
    log.close();
    REQUIRE(log.recover({.clean_shutdown = true, .recovery_point = Offset(kBatches)}));
  }
  // Of the second segment, and of what stands next to it.
  void check() {
    for (int64_t i = 8; i < 22; ++i) {
      const std::optional<TimestampOffset> found = log.lookup(kStartMs + i);
      REQUIRE(found);
      REQUIRE(found->offset == Offset(i));
    }
    REQUIRE_FALSE(log.lookup(kStartMs + kBatches));
    REQUIRE(log.lookup_max()->offset == Offset(kBatches - 1));
  }
};

std::string file_of(int64_t base_offset, std::string_view suffix) {
  return segment_path(kFolder, Offset(base_offset), suffix);
}

}  // namespace

TEST_CASE("lookup by time: an index that has rotted passes nothing over, with a restart or without", "[log][time]") {
  for (const std::string_view suffix : {kTimeIndexSuffix, kIndexSuffix}) {
    const int64_t size_bytes = Timed().size_bytes_of(suffix);
    REQUIRE(size_bytes > 16);
    for (int64_t bit = 0; bit < size_bytes * 8; ++bit) {
      INFO("bit " << bit << " of " << suffix);
      Timed timed;
      flip_bit(timed.disk, file_of(10, suffix), bit / 8, static_cast<int>(bit % 8));
      timed.check();
      timed.reopen();
      timed.check();
    }
  }
}

TEST_CASE("lookup by time: an index that is too short passes nothing over", "[log][time]") {
  for (const std::string_view suffix : {kTimeIndexSuffix, kIndexSuffix}) {
    const int64_t size_bytes = Timed().size_bytes_of(suffix);
    for (int64_t left = 0; left < size_bytes; ++left) {
      INFO(left << " bytes are left of " << suffix);
      Timed timed;
      truncate_file(timed.disk, file_of(10, suffix), left);
      timed.check();
      timed.reopen();
      timed.check();
    }
  }
}

TEST_CASE("lookup by time: a damaged batch hides no later one", "[log][time]") {
  constexpr int64_t kDamaged = 3;
  for (const int64_t at : {int64_t{8}, static_cast<int64_t>(kMagicAt)}) {  // its length, its magic
    for (const bool reopened : {false, true}) {
      INFO("byte " << at << ", reopened " << reopened);
      Timed timed;
      flip_bit(timed.disk, kFirstLog, kDamaged * timed.batch_bytes + at);
      if (reopened) timed.reopen();
      for (int64_t i = 0; i < 20; ++i) {
        CHECK(timed.log.lookup(kStartMs + i)->offset == Offset(i == kDamaged ? kDamaged + 1 : i));
      }
      CHECK(timed.log.lookup_max()->offset == Offset(Timed::kBatches - 1));
    }
  }
}

TEST_CASE("lookup by time: what retention takes meanwhile is no error", "[log][time]") {
  Timed timed;
  const std::unique_ptr<TimeLookup> by_time = timed.log.log->plan_lookup_by_time(kStartMs + 3);
  const std::unique_ptr<TimeLookup> of_max = timed.log.log->plan_lookup_max_timestamp();
  LogConfig config = Timed::settings();
  config.retention_bytes = size_of(timed.disk, file_of(30, kLogSuffix)) + 1;
  config.file_delete_delay_ms = 0;
  timed.log.log->set_config(config);
  timed.log.retention();
  timed.log.retention();
  const Offset log_start = timed.log.log->offsets().log_start;
  REQUIRE(log_start > Offset(0));
  CHECK_FALSE(timed.disk.stat(kFirstLog));
  const Result<std::optional<TimestampOffset>> found = by_time->execute();
  REQUIRE(found);
  REQUIRE(*found);
  CHECK((*found)->offset == log_start);
  const Result<std::optional<TimestampOffset>> greatest = of_max->execute();
  REQUIRE(greatest);
  REQUIRE(*greatest);
  CHECK((*greatest)->offset == Offset(Timed::kBatches - 1));
}
