// directory_advice_test.cpp: errors of a data directory as LogDirectory gives them, with what to do; files that are not
// ours.
#include "server/directory_advice.h"

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/log/log_directory.h"
#include "core/storage/sim_file_system.h"
#include "test/support/catch.h"

namespace leat {
namespace {

const std::string kPath = "/data";

struct Disk {
  Disk() { REQUIRE(make_directories(files, kPath)); }
  Result<std::unique_ptr<LogDirectory>> open(int32_t node_id = 1) {
    LogDirectory::Options options{
        .files = files, .path = kPath, .random = random, .node_id = node_id, .cluster_id = {}};
    return LogDirectory::open(options);
  }
  void write(const std::string& path) { REQUIRE(replace_text_file(files, path, "x", SyncKind::kFull)); }

  SimFileSystem files{1};
  SeededRandom random{1};
};

TEST_CASE("directory advice: a directory that is in use names who uses it, and what to do", "[server]") {
  Disk disk;
  const auto held = disk.open();
  REQUIRE(held);
  const auto refused = disk.open();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::kLocked);
  CHECK(with_directory_advice(refused.error(), kPath).context ==
        "data directory /data is in use by another process: stop that one, or take another with --data-dir");
  const Error of_posix(Errc::kLocked, "lock /data/.lock: held by process 10854");
  CHECK(with_directory_advice(of_posix, kPath).context.find("/data is in use by process 10854: stop") !=
        std::string::npos);
}

TEST_CASE("directory advice: a directory of another node says what to do, other errors stay", "[server]") {
  Disk disk;
  REQUIRE(disk.open(1));
  const auto refused = disk.open(5);
  REQUIRE_FALSE(refused);
  const std::string said = with_directory_advice(refused.error(), kPath).context;
  INFO(said);
  CHECK(said.starts_with(refused.error().context));
  CHECK(said.find("node.id") != std::string::npos);
  CHECK(said.ends_with("or take another directory with --data-dir"));
  const Error other(Errc::kInvalidArgument, "cannot adopt orders: its folders bear different topic ids");
  CHECK(with_directory_advice(other, kPath).context == other.context);
}

TEST_CASE("directory advice: files that nobody of ours has written are found, and no others", "[server]") {
  Disk disk;
  {
    const auto directory = disk.open();
    REQUIRE(directory);
    REQUIRE((*directory)->write_checkpoints({}, {}));
    REQUIRE((*directory)->write_cleaned({}));
    REQUIRE((*directory)->mark_clean());
  }
  CHECK(foreign_files(disk.files, kPath).empty());
  disk.write("/data/notes.txt");
  disk.write("/data/orders.log");
  disk.write("/data/meta.properties.tmp");  // of a write that a crash cut short
  REQUIRE(disk.files.make_directory("/data/orders-0"));
  disk.write("/data/orders-0/inside");
  CHECK(foreign_files(disk.files, kPath) == std::vector<std::string>{"/data/notes.txt", "/data/orders.log"});
  CHECK(foreign_files(disk.files, "/nowhere").empty());
}

TEST_CASE("directory advice: a few strangers are named, of many how many there are", "[server]") {
  std::vector<std::string> paths;
  for (int i = 0; i < 10; ++i) paths.push_back(fmt::format("/data/{}", i));
  CHECK(lines_about({}, "is none of ours").empty());
  std::vector<std::string> lines = lines_about(paths, "is none of ours");
  REQUIRE(lines.size() == 10);
  CHECK(lines[0] == "/data/0 is none of ours");
  CHECK(lines[9] == "/data/9 is none of ours");
  for (int i = 0; i < 100'000; ++i) paths.push_back("/data/and-so-on");
  lines = lines_about(paths, "is none of ours");
  REQUIRE(lines.size() == 11);
  CHECK(lines[10].starts_with("100000 more like /data/9 are there: "));
}

}  // namespace
}  // namespace leat
