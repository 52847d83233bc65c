// folder_check.h: looks at all of a partition's folder without opening it as a log: segments one by one
// (segment_check.h), what is missing between them (missing_records.h) and lost at the log's end, and what is derived
// from them. Changes nothing, and may run beside a broker. For `leat log verify` and `leat log repair`. Thread: any
// one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/log/missing_records.h"
#include "core/log/partition_log.h"
#include "core/log/segment_check.h"

namespace leat {

// Offsets up to the log end whose records are gone: nothing good stands for them, and nothing follows.
struct LostOffsets {
  Offset begin;
  Offset end;
};

// A segment that begins before the one before it ends: one of the two does not belong here.
struct Overlap {
  std::string path;  // of the later one
  std::string what;
};

struct FolderCheck {
  std::vector<SegmentCheck> segments;    // in order
  std::vector<std::string> derived;      // index files, snapshots, epochs that a start makes anew, one line each
  std::vector<std::string> bad_files;    // paths of those among them that are there and wrong
  std::vector<std::string> notes;        // leftovers of interrupted work, and files that are none of ours
  std::vector<Overlap> overlaps;         // in order
  std::vector<MissingRecords> missing;   // certain ones, in order
  std::vector<MissingRecords> doubtful;  // those that compaction may have taken
  std::optional<LostOffsets> lost;
  std::vector<std::string> checkpoint_faults;  // what the data directory's checkpoints say of it, and cannot be
  bool has_damage() const noexcept;
};

// Whether a side file says that what is missing behind its segment has been told of.
enum class Asides : uint8_t { kExplain, kDoNotCount };

// `hints`: what the checkpoints of the data directory say of the partition; none are needed.
Result<FolderCheck> check_folder(FileSystem& files, const std::string& directory, const RecoveryHints& hints = {},
                                 Asides asides = Asides::kExplain);

// For the check of one segment alone, by the files beside it.
Result<SegmentCheckOptions> check_options_of(FileSystem& files, const std::string& path, const RecoveryHints& hints);

}  // namespace leat
