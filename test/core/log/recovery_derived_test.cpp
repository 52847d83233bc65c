// recovery_derived_test.cpp: derived files that lie without looking damaged, and such as cannot be read: the log opens
// as if they were right. What is damaged or gone: recovery_test.cpp.
#include <fmt/format.h>

#include <utility>

#include "core/log/file_names.h"
#include "test/core/log/log_fixture.h"

using namespace leat;
using namespace leat::test;

namespace {

// Files whose names end with `suffix` can be opened and written, and not read.
class UnreadableFiles final : public FileSystem {
 public:
  UnreadableFiles(FileSystem& files, std::string_view suffix) : files_(files), suffix_(suffix) {}

  Result<std::unique_ptr<File>> open(std::string_view path, OpenMode mode) override {
    TRY(file, files_.open(path, mode));
    if (!path.ends_with(suffix_)) return std::move(file);
    return std::make_unique<Unreadable>(std::move(file));
  }
  Result<std::vector<FileInfo>> list(std::string_view directory) override { return files_.list(directory); }
  Result<FileInfo> stat(std::string_view path) override { return files_.stat(path); }
  Result<void> make_directory(std::string_view path) override { return files_.make_directory(path); }
  Result<void> rename(std::string_view from, std::string_view to) override { return files_.rename(from, to); }
  Result<void> remove(std::string_view path) override { return files_.remove(path); }
  Result<void> sync_directory(std::string_view path) override { return files_.sync_directory(path); }
  Result<std::unique_ptr<FileLock>> lock(std::string_view path) override { return files_.lock(path); }
  Result<int64_t> free_bytes(std::string_view path) override { return files_.free_bytes(path); }

 private:
  class Unreadable final : public File {
   public:
    explicit Unreadable(std::unique_ptr<File> file) : file_(std::move(file)) {}
    const std::string& path() const noexcept override { return file_->path(); }
    Result<void> write_at(Position position, std::span<const ByteView> pieces) override {
      return file_->write_at(position, pieces);
    }
    Result<size_t> read_at(Position, MutableByteView) override { return fail(Errc::kIo, path() + ": a bad sector"); }
    Result<void> sync(SyncKind kind) override { return file_->sync(kind); }
    Result<void> truncate(int64_t size_bytes) override { return file_->truncate(size_bytes); }
    Result<int64_t> size() override { return file_->size(); }
    Result<void> allocate(int64_t size_bytes) override { return file_->allocate(size_bytes); }
    void drop_cache(Position begin, int64_t size_bytes) noexcept override { file_->drop_cache(begin, size_bytes); }
    int descriptor() const noexcept override { return file_->descriptor(); }

   private:
    std::unique_ptr<File> file_;
  };

  FileSystem& files_;
  const std::string suffix_;
};

// Three leader epochs, several segments, closed in order.
struct Closed {
  SimFileSystem disk{1};
  OpenLog log{disk, small_segments(FlushPolicy::kCommit)};
  std::vector<SeenRecord> records;
  Offset end{0};

  Closed() {
    log.create();
    for (int epoch = 0; epoch < 3; ++epoch) {
      if (epoch > 0) log.recover_unclean(log.log->offsets().log_end);
      log.append_many(15, {.value_bytes = 100});
    }
    REQUIRE(log.log->leader_epoch() == 2);
    REQUIRE(log.log->segment_count() > 2);
    log.close();
    records = log.read_all();
    end = log.log->offsets().log_end;
    log.log.reset();
  }
  RecoveryHints hints(bool clean) const { return {.clean_shutdown = clean, .recovery_point = end}; }
};

}  // namespace

TEST_CASE("recovery: a derived file that cannot be read is as good as missing", "[log][recovery]") {
  for (const std::string_view suffix : {".index", ".timeindex", ".snapshot"}) {
    for (const bool clean : {true, false}) {
      INFO(suffix << ", clean " << clean);
      Closed closed;
      UnreadableFiles files(closed.disk, suffix);
      OpenLog log(files, small_segments(FlushPolicy::kCommit));
      const Result<void> opened = log.recover(closed.hints(clean));
      if (!opened) FAIL(opened.error().context);
      CHECK(log.report.damaged.empty());
      CHECK(log.log->leader_epoch() == (clean ? 2 : 3));
      CHECK(log.log->end_offset_for(0).end_offset == Offset(15));
      CHECK(log.log->end_offset_for(1).end_offset == Offset(30));
      CHECK(log.read_all() == closed.records);
      CHECK(log.append_one({}).base_offset == closed.end);
      log.close();
    }
  }
}

