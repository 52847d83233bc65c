// index_files.cpp: index files read and written.
#include "core/log/index_files.h"

#include <algorithm>
#include <array>

#include "core/codec/reader.h"
#include "core/log/file_names.h"

namespace leat {
namespace {

constexpr size_t kIndexFileBytesMax = size_t{64} << 20;

// What cannot be read is as good as missing: it can be made anew.
std::optional<std::string> read_if_possible(FileSystem& files, const std::string& path) {
  Result<std::string> text = read_text_file(files, path, kIndexFileBytesMax);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

}  // namespace

IndexState load_indexes(FileSystem& files, const std::string& directory, Segment& segment, int64_t log_size_bytes) {
  segment.restart_indexes();
  const auto index_text = read_if_possible(files, segment_path(directory, segment.base_offset, kIndexSuffix));
  const auto time_text = read_if_possible(files, segment_path(directory, segment.base_offset, kTimeIndexSuffix));
  if (!index_text || !time_text) return IndexState::kMissingOrBad;
  auto index = OffsetIndex::decode(segment.base_offset, as_bytes(*index_text), log_size_bytes);
  auto time_index = TimeIndex::decode(segment.base_offset, as_bytes(*time_text));
  if (!index || !time_index) return IndexState::kMissingOrBad;
  // What Kafka preallocated is cut off by the next write: until then fewer entries count as written than the file has
  // bytes.
  const bool exact = index->size_bytes() == index_text->size() && time_index->size_bytes() == time_text->size();
  segment.index = std::move(*index);
  segment.time_index = std::move(*time_index);
  segment.index_entries_written = exact ? segment.index.entry_count() : 0;
  segment.time_entries_written = exact ? segment.time_index.entry_count() : 0;
  if (const auto last = segment.time_index.last()) {
    segment.max_timestamp_ms = last->timestamp_ms;
    segment.max_timestamp_offset = segment.base_offset + int64_t{last->relative_offset};
  }
  return IndexState::kGood;
}

bool index_files_hold(FileSystem& files, const std::string& directory, const Segment& segment) {
  const auto holds = [&](std::string_view suffix, const std::vector<uint8_t>& bytes) {
    const auto text = read_if_possible(files, segment_path(directory, segment.base_offset, suffix));
    return text && std::equal(bytes.begin(), bytes.end(), as_bytes(*text).begin(), as_bytes(*text).end());
  };
  return holds(kIndexSuffix, segment.index.encode(0)) && holds(kTimeIndexSuffix, segment.time_index.encode(0));
}

Result<std::optional<TimeIndexEntry>> read_last_time_entry(FileSystem& files, const std::string& path) {
  TRY(file, files.open(path, OpenMode::kRead));
  TRY(size, file->size());
  const int64_t count = size / static_cast<int64_t>(kTimeIndexEntryBytes);
  if (count == 0) return std::nullopt;
  std::array<uint8_t, kTimeIndexEntryBytes> bytes{};
  TRY(read, file->read_at(Position((count - 1) * static_cast<int64_t>(kTimeIndexEntryBytes)), bytes));
  if (read < bytes.size()) return std::nullopt;
  return TimeIndexEntry{from_big_endian<int64_t>(bytes.data()), from_big_endian<uint32_t>(bytes.data() + 8)};
}

namespace {

// The last entry for which `at_or_below` holds, by halving. nullopt: none, or the file cannot be read.
template <size_t kEntryBytes, class Predicate>
std::optional<std::array<uint8_t, kEntryBytes>> last_entry_where(FileSystem& files, const std::string& path,
                                                                 Predicate at_or_below) {
  const Result<std::unique_ptr<File>> file = files.open(path, OpenMode::kRead);
  if (!file) return std::nullopt;
  const Result<int64_t> size = (*file)->size();
  if (!size) return std::nullopt;
  std::optional<std::array<uint8_t, kEntryBytes>> best;
  int64_t low = 0;
  int64_t high = *size / static_cast<int64_t>(kEntryBytes);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    std::array<uint8_t, kEntryBytes> entry{};
    const Result<size_t> count = (*file)->read_at(Position(middle * static_cast<int64_t>(kEntryBytes)), entry);
    if (!count || *count < kEntryBytes) return std::nullopt;
    if (at_or_below(entry.data())) {
      best = entry;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return best;
}

}  // namespace

Position lookup_position(FileSystem& files, const std::string& directory, Offset base_offset, Offset offset) noexcept {
  const int64_t wanted = offset - base_offset;
  const auto found = last_entry_where<kIndexEntryBytes>(
      files, segment_path(directory, base_offset, kIndexSuffix),
      [wanted](const uint8_t* entry) { return int64_t{from_big_endian<uint32_t>(entry)} <= wanted; });
  return Position(found ? from_big_endian<uint32_t>(found->data() + 4) : 0);
}

// Kafka preallocates zeros; the first batch of a segment, which begins at 0, never gets an entry.
std::optional<IndexEntry> read_last_index_entry(FileSystem& files, const std::string& directory,
                                                Offset base_offset) noexcept {
  const auto found =
      last_entry_where<kIndexEntryBytes>(files, segment_path(directory, base_offset, kIndexSuffix),
                                         [](const uint8_t* entry) { return from_big_endian<uint32_t>(entry + 4) > 0; });
  if (!found) return std::nullopt;
  return IndexEntry{from_big_endian<uint32_t>(found->data()), from_big_endian<uint32_t>(found->data() + 4)};
}

std::optional<TimeIndexEntry> lookup_time_entry(FileSystem& files, const std::string& directory, Offset base_offset,
                                                int64_t timestamp_ms) noexcept {
  const auto found = last_entry_where<kTimeIndexEntryBytes>(
      files, segment_path(directory, base_offset, kTimeIndexSuffix),
      [timestamp_ms](const uint8_t* entry) { return from_big_endian<int64_t>(entry) <= timestamp_ms; });
  if (!found) return std::nullopt;
  return TimeIndexEntry{from_big_endian<int64_t>(found->data()), from_big_endian<uint32_t>(found->data() + 8)};
}

// The whole index of a sealed segment takes the place of an older file at once: recovery believes the file of a
// segment below
// the recovery point, and half an index is one that looks sound.
Result<void> write_index(FileSystem& files, const IndexWrite& write, IndexSync sync, SyncKind kind) {
  const bool replaces = write.position.v == 0 && sync == IndexSync::kYes;
  const std::string path = replaces ? write.path + std::string(kTemporarySuffix) : write.path;
  TRY(file, files.open(path, OpenMode::kCreate));
  if (write.position.v == 0) TRY(file->truncate(0));
  const std::array<ByteView, 1> pieces{ByteView(write.bytes)};
  if (!write.bytes.empty()) TRY(file->write_at(write.position, pieces));
  if (sync == IndexSync::kYes) TRY(file->sync(kind));
  return replaces ? files.rename(path, write.path) : Result<void>();
}

}  // namespace leat
