// posix_file_system.cpp: see the header. The system calls differ on macOS: F_FULLFSYNC (fsync there does not survive a
// loss of power), F_PREALLOCATE, no fadvise, and calls over 2 GiB fail instead of being cut short.
#include "core/storage/posix_file_system.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "core/base/check.h"
#include "core/base/directory_stream.h"
#include "core/base/parse_int.h"

namespace leat {

namespace {

constexpr size_t kCallBytesMax = size_t{1} << 30;  // Linux cuts at 2 GiB less a page, macOS refuses from 2 GiB on
constexpr size_t kPiecesPerCall = std::min<size_t>(IOV_MAX, 1024);

tl::unexpected<Error> fail_errno(int error_number, std::string_view operation, std::string_view path) {
  return fail(error_from_errno(error_number, fmt::format("{} {}", operation, path)));
}

template <class Call>
auto retry_interrupted(Call call) {
  while (true) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);  // never retried: on Linux the descriptor is gone even after EINTR
  }
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

int64_t modified_ms(const struct stat& status) noexcept {
#ifdef __APPLE__
  const timespec& time = status.st_mtimespec;
#else
  const timespec& time = status.st_mtim;
#endif
  return static_cast<int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000;
}

FileInfo info_of(std::string name, const struct stat& status) {
  return {.name = std::move(name),
          .size_bytes = static_cast<int64_t>(status.st_size),
          .modified_ms = modified_ms(status),
          .is_directory = S_ISDIR(status.st_mode)};
}

int sync_descriptor([[maybe_unused]] SyncKind kind, int fd) noexcept {
#ifdef __APPLE__
  if (kind == SyncKind::kData) return retry_interrupted([fd] { return ::fsync(fd); });
  const int result = retry_interrupted([fd] { return ::fcntl(fd, F_FULLFSYNC); });
  if (result == 0 || (errno != ENOTSUP && errno != EINVAL)) return result;
  return retry_interrupted([fd] { return ::fsync(fd); });  // a network file system knows no F_FULLFSYNC
#else
  return retry_interrupted([fd] { return ::fdatasync(fd); });
#endif
}

// The pieces of one write, handed out in calls of bounded count and size, going on after a short write.
class PieceCursor {
 public:
  explicit PieceCursor(std::span<const ByteView> pieces) noexcept : pieces_(pieces) { skip_empty(); }
  bool done() const noexcept { return index_ == pieces_.size(); }

  std::span<iovec> next_call() noexcept {
    size_t count = 0;
    size_t room_bytes = kCallBytesMax;
    size_t skip = begin_;
    for (size_t i = index_; i < pieces_.size() && count < vectors_.size() && room_bytes > 0; ++i) {
      const ByteView rest = pieces_[i].subspan(skip);
      skip = 0;
      if (rest.empty()) continue;
      const size_t size = std::min(rest.size(), room_bytes);
      vectors_[count++] = {.iov_base = const_cast<uint8_t*>(rest.data()), .iov_len = size};
      room_bytes -= size;
    }
    return std::span(vectors_).first(count);
  }

  void advance(size_t written) noexcept {
    while (written > 0) {
      const size_t rest = pieces_[index_].size() - begin_;
      const size_t step = std::min(rest, written);
      written -= step;
      begin_ += step;
      skip_empty();
    }
  }

 private:
  void skip_empty() noexcept {
    while (index_ < pieces_.size() && begin_ == pieces_[index_].size()) {
      ++index_;
      begin_ = 0;
    }
  }

  std::span<const ByteView> pieces_;
  size_t index_ = 0;
  size_t begin_ = 0;  // within pieces_[index_]
  std::array<iovec, kPiecesPerCall> vectors_;
};

class PosixFile final : public File {
 public:
  PosixFile(std::string path, Descriptor descriptor) noexcept
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  const std::string& path() const noexcept override { return path_; }
  Result<void> write_at(Position position, std::span<const ByteView> pieces) override;
  Result<size_t> read_at(Position position, MutableByteView into) override;
#ifdef RWF_NOWAIT
  Result<std::optional<size_t>> read_cached_at(Position position, MutableByteView into) override;
  bool knows_page_cache() const noexcept override { return true; }
#endif
  Result<void> sync(SyncKind kind) override;
  Result<void> truncate(int64_t size_bytes) override;
  Result<int64_t> size() override;
  Result<void> allocate(int64_t size_bytes) override;
  void drop_cache(Position begin, int64_t size_bytes) noexcept override;
  int descriptor() const noexcept override { return descriptor_.get(); }

