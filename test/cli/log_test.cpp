// log_test.cpp: log dump, verify and repair on files that the test writes, good and damaged.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/session.h"
#include "core/codec/writer.h"
#include "core/record/batch_builder.h"
#include "core/storage/posix_file_system.h"
#include "test/cli/captured.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;
using leat::test::Captured;
using leat::test::contains;
using leat::test::run_leat;

namespace {

using Bytes = std::vector<uint8_t>;

// A partition folder with one segment of three batches: offsets 0 to 2, 3 to 5, 6 to 8.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : root_(std::filesystem::temp_directory_path() / ("leat-log-test-" + name)), path_(root_ / "orders-0") {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(path_);
    for (int64_t base = 0; base < 9; base += 3) add_batch(base);
    save();
  }
  ~Folder() { std::filesystem::remove_all(root_); }

  void add_batch(int64_t base) {
    BatchBuilder builder(
        {.codec = base == 3 ? Codec::kZstd : Codec::kNone, .base_offset = Offset(base), .leader_epoch = 0});
    for (int64_t i = base; i < base + 3; ++i) {
      const std::string value = "value " + std::to_string(i);
      builder.append({.key = as_bytes("k"), .value = as_bytes(value), .timestamp_ms = 1000 + i});
    }
    const Slice batch = *builder.finish();
    positions.push_back(log.size());
    log.insert(log.end(), batch.view().begin(), batch.view().end());
  }
  void save() const {
    write(".log", log);
    write(".index", index(5, positions[1]));
    Writer times;
    times.i64(1005);
    times.i32(5);
    write(".timeindex", std::move(times).take());
  }
  static Bytes index(int32_t relative, size_t position) {
    Writer entries;
    entries.i32(relative);
    entries.i32(static_cast<int32_t>(position));
    return std::move(entries).take();
  }
  void write(const std::string& suffix, const Bytes& bytes) const {
    std::ofstream file(file_path(suffix), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  std::string file_path(const std::string& suffix) const {
    return (path_ / ("00000000000000000000" + suffix)).string();
  }
  // A second segment that holds one batch.
  void write_next_segment(int64_t base) {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      if (entry.path().filename() != "00000000000000000000.log") std::filesystem::remove(entry.path());
    }
    log.clear();
    add_batch(base);
    std::ofstream file(path_ / ("0000000000000000000" + std::to_string(base) + ".log"), std::ios::binary);
    file.write(reinterpret_cast<const char*>(log.data()), static_cast<std::streamsize>(log.size()));
  }
  // What leatd writes of the partition: all below is durable.
  void write_checkpoint(int64_t recovery_point) const {
    std::ofstream(root_ / "recovery-point-offset-checkpoint") << "0\n1\norders 0 " << recovery_point << "\n";
  }
  std::string path() const { return path_.string(); }
  std::string root() const { return root_.string(); }

  Bytes log;
  std::vector<size_t> positions;

 private:
  std::filesystem::path root_;
  std::filesystem::path path_;
};

