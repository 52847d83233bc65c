// missing_records.h: what the files of a folder say of records that are gone with their segment, or with a part of it.
// A log that was never compacted has no gaps between its segments, but in front of a batch without records, which
// accounts for them, and behind bytes that were set aside. Of a compacted one gaps say nothing; there an index does
// whose log is gone, or which goes on behind the end of its log. Only what was durable counts, and was not deleted. One
// judgement for a start of leatd, `leat log verify` and `leat log repair`. Thread: any one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/strong.h"
#include "core/log/partition_log.h"
#include "core/log/recovery_folder.h"
#include "core/record/batch.h"
#include "core/storage/file_system.h"

namespace leat {

struct SegmentExtent {
  Offset base_offset{0};
  Offset end{0};           // behind its last batch
  Offset indexed_end{0};   // behind what its index files speak of beyond the end of the file; 0: of nothing
  int64_t size_bytes = 0;  // of the file
  int32_t last_epoch = kNoLeaderEpoch;
  bool is_damaged_at_end = false;       // bytes stand there that are no batch, of which is told elsewhere
  bool begins_without_records = false;  // its first batch stands for what is missing before it
};

struct MissingRules {
  Offset point{0};      // records below it were durable
  Offset log_start{0};  // those below it were deleted
  Compacted compacted = Compacted::kUnknown;
  bool log_start_is_exact = false;
  bool asides_explain = true;  // bytes of the segment before were set aside, which has been told
};

struct MissingRecords {
  size_t segment = 0;  // the one behind which they are missing; the first one, when they are missing in front
  Offset begin{0};
  Offset end{0};
  bool is_certain = true;                           // else compaction may have taken them
  std::optional<Offset> lone_index = std::nullopt;  // the segment that is gone, but for its index
  std::string what = {};                            // for people, behind the name of the segment's file
};

// In order. `segments`: at least one; of the last no more than its base offset counts.
std::vector<MissingRecords> find_missing_records(const FolderContent& content,
                                                 const std::vector<SegmentExtent>& segments, const MissingRules& rules);

// What a file of the segment speaks of that the log file, of so many bytes, cannot hold; 0: of nothing.
Offset indexed_beyond(FileSystem& files, const std::string& directory, Offset base_offset, int64_t size_bytes) noexcept;

// A batch that stands for offsets whose records are gone, as Kafka's cleaner leaves them: record count 0, no
// timestamps, no producer. At most 2^31 - 1 offsets.
Slice batch_without_records(Offset base_offset, Offset end, int32_t leader_epoch);
bool is_without_records(const BatchView& batch) noexcept;
// Whether a segment begins with one. Errors are those of the disk.
Result<bool> begins_without_records(FileSystem& files, const std::string& path);

}  // namespace leat
