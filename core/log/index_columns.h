// index_columns.h: index files as plain columns, also when OffsetIndex and TimeIndex would refuse to load them: for
// those who show or check what is there. Thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/storage/file_system.h"

namespace leat {

// Without the zero entries that Kafka preallocates at the end of the file.
struct IndexColumns {
  std::vector<std::pair<int64_t, int64_t>> entries;
  int64_t odd_bytes = 0;  // behind the last whole entry
};
Result<IndexColumns> read_offset_index(FileSystem& files, const std::string& path);  // relative offset, position
Result<IndexColumns> read_time_index(FileSystem& files, const std::string& path);    // timestamp, relative offset

}  // namespace leat
