// sim_file_system_test.cpp: the simulated disk keeps its promises (synced bytes under synced names survive, renames are
// atomic) and makes no others (all the rest can be lost in every way), and injects what it is told to.
#include "core/storage/sim_file_system.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "test/support/catch.h"

namespace leat {
namespace {

constexpr uint64_t kSeeds = 3000;

std::unique_ptr<File> open_or_fail(FileSystem& files, const std::string& path, OpenMode mode) {
  Result<std::unique_ptr<File>> file = files.open(path, mode);
  REQUIRE(file);
  return std::move(*file);
}

Result<void> write_text(File& file, int64_t position, std::string_view text) {
  const std::array<ByteView, 1> pieces{as_bytes(text)};
  return file.write_at(Position(position), pieces);
}

std::unique_ptr<File> write_file(FileSystem& files, const std::string& path, std::string_view text) {
  std::unique_ptr<File> file = open_or_fail(files, path, OpenMode::kCreate);
  REQUIRE(write_text(*file, 0, text));
  return file;
}

std::string text_or_nothing(FileSystem& files, const std::string& path) {
  const Result<std::string> text = read_text_file(files, path);
  return text ? *text : "(none)";
}

std::vector<FileInfo> list_or_fail(FileSystem& files, const std::string& path) {
  Result<std::vector<FileInfo>> entries = files.list(path);
  REQUIRE(entries);
  return std::move(*entries);
}

void make_data_directory(SimFileSystem& files) {
  REQUIRE(files.make_directory("/data"));
  REQUIRE(files.sync_directory("/"));
}

}  // namespace

TEST_CASE("sim: synced bytes under a synced name survive", "[storage][sim]") {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    REQUIRE(make_directories(files, "/data/topic-0"));
    const auto file = write_file(files, "/data/topic-0/log", "durable");
    REQUIRE(file->sync(SyncKind::kData));
    REQUIRE(files.sync_directory("/data/topic-0"));
    REQUIRE(write_text(*file, 7, " and not"));
    write_file(files, "/data/topic-0/other", "unsynced");
    files.lose_power();
    REQUIRE(text_or_nothing(files, "/data/topic-0/log").starts_with("durable"));
    CHECK(files.faults().of(SimFault::kPowerLoss) == 1);
  }
}

TEST_CASE("sim: each missing sync can lose the file", "[storage][sim]") {
  uint64_t name_lost = 0, bytes_lost = 0, parent_lost = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    make_data_directory(files);
    REQUIRE(write_file(files, "/data/no-name", "text")->sync(SyncKind::kData));
    REQUIRE(files.make_directory("/data/parent"));
    REQUIRE(write_file(files, "/data/parent/a", "text")->sync(SyncKind::kData));
    REQUIRE(files.sync_directory("/data/parent"));
    REQUIRE(files.make_directory("/data/synced"));
    REQUIRE(files.sync_directory("/"));
    SimFileSystem other(seed);
    make_data_directory(other);
    write_file(other, "/data/no-bytes", "text");
    REQUIRE(other.sync_directory("/data"));
    files.lose_power();
    other.lose_power();
    name_lost += text_or_nothing(files, "/data/no-name") == "(none)";
    parent_lost += text_or_nothing(files, "/data/parent/a") == "(none)";
    const std::string bytes = text_or_nothing(other, "/data/no-bytes");
    REQUIRE((bytes == "text" || bytes.empty() || bytes == std::string(4, '\0')));
    bytes_lost += bytes != "text";
  }
  CHECK(name_lost > kSeeds / 10);
  CHECK(bytes_lost > kSeeds / 10);
  CHECK(parent_lost > kSeeds / 10);
}

TEST_CASE("sim: a rename is atomic, and durable with its folder", "[storage][sim]") {
  std::set<std::string> outcomes;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    make_data_directory(files);
    REQUIRE(replace_text_file(files, "/data/a", "old", SyncKind::kData));
    REQUIRE(write_file(files, "/data/a.tmp", "new")->sync(SyncKind::kData));
    REQUIRE(files.rename("/data/a.tmp", "/data/a"));
    const bool is_synced = seed % 2 == 0;
    if (is_synced) REQUIRE(files.sync_directory("/data"));
    files.lose_power();
    const std::string text = text_or_nothing(files, "/data/a");
    outcomes.insert(text);
    REQUIRE((text == "new" || (text == "old" && !is_synced)));
    if (text == "new") REQUIRE_FALSE(files.stat("/data/a.tmp"));
  }
  CHECK(outcomes.size() == 2);
}

