// time_index.cpp: the sparse time index in memory and its file form.
#include "core/log/time_index.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/codec/reader.h"
#include "core/codec/writer.h"

namespace leat {

std::optional<TimeIndex> TimeIndex::decode(Offset base_offset, ByteView file) {
  if (file.size() % kTimeIndexEntryBytes != 0) return std::nullopt;
  TimeIndex index(base_offset);
  index.entries_.reserve(file.size() / kTimeIndexEntryBytes);
  for (size_t at = 0; at < file.size(); at += kTimeIndexEntryBytes) {
    const TimeIndexEntry entry{from_big_endian<int64_t>(&file[at]), from_big_endian<uint32_t>(&file[at + 8])};
    if (entry.timestamp_ms == 0 && entry.relative_offset == 0 && at > 0) {  // Kafka preallocates zeros
      const auto is_zero = [](uint8_t byte) { return byte == 0; };
      if (!std::all_of(file.begin() + static_cast<ptrdiff_t>(at), file.end(), is_zero)) return std::nullopt;
      break;
    }
    if (entry.relative_offset > INT32_MAX) return std::nullopt;
    if (!index.entries_.empty() && (entry.timestamp_ms <= index.entries_.back().timestamp_ms ||
                                    entry.relative_offset <= index.entries_.back().relative_offset)) {
      return std::nullopt;
    }
    index.entries_.push_back(entry);
  }
  return index;
}

std::vector<uint8_t> TimeIndex::encode(size_t first_entry) const {
  Writer writer;
  for (size_t i = first_entry; i < entries_.size(); ++i) {
    writer.i64(entries_[i].timestamp_ms);
    writer.u32(entries_[i].relative_offset);
  }
  return std::move(writer).take();
}

void TimeIndex::append(int64_t timestamp_ms, Offset last_offset) {
  const int64_t relative_offset = last_offset - base_offset_;
  ENSURE(relative_offset >= 0 && relative_offset <= INT32_MAX, "offset {} base {}", last_offset.v, base_offset_.v);
  if (!entries_.empty() &&
      (timestamp_ms <= entries_.back().timestamp_ms || relative_offset <= entries_.back().relative_offset)) {
    return;
  }
  entries_.push_back({timestamp_ms, static_cast<uint32_t>(relative_offset)});
}

Offset TimeIndex::lookup(int64_t timestamp_ms) const noexcept {
  const auto above = [](int64_t wanted, const TimeIndexEntry& entry) { return wanted < entry.timestamp_ms; };
  const auto found = std::upper_bound(entries_.begin(), entries_.end(), timestamp_ms, above);
  return found == entries_.begin() ? base_offset_ : base_offset_ + int64_t{std::prev(found)->relative_offset};
}

void TimeIndex::truncate_to_offset(Offset offset) {
  while (!entries_.empty() && base_offset_ + int64_t{entries_.back().relative_offset} >= offset) entries_.pop_back();
}

std::optional<TimeIndexEntry> TimeIndex::last() const noexcept {
  if (entries_.empty()) return std::nullopt;
  return entries_.back();
}

}  // namespace leat
