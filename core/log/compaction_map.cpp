// compaction_map.cpp: the table of keys, and SipHash (Aumasson and Bernstein, 2012) in its form of 128 bits.
#include "core/log/compaction_map.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace leat {
namespace {

constexpr size_t kFirstCapacity = 1024;

uint64_t little_endian(const uint8_t* at) noexcept {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | at[i];
  return value;
}

struct SipState {
  uint64_t v0, v1, v2, v3;

  void rounds(int count) noexcept {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v1 = std::rotl(v1, 13) ^ v0;
      v0 = std::rotl(v0, 32);
      v2 += v3;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = std::rotl(v1, 17) ^ v2;
      v2 = std::rotl(v2, 32);
    }
  }
  void take(uint64_t word) noexcept {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
  uint64_t give() noexcept {
    rounds(4);
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

size_t capacity_within(size_t bytes_max, size_t entry_bytes) noexcept {
  return std::max(kFirstCapacity, std::bit_floor(std::max<size_t>(bytes_max / entry_bytes, 1)));
}

}  // namespace

KeyHash hash_key(ByteView key, const Uuid& secret) noexcept {
  const uint64_t k0 = little_endian(secret.bytes.data());
  const uint64_t k1 = little_endian(secret.bytes.data() + 8);
  SipState state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d ^ 0xee, k0 ^ 0x6c7967656e657261,
                 k1 ^ 0x7465646279746573};
  const size_t whole = key.size() & ~size_t{7};
  for (size_t at = 0; at < whole; at += 8) state.take(little_endian(key.data() + at));
  uint8_t last[8] = {};
  if (whole < key.size()) std::memcpy(last, key.data() + whole, key.size() - whole);
  last[7] = static_cast<uint8_t>(key.size());
  state.take(little_endian(last));
  state.v2 ^= 0xee;
  KeyHash hash;
  hash.low = state.give();
  state.v1 ^= 0xdd;
  hash.high = state.give();
  return hash;
}

CompactionMap::CompactionMap(const Uuid& secret, size_t bytes_max)
    : secret_(secret), capacity_max_(capacity_within(bytes_max, sizeof(Entry))) {}

size_t CompactionMap::place_of(const KeyHash& hash) const noexcept {
  const size_t mask = entries_.size() - 1;
  size_t place = static_cast<size_t>(hash.low) & mask;
  while (entries_[place].offset != kNoOffset.v && entries_[place].hash != hash) place = (place + 1) & mask;
  return place;
}

void CompactionMap::grow() {
  std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(std::max(entries_.size() * 2, kFirstCapacity)));
  for (const Entry& entry : old) {
    if (entry.offset != kNoOffset.v) entries_[place_of(entry.hash)] = entry;
  }
}

CompactionMap::Put CompactionMap::put(ByteView key, Offset offset) {
  const KeyHash hash = hash_key(key, secret_);
  if (entries_.empty()) grow();
  size_t place = place_of(hash);
  if (entries_[place].offset == kNoOffset.v) {
    if (is_crowded()) {
      if (entries_.size() >= capacity_max_) return Put::kFull;
      grow();
      place = place_of(hash);
    }
    ++size_;
    entries_[place].hash = hash;
  }
  entries_[place].offset = std::max(entries_[place].offset, offset.v);
  return Put::kDone;
}

Offset CompactionMap::latest(ByteView key) const noexcept {
  if (entries_.empty()) return kNoOffset;
  return Offset(entries_[place_of(hash_key(key, secret_))].offset);
}

}  // namespace leat