TEST_CASE("recovery: a leader epoch file that cannot be read keeps the partition closed", "[log][recovery][epoch]") {
  for (const bool clean : {true, false}) {
    Closed closed;
    {
      UnreadableFiles files(closed.disk, kLeaderEpochFile);
      OpenLog log(files, small_segments(FlushPolicy::kCommit));
      const Result<void> opened = log.recover(closed.hints(clean));
      REQUIRE(!opened);
      CHECK(opened.error().context.find(kLeaderEpochFile) != std::string::npos);
    }
    OpenLog log(closed.disk, small_segments(FlushPolicy::kCommit));
    REQUIRE(log.recover(closed.hints(clean)));
    CHECK(log.read_all() == closed.records);
  }
}

TEST_CASE("recovery: the leader epoch is never below that of the last record", "[log][recovery][epoch]") {
  for (const std::string_view text : {"0\n1\n0 0\n", "0\n2\n0 0\n1 15\n", "0\n3\n0 0\n1 15\n2 930\n"}) {
    for (const bool active_is_empty : {false, true}) {
      INFO(text << ", the active segment is empty " << active_is_empty);
      Closed closed;
      put_file(closed.disk, join_path(kFolder, kLeaderEpochFile), as_bytes(text));
      if (active_is_empty) put_file(closed.disk, segment_path(kFolder, closed.end, kLogSuffix), {});
      OpenLog log(closed.disk, small_segments(FlushPolicy::kCommit));
      REQUIRE(log.recover(closed.hints(true)));
      CHECK(log.report.damaged.empty());
      CHECK(log.log->leader_epoch() == 2);
      if (!active_is_empty) {
        CHECK(log.log->end_offset_for(0).end_offset == Offset(15));
        CHECK(log.log->end_offset_for(1).end_offset == Offset(30));
        CHECK(log.log->end_offset_for(2).end_offset == closed.end);
      }
      // What is acknowledged now would be out of order behind a higher epoch, and put aside by the next scan.
      REQUIRE_FALSE(log.append_one({}).error);
      const std::vector<SeenRecord> all = log.read_all();
      REQUIRE(log.recover(closed.hints(false)));
      CHECK(log.report.damaged.empty());
      CHECK(log.report.saved_aside_bytes == 0);
      CHECK(log.read_all() == all);
      CHECK(log.log->leader_epoch() == 3);
    }
  }
}

TEST_CASE("recovery: where the recovery point is not known a snapshot says what was durable", "[log][recovery]") {
  const auto damaged = [](Closed& closed) {
    const int64_t first_size = size_of(closed.disk, kFirstLog);
    flip_bit(closed.disk, kFirstLog, first_size / 2);
    return closed.hints(false);
  };
  {
    Closed closed;
    RecoveryHints hints = damaged(closed);
    hints.recovery_point = Offset(0);
    hints.point_is_unknown = true;
    OpenLog log(closed.disk, small_segments(FlushPolicy::kCommit));
    REQUIRE(log.recover(hints));
    CHECK(log.report.saved_aside_bytes == 0);
    CHECK(log.report.cut_bytes == 0);
    CHECK(log.log->offsets().log_end == closed.end);
    CHECK(log.read_from(Offset(20)) == std::vector<SeenRecord>(closed.records.begin() + 20, closed.records.end()));
  }
  {  // without a snapshot that is whole nothing says so
    Closed closed;
    RecoveryHints hints = damaged(closed);
    hints.recovery_point = Offset(0);
    hints.point_is_unknown = true;
    for (const std::string& name : closed.log.file_names()) {
      if (name.ends_with(kSnapshotSuffix)) flip_bit(closed.disk, join_path(kFolder, name), 3);
    }
    OpenLog log(closed.disk, small_segments(FlushPolicy::kCommit));
    REQUIRE(log.recover(hints));
    CHECK(log.report.saved_aside_bytes > 0);
  }
}
