// offline_directory.h: a data directory (log_directory.h) that no broker has open: its lock, and what its checkpoints
// say of its partitions, for tools that look at its folders or repair them. Opening it changes nothing: the mark of a
// clean stop stays. Thread: any one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/log/directory_checkpoints.h"
#include "core/storage/file_system.h"

namespace leat {

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

 private:
  OfflineDirectory(FileSystem& files, Use use) noexcept : files_(files), use_(use) {}

  FileSystem& files_;
  Use use_;
  std::unique_ptr<FileLock> lock_;
  DirectoryCheckpoints checkpoints_;
  bool is_brokers_ = false;  // else copies lie in it, of which nobody has noted anything
  bool was_closed_ = false;  // by a broker, in order, and none has opened it since
};

}  // namespace leat
