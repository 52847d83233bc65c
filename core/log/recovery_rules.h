// recovery_rules.h: what recovery does with the bytes at the end of what it has accepted so far: one table, proven to
// give exactly one verdict for every input. Pure.
#pragma once

#include <array>
#include <cstdint>

namespace leat {

enum class Verdict : uint8_t {
  kKeep,       // a whole batch in its place
  kCutTail,    // a crash inside a write: cut, nothing valid is lost
  kSaveAside,  // cut as well, but the bytes hold, or are, a valid batch: kept in a side file, and reported
  kReport,     // bytes that were durable have changed: never cut; what is good is served, the rest is reported
};

struct RecoveryInput {
  bool complete;       // a header that can be, and as many bytes as it says
  bool crc_ok;         // CRC-32C holds
  bool in_order;       // offset above the previous last and below the segment's bound, leader epoch not lower
  bool below_point;    // its offset is below the recovery point (foreign folders: everything is)
  bool valid_follows;  // a valid batch stands somewhere behind it
};

namespace recovery_rules {

enum class Match : uint8_t { kNo, kYes, kAny };
inline constexpr Match N = Match::kNo;
inline constexpr Match Y = Match::kYes;
inline constexpr Match X = Match::kAny;

struct Rule {
  Match complete, crc_ok, in_order, below_point, valid_follows;
  Verdict verdict;
};

inline constexpr std::array kRules{
    // complete crc_ok in_order below_point valid_follows
    Rule{Y, Y, Y, X, X, Verdict::kKeep},      Rule{N, X, X, N, N, Verdict::kCutTail},  // crash inside a write
    Rule{Y, N, X, N, N, Verdict::kCutTail},  // pages of the last write came back in another order, or not at all
    Rule{N, X, X, N, Y, Verdict::kSaveAside}, Rule{Y, N, X, N, Y, Verdict::kSaveAside},
    Rule{Y, Y, N, N, X, Verdict::kSaveAside},  // a valid batch in the wrong place: no crash makes that
    Rule{N, X, X, Y, X, Verdict::kReport},    Rule{Y, N, X, Y, X, Verdict::kReport},
    Rule{Y, Y, N, Y, X, Verdict::kReport},
};

constexpr bool fits(Match match, bool value) noexcept { return match == X || (match == Y) == value; }
constexpr bool fits(const Rule& rule, const RecoveryInput& input) noexcept {
  return fits(rule.complete, input.complete) && fits(rule.crc_ok, input.crc_ok) &&
         fits(rule.in_order, input.in_order) && fits(rule.below_point, input.below_point) &&
         fits(rule.valid_follows, input.valid_follows);
}

constexpr RecoveryInput input_of_bits(unsigned bits) noexcept {
  return {.complete = (bits & 1) != 0,
          .crc_ok = (bits & 2) != 0,
          .in_order = (bits & 4) != 0,
          .below_point = (bits & 8) != 0,
          .valid_follows = (bits & 16) != 0};
}
inline constexpr unsigned kInputCount = 32;

constexpr bool every_input_matches_exactly_one() noexcept {
  for (unsigned bits = 0; bits < kInputCount; ++bits) {
    int matches = 0;
    for (const Rule& rule : kRules) matches += fits(rule, input_of_bits(bits)) ? 1 : 0;
    if (matches != 1) return false;
  }
  return true;
}
static_assert(every_input_matches_exactly_one());

}  // namespace recovery_rules

constexpr Verdict recovery_verdict(const RecoveryInput& input) noexcept {
  for (const recovery_rules::Rule& rule : recovery_rules::kRules) {
    if (recovery_rules::fits(rule, input)) return rule.verdict;
  }
  return Verdict::kReport;  // not reached, see the static_assert
}

}  // namespace leat
