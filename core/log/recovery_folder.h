// recovery_folder.h: what lies in a partition's folder, sorted by kind. Internal to recovery and to the offline check.
// Thread: any one.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/strong.h"
#include "core/log/partition_log.h"
#include "core/storage/file_system.h"

namespace leat {

struct FolderContent {
  std::map<Offset, FileInfo> logs;
  std::map<Offset, int64_t> index_sizes;
  std::map<Offset, int64_t> time_index_sizes;
  std::vector<Offset> snapshots;  // ascending
  std::vector<Offset> swaps;      // compacted segments that count and have not got their names yet
  bool has_metadata = false;
  bool has_epochs = false;
  std::vector<std::string>
      leftovers;  // ours, of interrupted work: deleted and half compacted segments, temporary files
  // Names of index files whose log is not there: of interrupted work too, or what is left of a segment that is gone.
  std::map<Offset, std::vector<std::string>> lone_indexes;
  std::set<Offset> deleted_logs;    // of segments that retention was removing: their logs are among the leftovers
  std::vector<std::string> asides;  // side files
  std::vector<std::string> strays;  // unknown, or Kafka's own unfinished work: left alone
};

Result<FolderContent> read_folder(FileSystem& files, const std::string& directory);

// The same, with a recovery point when none is known: a snapshot is written when all below it has been synced. Without
// one, what was durable long ago would be taken for the trace of a crash, and cut off from the first bad byte on.
RecoveryHints with_known_point(FileSystem& files, const std::string& directory, const FolderContent& content,
                               const RecoveryHints& hints);

}  // namespace leat