 private:
  Result<void> refuse_if_poisoned(std::string_view operation) const {
    if (!poisoned_.load(std::memory_order_relaxed)) return {};
    return fail(Errc::kOffline, fmt::format("{} {}: an earlier sync of this file failed", operation, path_));
  }

  const std::string path_;
  const Descriptor descriptor_;
  std::atomic<bool> poisoned_{false};
};

Result<void> PosixFile::write_at(Position position, std::span<const ByteView> pieces) {
  TRY(refuse_if_poisoned("write"));
  PieceCursor cursor(pieces);
  off_t at = static_cast<off_t>(position.v);
  while (!cursor.done()) {
    const std::span<iovec> vectors = cursor.next_call();
    const ssize_t written = ::pwritev(descriptor_.get(), vectors.data(), static_cast<int>(vectors.size()), at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_errno(errno, fmt::format("write at {} to", at), path_);
    if (written == 0) return fail(Errc::kIo, fmt::format("write at {} to {}: nothing was written", at, path_));
    cursor.advance(static_cast<size_t>(written));
    at += written;
  }
  return {};
}

Result<size_t> PosixFile::read_at(Position position, MutableByteView into) {
  size_t done = 0;
  while (done < into.size()) {
    const size_t wanted = std::min(into.size() - done, kCallBytesMax);
    const off_t at = static_cast<off_t>(position.v) + static_cast<off_t>(done);
    const ssize_t count = ::pread(descriptor_.get(), into.data() + done, wanted, at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(errno, fmt::format("read at {} of", at), path_);
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}

#ifdef RWF_NOWAIT
Result<std::optional<size_t>> PosixFile::read_cached_at(Position position, MutableByteView into) {
  size_t done = 0;
  while (done < into.size()) {
    const iovec piece{into.data() + done, std::min(into.size() - done, kCallBytesMax)};
    const off_t at = static_cast<off_t>(position.v) + static_cast<off_t>(done);
    const ssize_t count = ::preadv2(descriptor_.get(), &piece, 1, at, RWF_NOWAIT);
    if (count < 0 && errno == EINTR) continue;
    // EAGAIN: not cached; EOPNOTSUPP: a file system that cannot tell. Other faults the read that may wait reports.
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}
#endif

Result<void> PosixFile::sync(SyncKind kind) {
  TRY(refuse_if_poisoned("sync"));
  if (sync_descriptor(kind, descriptor_.get()) == 0) return {};
  const int error_number = errno;
  poisoned_.store(true, std::memory_order_relaxed);
  return fail(Errc::kIo, error_from_errno(error_number, fmt::format("sync {}", path_)).context);
}

Result<void> PosixFile::truncate(int64_t size_bytes) {
  TRY(refuse_if_poisoned("truncate"));
  const int fd = descriptor_.get();
  if (retry_interrupted([fd, size_bytes] { return ::ftruncate(fd, static_cast<off_t>(size_bytes)); }) == 0) return {};
  return fail_errno(errno, fmt::format("truncate to {}", size_bytes), path_);
}

Result<int64_t> PosixFile::size() {
  struct stat status {};
  if (::fstat(descriptor_.get(), &status) != 0) return fail_errno(errno, "stat", path_);
  return static_cast<int64_t>(status.st_size);
}

Result<void> PosixFile::allocate(int64_t size_bytes) {
  TRY(refuse_if_poisoned("allocate"));
  const int fd = descriptor_.get();
#ifdef __APPLE__
  TRY(size_now, size());
  if (size_bytes <= size_now) return {};
  fstore_t store{.fst_flags = F_ALLOCATEALL,
                 .fst_posmode = F_PEOFPOSMODE,
                 .fst_offset = 0,
                 .fst_length = static_cast<off_t>(size_bytes - size_now),
                 .fst_bytesalloc = 0};
  if (retry_interrupted([fd, &store] { return ::fcntl(fd, F_PREALLOCATE, &store); }) != -1) return {};
#else
  // Not posix_fallocate: it moves the end of the file, and where the file system cannot it writes zeros instead.
  const auto allocate_blocks = [fd, size_bytes] { return ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size_bytes); };
  if (retry_interrupted(allocate_blocks) == 0) return {};
#endif
  if (errno == EOPNOTSUPP || errno == ENOTSUP || errno == ENOSYS) {
    return fail(Errc::kUnsupported, fmt::format("allocate {}: not supported by this file system", path_));
  }
  return fail_errno(errno, fmt::format("allocate {} bytes for", size_bytes), path_);
}

void PosixFile::drop_cache([[maybe_unused]] Position begin, [[maybe_unused]] int64_t size_bytes) noexcept {
#ifndef __APPLE__
  ::posix_fadvise(descriptor_.get(), static_cast<off_t>(begin.v), static_cast<off_t>(size_bytes), POSIX_FADV_DONTNEED);
#endif
}

int open_flags(OpenMode mode) noexcept {
  // O_NONBLOCK means nothing to a regular file; without it opening a pipe in the data directory would hang.
  constexpr int kAlways = O_CLOEXEC | O_NONBLOCK;
  switch (mode) {
    case OpenMode::kRead:
      return kAlways | O_RDONLY;
    case OpenMode::kReadWrite:
      return kAlways | O_RDWR;
    case OpenMode::kCreate:
      return kAlways | O_RDWR | O_CREAT;
    case OpenMode::kCreateNew:
      return kAlways | O_RDWR | O_CREAT | O_EXCL;
  }
  return kAlways | O_RDONLY;
}

class PosixLock final : public FileLock {
 public:
  explicit PosixLock(Descriptor descriptor) noexcept : descriptor_(std::move(descriptor)) {}

 private:
  Descriptor descriptor_;
};

// 0, or -1 with errno EWOULDBLOCK when another holds it.
int take_lock(int fd) noexcept {
  if (retry_interrupted([fd] { return ::flock(fd, LOCK_EX | LOCK_NB); }) != 0) return -1;
#ifdef F_OFD_SETLK
  struct flock whole_file {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  if (::fcntl(fd, F_OFD_SETLK, &whole_file) != 0 && (errno == EAGAIN || errno == EACCES)) {
    errno = EWOULDBLOCK;
    return -1;
  }
#endif
  return 0;
}

std::string holder_of(int fd) {
  std::array<char, 32> text{};
  const ssize_t count = ::pread(fd, text.data(), text.size(), 0);
  std::string_view written(text.data(), count > 0 ? static_cast<size_t>(count) : 0);
  const int32_t pid = take_int<int32_t>(written).value_or(0);
  return pid > 0 ? fmt::format("process {}", pid) : std::string("another process");
}

}  // namespace

Result<std::unique_ptr<File>> PosixFileSystem::open(std::string_view path, OpenMode mode) {
  std::string name(path);
  const int flags = open_flags(mode);
  Descriptor descriptor(retry_interrupted([&name, flags] { return ::open(name.c_str(), flags, 0666); }));
  if (descriptor.get() < 0 && errno == EISDIR)
    return fail(Errc::kInvalidArgument, fmt::format("open {}: is a directory", path));
  if (descriptor.get() < 0) return fail_errno(errno, "open", path);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) return fail_errno(errno, "stat", path);
  if (!S_ISREG(status.st_mode)) return fail(Errc::kInvalidArgument, fmt::format("open {}: not a regular file", path));
  return std::make_unique<PosixFile>(std::move(name), std::move(descriptor));
}

Result<std::vector<FileInfo>> PosixFileSystem::list(std::string_view directory) {
  const std::string name(directory);
  const DirectoryStream stream = open_directory(name.c_str());
  if (stream == nullptr) return fail_errno(errno, "list", directory);
  std::vector<FileInfo> found;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr && errno != 0) return fail_errno(errno, "list", directory);
    if (entry == nullptr) break;
    std::string entry_name(entry->d_name);
    if (entry_name == "." || entry_name == "..") continue;
    struct stat status {};
    const int fd = ::dirfd(stream.get());
    int result = ::fstatat(fd, entry_name.c_str(), &status, 0);
    if (result != 0) result = ::fstatat(fd, entry_name.c_str(), &status, AT_SYMLINK_NOFOLLOW);  // a link to nowhere
    if (result != 0 && errno == ENOENT) continue;
    if (result != 0) return fail_errno(errno, "stat", join_path(directory, entry_name));
    found.push_back(info_of(std::move(entry_name), status));
  }
  std::sort(found.begin(), found.end(), [](const FileInfo& a, const FileInfo& b) { return a.name < b.name; });
  return found;
}

Result<FileInfo> PosixFileSystem::stat(std::string_view path) {
  const std::string name(path);
  struct stat status {};
  if (::stat(name.c_str(), &status) != 0) return fail_errno(errno, "stat", path);
  const size_t slash = name.find_last_of('/');
  return info_of(slash == std::string::npos ? name : name.substr(slash + 1), status);
}

Result<void> PosixFileSystem::make_directory(std::string_view path) {
  if (::mkdir(std::string(path).c_str(), 0777) == 0) return {};
  return fail_errno(errno, "make directory", path);
}

Result<void> PosixFileSystem::rename(std::string_view from, std::string_view to) {
  if (::rename(std::string(from).c_str(), std::string(to).c_str()) == 0) return {};
  return fail_errno(errno, fmt::format("rename {} to", from), to);
}

Result<void> PosixFileSystem::remove(std::string_view path) {
  if (::remove(std::string(path).c_str()) == 0) return {};
  return fail_errno(errno, "remove", path);
}

Result<void> PosixFileSystem::sync_directory(std::string_view path) {
  const std::string name(path);
  const Descriptor descriptor(
      retry_interrupted([&name] { return ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (descriptor.get() < 0) return fail_errno(errno, "open directory", path);
  const int fd = descriptor.get();
#ifdef __APPLE__
  const int result = sync_descriptor(SyncKind::kFull, fd);
#else
  const int result = retry_interrupted([fd] { return ::fsync(fd); });
#endif
  // Some network file systems cannot sync a folder and say so with EINVAL; there nobody can do better.
  if (result == 0 || errno == EINVAL || errno == ENOTSUP) return {};
  return fail(Errc::kIo, error_from_errno(errno, fmt::format("sync directory {}", path)).context);
}

Result<std::unique_ptr<FileLock>> PosixFileSystem::lock(std::string_view path) {
  const std::string name(path);
  Descriptor descriptor(
      retry_interrupted([&name] { return ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666); }));
  if (descriptor.get() < 0) return fail_errno(errno, "open lock file", path);
  if (take_lock(descriptor.get()) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(errno, "lock", path);
    return fail(Errc::kLocked, fmt::format("lock {}: held by {}", path, holder_of(descriptor.get())));
  }
  // The process id is for people: failing to write it, on a full disk, does not make the lock less held.
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(descriptor.get(), pid.data(), pid.size(), 0);
  }
  return std::make_unique<PosixLock>(std::move(descriptor));
}

Result<int64_t> PosixFileSystem::free_bytes(std::string_view path) {
  struct statvfs status {};
  const std::string name(path);
  if (retry_interrupted([&name, &status] { return ::statvfs(name.c_str(), &status); }) != 0) {
    return fail_errno(errno, "statvfs", path);
  }
  return static_cast<int64_t>(status.f_bavail) * static_cast<int64_t>(status.f_frsize);
}

Result<int64_t> PosixFileSystem::total_bytes(std::string_view path) {
  struct statvfs status {};
  const std::string name(path);
  if (retry_interrupted([&name, &status] { return ::statvfs(name.c_str(), &status); }) != 0) {
    return fail_errno(errno, "statvfs", path);
  }
  return static_cast<int64_t>(status.f_blocks) * static_cast<int64_t>(status.f_frsize);
}

}  // namespace leat
