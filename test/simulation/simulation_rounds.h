// simulation_rounds.h: which seeds a simulation runs. LEAT_SIM_SEED=n runs that one seed and says what it does, which
// replays a failure; LEAT_SIM_ROUNDS=n runs so many; else a number that suits the build. Seeds are 0, 1, 2 ... so that
// every run on every machine tries the same ones; LEAT_SIM_FIRST=n begins elsewhere, for a machine that has the night.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "test/support/sanitizers.h"

namespace leat {

inline constexpr uint64_t kSanitizerSlowdown = kSanitized ? 8 : 1;

inline std::optional<uint64_t> number_from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

struct SimulationRounds {
  uint64_t first_seed = 0;
  uint64_t count = 0;
  std::optional<uint64_t> replayed;  // one seed only, told in detail

  static SimulationRounds from_environment(uint64_t count_in_release) {
    const std::optional<uint64_t> seed = number_from_environment("LEAT_SIM_SEED");
    if (seed) return {.first_seed = *seed, .count = 1, .replayed = seed};
    return {.first_seed = number_from_environment("LEAT_SIM_FIRST").value_or(0),
            .count = number_from_environment("LEAT_SIM_ROUNDS").value_or(count_in_release / kSanitizerSlowdown),
            .replayed = std::nullopt};
  }
};

}  // namespace leat
