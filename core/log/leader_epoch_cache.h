// leader_epoch_cache.h: at which offset each leader epoch began (KIP-101, KIP-320): clients ask it to notice
// truncation. File "leader-epoch-checkpoint", as Apache Kafka's:
//   "0\n" count "\n" (epoch " " start_offset "\n")*
// Invariants: epochs strictly increase, start offsets do not decrease. Derived from the batches, each of which carries
// its epoch, but for an epoch that has no batch yet. Thread: its owner's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/strong.h"

namespace leat {

struct LeaderEpochStart {
  int32_t epoch = kNoLeaderEpoch;
  Offset start_offset{0};
  friend bool operator==(const LeaderEpochStart&, const LeaderEpochStart&) = default;
};

struct EpochEndOffset {
  int32_t leader_epoch = kNoLeaderEpoch;
  Offset end_offset = kNoOffset;
};

class LeaderEpochCache {
 public:
  static Result<LeaderEpochCache> decode(std::string_view text, std::string_view path);
  std::string encode() const;

  // From `start_offset` on the epoch is `epoch`. True when that is news; lower or equal epochs are none.
  bool assign(int32_t epoch, Offset start_offset);
  // Entries that begin at or above `log_end` are of records that are gone.
  void truncate_to_end(Offset log_end);
  // Keeps the last entry at or below the new start, moved up to it.
  void truncate_to_start(Offset log_start);

  int32_t latest() const noexcept { return starts_.empty() ? kNoLeaderEpoch : starts_.back().epoch; }
  bool empty() const noexcept { return starts_.empty(); }
  const std::vector<LeaderEpochStart>& starts() const noexcept { return starts_; }
  // OffsetForLeaderEpoch as Kafka answers it: the greatest known epoch at or below the asked one and where it ended;
  // (-1, -1) for an epoch above the latest.
  EpochEndOffset end_offset_for(int32_t epoch, Offset log_end) const noexcept;

 private:
  std::vector<LeaderEpochStart> starts_;
};

}  // namespace leat
