// sim_file_content.cpp: see the header.
#include "core/storage/sim_file_content.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/base/check.h"

namespace leat {

namespace {
constexpr size_t kSectorBytes = 512;
constexpr size_t kPageBytes = 4096;
}  // namespace

// The changes [begin, end) lie on the same side of every truncation as `size_changes`, the number of changes that the
// size has seen. Everything before `begin` has happened for each sector too.
struct SimFileContent::Survival {
  enum class Pattern : uint8_t { kNothing, kEverything, kSizeOnly, kMoment, kUnits };
  Pattern pattern = Pattern::kNothing;
  size_t begin = 0;
  size_t end = 0;
  size_t size_changes = 0;
  size_t unit_bytes = kSectorBytes;  // kUnits: what survives or not on its own
  uint64_t unit_bias = 0;            // kUnits: of 4, how many units are the newest they can be
  size_t torn_bytes = 0;             // kMoment: so much of the first change that did not make it whole
};

void SimFileContent::write(size_t position, ByteView bytes) {
  if (bytes.empty()) return;
  Change change{.position = position, .bytes = {bytes.begin(), bytes.end()}};
  apply(cached_, change);
  change.size_after = cached_.size();
  changes_.push_back(std::move(change));
}

int64_t SimFileContent::space_bytes() const noexcept {
  return static_cast<int64_t>(std::max(cached_.size(), allocated_));
}

void SimFileContent::allocate(size_t size_bytes) { allocated_ = std::max(allocated_, size_bytes); }

void SimFileContent::truncate(size_t size) {
  allocated_ = std::min(allocated_, size);
  Change change{.position = size, .bytes = {}, .is_truncation = true, .size_after = size};
  apply(cached_, change);
  changes_.push_back(std::move(change));
}

void SimFileContent::apply(std::vector<uint8_t>& bytes, const Change& change) {
  if (change.is_truncation) {
    bytes.resize(change.position);
    return;
  }
  const size_t end = change.position + change.bytes.size();
  if (bytes.size() < end) bytes.resize(end);
  std::memcpy(bytes.data() + change.position, change.bytes.data(), change.bytes.size());
}

// Not `platter_ = cached_`: after a failed sync the cache shows bytes that will never be written.
void SimFileContent::sync() {
  for (const Change& change : changes_) apply(platter_, change);
  changes_.clear();
  allocated_on_platter_ = allocated_;
}

void SimFileContent::fail_sync(Random& random) {
  SimFaultCounts not_counted;
  platter_ = survive(choose_survival(random, changes_.size()), random, not_counted);
  changes_.clear();
  if (random.one_in(2)) cached_ = platter_;
}

void SimFileContent::drop_clean_cache() {
  cached_ = platter_;
  for (const Change& change : changes_) apply(cached_, change);
}

void SimFileContent::lose_power(Random& random, SimFaultCounts& counts) {
  if (!changes_.empty()) platter_ = survive(choose_survival(random, 0), random, counts);
  changes_.clear();
  cached_ = platter_;
  allocated_ = allocated_on_platter_;
}

void SimFileContent::flip_bit(size_t position, int bit) {
  const uint8_t mask = static_cast<uint8_t>(1U << bit);
  ENSURE(position < cached_.size() || position < platter_.size());
  if (position < cached_.size()) cached_[position] ^= mask;
  if (position < platter_.size()) platter_[position] ^= mask;
}

SimFileContent::Survival SimFileContent::choose_survival(Random& random, size_t size_changes_min) const {
  Survival chosen;
  const size_t count = changes_.size();
  switch (random.below(8)) {
    case 0:
      chosen.pattern = Survival::Pattern::kNothing;
      break;
    case 1:
      chosen.pattern = Survival::Pattern::kEverything;
      break;
    case 2:
      chosen.pattern = Survival::Pattern::kSizeOnly;
      break;
    case 3:
    case 4:
      chosen.pattern = Survival::Pattern::kMoment;
      break;
    default:
      chosen.pattern = Survival::Pattern::kUnits;
      break;
  }
  chosen.size_changes = random.one_in(2) ? count : random.below(count + 1);
  if (chosen.pattern == Survival::Pattern::kNothing) chosen.size_changes = 0;
  if (chosen.pattern == Survival::Pattern::kEverything) chosen.size_changes = count;
  chosen.size_changes = std::max(chosen.size_changes, size_changes_min);
  chosen.end = count;
  for (size_t i = 0; i < count; ++i) {
    if (!changes_[i].is_truncation) continue;
    if (i < chosen.size_changes) chosen.begin = i + 1;
    if (i >= chosen.size_changes) chosen.end = std::min(chosen.end, i);
  }
  chosen.unit_bytes = random.one_in(2) ? kSectorBytes : kPageBytes;
  chosen.unit_bias = random.below(5);
  const size_t torn = chosen.size_changes < chosen.end ? chosen.size_changes : count;
  if (chosen.pattern == Survival::Pattern::kMoment && torn < count) {
    chosen.torn_bytes = random.below(changes_[torn].bytes.size() + 1);
  }
  return chosen;
}

std::vector<uint8_t> SimFileContent::survive(const Survival& survival, Random& random, SimFaultCounts& counts) const {
  using Pattern = Survival::Pattern;
  const size_t begin = survival.begin;
  const size_t end = survival.end;
  std::unordered_map<size_t, size_t> unit_changes;  // unit of the file -> the changes that have reached it
  const auto reached = [&](size_t position) -> size_t {
    switch (survival.pattern) {
      case Pattern::kNothing:
      case Pattern::kSizeOnly:
        return begin;
      case Pattern::kEverything:
        return end;
      case Pattern::kMoment:
        return survival.size_changes;
      case Pattern::kUnits:
        break;
    }
    const auto [found, is_new] = unit_changes.try_emplace(position / survival.unit_bytes, end);
    if (is_new && random.below(4) >= survival.unit_bias) {
      found->second = random.one_in(2) ? begin : begin + random.below(end - begin + 1);
    }
    return found->second;
  };

  std::vector<uint8_t> bytes = platter_;
  for (size_t i = 0; i < begin; ++i) apply(bytes, changes_[i]);
  const size_t size_before = bytes.size();
  size_t size = survival.size_changes == 0 ? size_before : changes_[survival.size_changes - 1].size_after;

  bool earlier_was_lost = false;
  for (size_t i = begin; i < end; ++i) {
    const Change& change = changes_[i];
    const size_t change_end = change.position + change.bytes.size();
    size_t kept = 0;
    size_t step = 0;
    for (size_t at = change.position; at < change_end; at += step) {
      step = std::min(change_end, (at / kSectorBytes + 1) * kSectorBytes) - at;
      bool survives = i < reached(at);
      // The write under way when the power went: its sectors in order, up to some point.
      if (survival.pattern == Pattern::kMoment && i == survival.size_changes) {
        survives = at + step - change.position <= survival.torn_bytes;
      }
      if (survives && survival.pattern == Pattern::kMoment) size = std::max(size, at + step);
      if (!survives || at >= size) continue;
      const size_t visible = std::min(step, size - at);
      if (bytes.size() < at + visible) bytes.resize(at + visible);
      std::memcpy(bytes.data() + at, change.bytes.data() + (at - change.position), visible);
      kept += visible;
    }
    if (kept == 0) counts.add(SimFault::kLostWrite);
    if (kept > 0 && kept < change.bytes.size()) counts.add(SimFault::kTornWrite);
    if (kept == change.bytes.size() && earlier_was_lost) counts.add(SimFault::kReorderedWrite);
    if (kept < change.bytes.size()) {
      earlier_was_lost = true;
      if (change.position >= size_before && size > change.position) counts.add(SimFault::kZeroedBytes);
    }
  }
  counts.add(SimFault::kLostWrite, changes_.size() - end);
  bytes.resize(size);
  return bytes;
}

}  // namespace leat
