// segment_files.h: what `leat log` was pointed at: files as they are named, the segments of partition folders, and the
// folders themselves with the data directory that each lies in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/log/offline_directory.h"
#include "core/storage/file_system.h"

namespace leat::cli {

// Files stay; a partition folder becomes its .log files in order of offset; a data directory all of its partitions'.
// kNotFound when a path, or anything to look at in it, is missing.
Result<std::vector<std::string>> find_segment_files(FileSystem& files, const std::vector<std::string>& paths);

struct LogFolder {
  std::string path;            // as it was given, without a slash at its end
  std::string name;            // TOPIC-PARTITION
  std::string data_directory;  // where it lies, absolute: its lock and checkpoints may be there
};
// A partition folder stays, of a data directory all of them, a file stands for its folder. Errors as above.
Result<std::vector<LogFolder>> find_log_folders(FileSystem& files, const std::vector<std::string>& paths);
// Of the folder of a file.
LogFolder folder_of_file(const std::string& path);

// Data directories, each opened once and held to the end of the command.
class OpenDirectories {
 public:
  OpenDirectories(FileSystem& files, OfflineDirectory::Use use) noexcept : files_(files), use_(use) {}
  Result<const OfflineDirectory*> directory_of(const LogFolder& folder) { return directory_at(folder.data_directory); }
  Result<const OfflineDirectory*> directory_at(const std::string& path);  // absolute

 private:
  FileSystem& files_;
  OfflineDirectory::Use use_;
  std::map<std::string, OfflineDirectory> opened_;
};

// What was in the data directory that a path names, and is there no more; of any other path nothing. Errors are those
// of the disk.
Result<std::vector<LostLog>> lost_logs_in(FileSystem& files, OpenDirectories& directories, const std::string& path);

}  // namespace leat::cli
