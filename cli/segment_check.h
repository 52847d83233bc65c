// segment_check.h: everything that can be checked of one segment without a server: each batch's header, CRC and
// records, the order of offsets and epochs, and both indexes against the batches. Memory does not grow with the file.
// Used by `leat log verify`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/strong.h"
#include "core/storage/file_system.h"

namespace leat::cli {

struct SegmentReport {
  std::string path;
  int64_t size_bytes = 0;
  int64_t batch_count = 0;
  int64_t record_count = 0;
  Offset first_offset = kNoOffset;
  Offset next_offset = kNoOffset;
  int64_t index_entry_count = 0;
  int64_t problem_count = 0;
  std::vector<std::string> problems;  // the first of them
  std::vector<std::string> notes;     // odd, but no damage
};

// Errors are those of the disk; what is wrong with the bytes is in the report.
Result<SegmentReport> check_segment(FileSystem& files, const std::string& log_path);

}  // namespace leat::cli
