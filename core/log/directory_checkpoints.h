// directory_checkpoints.h: what a data directory's checkpoint files say of its partitions: where recovery begins, where
// a log begins, how far compaction has been, which leader epoch was shown to clients. As they were when they were read;
// missing ones say nothing.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/log/checkpoint_text.h"
#include "core/log/partition_log.h"
#include "core/storage/file_system.h"

namespace leat {

struct DirectoryCheckpoints {
  OffsetCheckpoint recovery_points;
  OffsetCheckpoint log_starts;
  OffsetCheckpoint cleaned;
  EpochCheckpoint unused_epochs;
  bool points_are_known = false;      // the file of recovery points was there and whole
  bool are_there = false;             // a broker has written some
  bool log_starts_are_known = false;  // the file was there and whole: who is not in it began at 0
  bool compaction_is_known = false;   // who had a recovery point and is not in `cleaned` was never compacted

  // A file that is damaged counts as none, and makes a note. Errors are those of the disk.
  static Result<DirectoryCheckpoints> read(FileSystem& files, const std::string& directory,
                                           std::vector<std::string>& notes);
  RecoveryHints hints_for(const TopicPartition& name) const;  // as after a crash
};

}  // namespace leat
