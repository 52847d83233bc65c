// folder_check.h: looks at a partition's folder without opening it as a log, and repairs it on command: what `leat log
// dump|verify|repair` does. Verifying changes nothing and may run beside a broker (what is being written then may look
// torn); repairing needs the data directory's lock. Nothing valid is ever removed; what is taken out goes to side files
// unless told otherwise. Thread: any one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/log/batch_scanner.h"
#include "core/storage/file_system.h"

namespace leat {

struct DamagedRange {
  std::string path;
  Position begin;
  int64_t size_bytes = 0;
  std::string what;  // expected and found
};

struct SegmentCheck {
  Offset base_offset;
  Offset next_offset;  // behind the last good batch
  int64_t size_bytes = 0;
  int64_t batch_count = 0;
  int64_t record_count = 0;
  int64_t max_timestamp_ms = kNoTimestamp;
  std::vector<DamagedRange> damaged;
};

// Called for each good batch, in order; for dumps.
using BatchVisitor = std::function<void(const ScannedBatch&)>;
// Every byte of a segment file: each is in a good batch (header, CRC, order of offsets) or in a damaged range. Offsets
// are not below `base_offset`.
Result<SegmentCheck> check_segment(FileSystem& files, const std::string& path, Offset base_offset,
                                   const BatchVisitor& visit);

struct FolderCheck {
  std::vector<SegmentCheck> segments;
  std::vector<std::string> derived;  // indexes, snapshots and epochs that will be rebuilt, one line each
  std::vector<std::string> notes;    // side files, strays
  bool has_damage() const noexcept;
};
Result<FolderCheck> check_folder(FileSystem& files, const std::string& directory);

enum class TakenOut : uint8_t { kSaveAside, kDiscard };
struct RepairReport {
  int64_t removed_bytes = 0;
  std::vector<std::string> done;  // one line each
};
// Takes damaged ranges out of the segments. The batches that stay keep their offsets. kLocked while a broker runs.
Result<RepairReport> repair_folder(FileSystem& files, const std::string& directory, TakenOut taken_out);

}  // namespace leat
