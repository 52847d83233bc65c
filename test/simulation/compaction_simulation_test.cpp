// compaction_simulation_test.cpp: many seeds of one compacted partition on a disk that fails. To replay one:
//   LEAT_SIM_SEED=n test_simulation "[compaction]"
#include "test/simulation/compaction_world.h"
#include "test/simulation/simulation_rounds.h"
#include "test/support/catch.h"

namespace leat {

TEST_CASE("simulation: compaction takes away what is superseded and nothing else, whatever the disk does",
          "[simulation][compaction]") {
  const SimulationRounds rounds = SimulationRounds::from_environment(2000);
  CompactionWorld::Counts counts;
  SimFaultCounts faults;
  for (uint64_t seed = rounds.first_seed; seed < rounds.first_seed + rounds.count; ++seed) {
    INFO("replay with LEAT_SIM_SEED=" << seed);
    CompactionWorld world(seed, rounds.replayed ? CompactionWorld::Telling::kTold : CompactionWorld::Telling::kQuiet);
    world.run();
    faults.add(world.faults());
    counts.passes += world.counts().passes;
    counts.swaps_completed += world.counts().swaps_completed;
    counts.tombstones_gone += world.counts().tombstones_gone;
    counts.slow_reads += world.counts().slow_reads;
  }
  if (rounds.replayed) return;
  CHECK(counts.passes > rounds.count);
  CHECK(counts.swaps_completed > 0);
  CHECK(counts.tombstones_gone > 0);
  CHECK(counts.slow_reads > 0);
  for (const SimFault fault : {SimFault::kPowerLossInside, SimFault::kLostRename, SimFault::kLostRemove,
                               SimFault::kFailedSync, SimFault::kFailedDirectorySync, SimFault::kNoSpace}) {
    INFO(to_string(fault) << " was never injected in " << rounds.count << " rounds");
    CHECK(faults.of(fault) > 0);
  }
}

}  // namespace leat
