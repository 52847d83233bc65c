// sim_file_content.h: the bytes of one simulated file, three times: as readers see them (page cache), as they are on
// the platter, and the changes since the last sync that lead from one to the other.
//   Changes are writes and truncations, in order. A loss of power chooses for each 512-byte sector how many of the
//   changes have reached it (a sector is written whole or not at all; 4096-byte pages are the usual unit, single
//   sectors the worst case), and, apart from that, how many have reached the size. So the newest bytes may survive
//   without older ones, and a size without its bytes: zeros. Truncations are part of a journal: no sector shows a state
//   from the other side of a truncation than the size does, or cut bytes would rise again in a file that had grown over
//   them.
// Invariants: without changes the two sizes agree; what was there at a sync that succeeded survives unless it
// is overwritten or cut later. Any thread, one at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/random.h"
#include "core/storage/sim_faults.h"

namespace leat {

class SimFileContent {
 public:
  ByteView cached() const noexcept { return cached_; }
  int64_t size_bytes() const noexcept { return static_cast<int64_t>(cached_.size()); }
  int64_t space_bytes() const noexcept;  // on the disk: with what was allocated behind the end
  size_t unsynced_changes() const noexcept { return changes_.size(); }

  void write(size_t position, ByteView bytes);  // beyond the end leaves a hole of zeros
  void truncate(size_t size);                   // gives back what was allocated behind it
  void allocate(size_t size_bytes);             // durable with the next sync
  void sync();
  // The size and some of the dirty bytes reach the platter, the rest never will: they are no longer dirty, so no later
  // sync writes them. Readers still see them (ext4), or see what is on the platter (xfs).
  void fail_sync(Random& random);
  void drop_clean_cache();  // readers see the platter, but for what is dirty
  void lose_power(Random& random, SimFaultCounts& counts);
  void flip_bit(size_t position, int bit);  // in the cache and at rest

 private:
  struct Change {
    size_t position = 0;         // of a write; the new size of a truncation
    std::vector<uint8_t> bytes;  // of a write
    bool is_truncation = false;
    size_t size_after = 0;
  };
  struct Survival;  // what of the changes survives

  static void apply(std::vector<uint8_t>& bytes, const Change& change);
  Survival choose_survival(Random& random, size_t size_changes_min) const;
  std::vector<uint8_t> survive(const Survival& survival, Random& random, SimFaultCounts& counts) const;

  std::vector<uint8_t> cached_;
  std::vector<uint8_t> platter_;
  std::vector<Change> changes_;
  size_t allocated_ = 0;
  size_t allocated_on_platter_ = 0;
};

}  // namespace leat
