// power_loss_test.cpp: many seeds of one partition's log on a disk that fails. A failure prints its seed; to replay it:
//   LEAT_SIM_SEED=n test_simulation
// The run fails too when some kind of fault was never injected, for then it has shown less than it claims.
#include <cstdio>

#include "test/simulation/log_world.h"
#include "test/simulation/simulation_rounds.h"
#include "test/support/catch.h"

namespace leat {

TEST_CASE("simulation: nothing acknowledged is lost, doubled or moved, whatever the disk does", "[simulation]") {
  const SimulationRounds rounds = SimulationRounds::from_environment(4000);
  SimFaultCounts faults;
  for (uint64_t seed = rounds.first_seed; seed < rounds.first_seed + rounds.count; ++seed) {
    INFO("replay with LEAT_SIM_SEED=" << seed);
    LogWorld world(seed, rounds.replayed ? LogWorld::Telling::kTold : LogWorld::Telling::kQuiet);
    world.run();
    faults.add(world.faults());
  }
  if (rounds.replayed) return;
  for (size_t i = 0; i < kSimFaultKinds; ++i) {
    const SimFault fault = static_cast<SimFault>(i);
    INFO(to_string(fault) << " was never injected in " << rounds.count << " rounds");
    CHECK(faults.of(fault) > 0);
  }
}

}  // namespace leat
