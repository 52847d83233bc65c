// sim_file_content_test.cpp: what a simulated file promises after a loss of power, and what it does not: over many
// seeds, each sector is checked against every state that the history allows.
#include "core/storage/sim_file_content.h"

#include <algorithm>
#include <string>

#include "test/support/catch.h"

namespace leat {
namespace {

constexpr size_t kSectorBytes = 512;
constexpr uint64_t kSeeds = 4000;

std::vector<uint8_t> bytes_of(const SimFileContent& content) {
  return {content.cached().begin(), content.cached().end()};
}

void write_filled(SimFileContent& content, size_t position, size_t size, uint8_t fill) {
  content.write(position, std::vector<uint8_t>(size, fill));
}

// A random history whose states are all kept: index 0 is what was synced.
std::vector<std::vector<uint8_t>> random_history(SimFileContent& content, Random& random, uint64_t truncations_one_in) {
  write_filled(content, 0, 1 + random.below(3000), 1);
  content.sync();
  std::vector<std::vector<uint8_t>> states{bytes_of(content)};
  const uint64_t changes = 1 + random.below(6);
  for (uint64_t i = 0; i < changes; ++i) {
    if (truncations_one_in != 0 && random.one_in(truncations_one_in)) {
      content.truncate(random.below(content.cached().size() + 600));
    } else {
      write_filled(content, random.below(content.cached().size() + 1), 1 + random.below(6000),
                   static_cast<uint8_t>(i + 2));
    }
    states.push_back(bytes_of(content));
  }
  return states;
}

uint8_t byte_at(const std::vector<uint8_t>& state, size_t position) {
  return position < state.size() ? state[position] : 0;
}

// Every byte of a sector comes from one and the same state of the history.
bool sector_is_of_some_state(const std::vector<uint8_t>& found, size_t begin,
                             const std::vector<std::vector<uint8_t>>& states) {
  const size_t end = std::min(begin + kSectorBytes, found.size());
  return std::any_of(states.begin(), states.end(), [&](const std::vector<uint8_t>& state) {
    for (size_t i = begin; i < end; ++i) {
      if (found[i] != byte_at(state, i)) return false;
    }
    return true;
  });
}

}  // namespace

TEST_CASE("sim content: synced bytes survive a loss of power", "[storage][sim]") {
  SimFaultCounts counts;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SeededRandom random(seed);
    SimFileContent content;
    random_history(content, random, 3);
    content.sync();
    const std::vector<uint8_t> synced = bytes_of(content);
    content.lose_power(random, counts);
    REQUIRE(bytes_of(content) == synced);
    write_filled(content, synced.size(), 1 + random.below(5000), 99);  // a neighbour's write harms nobody
    content.lose_power(random, counts);
    const std::vector<uint8_t> found = bytes_of(content);
    REQUIRE(found.size() >= synced.size());
    REQUIRE(std::equal(synced.begin(), synced.end(), found.begin()));
  }
}

TEST_CASE("sim content: each sector and the size show some state since the sync", "[storage][sim]") {
  SimFaultCounts counts;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    SeededRandom random(seed);
    SimFileContent content;
    const auto states = random_history(content, random, seed % 2 == 0 ? 0 : 3);
    content.lose_power(random, counts);
    const std::vector<uint8_t> found = bytes_of(content);
    for (size_t begin = 0; begin < found.size(); begin += kSectorBytes)
      REQUIRE(sector_is_of_some_state(found, begin, states));
    const auto largest = std::max_element(states.begin(), states.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    REQUIRE(found.size() <= largest->size());
    content.lose_power(random, counts);
    REQUIRE(bytes_of(content) == found);  // nothing is undecided any more
  }
  for (const SimFault fault :
       {SimFault::kLostWrite, SimFault::kTornWrite, SimFault::kReorderedWrite, SimFault::kZeroedBytes}) {
    INFO(to_string(fault));
    CHECK(counts.of(fault) > 100);
  }
}

