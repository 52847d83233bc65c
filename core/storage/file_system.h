// file_system.h: the one door to disk. Every durable byte of Leat passes here, so that a simulated disk can lose power,
// tear writes, run full or fail a sync (sim_file_system.h) and the same code runs on it as on posix_file_system.h.
// Thread: all operations may be called from any thread; one File is written by one job at a time, reads may overlap it.
// Errors name the path. A short read at the end of a file is a smaller count, not an error; a short write is an error
// (the written count is in WriteOutcome of the log, found by size()).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/strong.h"

namespace leat {

enum class SyncKind : uint8_t {
  kData,  // fdatasync; on macOS fsync, which survives a crash of the system but not a loss of power
  kFull,  // F_FULLFSYNC on macOS, fdatasync elsewhere
};

enum class OpenMode : uint8_t {
  kRead,
  kReadWrite,  // must exist
  kCreate,     // read and write, made when missing, kept when there
  kCreateNew,  // read and write, must not exist
};

class File {
 public:
  virtual ~File() = default;  // closes; never syncs

  virtual const std::string& path() const noexcept = 0;
  // All of it, or an error: then the bytes from `position` on are unknown, up to what was to be written, and size() may
  // have grown by a part of it. kNoSpace on a full disk.
  virtual Result<void> write_at(Position position, std::span<const ByteView> pieces) = 0;
  virtual Result<size_t> read_at(Position position, MutableByteView into) = 0;  // fewer only at the end
  // The same without ever waiting for the disk: nullopt when some of it is not in the page cache, or when the system
  // cannot tell.
  virtual Result<std::optional<size_t>> read_cached_at(Position /*position*/, MutableByteView /*into*/) {
    return std::nullopt;
  }
  virtual bool knows_page_cache() const noexcept { return false; }  // whether read_cached_at ever gives anything
  // A failure is kIo, whatever the reason, and final: dirty pages may be gone, and a sync through another File might
  // succeed without having written them. It poisons the file: every later write, truncate, allocate and sync fails with
  // kOffline.
  virtual Result<void> sync(SyncKind kind) = 0;
  virtual Result<void> truncate(int64_t size_bytes) = 0;
  virtual Result<int64_t> size() = 0;
  virtual Result<void> allocate(
      int64_t size_bytes) = 0;  // reserves space without changing the size; kUnsupported is harmless
  // Takes clean pages out of the page cache, so that the next read comes from the disk. Advice: it may do nothing. Two
  // uses: to keep a far reader from pushing the hot tail out, and to see, after a sync that failed in an earlier
  // process, what the disk really has: the kernel may go on showing bytes that it gave up writing.
  virtual void drop_cache(Position begin, int64_t size_bytes) noexcept = 0;
  virtual int descriptor() const noexcept = 0;  // for sendfile; -1 where there is none
};

struct FileInfo {
  std::string name;
  int64_t size_bytes = 0;
  int64_t modified_ms = 0;
  bool is_directory = false;
};

class FileLock {  // held until destroyed
 public:
  virtual ~FileLock() = default;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual Result<std::unique_ptr<File>> open(std::string_view path, OpenMode mode) = 0;
  virtual Result<std::vector<FileInfo>> list(std::string_view directory) = 0;  // sorted by name
  virtual Result<FileInfo> stat(std::string_view path) = 0;
  virtual Result<void> make_directory(std::string_view path) = 0;               // kAlreadyExists when there
  virtual Result<void> rename(std::string_view from, std::string_view to) = 0;  // replaces files
  virtual Result<void> remove(std::string_view path) = 0;                       // a file or an empty directory
  // Makes the names in the folder durable. Without it a created, renamed or removed name may come back or vanish after
  // a loss of power; a file's own sync does not cover its name. Failure is kIo and final, as for File::sync.
  virtual Result<void> sync_directory(std::string_view path) = 0;
  virtual Result<std::unique_ptr<FileLock>> lock(std::string_view path) = 0;  // kLocked when another holds it
  virtual Result<int64_t> free_bytes(std::string_view path) = 0;
  virtual Result<int64_t> total_bytes(std::string_view path) {  // of the volume
    return fail(Errc::kUnsupported, std::string(path));
  }
};

// Built on the door above, so they hold on every FileSystem.
Result<std::string> read_text_file(FileSystem& files, std::string_view path, size_t size_bytes_max = size_t{64} << 20);
// Writes `path`.tmp, syncs it, renames it over `path`, syncs the folder: after a crash the old or the new text is
// there, whole.
Result<void> replace_text_file(FileSystem& files, std::string_view path, std::string_view text, SyncKind kind);
Result<void> remove_if_there(FileSystem& files, std::string_view path);   // a file or an empty directory
Result<void> remove_tree(FileSystem& files, std::string_view path);       // missing is fine
Result<void> make_directories(FileSystem& files, std::string_view path);  // with parents; existing is fine; each synced
std::string_view parent_directory(std::string_view path) noexcept;
std::string_view file_name_of(std::string_view path) noexcept;  // what follows the last slash
std::string join_path(std::string_view directory, std::string_view name);

}  // namespace leat
