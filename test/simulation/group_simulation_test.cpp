// group_simulation_test.cpp: many seeds of a group coordinator with clients of both protocols and crashes. A failure
// prints its seed; to replay it:
//   LEAT_SIM_SEED=n test_group_simulation
// The run fails too when something that it claims to try never happened.
#include "test/simulation/group_world.h"
#include "test/simulation/simulation_rounds.h"
#include "test/support/catch.h"

namespace leat {

TEST_CASE("group simulation: one owner at a time, no commit lost or let through, and every group settles",
          "[simulation][group]") {
  const SimulationRounds rounds = SimulationRounds::from_environment(320);
  GroupCounts counts;
  for (uint64_t seed = rounds.first_seed; seed < rounds.first_seed + rounds.count; ++seed) {
    INFO("replay with LEAT_SIM_SEED=" << seed);
    GroupWorld world(seed, rounds.replayed ? GroupWorld::Telling::kTold : GroupWorld::Telling::kQuiet);
    world.run();
    counts.add(world.counts());
  }
  constexpr uint64_t kRoundsForAll = 200;  // fewer, as with sanitizers, may miss what is rare
  if (rounds.count < kRoundsForAll) return;
  for (size_t i = 0; i < kGroupHappenings; ++i) {
    INFO(kGroupHappeningNames[i] << " never happened in " << rounds.count << " rounds");
    CHECK(counts.of(static_cast<GroupHappening>(i)) > 0);
  }
}

}  // namespace leat
