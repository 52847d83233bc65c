// progress_test.cpp: the line that tells how far long work has come: when it is shown, where, and that it makes room
// for output. The error stream is a pseudo-terminal.
#include "cli/progress_line.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "cli/log_progress.h"
#include "cli/watched_files.h"
#include "core/storage/posix_file_system.h"
#include "test/cli/captured.h"
#include "test/support/catch.h"
#include "test/support/temporary_directory.h"

using namespace leat;
using namespace leat::cli;
using leat::test::contains;

namespace {

// What is written to its slave can be read at its master, but for what terminals make of line ends.
class PseudoTerminal {
 public:
  PseudoTerminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(master_ >= 0);
    REQUIRE(::grantpt(master_) == 0);
    REQUIRE(::unlockpt(master_) == 0);
    slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    REQUIRE(slave_ >= 0);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;
  ~PseudoTerminal() {
    ::close(slave_);
    ::close(master_);
  }
  int slave() const noexcept { return slave_; }
  // What was written since the last time. It takes a way through the kernel, so a mark is sent after it.
  std::string shown() const {
    constexpr char kMark = '\x01';
    REQUIRE(::write(slave_, &kMark, 1) == 1);
    std::string text;
    pollfd waiting{.fd = master_, .events = POLLIN, .revents = 0};
    while (text.empty() || text.back() != kMark) {
      std::array<char, 4096> bytes{};
      REQUIRE(::poll(&waiting, 1, 20'000) > 0);
      const ssize_t size = ::read(master_, bytes.data(), bytes.size());
      REQUIRE(size > 0);
      text.append(bytes.data(), static_cast<size_t>(size));
    }
    text.pop_back();
    return text;
  }

 private:
  int master_;
  int slave_ = -1;
};

struct Desk {
  PseudoTerminal terminal;
  ManualClock clock;
  Console console{STDIN_FILENO, terminal.slave(), terminal.slave()};
  Session session{console, clock};
};

}  // namespace

TEST_CASE("progress: short work says nothing, long work some times a second", "[cli][progress]") {
  Desk desk;
  {
    ProgressLine line(desk.session);
    CHECK(!line.is_due());
    desk.clock.advance(Millis(499));
    CHECK(!line.is_due());
    desk.clock.advance(Millis(1));
    REQUIRE(line.is_due());
    line.show("half");
    CHECK(desk.terminal.shown() == "\rhalf\x1b[K");
    CHECK(!line.is_due());
    desk.clock.advance(Millis(199));
    CHECK(!line.is_due());
    desk.clock.advance(Millis(1));
    CHECK(line.is_due());
    desk.clock.advance(Millis(300));
    CHECK(line.per_second(700) == 700.0);
  }
  CHECK(desk.terminal.shown() == "\r\x1b[K");  // nothing of it stays
  desk.session.options.quiet = true;
  const ProgressLine quiet(desk.session);
  desk.clock.advance(Millis(10'000));
  CHECK(!quiet.is_due());
}

TEST_CASE("progress: output of the same terminal does not stand behind it", "[cli][progress]") {
  Desk desk;
  desk.console.progress("half");
  desk.console.out("line");
  desk.console.flush();
  CHECK(desk.terminal.shown() == "\rhalf\x1b[K\r\x1b[Kline");
}

TEST_CASE("progress: a stream that is no terminal gets none", "[cli][progress]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  {
    Console console(STDIN_FILENO, ends[1], ends[1]);
    console.progress("half");
    console.end_progress();
  }
  pollfd waiting{.fd = ends[0], .events = POLLIN, .revents = 0};
  CHECK(::poll(&waiting, 1, 0) == 0);
  for (const int end : ends) ::close(end);
}

TEST_CASE("progress: files tell how much is read of them, and are the same otherwise", "[cli][progress]") {
  const TemporaryDirectory directory;
  PosixFileSystem disk;
  size_t read_bytes = 0;
  WatchedFiles files(disk, [&read_bytes](size_t bytes) { read_bytes += bytes; });
  const std::string path = join_path(directory.path(), "file");
  REQUIRE(replace_text_file(files, path, "0123456789", SyncKind::kData).has_value());
  CHECK(read_bytes == 0);
  CHECK(*read_text_file(files, path) == "0123456789");
  CHECK(read_bytes == 10);
  Result<std::unique_ptr<File>> file = files.open(path, OpenMode::kRead);
  REQUIRE(file.has_value());
  std::array<uint8_t, 8> bytes{};
  CHECK(*(*file)->read_at(Position(6), bytes) == 4);
  CHECK(read_bytes == 14);
  CHECK(*(*file)->size() == 10);
  CHECK((*file)->path() == path);
  CHECK(files.open(path + "x", OpenMode::kRead).error().code == Errc::kNotFound);
  CHECK(files.list(directory.path())->size() == 1);
  CHECK(files.stat(path)->size_bytes == 10);
  REQUIRE(files.remove(path).has_value());
  CHECK(files.stat(path).error().code == Errc::kNotFound);
}

TEST_CASE("progress: leat log names what it is at, and how much it has read", "[cli][progress]") {
  const TemporaryDirectory directory;
  PosixFileSystem disk;
  const std::string path = join_path(directory.path(), "file");
  REQUIRE(replace_text_file(disk, path, std::string(3'000, 'x'), SyncKind::kData).has_value());
  Desk desk;
  LogProgress progress(desk.session, disk);
  progress.expect(2);
  desk.clock.advance(Millis(1'000));
  CHECK(read_text_file(progress.files(), path).has_value());
  CHECK(desk.terminal.shown().empty());  // nothing is begun yet
  progress.begin("orders-0");
  progress.begin("orders-1");
  CHECK(read_text_file(progress.files(), path).has_value());
  CHECK(contains(desk.terminal.shown(), "2 of 2: orders-1, 6.0 kB read, 6.0 kB/s"));
}
