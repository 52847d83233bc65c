// offline_directory.h: a data directory (log_directory.h) that no broker has open: its lock, and what its checkpoints
// say of its partitions, for tools that look at its folders or repair them. Opening it changes nothing: the mark of a
// clean stop stays. Thread: any one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/log/directory_checkpoints.h"
#include "core/storage/file_system.h"

namespace leat {

// A partition's folder that is not there any more, or has no segments.
struct LostLog {
  std::string path;
  std::string what;
};

class OfflineDirectory {
 public:
  enum class Use : uint8_t {
    kLook,    // beside a broker, too
    kChange,  // under the directory's lock
  };
  // A folder that is no data directory has no lock and no checkpoints: copies of partitions may lie anywhere. kLocked:
  // leatd runs there. A checkpoint file that is damaged counts as none, as at a start.
  static Result<OfflineDirectory> open(FileSystem& files, const std::string& path, Use use);

  FileSystem& files() const noexcept { return files_; }
  bool may_change() const noexcept { return use_ == Use::kChange; }
  // Of a partition's folder, by its name; as after a crash.
  RecoveryHints hints_for(std::string_view folder_name) const;
  // Partitions that had durable records, and of which no segment is left; and the metadata journal, without which there
  // is no data directory of Leat's. Those that are being deleted do not count. Errors are those of the disk.
  Result<std::vector<LostLog>> lost_logs() const;

 private:
  OfflineDirectory(FileSystem& files, std::string path, Use use) : files_(files), path_(std::move(path)), use_(use) {}
  Result<std::vector<LostLog>> find_lost_logs(const DirectoryCheckpoints& checkpoints) const;
  Result<std::optional<LostLog>> look_for(const TopicPartition& name, Offset end) const;

  FileSystem& files_;
  std::string path_;
  Use use_;
  std::unique_ptr<FileLock> lock_;
  DirectoryCheckpoints checkpoints_;
  bool is_brokers_ = false;  // else copies lie in it, of which nobody has noted anything
  bool was_closed_ = false;  // by a broker, in order, and none has opened it since
};

}  // namespace leat
