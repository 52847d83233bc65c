// compaction_crash_test.cpp: whatever the moment at which power or process goes, a start finds each record once, in its
// place, and nothing that a later record or a tombstone had taken away.
#include <fmt/format.h>

#include <map>

#include "test/core/log/compaction_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

using Live = std::map<std::string, std::string>;

// What somebody knows who has read the log from begin to end.
Live live_of(const std::vector<SeenKeyed>& records) {
  Live live;
  int64_t previous = -1;
  for (const SeenKeyed& record : records) {
    REQUIRE(record.offset > previous);
    previous = record.offset;
    if (record.value) {
      live[record.key] = *record.value;
    } else {
      live.erase(record.key);
    }
  }
  return live;
}

struct Crashing {
  SimFileSystem disk;
  CompactedLog log;
  std::vector<SeenKeyed> written;
  Live live;
  Offset end{0};

  static LogConfig config_of(uint64_t seed) {
    LogConfig config = compacted();
    config.segment_bytes = 500;  // several segments come of a pass, each of several
    config.flush = seed % 2 == 0 ? FlushPolicy::kNone : FlushPolicy::kCommit;
    config.delete_retention_ms = 0;
    return config;
  }

  explicit Crashing(uint64_t seed) : disk(seed), log(disk, config_of(seed)) {
    log.create();
    for (int i = 0; i < 14; ++i) {
      const bool deletes = i == 9 || i == 12;
      log.write({{fmt::format("key {}", i % 5), deletes ? std::nullopt : std::optional(fmt::format("{}", i))},
                 {fmt::format("only {}", i), "x"}});
    }
    log.settle();
    written = log.keyed();
    live = live_of(written);
    end = log.log->offsets().log_end;
  }

  // Until nothing is due, an error, or `pieces_max`; false: it came to its end.
  bool compact_some(int pieces_max) {
    for (int pieces = 0; pieces < pieces_max; ++pieces) {
      std::unique_ptr<Maintenance> work = log.log->begin_compaction(log.now_ms, {.step_bytes_max = 200});
      if (work == nullptr) return false;
      work->execute();
      if (disk.power_is_out()) return true;
      log.log->finish(*work);
      REQUIRE_FALSE(work->error);
    }
    return true;
  }

  void check() {
    REQUIRE(log.report.damaged.empty());
    REQUIRE(log.log->offsets().log_end == end);
    REQUIRE(log.log->offsets().log_start == Offset(0));
    const std::vector<SeenKeyed> found = log.keyed();
    for (const SeenKeyed& record : found) REQUIRE(written.at(static_cast<size_t>(record.offset)) == record);
    REQUIRE(live_of(found) == live);
    REQUIRE(log.count_files(".cleaned") == 0);
    REQUIRE(log.count_files(".swap") == 0);
  }

  // From whatever is there compaction comes to the same end.
  void check_end() {
    log.run(log.log->begin_checkpoint(log.now_ms));
    log.compact();
    check();
    std::map<std::string, int> times;
    for (const SeenKeyed& record : log.keyed()) {
      REQUIRE(record.value);
      ++times[record.key];
    }
    times.erase(std::string(kFiller));
    for (const auto& [key, count] : times) REQUIRE(count == 1);
  }
};

}  // namespace

TEST_CASE("compaction crash: the power goes at any operation", "[log][compaction]") {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    bool goes_on = true;
    for (uint64_t operation = 1; goes_on; ++operation) {
      INFO("seed " << seed << " operation " << operation);
      Crashing crashing(seed * 1000 + operation);
      crashing.disk.lose_power_at(operation);
      goes_on = crashing.compact_some(10'000);
      crashing.disk.lose_power_at(0);
      crashing.disk.lose_power();
      crashing.log.recover_unclean(crashing.end);
      crashing.check();
      crashing.check_end();
    }
  }
}

TEST_CASE("compaction crash: the process ends after any piece, with or without a clean stop", "[log][compaction]") {
  for (const bool is_clean : {false, true}) {
    bool goes_on = true;
    for (int pieces = 1; goes_on; ++pieces) {
      INFO("clean " << is_clean << " after " << pieces);
      Crashing crashing(7);
      goes_on = crashing.compact_some(pieces);
      if (is_clean) crashing.log.close();
      crashing.disk.kill_process();
      REQUIRE(crashing.log.recover({.clean_shutdown = is_clean, .recovery_point = crashing.end}));
      crashing.check();
      crashing.check_end();
    }
  }
}

TEST_CASE("compaction crash: the start that completes it is cut short itself", "[log][compaction]") {
  for (uint64_t operation = 1; operation < 60; ++operation) {
    for (uint64_t in_recovery = 1; in_recovery < 20; in_recovery += 2) {
      INFO("operation " << operation << ", then " << in_recovery);
      Crashing crashing(operation * 100 + in_recovery);
      crashing.disk.lose_power_at(operation);
      (void)crashing.compact_some(10'000);
      crashing.disk.lose_power_at(0);
      crashing.disk.lose_power();
      crashing.disk.lose_power_at(in_recovery);
      (void)crashing.log.recover({.clean_shutdown = false, .recovery_point = crashing.end});
      crashing.log.log.reset();
      crashing.disk.lose_power_at(0);
      crashing.disk.lose_power();
      crashing.log.recover_unclean(crashing.end);
      crashing.check();
    }
  }
}

TEST_CASE("compaction crash: a failed sync takes the log offline, and nothing is lost", "[log][compaction]") {
  for (const bool of_names : {false, true}) {
    Crashing crashing(3);
    if (of_names) crashing.disk.fail_directory_sync_at(1);
    if (!of_names) crashing.disk.fail_sync_at(1);
    std::unique_ptr<Maintenance> work;
    while ((work = crashing.log.log->begin_compaction(crashing.log.now_ms, {})) != nullptr) {
      work->execute();
      crashing.log.log->finish(*work);
    }
    CHECK(crashing.log.log->health().offline);
    CHECK(live_of(crashing.log.keyed()) == crashing.live);
    crashing.disk.kill_process();
    crashing.log.health = {};
    crashing.log.recover_unclean(crashing.end);
    crashing.check();
  }
}

TEST_CASE("compaction crash: leftovers of Kafka's in a folder that is taken in are left alone", "[log][compaction]") {
  Crashing crashing(2);
  crashing.log.close();
  put_file(crashing.disk, "/data/t-0/00000000000000000002.log.swap", as_bytes("whatever"));
  put_file(crashing.disk, "/data/t-0/00000000000000000004.log.cleaned", as_bytes("whatever"));
  const Result<void> adopted = crashing.log.recover({.foreign = true});
  REQUIRE(adopted);
  CHECK(crashing.log.count_files(".swap") == 1);
  CHECK(crashing.log.count_files(".cleaned") == 1);
  CHECK(live_of(crashing.log.keyed()) == crashing.live);
}