TEST_CASE("sim content: bytes that were cut do not rise again in a file that grew over them", "[storage][sim]") {
  SimFaultCounts counts;
  uint64_t grown = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SeededRandom random(seed);
    SimFileContent content;
    write_filled(content, 0, 8000, 1);
    content.sync();
    content.truncate(1000);
    write_filled(content, 1000, 9000, 2);
    content.lose_power(random, counts);
    const std::vector<uint8_t> found = bytes_of(content);
    if (found.size() == 8000 && found[7999] == 1) continue;  // the cut did not survive
    REQUIRE(std::count(found.begin() + static_cast<ptrdiff_t>(std::min<size_t>(found.size(), 1000)), found.end(), 1) ==
            0);
    if (found.size() == 10'000) ++grown;
  }
  CHECK(grown > 100);
}

TEST_CASE("sim content: every outcome of one unsynced append is possible", "[storage][sim]") {
  uint64_t nothing = 0, everything = 0, zeros = 0, prefix = 0, hole = 0;
  SimFaultCounts counts;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SeededRandom random(seed);
    SimFileContent content;
    write_filled(content, 0, 700, 1);
    content.sync();
    write_filled(content, 700, 9000, 2);
    content.lose_power(random, counts);
    const std::vector<uint8_t> found = bytes_of(content);
    const auto new_bytes = std::count(found.begin() + 700, found.end(), 2);
    if (found.size() == 700)
      ++nothing;
    else if (new_bytes == 9000)
      ++everything;
    else if (new_bytes == 0)
      ++zeros;
    else if (std::is_sorted(found.begin() + 700, found.end(), std::greater<>()))
      ++prefix;
    else
      ++hole;
  }
  for (const uint64_t count : {nothing, everything, zeros, prefix, hole}) CHECK(count > kSeeds / 50);
}

TEST_CASE("sim content: after a failed sync no later sync brings the lost bytes back", "[storage][sim]") {
  uint64_t lost = 0, still_seen = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SeededRandom random(seed);
    SimFaultCounts counts;
    SimFileContent content;
    write_filled(content, 0, 4000, 1);
    content.sync();
    write_filled(content, 4000, 4000, 2);
    content.fail_sync(random);
    const std::vector<uint8_t> seen = bytes_of(content);
    write_filled(content, 8000, 4000, 3);
    content.sync();
    content.lose_power(random, counts);
    const std::vector<uint8_t> found = bytes_of(content);
    REQUIRE(found.size() == 12'000);
    REQUIRE(std::count(found.begin(), found.begin() + 4000, 1) == 4000);
    REQUIRE(std::count(found.begin() + 8000, found.end(), 3) == 4000);
    const auto kept = std::count(found.begin() + 4000, found.begin() + 8000, 2);
    lost += kept < 4000;
    still_seen += kept < 4000 && std::count(seen.begin(), seen.end(), 2) == 4000;
  }
  CHECK(lost > kSeeds / 4);
  CHECK(still_seen > kSeeds / 10);
}

TEST_CASE("sim content: dropping the cache shows what the platter has, and keeps what is dirty", "[storage][sim]") {
  uint64_t lost = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SeededRandom random(seed);
    SimFaultCounts counts;
    SimFileContent content;
    write_filled(content, 0, 4000, 1);
    content.fail_sync(random);
    write_filled(content, 4000, 4000, 2);
    content.drop_clean_cache();
    const std::vector<uint8_t> seen = bytes_of(content);
    REQUIRE(std::count(seen.begin() + 4000, seen.end(), 2) == 4000);
    lost += std::count(seen.begin(), seen.begin() + 4000, 1) < 4000;
    content.sync();
    content.lose_power(random, counts);
    REQUIRE(bytes_of(content) == seen);
  }
  CHECK(lost > kSeeds / 4);
}

TEST_CASE("sim content: a flipped bit is at rest", "[storage][sim]") {
  SeededRandom random(1);
  SimFaultCounts counts;
  SimFileContent content;
  write_filled(content, 0, 10, 0);
  content.sync();
  content.flip_bit(7, 3);
  CHECK(content.cached()[7] == 8);
  content.lose_power(random, counts);
  CHECK(content.cached()[7] == 8);
}

}  // namespace leat
