// append_operation.h: one write of a lane: the batches that begin_append placed, one behind the other at the end of the
// active segment. Everything it needs is its own; what happened, on_written and on_synced take from it on the loop.
// Invariant: after a failed write the file ends where it ended before, or `cut_failed` says that nobody knows.
// Thread: made and taken back on the loop, write() and sync() on a worker.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/log/partition_log.h"
#include "core/log/segment.h"

namespace leat {

struct PlacedBatch {
  Slice bytes;
  size_t outcome_index = 0;
  BatchPlace place;
};

class AppendOperation final : public LogAppend {
 public:
  AppendOperation(FileSystem& files, std::string directory, FlushPolicy policy)
      : files_(files), directory_(std::move(directory)), policy_(policy) {}

  void write() noexcept override;
  void sync() noexcept override;
  bool needs_sync() const noexcept override { return policy_ != FlushPolicy::kNone && !placed.empty(); }
  void share_sync_of(const LogAppend& later) noexcept override;
  bool is_plain() const noexcept override {
    return file != nullptr && !epoch_text && preallocate_bytes == 0 && earlier.empty() &&
           directory_sync == DirectorySync::kNotNeeded;
  }
  size_t size_bytes() const noexcept override { return static_cast<size_t>(group_bytes); }
  uint64_t record_count() const noexcept override {
    if (placed.empty()) return 0;
    return static_cast<uint64_t>(placed.back().place.last_offset - placed.front().place.base_offset) + 1;
  }
  bool failed() const noexcept override { return error.has_value(); }

  struct UnsyncedFile {
    std::shared_ptr<File> file;  // null: by path, and gone is fine: retention took it
    std::string path;
  };

  // Filled in by begin_append.
  std::vector<PlacedBatch> placed;
  int64_t group_bytes = 0;
  int64_t now_ms = 0;
  std::shared_ptr<Segment> segment;  // for the loop; a worker does not look into it
  std::shared_ptr<File> file;        // null: write() opens it
  std::string path;                  // when there is no file yet
  Position position{0};
  int64_t preallocate_bytes = 0;          // of the file, to be asked of the disk first; 0: nothing
  int64_t room_ahead_bytes = 0;           // to be asked for again behind a write that was cut back
  std::optional<std::string> epoch_text;  // the epoch file, before the first batch of a new epoch
  std::vector<UnsyncedFile> earlier;      // segments with bytes that are not durable yet
  enum class DirectorySync : uint8_t { kNotNeeded, kNeeded } directory_sync = DirectorySync::kNotNeeded;

  // Results.
  std::optional<Error> error;
  bool cut_failed = false;
  bool write_failed = false;  // apart from `error`: the loop reads it while a worker is in sync()
  bool sync_failed = false;
  bool is_allocated = false;  // the disk has kept preallocate_bytes

 private:
  SyncKind sync_kind() const noexcept { return policy_ == FlushPolicy::kFull ? SyncKind::kFull : SyncKind::kData; }
  Result<void> open_file();
  Result<void> write_group();
  Result<void> sync_all();

  FileSystem& files_;
  std::string directory_;
  FlushPolicy policy_;
};

}  // namespace leat
