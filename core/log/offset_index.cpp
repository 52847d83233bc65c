// offset_index.cpp: the sparse offset index in memory and its file form.
#include "core/log/offset_index.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/codec/reader.h"
#include "core/codec/writer.h"

namespace leat {

std::optional<OffsetIndex> OffsetIndex::decode(Offset base_offset, ByteView file, int64_t log_size_bytes) {
  if (file.size() % kIndexEntryBytes != 0) return std::nullopt;
  OffsetIndex index(base_offset);
  index.entries_.reserve(file.size() / kIndexEntryBytes);
  for (size_t at = 0; at < file.size(); at += kIndexEntryBytes) {
    const IndexEntry entry{from_big_endian<uint32_t>(&file[at]), from_big_endian<uint32_t>(&file[at + 4])};
    if (entry.relative_offset == 0 && entry.position == 0 && at > 0) {
      const auto is_zero = [](uint8_t byte) { return byte == 0; };
      if (!std::all_of(file.begin() + static_cast<ptrdiff_t>(at), file.end(), is_zero)) return std::nullopt;
      break;
    }
    if (entry.position >= log_size_bytes || entry.relative_offset > INT32_MAX) return std::nullopt;
    if (!index.entries_.empty() && (entry.relative_offset <= index.entries_.back().relative_offset ||
                                    entry.position <= index.entries_.back().position)) {
      return std::nullopt;
    }
    index.entries_.push_back(entry);
  }
  return index;
}

std::vector<uint8_t> OffsetIndex::encode(size_t first_entry) const {
  Writer writer;
  for (size_t i = first_entry; i < entries_.size(); ++i) {
    writer.u32(entries_[i].relative_offset);
    writer.u32(entries_[i].position);
  }
  return std::move(writer).take();
}

void OffsetIndex::append(Offset last_offset, Position position) {
  const int64_t relative_offset = last_offset - base_offset_;
  ENSURE(relative_offset >= 0 && relative_offset <= INT32_MAX, "offset {} base {}", last_offset.v, base_offset_.v);
  ENSURE(position.v >= 0 && position.v <= INT32_MAX, "position {}", position.v);
  const IndexEntry entry{static_cast<uint32_t>(relative_offset), static_cast<uint32_t>(position.v)};
  ENSURE(entries_.empty() ||
             (entry.relative_offset > entries_.back().relative_offset && entry.position > entries_.back().position),
         "offset {} position {} behind {} {}", entry.relative_offset, entry.position, entries_.back().relative_offset,
         entries_.back().position);
  entries_.push_back(entry);
}

Position OffsetIndex::lookup(Offset offset) const noexcept {
  const auto above = [](int64_t relative_offset, const IndexEntry& entry) {
    return relative_offset < entry.relative_offset;
  };
  const auto found = std::upper_bound(entries_.begin(), entries_.end(), offset - base_offset_, above);
  return Position(found == entries_.begin() ? 0 : std::prev(found)->position);
}

void OffsetIndex::truncate_to_offset(Offset offset) {
  while (!entries_.empty() && last_offset() >= offset) entries_.pop_back();
}

std::optional<Position> OffsetIndex::last_position() const noexcept {
  if (entries_.empty()) return std::nullopt;
  return Position(entries_.back().position);
}

Offset OffsetIndex::last_offset() const noexcept {
  return entries_.empty() ? base_offset_ : base_offset_ + int64_t{entries_.back().relative_offset};
}

}  // namespace leat
