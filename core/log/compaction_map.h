// compaction_map.h: the last offset of each key that compaction has seen, in memory of a fixed bound. Keys are kept as
// a hash of 128 bits: SipHash-2-4 with the topic id for its key, so that no two keys of a topic are taken for one by
// chance, and nobody prepares such a pair before the topic is there.
//   table := entry*, a power of two of them, at most three quarters in use, grown by doubling up to the bound
//   entry := hash:u128 offset:i64            offset -1: free
// Invariant: an offset that was put for a key is never replaced by a lower one. Thread: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/strong.h"
#include "core/base/uuid.h"

namespace leat {

struct KeyHash {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const KeyHash&, const KeyHash&) = default;
};
KeyHash hash_key(ByteView key, const Uuid& secret) noexcept;

class CompactionMap {
 public:
  CompactionMap(const Uuid& secret, size_t bytes_max);

  enum class Put : uint8_t { kDone, kFull };
  Put put(ByteView key, Offset offset);        // kFull: a new key, and no room; nothing has changed
  Offset latest(ByteView key) const noexcept;  // kNoOffset: never put

  size_t size() const noexcept { return size_; }
  size_t bytes() const noexcept { return entries_.size() * sizeof(Entry); }

 private:
  struct Entry {
    KeyHash hash;
    int64_t offset = kNoOffset.v;
  };
  static_assert(sizeof(Entry) == 24);

  size_t place_of(const KeyHash& hash) const noexcept;  // of the key, or the free one where it belongs
  bool is_crowded() const noexcept { return (size_ + 1) * 4 > entries_.size() * 3; }
  void grow();

  Uuid secret_;
  size_t capacity_max_;
  std::vector<Entry> entries_;
  size_t size_ = 0;
};

}  // namespace leat
