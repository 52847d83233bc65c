// folder_repair.h: repairs a partition's folder that no broker has open, in three steps, each of which a crash may end:
//   1. what folder_check.h calls damage is taken out of the segments, and kept in side files (side_file.h). Whole
//      batches stay, wherever they stand, at their offsets; so nothing is lost that a reader could have got;
//   2. derived files that are wrong are removed, and segments with a batch without records are written where records
//      are missing between others (missing_records.h);
//   3. the log is opened as a start of leatd opens it after a crash, by the same code, and closed as a clean stop
//      closes it: lost offsets at its end are covered, and indexes, snapshot and epochs written.
// A dry run ends before the first. Thread: any one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/log/offline_directory.h"
#include "core/log/segment_check.h"

namespace leat {

enum class RepairMode : uint8_t { kDryRun, kRepair };

struct RepairReport {
  std::vector<DamagedRange> taken_out;  // each to side_file_path(path, begin)
  int64_t removed_bytes = 0;            // of them
  std::vector<std::string> made_anew;   // derived files, with what was wrong, one line each
  std::vector<std::string> lost;        // offsets that nothing stands for, which a batch without records will cover
  std::vector<std::string> left;        // what nothing can be done about
  std::vector<std::string> notes;
  bool has_work() const noexcept { return !taken_out.empty() || !made_anew.empty() || !lost.empty(); }
};

// `folder`: TOPIC-PARTITION in the directory, by its path. A folder that needs nothing is not changed. Under kDryRun
// the report says what would be done. kRepair needs a directory that may be changed. After an error it can be done
// again.
Result<RepairReport> repair_folder(const OfflineDirectory& directory, const std::string& folder, RepairMode mode,
                                   int64_t now_ms);

}  // namespace leat
