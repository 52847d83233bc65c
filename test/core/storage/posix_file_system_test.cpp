// posix_file_system_test.cpp: what only the machine's own file system does: descriptors, writes cut short, links,
// pipes, locks between processes.
#include "core/storage/posix_file_system.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "test/support/catch.h"
#include "test/support/temporary_directory.h"

namespace leat {
namespace {

std::unique_ptr<File> open_or_fail(const std::string& path, OpenMode mode) {
  PosixFileSystem files;
  Result<std::unique_ptr<File>> file = files.open(path, mode);
  REQUIRE(file);
  return std::move(*file);
}

// The system cuts a write at RLIMIT_FSIZE and refuses the next one with EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t size_bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = size_bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace

TEST_CASE("posix: a write that the system cuts short goes on, then says why it cannot", "[storage][posix]") {
  const TemporaryDirectory directory;
  const auto file = open_or_fail(directory.path() + "/a", OpenMode::kCreate);
  const std::string first(6000, 'a');
  const std::string second(6000, 'b');
  const std::array<ByteView, 2> pieces{as_bytes(first), as_bytes(second)};
  Result<void> written;
  {
    const FileSizeLimit limit(10'000);
    written = file->write_at(Position(0), pieces);
  }
  REQUIRE_FALSE(written);
  CHECK(written.error().code == Errc::kIo);
  CHECK(written.error().context == fmt::format("write at 10000 to {}/a: File too large", directory.path()));
  CHECK(*file->size() == 10'000);
  REQUIRE(file->write_at(Position(0), pieces));  // a failed write poisons nothing
  CHECK(*file->size() == 12'000);
}

#ifdef __linux__
TEST_CASE("posix: a failed sync poisons the file", "[storage][posix]") {
  // The pipe is put under the open file: syncing it fails as EINVAL.
  const TemporaryDirectory directory;
  const auto file = open_or_fail(directory.path() + "/a", OpenMode::kCreate);
  std::array<int, 2> pipe_ends{};
  REQUIRE(::pipe(pipe_ends.data()) == 0);
  const int saved = ::dup(file->descriptor());
  REQUIRE(::dup2(pipe_ends[1], file->descriptor()) >= 0);
  const Result<void> failed = file->sync(SyncKind::kData);
  REQUIRE(::dup2(saved, file->descriptor()) >= 0);
  for (const int fd : {saved, pipe_ends[0], pipe_ends[1]}) ::close(fd);

  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == Errc::kIo);
  const std::array<ByteView, 1> pieces{as_bytes("x")};
  for (const Result<void>& refused : {file->sync(SyncKind::kData), file->sync(SyncKind::kFull),
                                      file->write_at(Position(0), pieces), file->truncate(0), file->allocate(10)}) {
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::kOffline);
  }
  std::array<uint8_t, 1> byte{};
  CHECK(file->read_at(Position(0), byte));
}

TEST_CASE("posix: ENOSPC is kNoSpace", "[storage][posix]") {
  // Opened as what it is, a device, /dev/full is refused; so it is put under an open file.
  const TemporaryDirectory directory;
  PosixFileSystem files;
  CHECK(files.open("/dev/full", OpenMode::kReadWrite).error().code == Errc::kInvalidArgument);
  const auto file = open_or_fail(directory.path() + "/a", OpenMode::kCreate);
  const int full = ::open("/dev/full", O_RDWR | O_CLOEXEC);
  REQUIRE(full >= 0);
  REQUIRE(::dup2(full, file->descriptor()) >= 0);
  ::close(full);
  const std::array<ByteView, 1> pieces{as_bytes("x")};
  const Result<void> written = file->write_at(Position(0), pieces);
  REQUIRE_FALSE(written);
  CHECK(written.error().code == Errc::kNoSpace);
}
#endif

TEST_CASE("posix: descriptors do not leak into child processes", "[storage][posix]") {
  const TemporaryDirectory directory;
  const auto file = open_or_fail(directory.path() + "/a", OpenMode::kCreate);
  REQUIRE(file->descriptor() >= 0);
  CHECK((::fcntl(file->descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("posix: a pipe in the data directory is refused, not waited for", "[storage][posix]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  PosixFileSystem files;
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kReadWrite}) {
    const auto opened = files.open(path, mode);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == Errc::kInvalidArgument);
  }
}

TEST_CASE("posix: remove_tree takes a link away, not what it names", "[storage][posix]") {
  const TemporaryDirectory directory;
  const std::string root = directory.path();
  PosixFileSystem files;
  REQUIRE(make_directories(files, root + "/precious"));
  open_or_fail(root + "/precious/file", OpenMode::kCreate);
  REQUIRE(make_directories(files, root + "/topic-0"));
  REQUIRE(::symlink((root + "/precious").c_str(), (root + "/topic-0/link").c_str()) == 0);
  REQUIRE(::symlink((root + "/nowhere").c_str(), (root + "/topic-0/dangling").c_str()) == 0);
  CHECK(files.list(root + "/topic-0")->size() == 2);
  REQUIRE(remove_tree(files, root + "/topic-0"));
  CHECK_FALSE(files.stat(root + "/topic-0"));
  CHECK(files.stat(root + "/precious/file"));
}

TEST_CASE("posix: a folder is not made through a link that leads nowhere, which is told", "[storage][posix]") {
  const TemporaryDirectory directory;
  const std::string link = directory.path() + "/link";
  REQUIRE(::symlink("nowhere", link.c_str()) == 0);
  PosixFileSystem files;
  for (const std::string& path : {link, link + "/below"}) {
    const Result<void> made = make_directories(files, path);
    REQUIRE_FALSE(made);
    INFO(made.error().context);
    CHECK(made.error().code == Errc::kNotFound);
    CHECK(made.error().context.find("leads nowhere") != std::string::npos);
  }
  REQUIRE(::mkdir((directory.path() + "/nowhere").c_str(), 0755) == 0);
  CHECK(make_directories(files, link));
  CHECK(make_directories(files, link + "/below"));
}

TEST_CASE("posix: the lock of another process is named by its id", "[storage][posix]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/.lock";
  std::array<int, 2> to_parent{};
  std::array<int, 2> to_child{};
  REQUIRE(::pipe(to_parent.data()) == 0);
  REQUIRE(::pipe(to_child.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    PosixFileSystem files;
    const auto held = files.lock(path);
    char answer = held ? 'y' : 'n';
    if (::write(to_parent[1], &answer, 1) != 1) ::_exit(1);
    if (::read(to_child[0], &answer, 1) < 0) ::_exit(1);
    ::_exit(0);
  }
  char answer = 0;
  REQUIRE(::read(to_parent[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  PosixFileSystem files;
  const auto refused = files.lock(path);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::kLocked);
  CHECK(refused.error().context == fmt::format("lock {}: held by process {}", path, child));

  REQUIRE(::write(to_child[1], &answer, 1) == 1);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(files.lock(path));  // the system released it
  CHECK(*read_text_file(files, path) == fmt::format("{}\n", ::getpid()));
  for (const int fd : {to_parent[0], to_parent[1], to_child[0], to_child[1]}) ::close(fd);
}

#ifdef F_OFD_SETLK
TEST_CASE("posix: a record lock, as Apache Kafka takes it, is noticed", "[storage][posix]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/.lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  struct flock whole_file {};
  whole_file.l_type = F_WRLCK;
  whole_file.l_whence = SEEK_SET;
  REQUIRE(::fcntl(fd, F_OFD_SETLK, &whole_file) == 0);
  PosixFileSystem files;
  const auto refused = files.lock(path);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::kLocked);
  CHECK(refused.error().context == fmt::format("lock {}: held by another process", path));
  ::close(fd);
  CHECK(files.lock(path));
}
#endif

TEST_CASE("posix: what was just written is read from the page cache, or the system cannot tell", "[storage][posix]") {
  const TemporaryDirectory folder;
  const std::unique_ptr<File> file = open_or_fail(join_path(folder.path(), "f"), OpenMode::kCreate);
  const std::string text(10'000, 'x');
  const ByteView pieces[] = {as_bytes(text)};
  REQUIRE(file->write_at(Position(0), pieces));
  std::vector<uint8_t> into(20'000);
  const Result<std::optional<size_t>> count = file->read_cached_at(Position(5'000), into);
  REQUIRE(count);
  if (!*count) return;  // the file system has no such reads
  CHECK(**count == 5'000);
  CHECK(as_text(ByteView(into).first(5'000)) == std::string_view(text).substr(5'000));
}

}  // namespace leat
