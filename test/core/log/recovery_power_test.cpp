// recovery_power_test.cpp: what a recovery shows survives the next loss of power, and no loss of power takes what was
// acknowledged.
#include <fmt/format.h>

#include <set>

#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

TEST_CASE("recovery: what is kept is durable before it is visible", "[log][recovery]") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SimFileSystem disk(seed);
    OpenLog log(disk, small_segments(FlushPolicy::kCommit));
    log.create();
    log.append_many(3, {});
    std::vector<AppendInput> inputs;
    inputs.push_back(make_input({}));
    {
      const std::unique_ptr<LogAppend> append = log.log->begin_append(inputs, kStartMs);
      append->write();
      log.log.reset();  // killed between write and sync
    }
    disk.kill_process();
    log.recover_unclean();
    const std::vector<SeenRecord> seen = log.read_all();
    CHECK(seen.size() == 4);
    disk.lose_power();
    log.recover_unclean();
    CHECK(log.read_all() == seen);
  }
}

TEST_CASE("recovery: power loss at any moment loses nothing acknowledged", "[log][recovery][power]") {
  SimFaultCounts seen;
  for (const FlushPolicy flush : {FlushPolicy::kCommit, FlushPolicy::kFull}) {
    for (uint64_t seed = 1; seed <= 400; ++seed) {
      SimFileSystem disk(
          SimFileSystem::Options{.seed = seed, .data_sync_survives_power_loss = flush == FlushPolicy::kCommit});
      LogConfig config = small_segments(flush);
      OpenLog log(disk, config);
      log.create();
      SeededRandom random(seed);
      std::vector<SeenRecord> acknowledged;
      Offset point(0);
      for (int round = 0; round < 3; ++round) {
        disk.lose_power_at(1 + random.below(60));
        for (int i = 0; i < 30 && !disk.power_is_out(); ++i) {
          std::vector<AppendInput> inputs;
          const std::string text = fmt::format("{} {} {}", seed, round, i);
          inputs.push_back(make_input({.records = 1 + i % 3, .value_bytes = random.below(400), .text = text}));
          const std::unique_ptr<LogAppend> append = log.log->begin_append(inputs, kStartMs);
          append->write();
          log.log->on_written(*append);
          if (append->failed()) continue;
          append->sync();
          log.log->on_synced(*append);
          if (append->outcomes[0].error) continue;
          for (int r = 0; r < 1 + i % 3; ++r)
            acknowledged.push_back({append->outcomes[0].base_offset.v + r, 0, 0, text});
          if (random.one_in(6)) {
            std::unique_ptr<Maintenance> work = log.log->begin_checkpoint(kStartMs);
            if (work) {
              work->execute();
              log.log->finish(*work);
              if (!work->error) point = log.log->recovery_point();
            }
          }
        }
        log.log.reset();
        disk.lose_power();
        log.health = {};
        INFO("seed " << seed << " round " << round);
        log.recover_unclean(point);
        CHECK(log.report.damaged.empty());
        const std::vector<SeenRecord> all = log.read_all();
        size_t next = 0;
        for (const SeenRecord& record : acknowledged) {
          while (next < all.size() && all[next].offset < record.offset) ++next;
          REQUIRE(next < all.size());
          REQUIRE(all[next].offset == record.offset);
          REQUIRE(all[next].value.substr(0, record.value.size()) == record.value);
        }
        std::set<int64_t> offsets;
        for (const SeenRecord& record : all) REQUIRE(offsets.insert(record.offset).second);
      }
      seen.add(disk.faults());
    }
  }
  for (const SimFault fault : {SimFault::kPowerLoss, SimFault::kPowerLossInside, SimFault::kLostWrite,
                               SimFault::kTornWrite, SimFault::kZeroedBytes, SimFault::kLostCreate}) {
    INFO(to_string(fault));
    CHECK(seen.of(fault) > 0);
  }
}
