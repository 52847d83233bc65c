// index_columns.cpp: entries one by one.
#include "core/log/index_columns.h"

#include <algorithm>

#include "core/codec/byte_order.h"
#include "core/log/offset_index.h"
#include "core/log/time_index.h"

namespace leat {
namespace {

template <class Entry>
Result<IndexColumns> read_columns(FileSystem& files, const std::string& path, size_t entry_bytes, const Entry& entry) {
  TRY(text, read_text_file(files, path));
  ByteView left = as_bytes(text);
  IndexColumns columns;
  for (; left.size() >= entry_bytes; left = left.subspan(entry_bytes)) {
    const bool all_zero = std::all_of(left.begin(), left.end(), [](uint8_t byte) { return byte == 0; });
    if (all_zero && text.size() > entry_bytes) return columns;  // one entry alone may well be zero
    columns.entries.push_back(entry(left.data()));
  }
  columns.odd_bytes = static_cast<int64_t>(left.size());
  return columns;
}

}  // namespace

Result<IndexColumns> read_offset_index(FileSystem& files, const std::string& path) {
  return read_columns(files, path, kIndexEntryBytes, [](const uint8_t* at) {
    return std::pair<int64_t, int64_t>(from_big_endian<uint32_t>(at), from_big_endian<uint32_t>(at + 4));
  });
}

Result<IndexColumns> read_time_index(FileSystem& files, const std::string& path) {
  return read_columns(files, path, kTimeIndexEntryBytes, [](const uint8_t* at) {
    return std::pair<int64_t, int64_t>(from_big_endian<int64_t>(at), from_big_endian<uint32_t>(at + 8));
  });
}

}  // namespace leat
