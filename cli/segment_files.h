// segment_files.h: the files that `leat log` was pointed at: files as they are named, and the segments of partition
// folders.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/storage/file_system.h"

namespace leat::cli {

// Files stay; a partition folder becomes its .log files in order of offset; a data directory all of its partitions'.
// kNotFound when a path, or anything to look at in it, is missing.
Result<std::vector<std::string>> find_segment_files(FileSystem& files, const std::vector<std::string>& paths);

// Size-prefix-free columns of an index file, without the zero entries that Kafka preallocates at its end.
struct IndexColumns {
  std::vector<std::pair<int64_t, int64_t>> entries;
  int64_t odd_bytes = 0;  // behind the last whole entry
};
Result<IndexColumns> read_offset_index(FileSystem& files, const std::string& path);  // relative offset, position
Result<IndexColumns> read_time_index(FileSystem& files, const std::string& path);    // timestamp, relative offset

// "dir/00000000000000000042.log" with another suffix.
std::string beside(const std::string& log_path, std::string_view suffix);
std::string_view file_name_of(std::string_view path) noexcept;

}  // namespace leat::cli
