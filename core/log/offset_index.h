// offset_index.h: sparse map from record offset to byte position; one file a segment, "%020d.index", as Apache Kafka's.
//   file  := entry*                                       one per index.interval.bytes of log at most
//   entry := relative_offset:u32be position:u32be
// relative_offset is the last offset of a batch minus the segment's base offset, position that batch's first byte.
// Invariants: both columns strictly increase; position < segment size. Derived data, so never trusted: what a lookup
// finds is checked against the batch that is there, and a file that fails sane() is rebuilt from the segment. In memory
// for a segment that grows; a sealed one is looked up in its file (index_lookup.h), so that old data costs no memory.
// Thread: its owner's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/strong.h"

namespace leat {

inline constexpr size_t kIndexEntryBytes = 8;

struct IndexEntry {
  uint32_t relative_offset = 0;
  uint32_t position = 0;
};

class OffsetIndex {
 public:
  explicit OffsetIndex(Offset base_offset) noexcept : base_offset_(base_offset) {}

  // Entries as they stand in a file; nullopt when they cannot be of this segment: size no multiple, columns not
  // increasing, a position at or beyond `log_size_bytes`. Trailing zero entries, which Kafka preallocates, are dropped.
  static std::optional<OffsetIndex> decode(Offset base_offset, ByteView file, int64_t log_size_bytes);
  std::vector<uint8_t> encode(size_t first_entry) const;  // from that entry on

  void append(Offset last_offset, Position position);
  // Where to start walking for `offset`: the last entry at or below it, else the segment's begin.
  Position lookup(Offset offset) const noexcept;
  void truncate_to_offset(Offset offset);  // drops entries at or above it

  size_t entry_count() const noexcept { return entries_.size(); }
  size_t size_bytes() const noexcept { return entries_.size() * kIndexEntryBytes; }
  Offset base_offset() const noexcept { return base_offset_; }
  std::optional<Position> last_position() const noexcept;
  Offset last_offset() const noexcept;  // of the last entry, or the base offset
  void release() noexcept { entries_ = {}; }

 private:
  Offset base_offset_;
  std::vector<IndexEntry> entries_;
};

}  // namespace leat
