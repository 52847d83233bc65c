// watched_files.h: a FileSystem that tells how much is read through it; all else it passes on. So long work on files
// can be followed from outside. Thread: as the file system under it, but that who is told must be fit for that.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/file_system.h"

namespace leat::cli {

class WatchedFiles final : public FileSystem {
 public:
  using OnRead = std::function<void(size_t bytes)>;  // after each read
  WatchedFiles(FileSystem& files, OnRead on_read) : files_(files), on_read_(std::move(on_read)) {}

  Result<std::unique_ptr<File>> open(std::string_view path, OpenMode mode) override;  // not to outlive this
  Result<std::vector<FileInfo>> list(std::string_view directory) override { return files_.list(directory); }
  Result<FileInfo> stat(std::string_view path) override { return files_.stat(path); }
  Result<void> make_directory(std::string_view path) override { return files_.make_directory(path); }
  Result<void> rename(std::string_view from, std::string_view to) override { return files_.rename(from, to); }
  Result<void> remove(std::string_view path) override { return files_.remove(path); }
  Result<void> sync_directory(std::string_view path) override { return files_.sync_directory(path); }
  Result<std::unique_ptr<FileLock>> lock(std::string_view path) override { return files_.lock(path); }
  Result<int64_t> free_bytes(std::string_view path) override { return files_.free_bytes(path); }
  Result<int64_t> total_bytes(std::string_view path) override { return files_.total_bytes(path); }

 private:
  FileSystem& files_;
  const OnRead on_read_;
};

}  // namespace leat::cli
