// posix_file_system.h: the FileSystem of the machine: pwritev, pread, fdatasync or F_FULLFSYNC, fsync of folders.
// Errors read "operation path: reason". A failed sync is kIo, whatever errno said (never kNoSpace, which callers may
// take for something that clears by itself), and poisons the File: the kernel may have marked the dirty pages clean, so
// a second sync could report success for bytes that are gone. Thread: everything from any thread; one writer for each
// File.
#pragma once

#include "core/storage/file_system.h"

namespace leat {

class PosixFileSystem final : public FileSystem {
 public:
  // Regular files only: a directory, pipe or device is kInvalidArgument. Made with mode 0666 and folders with 0777,
  // less umask.
  Result<std::unique_ptr<File>> open(std::string_view path, OpenMode mode) override;
  // Links count as what they name, or as themselves when it is missing. Entries that vanish meanwhile are left out.
  Result<std::vector<FileInfo>> list(std::string_view directory) override;
  Result<FileInfo> stat(std::string_view path) override;
  Result<void> make_directory(std::string_view path) override;
  Result<void> rename(std::string_view from, std::string_view to) override;
  Result<void> remove(std::string_view path) override;
  Result<void> sync_directory(std::string_view path) override;
  // flock on a file made when missing and left behind when released, with the holder's process id as text; on Linux
  // also a record lock, so that a running Apache Kafka, which locks that way, is noticed. Released by the system when
  // we die.
  Result<std::unique_ptr<FileLock>> lock(std::string_view path) override;
  Result<int64_t> free_bytes(std::string_view path) override;  // for an ordinary user
  Result<int64_t> total_bytes(std::string_view path) override;
};

}  // namespace leat