TEST_CASE("sim: replace_text_file leaves the old or the new text wherever the power goes", "[storage][sim]") {
  std::set<std::string> outcomes;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    SimFileSystem files(seed);
    make_data_directory(files);
    const std::string old_text(1 + seed % 3000, 'o');
    REQUIRE(replace_text_file(files, "/data/a", old_text, SyncKind::kData));
    files.lose_power_at(1 + seed % 8);
    const std::string new_text(1 + seed % 2000, 'n');
    const Result<void> replaced = replace_text_file(files, "/data/a", new_text, SyncKind::kData);
    CHECK(replaced.has_value() != files.power_is_out());
    files.lose_power();
    const std::string text = text_or_nothing(files, "/data/a");
    REQUIRE((text == new_text || (text == old_text && !replaced)));
    outcomes.insert(text.substr(0, 1));
  }
  CHECK(outcomes.size() == 2);
}

TEST_CASE("sim: removed names come back, created ones vanish, renamed ones go back, in any order", "[storage][sim]") {
  SimFaultCounts counts;
  std::set<std::string> outcomes;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    make_data_directory(files);
    write_file(files, "/data/removed", "");
    write_file(files, "/data/from", "");
    REQUIRE(files.sync_directory("/data"));
    write_file(files, "/data/created", "");
    REQUIRE(files.remove("/data/removed"));
    REQUIRE(files.rename("/data/from", "/data/to"));
    files.lose_power();
    std::string names;
    for (const FileInfo& entry : list_or_fail(files, "/data")) names += entry.name + " ";
    outcomes.insert(names);
    counts.add(files.faults());
  }
  CHECK(outcomes.size() == 8);
  for (const SimFault fault :
       {SimFault::kLostCreate, SimFault::kLostRemove, SimFault::kLostRename, SimFault::kReorderedNames}) {
    INFO(to_string(fault));
    CHECK(counts.of(fault) > kSeeds / 20);
  }
}

TEST_CASE("sim: syncing a folder brings earlier changes of its names along, not other folders", "[storage][sim]") {
  uint64_t other_lost = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    REQUIRE(make_directories(files, "/data/a"));
    REQUIRE(make_directories(files, "/data/b"));
    REQUIRE(write_file(files, "/data/a/x", "text")->sync(SyncKind::kData));
    write_file(files, "/data/a/y", "");
    REQUIRE(files.rename("/data/a/x", "/data/b/x"));
    REQUIRE(files.sync_directory("/data/b"));
    files.lose_power();
    REQUIRE(text_or_nothing(files, "/data/b/x") == "text");
    REQUIRE_FALSE(files.stat("/data/a/x"));
    other_lost += !files.stat("/data/a/y").has_value();
  }
  CHECK(other_lost > kSeeds / 10);
}

TEST_CASE("sim: handles and locks of before are dead after a loss of power or a kill", "[storage][sim]") {
  SimFileSystem files(1);
  make_data_directory(files);
  const auto file = write_file(files, "/data/a", "text");
  auto lock = files.lock("/data/.lock");
  REQUIRE(lock);
  SECTION("kill: what was written is there, and can still be lost") { files.kill_process(); }
  SECTION("power") {
    REQUIRE(file->sync(SyncKind::kData));
    REQUIRE(files.sync_directory("/data"));
    files.lose_power();
  }
  std::array<uint8_t, 4> into{};
  CHECK_FALSE(file->read_at(Position(0), into));
  CHECK_FALSE(write_text(*file, 0, "x"));
  CHECK_FALSE(file->sync(SyncKind::kData));
  CHECK_FALSE(file->truncate(0));
  CHECK_FALSE(file->size());
  CHECK(text_or_nothing(files, "/data/a") == "text");
  const auto again = files.lock("/data/.lock");
  REQUIRE(again);
  lock->reset();  // the dead process's lock frees nothing
  CHECK_FALSE(files.lock("/data/.lock"));
}

