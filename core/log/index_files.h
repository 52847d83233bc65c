// index_files.h: the index files of a segment: reading them back with suspicion, looking a position up in the file of a
// sealed segment without loading it, and what must be written of a segment's indexes in memory. Thread: a worker, or
// recovery.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/log/segment.h"
#include "core/storage/file_system.h"

namespace leat {

enum class IndexState : uint8_t { kGood, kMissingOrBad };

// Both indexes into memory. kMissingOrBad, also when they cannot be read, leaves the segment's indexes empty.
IndexState load_indexes(FileSystem& files, const std::string& directory, Segment& segment, int64_t log_size_bytes);

// Whether the files are what writing both indexes of the segment now would make them.
bool index_files_hold(FileSystem& files, const std::string& directory, const Segment& segment);

// The last entry of the time index file of a sealed segment; nullopt when the file is empty.
Result<std::optional<TimeIndexEntry>> read_last_time_entry(FileSystem& files, const std::string& path);

// The last entry of the offset index file of a sealed segment; nullopt when there is none, or it cannot be read.
std::optional<IndexEntry> read_last_index_entry(FileSystem& files, const std::string& directory,
                                                Offset base_offset) noexcept;

// Binary search in the files. Whatever is odd (no file, bad entry) gives the segment's begin, where a walk always
// succeeds.
Position lookup_position(FileSystem& files, const std::string& directory, Offset base_offset, Offset offset) noexcept;
// The last entry at or below a time; a claim, to be held against the batch that it names.
std::optional<TimeIndexEntry> lookup_time_entry(FileSystem& files, const std::string& directory, Offset base_offset,
                                                int64_t timestamp_ms) noexcept;

// The new entries of an index, taken on the loop, written by a worker.
struct IndexWrite {
  std::string path;
  Position position;  // 0 cuts what an older file of that name may hold
  std::vector<uint8_t> bytes;
};
enum class IndexSync : uint8_t { kNo, kYes };
Result<void> write_index(FileSystem& files, const IndexWrite& write, IndexSync sync, SyncKind kind);

}  // namespace leat