size_t lines(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace

TEST_CASE("log dump: batches as DumpLogSegments prints them", "[cli][log]") {
  const Folder folder("dump");
  const Captured dump = run_leat({"log", "dump", folder.path()});
  CHECK(dump.exit_code == kExitOk);
  CHECK(lines(dump.out) == 4);
  CHECK(contains(dump.out, "baseOffset: 3 lastOffset: 5 count: 3 baseSequence: -1 lastSequence: -1 producerId: -1"));
  CHECK(contains(dump.out, "compresscodec: zstd"));
  CHECK(contains(dump.out, "isvalid: true"));
  CHECK(lines(run_leat({"log", "dump", folder.path(), "--offset", "4", "--count", "1", "--json"}).out) == 1);
  const Captured records = run_leat({"log", "dump", "--records", folder.file_path(".log")});
  CHECK(lines(records.out) == 13);
  CHECK(contains(
      records.out,
      "| offset: 4 CreateTime: 1004 keySize: 1 valueSize: 7 sequence: -1 headerKeys: [] key: k payload: value 4"));
}

TEST_CASE("log dump: indexes", "[cli][log]") {
  const Folder folder("indexes");
  const Captured index = run_leat({"log", "dump", folder.file_path(".index")});
  CHECK(contains(index.out, "offset: 5 position: " + std::to_string(folder.positions[1])));
  const Captured times = run_leat({"log", "dump", folder.file_path(".timeindex"), "--json"});
  CHECK(times.out == "{\"timestamp\":1005,\"offset\":5}\n");
}

TEST_CASE("log dump: a damaged batch is marked, the walk goes on", "[cli][log]") {
  Folder folder("damaged-dump");
  folder.log[folder.positions[0] + 70] ^= 1;
  folder.save();
  const Captured dump = run_leat({"log", "dump", folder.path()});
  CHECK(dump.exit_code == kExitFailed);
  CHECK(contains(dump.out, "isvalid: false"));
  CHECK(lines(dump.out) == 4);
}

TEST_CASE("log dump: with --json what is wrong is JSON, on the error stream", "[cli][log][json]") {
  Folder folder("json-dump");
  const auto check = [](const Captured& dump, const std::string& what) {
    INFO(dump.out << dump.errors);
    CHECK(dump.exit_code == kExitFailed);
    REQUIRE(lines(dump.errors) == 1);
    const nlohmann::json told = nlohmann::json::parse(dump.errors, nullptr, false);
    REQUIRE(told.is_object());
    CHECK(!told.at("error").value("kind", "").empty());
    CHECK(contains(told.at("error").value("message", ""), what));
    for (std::string_view left = dump.out; !left.empty(); left.remove_prefix(left.find('\n') + 1)) {
      CHECK(nlohmann::json::parse(left.substr(0, left.find('\n')), nullptr, false).is_object());
    }
  };
  const std::string text = folder.root() + "/x.log";
  std::ofstream(text) << "this is no log, and longer than the header of a batch would be, by a line or so at least\n";
  check(run_leat({"--json", "log", "dump", text}), "x.log: no batch at position 0");
  CHECK(run_leat({"log", "dump", text}).errors.starts_with("leat: " + text + ": no batch at position 0"));
  // A record whose size is wrong, under a CRC that is right.
  const MutableByteView batch(folder.log.data(), folder.positions[1]);
  batch[kBatchHeaderBytes] ^= 0x7e;
  set_crc(batch);
  folder.save();
  const std::vector<std::string> words{"log", "dump", "--records", folder.file_path(".log")};
  CHECK(contains(run_leat(words).out, "\n| "));
  std::vector<std::string> json = words;
  json.emplace_back("--json");
  check(run_leat(json), "records of the batch at position 0: ");
}

TEST_CASE("log verify: a good log is good, by file, folder and data directory", "[cli][log]") {
  const Folder folder("good");
  for (const std::string& path : {folder.path(), folder.root(), folder.file_path(".log")}) {
    const Captured result = run_leat({"log", "verify", path});
    INFO(result.out << result.errors);
    CHECK(result.exit_code == kExitOk);
    CHECK(contains(result.out, "offsets 0 to 8, 3 batches, 9 records"));
    CHECK(contains(result.out, "All 1 segments are good."));
  }
  CHECK(run_leat({"log", "verify", "--quiet", folder.path()}).out.empty());
}

namespace {

struct Damage {
  const char* name;
  void (*make)(Folder&);
  const char* told;
  bool is_torn_tail = false;
};

std::vector<Damage> kinds_of_damage() {
  return {
      {"crc",
       [](Folder& f) {
         f.log[f.positions[1] + 80] ^= 4;
         f.save();
       },
       "the CRC is wrong"},
      {"torn",
       [](Folder& f) {
         f.log.resize(f.log.size() - 3);
         f.save();
       },
       "torn tail", true},
      {"length",
       [](Folder& f) {
         f.log[f.positions[1] + kBatchLengthAt + 1] ^= 1;
         f.save();
       },
       "the log goes on behind"},
      {"last-length",
       [](Folder& f) {
         f.log[f.positions[2] + kBatchLengthAt + 1] ^= 1;
         f.save();
       },
       "torn tail", true},
      {"zeros",
       [](Folder& f) {
         f.log.resize(f.log.size() + 100);
         f.save();
       },
       "no whole batch", true},
      {"order",
       [](Folder& f) {
         f.add_batch(3);
         f.save();
       },
       "base offset 3 where 9 or more must be"},
      {"index", [](Folder& f) { f.write(".index", Folder::index(5, f.positions[1] + 1)); },
       "no batch begins at position"},
      {"index-offset", [](Folder& f) { f.write(".index", Folder::index(4, f.positions[1])); },
       "where the batch ends with 5"},
      {"index-end", [](Folder& f) { f.write(".index", Folder::index(50, f.log.size() + 9)); },
       "point behind the last batch"},
      {"index-odd", [](Folder& f) { f.write(".index", Bytes(3, 1)); }, "3 bytes behind its last whole entry"},
      {"times",
       [](Folder& f) {
         f.write(".timeindex", {0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 5});
       },
       "where 1005 is the largest"},
  };
}

}  // namespace

TEST_CASE("log verify: every kind of damage is found and placed", "[cli][log]") {
  for (const Damage& damage : kinds_of_damage()) {
    Folder folder(damage.name);
    damage.make(folder);
    const Captured result = run_leat({"log", "verify", folder.path()});
    INFO(damage.name << "\n" << result.out << result.errors);
    CHECK(result.exit_code == (damage.is_torn_tail ? kExitTornTail : kExitFailed));
    CHECK(contains(result.out, damage.told));
    CHECK(contains(result.out, "torn tail") == damage.is_torn_tail);
    CHECK(contains(result.out, "DAMAGED") != damage.is_torn_tail);
    const Captured json = run_leat({"log", "verify", "--json", folder.path()});
    CHECK(contains(json.out, "\"ok\":false"));
    CHECK(contains(json.out, damage.is_torn_tail ? "\"verdict\":\"torn\"" : "\"verdict\":\"damaged\""));
    const Captured file = run_leat({"log", "verify", folder.file_path(".log")});
    CHECK(file.exit_code == result.exit_code);
  }
}

TEST_CASE("log verify: index files that Kafka made larger than they are full, and folders on their way out",
          "[cli][log]") {
  const Folder folder("preallocated");
  folder.write(".index", Bytes(10 << 10));
  folder.write(".timeindex", Bytes(12 << 10));
  CHECK(run_leat({"log", "verify", folder.path()}).exit_code == kExitOk);
  Bytes index = Folder::index(5, folder.positions[1]);
  index.resize(800);
  folder.write(".index", index);
  CHECK(run_leat({"log", "verify", folder.path()}).exit_code == kExitOk);
  const std::string going = folder.root() + "/orders-1.0123456789abcdef0123456789abcdef-delete";
  std::filesystem::create_directories(going);
  std::ofstream(going + "/00000000000000000000.log") << "no batch";
  CHECK(contains(run_leat({"log", "verify", folder.root()}).out, "All 1 segments are good."));
}

TEST_CASE("log verify: missing indexes are no damage, missing paths are told", "[cli][log]") {
  Folder folder("missing");
  std::filesystem::remove(folder.file_path(".index"));
  const Captured active = run_leat({"log", "verify", folder.path()});
  CHECK(active.exit_code == kExitOk);
  CHECK(!contains(active.out, "no .index file"));
  folder.write_next_segment(9);
  const Captured sealed = run_leat({"log", "verify", folder.path()});
  CHECK(sealed.exit_code == kExitOk);
  CHECK(contains(sealed.out, "no .index file"));
  folder.write_next_segment(4);
  CHECK(contains(run_leat({"log", "verify", folder.path()}).out,
                 "begins with offset 4, but the segment before ends with 8"));
  const Captured nowhere = run_leat({"log", "verify", folder.root() + "/nowhere"});
  CHECK(nowhere.exit_code == kExitFailed);
  CHECK(contains(nowhere.errors, "nowhere"));
  std::filesystem::create_directories(folder.root() + "/empty");
  CHECK(contains(run_leat({"log", "verify", folder.root() + "/empty"}).errors, "holds no segments"));
}

TEST_CASE("log verify: below the recovery point a tear is damage", "[cli][log]") {
  Folder folder("durable");
  folder.log.resize(folder.log.size() - 3);
  folder.save();
  CHECK(run_leat({"log", "verify", folder.path()}).exit_code == kExitTornTail);
  folder.write_checkpoint(6);
  CHECK(run_leat({"log", "verify", folder.path()}).exit_code == kExitTornTail);
  folder.write_checkpoint(9);
  for (const std::string& path : {folder.path(), folder.root()}) {
    const Captured durable = run_leat({"log", "verify", path});
    CHECK(durable.exit_code == kExitFailed);
    CHECK(contains(durable.out, "DAMAGED"));
    CHECK(contains(durable.out, "the records of offsets 6 to 8 are lost"));
  }
}

TEST_CASE("log verify and dump: a batch without records is a batch", "[cli][log]") {
  Folder folder("empty-batch");
  BatchBuilder builder({.base_offset = Offset(9), .leader_epoch = 1, .last_offset_delta = 90});
  builder.append({});
  const Slice made = *builder.finish();
  const Slice empty = empty_batch(BatchView(made.view()));
  folder.log.insert(folder.log.end(), empty.view().begin(), empty.view().end());
  folder.save();
  const Captured verify = run_leat({"log", "verify", folder.path()});
  CHECK(verify.exit_code == kExitOk);
  CHECK(contains(verify.out, "offsets 0 to 99, 4 batches, 9 records"));
  const Captured dump = run_leat({"log", "dump", "--records", folder.path()});
  CHECK(dump.exit_code == kExitOk);
  CHECK(contains(dump.out, "baseOffset: 9 lastOffset: 99 count: 0 "));
  CHECK(lines(dump.out) == 14);
}

TEST_CASE("log verify and repair: a partition whose folder is gone is told of", "[cli][log]") {
  Folder folder("gone");
  const std::string root = folder.root();
  std::ofstream(root + "/recovery-point-offset-checkpoint")
      << "0\n5\norders 0 9\norders 1 3000\norders 2 0\norders 3 7\norders 4 5\n";
  std::filesystem::create_directories(root + "/orders-3.0123456789abcdef0123456789abcdef-delete");
  std::filesystem::create_directories(root + "/orders-4");
  const Captured verify = run_leat({"log", "verify", root});
  INFO(verify.out << verify.errors);
  CHECK(verify.exit_code == kExitFailed);
  CHECK(
      contains(verify.out, "DAMAGED " + root + "/orders-1: the folder is missing, with all records below offset 3000"));
  CHECK(contains(verify.out, "/orders-4: no segment is left in the folder, with all records below offset 5"));
  CHECK_FALSE(contains(verify.out, "orders-2"));  // it never had a record
  CHECK_FALSE(contains(verify.out, "orders-3"));  // it is being deleted
  const Captured json = run_leat({"log", "verify", "--json", root});
  CHECK(lines(json.out) == 3);
  CHECK(contains(json.out, "/orders-1\",\"ok\":false,\"verdict\":\"damaged\""));
  CHECK(run_leat({"log", "verify", folder.path()}).exit_code == kExitOk);
  for (const bool dry : {true, false}) {
    std::vector<std::string> line = {"log", "repair", root};
    if (dry) line.push_back("--dry-run");
    const Captured repair = run_leat(line);
    INFO(repair.out << repair.errors);
    CHECK(repair.exit_code == kExitFailed);
    CHECK(contains(repair.out, "/orders-1: the folder is missing"));
    CHECK(contains(repair.out, "put it back from a copy"));
  }
  std::filesystem::remove_all(folder.path());
  const Captured empty = run_leat({"log", "verify", root});
  CHECK(empty.exit_code == kExitFailed);
  CHECK(contains(empty.out, "/orders-0: the folder is missing"));
}

TEST_CASE("log verify: a data directory without its metadata journal is damaged", "[cli][log]") {
  const Folder folder("no-journal");
  std::ofstream(folder.root() + "/meta.properties") << "version=1\n";
  const Captured verify = run_leat({"log", "verify", folder.root()});
  CHECK(verify.exit_code == kExitFailed);
  CHECK(contains(verify.out, "/__leat_metadata-0: the folder is missing, which says what topics there are"));
  std::filesystem::create_directories(folder.root() + "/__leat_metadata-0");
  CHECK(run_leat({"log", "verify", folder.root()}).exit_code == kExitOk);
}

TEST_CASE("log repair: damage goes to side files, and the log is good", "[cli][log]") {
  Folder folder("repair");
  folder.log[folder.positions[1] + 80] ^= 4;
  folder.save();
  folder.write_checkpoint(9);
  const auto size = [&folder] { return std::filesystem::file_size(folder.file_path(".log")); };
  const std::string aside = folder.file_path(".log." + std::to_string(folder.positions[1]) + ".aside");

  const Captured dry = run_leat({"log", "repair", "--dry-run", folder.path()});
  INFO(dry.out << dry.errors);
  CHECK(dry.exit_code == kExitOk);
  CHECK(contains(dry.out, "to be repaired"));
  CHECK(contains(dry.out, "Nothing was changed."));
  CHECK(size() == folder.log.size());
  CHECK_FALSE(std::filesystem::exists(aside));

  const Captured repaired = run_leat({"log", "repair", folder.root()});
  INFO(repaired.out << repaired.errors);
  CHECK(repaired.exit_code == kExitOk);
  CHECK(contains(repaired.out, aside));
  CHECK(contains(repaired.out, "the CRC is wrong"));
  CHECK(size() == folder.log.size() - (folder.positions[2] - folder.positions[1]));
  CHECK(std::filesystem::file_size(aside) == folder.positions[2] - folder.positions[1]);
  CHECK(contains(run_leat({"log", "dump", aside}).out, "isvalid: false"));
  const Captured verify = run_leat({"log", "verify", folder.root()});
  CHECK(verify.exit_code == kExitOk);
  CHECK(contains(verify.out, "offsets 0 to 8, 2 batches, 6 records"));

  const Captured again = run_leat({"log", "repair", folder.file_path(".log")});
  CHECK(again.exit_code == kExitOk);
  CHECK(contains(again.out, "1 partitions: nothing to repair."));
}

TEST_CASE("log repair: lost offsets at the end are covered", "[cli][log]") {
  Folder folder("repair-end");
  folder.log.resize(folder.positions[1]);
  folder.save();
  folder.write_checkpoint(9);
  const Captured json = run_leat({"log", "repair", "--json", folder.path()});
  INFO(json.out << json.errors);
  CHECK(json.exit_code == kExitOk);
  CHECK(contains(json.out, "\"status\":\"repaired\""));
  CHECK(contains(json.out, "the records of offsets 3 to 8"));
  CHECK(contains(json.out, "\"dry_run\":false"));
  const Captured verify = run_leat({"log", "verify", folder.path()});
  INFO(verify.out);
  CHECK(verify.exit_code == kExitOk);
  CHECK(contains(verify.out, "offsets 3 to 8, 1 batches, 0 records"));
}

TEST_CASE("log repair: a torn tail, as JSON", "[cli][log]") {
  Folder folder("repair-torn");
  folder.log.resize(folder.log.size() - 3);
  folder.save();
  const Captured dry = run_leat({"log", "repair", "--dry-run", "--json", folder.path()});
  CHECK(dry.exit_code == kExitOk);
  CHECK(contains(dry.out, "\"status\":\"to be repaired\""));
  CHECK(contains(dry.out, "\"torn_tail\":true"));
  CHECK(contains(dry.out, "\"dry_run\":true"));
  CHECK(run_leat({"log", "repair", "--quiet", folder.path()}).exit_code == kExitOk);
  CHECK(run_leat({"log", "verify", folder.path()}).exit_code == kExitOk);
}

TEST_CASE("log repair: is refused while a broker has the data directory", "[cli][log]") {
  Folder folder("repair-locked");
  folder.log[folder.positions[1] + 80] ^= 4;
  folder.save();
  PosixFileSystem files;
  const auto size = [&folder] { return std::filesystem::file_size(folder.file_path(".log")); };
  {
    const Result<std::unique_ptr<FileLock>> lock = files.lock(folder.root() + "/.lock");
    REQUIRE(lock);
    for (const std::string& path : {folder.path(), folder.root(), folder.path() + "/", folder.file_path(".log")}) {
      const Captured refused = run_leat({"log", "repair", path});
      CHECK(refused.exit_code == kExitFailed);
      CHECK(contains(refused.errors, "leatd runs on this data directory: stop it first"));
      CHECK(size() == folder.log.size());
    }
    CHECK(run_leat({"log", "repair", "--dry-run", folder.path()}).exit_code == kExitOk);
  }
  CHECK(run_leat({"log", "repair", folder.path()}).exit_code == kExitOk);
  CHECK(size() < folder.log.size());
}

TEST_CASE("log repair: what it cannot do is told", "[cli][log]") {
  Folder folder("repair-cannot");
  const Captured nowhere = run_leat({"log", "repair", folder.root() + "/nowhere"});
  CHECK(nowhere.exit_code == kExitFailed);
  CHECK(contains(nowhere.errors, "nowhere"));
  CHECK(run_leat({"log", "repair"}).exit_code == kExitUsage);
  folder.write_next_segment(4);
  const Captured overlap = run_leat({"log", "repair", folder.path()});
  CHECK(overlap.exit_code == kExitFailed);
  CHECK(contains(overlap.out, "move the one that does not belong here away"));
  CHECK(contains(run_leat({"log", "repair", "--help"}).out, "leat log repair --dry-run leat-data"));
}
