// partitioner.cpp: MurmurHash2 with Kafka's seed, and Java's string hash over UTF-8.
#include "core/record/partitioner.h"

#include <climits>

#include "core/base/check.h"

namespace leat {
namespace {

struct CodePoint {
  uint32_t value;
  size_t size;
};

constexpr uint32_t kReplacement = 0xfffd;

// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
CodePoint decode_utf8(std::string_view text) noexcept {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {kReplacement, 1};
  uint32_t value = lead & (0xffU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    const auto next = static_cast<uint8_t>(text[i]);
    if ((next & 0xc0) != 0x80) return {kReplacement, i};
    value = value << 6 | (next & 0x3fU);
  }
  const bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  if (overlong || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {kReplacement, 1};
  return {value, size};
}

}  // namespace

int32_t murmur2(ByteView key) noexcept {
  constexpr uint32_t kSeed = 0x9747b28c;
  constexpr uint32_t kMultiplier = 0x5bd1e995;
  constexpr int kShift = 24;
  uint32_t hash = kSeed ^ static_cast<uint32_t>(key.size());
  const uint8_t* next = key.data();
  size_t left = key.size();
  for (; left >= 4; left -= 4, next += 4) {
    uint32_t word = uint32_t{next[0]} | uint32_t{next[1]} << 8 | uint32_t{next[2]} << 16 | uint32_t{next[3]} << 24;
    word *= kMultiplier;
    word ^= word >> kShift;
    word *= kMultiplier;
    hash = hash * kMultiplier ^ word;
  }
  if (left == 3) hash ^= uint32_t{next[2]} << 16;
  if (left >= 2) hash ^= uint32_t{next[1]} << 8;
  if (left >= 1) hash = (hash ^ next[0]) * kMultiplier;
  hash ^= hash >> 13;
  hash *= kMultiplier;
  hash ^= hash >> 15;
  return static_cast<int32_t>(hash);
}

int32_t partition_for_key(ByteView key, int32_t partition_count) noexcept {
  ENSURE(partition_count > 0, "{}", partition_count);
  return (murmur2(key) & INT32_MAX) % partition_count;
}

int32_t java_string_hash(std::string_view utf8) noexcept {
  uint32_t hash = 0;
  while (!utf8.empty()) {
    const CodePoint point = decode_utf8(utf8);
    utf8.remove_prefix(point.size);
    if (point.value < 0x10000) {
      hash = 31 * hash + point.value;
    } else {
      const uint32_t above = point.value - 0x10000;
      hash = 31 * hash + (0xd800 + (above >> 10));
      hash = 31 * hash + (0xdc00 + (above & 0x3ff));
    }
  }
  return static_cast<int32_t>(hash);
}

int32_t coordinator_partition(std::string_view id, int32_t partition_count) noexcept {
  return coordinator_partition_of_hash(java_string_hash(id), partition_count);
}

int32_t coordinator_partition_of_hash(int32_t hash, int32_t partition_count) noexcept {
  ENSURE(partition_count > 0, "{}", partition_count);
  if (hash == INT32_MIN) return 0;  // it has no absolute value: Kafka takes 0
  return (hash < 0 ? -hash : hash) % partition_count;
}

}  // namespace leat
