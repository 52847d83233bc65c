// time_index.h: sparse map from timestamp to record offset; one file a segment, "%020d.timeindex", as Apache Kafka's.
//   file := entry*     entry := timestamp:i64be relative_offset:u32be
// An entry says: the largest timestamp of the segment up to and including relative_offset (the last offset of the batch
// that reached it) is `timestamp`. Written together with an offset index entry when the largest timestamp has grown
// since, and once more when the segment is sealed or cleanly closed, so that the last entry is the segment's largest
// timestamp. Invariants: timestamps strictly increase, offsets do. Derived data: rebuilt when it fails decode().
// Thread: its owner's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/strong.h"

namespace leat {

inline constexpr size_t kTimeIndexEntryBytes = 12;

struct TimeIndexEntry {
  int64_t timestamp_ms = kNoTimestamp;
  uint32_t relative_offset = 0;
};

class TimeIndex {
 public:
  explicit TimeIndex(Offset base_offset) noexcept : base_offset_(base_offset) {}

  static std::optional<TimeIndex> decode(Offset base_offset, ByteView file);
  std::vector<uint8_t> encode(size_t first_entry) const;

  // Nothing happens unless both are above the last entry.
  void append(int64_t timestamp_ms, Offset last_offset);
  // An offset at or after which the first record with a timestamp >= `timestamp_ms` stands.
  Offset lookup(int64_t timestamp_ms) const noexcept;
  void truncate_to_offset(Offset offset);

  size_t entry_count() const noexcept { return entries_.size(); }
  size_t size_bytes() const noexcept { return entries_.size() * kTimeIndexEntryBytes; }
  std::optional<TimeIndexEntry> last() const noexcept;
  void release() noexcept { entries_ = {}; }

 private:
  Offset base_offset_;
  std::vector<TimeIndexEntry> entries_;
};

}  // namespace leat