TEST_CASE("sim: what a killed process wrote can still be lost with the power", "[storage][sim]") {
  uint64_t lost = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    make_data_directory(files);
    REQUIRE(replace_text_file(files, "/data/a", "", SyncKind::kData));
    REQUIRE(write_text(*open_or_fail(files, "/data/a", OpenMode::kReadWrite), 0, "text"));
    files.kill_process();
    REQUIRE(text_or_nothing(files, "/data/a") == "text");
    const bool is_synced = seed % 2 == 0;
    if (is_synced) REQUIRE(open_or_fail(files, "/data/a", OpenMode::kReadWrite)->sync(SyncKind::kData));
    files.lose_power();
    const bool is_there = text_or_nothing(files, "/data/a") == "text";
    REQUIRE((is_there || !is_synced));
    lost += !is_there;
  }
  CHECK(lost > kSeeds / 10);
}

TEST_CASE("sim: the power goes inside an operation, and all later ones fail", "[storage][sim]") {
  SimFileSystem files(7);
  make_data_directory(files);
  const auto file = write_file(files, "/data/a", "text");
  REQUIRE(file->sync(SyncKind::kData));
  REQUIRE(files.sync_directory("/data"));
  const uint64_t before = files.operations();
  files.lose_power_at(2);
  REQUIRE(write_text(*file, 4, "more"));
  REQUIRE_FALSE(files.power_is_out());
  CHECK_FALSE(write_text(*file, 8, "torn"));
  CHECK(files.power_is_out());
  CHECK_FALSE(files.stat("/data/a"));
  CHECK_FALSE(files.open("/data/a", OpenMode::kRead));
  CHECK_FALSE(files.list("/data"));
  CHECK_FALSE(files.free_bytes("/data"));
  CHECK_FALSE(files.sync_directory("/data"));
  CHECK(files.operations() == before + 2);
  files.lose_power();
  CHECK_FALSE(files.power_is_out());
  CHECK(text_or_nothing(files, "/data/a").starts_with("text"));
  CHECK(files.faults().of(SimFault::kPowerLossInside) == 1);
}

TEST_CASE("sim: a failed sync is final", "[storage][sim]") {
  uint64_t lost = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    make_data_directory(files);
    const auto file = write_file(files, "/data/a", "text");
    REQUIRE(files.sync_directory("/data"));
    const auto open_before = open_or_fail(files, "/data/a", OpenMode::kReadWrite);
    files.fail_sync_at(1);
    const Result<void> failed = file->sync(SyncKind::kData);
    REQUIRE_FALSE(failed);
    REQUIRE(failed.error().code == Errc::kIo);
    REQUIRE(file->sync(SyncKind::kData).error().code == Errc::kOffline);
    REQUIRE(write_text(*file, 0, "x").error().code == Errc::kOffline);
    REQUIRE(file->truncate(0).error().code == Errc::kOffline);
    REQUIRE(open_before->sync(SyncKind::kData).error().code == Errc::kIo);  // told as well, once
    REQUIRE(open_before->sync(SyncKind::kData).error().code == Errc::kOffline);
    const auto other = open_or_fail(files, "/data/a", OpenMode::kReadWrite);
    REQUIRE(other->sync(SyncKind::kData));  // succeeds, and is worth nothing
    files.lose_power();
    lost += text_or_nothing(files, "/data/a") != "text";
    CHECK(files.faults().of(SimFault::kFailedSync) == 1);
  }
  CHECK(lost > kSeeds / 4);
}

TEST_CASE("sim: a failed sync of a folder promises nothing, the next one everything", "[storage][sim]") {
  uint64_t lost = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    make_data_directory(files);
    write_file(files, "/data/a", "");
    files.fail_directory_sync_at(1);
    REQUIRE(files.sync_directory("/data").error().code == Errc::kIo);
    REQUIRE(files.stat("/data/a"));
    const bool is_synced = seed % 2 == 0;
    if (is_synced) REQUIRE(files.sync_directory("/data"));
    files.lose_power();
    const bool is_there = files.stat("/data/a").has_value();
    REQUIRE((is_there || !is_synced));
    lost += !is_there;
  }
  CHECK(lost > kSeeds / 20);
}

