// log_directory.h: one directory of log.dirs: its lock, its identity, its checkpoints and the folders in it.
//   .lock                              held while a process uses the directory
//   meta.properties                    version=1, cluster.id, node.id, directory.id as Kafka's, and leat.format.version
//   recovery-point-offset-checkpoint   for each partition: all below is durable (checkpoint_text.h)
//   log-start-offset-checkpoint        for each partition whose log start is not its first segment's base offset
//   cleaner-offset-checkpoint          for each partition that is compacted or was once: up to where
//   leat-leader-epoch-checkpoint       for each partition whose leader epoch has no batch yet: the epoch
//   .kafka_cleanshutdown               present only between a clean stop and the next start
//   TOPIC-PARTITION/                   one folder a partition (file_names.h); others are left alone
// Thread: open() and list() at start; the const functions that take only values may run on workers; health() is the
// loop's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/log/directory_checkpoints.h"
#include "core/log/file_names.h"

namespace leat {

// Raised when a change to what lies on disk would be misread by an older Leat. A directory of a later one is refused.
inline constexpr int kFormatVersion = 1;

struct PartitionFolder {
  TopicPartition name;
  std::string path;
  RecoveryHints hints;  // foreign is the caller's to set
};

struct DirectoryListing {
  std::vector<PartitionFolder> partitions;        // sorted by name
  std::vector<std::string> unfinished_deletions;  // paths: remove_tree() each, at leisure
  std::vector<std::string> strays;                // paths that are left alone: worth one warning each
};

class LogDirectory {
 public:
  struct Options {
    FileSystem& files;
    std::string path;
    Random& random;
    int32_t node_id = 1;
    std::optional<std::string> cluster_id;  // of other directories of this broker; nullopt: the one found, or a new one
    int64_t reserve_bytes = 0;              // below so much free space client appends are refused
  };
  // Makes the directory when it is missing. kLocked: another process uses it. kUnsupported: a later format, or Kafka's
  // own directory. kInvalidArgument: another node's or cluster's. kCorrupt: a meta.properties that is nobody's. The
  // clean-shutdown marker is taken away here.
  static Result<std::unique_ptr<LogDirectory>> open(const Options& options);

  const std::string& path() const noexcept { return path_; }
  const std::string& cluster_id() const noexcept { return cluster_id_; }
  const std::string& directory_id() const noexcept { return directory_id_; }
  bool was_clean() const noexcept { return was_clean_; }
  const std::vector<std::string>& notes() const noexcept { return notes_; }  // of open(), for the log
  DirectoryHealth& health() noexcept { return health_; }

  Result<DirectoryListing> list() const;
  std::string folder_of(const TopicPartition& name) const;
  RecoveryHints hints_for(const TopicPartition& name) const;
  const DirectoryCheckpoints& checkpoints() const noexcept { return checkpoints_; }  // as found at start

  // Deletion in two steps: after the first, which is durable, the partition is gone for every later start; the second
  // frees the space. A crash between them leaves a folder that list() gives as an unfinished deletion.
  Result<std::string> begin_deletion(const TopicPartition& name,
                                     Random& random) const;  // the new path; kNotFound when there is none
  Result<void> finish_deletion(const std::string& path) const;

  // Atomic each. Log starts are written first: a lost one would bring deleted records back.
  Result<void> write_checkpoints(const OffsetCheckpoint& recovery_points, const OffsetCheckpoint& log_starts) const;
  // Whoever is in it may have been compacted, to that offset or, with 0, to none yet. Without it compaction goes over
  // the whole log once more, and nobody can tell its gaps from those of lost segments.
  Result<void> write_cleaned(const OffsetCheckpoint& cleaned) const;
  // Without it the epoch of a log to which nothing is written falls back at the next start, and clients that know the
  // higher one wait for ever.
  Result<void> write_unused_epochs(const EpochCheckpoint& epochs) const;
  Result<void> mark_clean() const;  // after the last checkpoints, before exit

  Result<int64_t> free_bytes() const;               // worker
  void on_free_bytes(int64_t free_bytes) noexcept;  // loop: sets health().below_reserve
  int64_t reserve_bytes() const noexcept { return reserve_bytes_; }
  std::optional<int64_t> free_bytes_known() const noexcept { return free_bytes_known_; }  // loop: what it last heard

 private:
  explicit LogDirectory(const Options& options)
      : files_(options.files), path_(options.path), reserve_bytes_(options.reserve_bytes) {}
  Result<void> take_identity(const Options& options);

  FileSystem& files_;
  std::string path_;
  int64_t reserve_bytes_;
  std::unique_ptr<FileLock> lock_;
  std::string cluster_id_;
  std::string directory_id_;
  bool was_clean_ = false;
  DirectoryCheckpoints checkpoints_;  // as found at start
  std::vector<std::string> notes_;
  DirectoryHealth health_;
  std::optional<int64_t> free_bytes_known_;
};

// The topic id in a partition's folder; zero when the folder has no partition.metadata.
Result<Uuid> read_topic_id(FileSystem& files, const std::string& folder);

}  // namespace leat