TEST_CASE("sim: the n-th sync fails, others do not", "[storage][sim]") {
  SimFileSystem files(1);
  const auto first = write_file(files, "/a", "text");
  const auto second = write_file(files, "/b", "text");
  files.fail_sync_at(3);
  CHECK(first->sync(SyncKind::kData));
  CHECK(second->sync(SyncKind::kFull));
  CHECK_FALSE(first->sync(SyncKind::kData));
  CHECK(second->sync(SyncKind::kData));
  files.fail_sync_at(1);
  files.fail_sync_at(0);
  CHECK(second->sync(SyncKind::kData));
}

TEST_CASE("sim: a full disk takes what fits, and recovers", "[storage][sim]") {
  SimFileSystem files(1);
  const auto file = write_file(files, "/a", std::string(1000, 'a'));
  files.set_space_bytes(1500);
  CHECK(*files.free_bytes("/") == 500);
  const Result<void> written = write_text(*file, 900, std::string(1000, 'b'));
  REQUIRE_FALSE(written);
  CHECK(written.error().code == Errc::kNoSpace);
  CHECK(*file->size() == 1500);
  CHECK(write_text(*file, 0, std::string(1500, 'c')));  // in place: no room needed
  CHECK(file->allocate(2000).error().code == Errc::kNoSpace);
  uint64_t refused = 0;
  for (int i = 0; i < 20; ++i) refused += !files.open(fmt::format("/new{}", i), OpenMode::kCreate).has_value();
  CHECK(refused > 0);
  CHECK(refused < 20);
  REQUIRE(file->truncate(100));
  CHECK(*files.free_bytes("/") == 1400);
  CHECK(write_text(*file, 100, "more"));
  REQUIRE(files.remove("/a"));
  CHECK(*files.free_bytes("/") == 1500);
  files.set_space_bytes(std::nullopt);
  CHECK(*files.free_bytes("/") > 1'000'000'000);
  CHECK(files.faults().of(SimFault::kNoSpace) > 2);
}

TEST_CASE("sim: what is allocated for a file is kept for it on a full disk", "[storage][sim]") {
  SimFileSystem files(1);
  auto file = write_file(files, "/a", std::string(1000, 'a'));
  REQUIRE(file->allocate(3000));
  CHECK(*file->size() == 1000);
  files.limit_space_to_used_and(0);
  CHECK(*files.free_bytes("/") == 0);
  CHECK(write_text(*file, 1000, std::string(1500, 'b')));
  CHECK(*files.free_bytes("/") == 0);
  REQUIRE(file->sync(SyncKind::kData));
  REQUIRE(files.sync_directory("/"));
  const bool loses_power = GENERATE(true, false);
  if (loses_power) {
    files.lose_power();
  } else {
    files.kill_process();
  }
  file = *files.open("/a", OpenMode::kReadWrite);
  CHECK(write_text(*file, 2500, std::string(500, 'c')));
  CHECK(write_text(*file, 3000, "d").error().code == Errc::kNoSpace);
  REQUIRE(file->truncate(100));
  CHECK(*files.free_bytes("/") == 2900);
}

TEST_CASE("sim: faults at random, none when the rates are zero", "[storage][sim]") {
  SimFileSystem files(3);
  make_data_directory(files);
  const std::string text(2000, 't');
  files.set_fault_rates({.sync_one_in = 8,
                         .sync_directory_one_in = 8,
                         .short_write_one_in = 8,
                         .write_error_one_in = 8,
                         .short_read_one_in = 8,
                         .read_error_one_in = 8});
  for (int i = 0; i < 400; ++i) {
    const auto file = open_or_fail(files, fmt::format("/data/{}", i % 10), OpenMode::kCreate);
    const int64_t before = *file->size();
    const Result<void> written = write_text(*file, before, text);
    if (written) REQUIRE(*file->size() == before + 2000);
    if (!written) REQUIRE(*file->size() < before + 2000);
    std::vector<uint8_t> into(100);
    if (*file->size() > 0) {
      const Result<size_t> count = file->read_at(Position(0), into);
      if (count) REQUIRE((*count > 0 && into[0] == 't'));
    }
    if (!file->sync(SyncKind::kData)) REQUIRE(write_text(*file, 0, "x").error().code == Errc::kOffline);
    [[maybe_unused]] const Result<void> synced = files.sync_directory("/data");
  }
  for (const SimFault fault : {SimFault::kFailedSync, SimFault::kFailedDirectorySync, SimFault::kShortWrite,
                               SimFault::kWriteError, SimFault::kShortRead, SimFault::kReadError}) {
    INFO(to_string(fault));
    CHECK(files.faults().of(fault) > 5);
  }
  files.set_fault_rates({});
  for (int i = 0; i < 100; ++i) {
    const auto file = write_file(files, fmt::format("/data/new{}", i), text);
    REQUIRE(file->sync(SyncKind::kData));
    REQUIRE(files.sync_directory("/data"));
    REQUIRE(text_or_nothing(files, file->path()) == text);
  }
}

TEST_CASE("sim: where a data sync does not survive, only a full one does", "[storage][sim]") {
  uint64_t lost = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files({.seed = seed, .data_sync_survives_power_loss = false});
    make_data_directory(files);
    const auto file = write_file(files, "/data/a", "full");
    REQUIRE(files.sync_directory("/data"));
    REQUIRE(file->sync(SyncKind::kFull));
    REQUIRE(write_text(*file, 0, "data"));
    REQUIRE(file->sync(SyncKind::kData));
    files.lose_power();
    const std::string text = text_or_nothing(files, "/data/a");
    REQUIRE((text == "full" || text == "data"));
    lost += text == "full";
  }
  CHECK(lost > kSeeds / 10);
}

TEST_CASE("sim: flipped bits and removed files are for good", "[storage][sim]") {
  SimFileSystem files(1);
  make_data_directory(files);
  for (const char* name : {"0.log", "0.index", "9.index"}) write_file(files, std::string("/data/") + name, "text");
  CHECK(files.flip_bit("/data/0.log", Position(1), 0));
  CHECK(text_or_nothing(files, "/data/0.log") == "tdxt");
  CHECK_FALSE(files.flip_bit("/data/0.log", Position(4), 0));
  CHECK_FALSE(files.flip_bit("/data/0.log", Position(0), 8));
  CHECK_FALSE(files.flip_bit("/data/no", Position(0), 0));
  REQUIRE(files.rename("/data/9.index", "/data/10.index"));
  CHECK(files.remove_matching(".index") == 2);
  CHECK(files.remove_matching(".index") == 0);
  files.lose_power();
  CHECK_FALSE(files.stat("/data/0.index"));
  CHECK_FALSE(files.stat("/data/9.index"));
  CHECK_FALSE(files.stat("/data/10.index"));
  CHECK(files.faults().of(SimFault::kRemovedFile) == 2);
  CHECK(files.faults().of(SimFault::kFlippedBit) == 1);
}

TEST_CASE("sim: times are what the test says", "[storage][sim]") {
  SimFileSystem files(1);
  files.set_now_ms(1000);
  const auto file = write_file(files, "/a", "text");
  files.set_now_ms(2000);
  CHECK(files.stat("/a")->modified_ms == 1000);
  REQUIRE(write_text(*file, 0, "x"));
  CHECK(files.stat("/a")->modified_ms == 2000);
}

TEST_CASE("sim: the same seed and the same calls give the same disk", "[storage][sim]") {
  const auto run = [](uint64_t seed) {
    SimFileSystem files(seed);
    std::string history;
    for (uint64_t round = 0; round < 20; ++round) {
      for (uint64_t i = 0; i < 5; ++i) {
        const auto file = open_or_fail(files, fmt::format("/{}", (round * 7 + i) % 9), OpenMode::kCreate);
        REQUIRE(write_text(*file, static_cast<int64_t>(i * 100), std::string(3000, static_cast<char>('a' + i))));
      }
      files.lose_power();
      for (const FileInfo& entry : list_or_fail(files, "/")) {
        history += entry.name + ":" + text_or_nothing(files, "/" + entry.name) + "\n";
      }
    }
    return history;
  };
  CHECK(run(11) == run(11));
  CHECK(run(11) != run(12));
}

}  // namespace leat
