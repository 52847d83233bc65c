// cleaned_segment.h: the segment that compaction writes, and how its files get the names of those in whose place it
// stands. B is the base offset of the first of them, which it keeps.
//   made      B.log.cleaned, B.index.cleaned, B.timeindex.cleaned, each synced; a crash: they are removed at start
//   named     B.log.cleaned becomes B.log.swap, the folder is synced; from here on the new one counts
//   cleared   the indexes of B, and all files of the others, are removed, the folder is synced
//   done      B.log.swap becomes B.log, the indexes follow, the folder is synced
// A crash between "named" and "done" is completed at start, from whichever step: so the log is at any moment either the
// old segments or the new one. A start knows the others by their base offsets, which lie below the end of the new one.
// One of which no record is left may thus outlive a crash; its records are superseded, and the next pass takes them,
// for this one has not come to its end.
// Thread: a worker's, or recovery's; one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/segment.h"
#include "core/record/batch.h"
#include "core/storage/file_system.h"

namespace leat {

class CleanedSegment {
 public:
  struct Options {
    FileSystem& files;
    std::string directory;
    Offset base_offset;
    int64_t index_interval_bytes;
    SyncKind kind;
  };
  // In place of what an earlier one may have left.
  static Result<std::unique_ptr<CleanedSegment>> create(const Options& options);

  // A whole batch behind the last one. kLimit beyond 2 GiB.
  Result<void> add(const BatchView& batch);
  // All of it durable, under its own names; with its file open and its indexes in memory. `last_append_ms` is that of
  // the newest of those in whose place it stands.
  Result<std::shared_ptr<Segment>> finish(int64_t last_append_ms);
  int64_t size_bytes() const noexcept { return segment_->size_bytes; }
  bool sync_failed() const noexcept { return sync_failed_; }

  // What a pass that is given up leaves behind.
  static std::vector<std::string> paths(const std::string& directory, Offset base_offset);

 private:
  explicit CleanedSegment(const Options& options);
  Result<void> write_pending();
  Result<void> sync(File& file);
  Result<void> write_index(std::string_view suffix, const std::vector<uint8_t>& bytes);

  Options options_;
  std::shared_ptr<Segment> segment_;
  std::vector<uint8_t> pending_;  // of the batches added, not written yet
  Position pending_at_{0};
  bool sync_failed_ = false;
};

enum class SwapStage : uint8_t { kMade, kNamed, kCleared, kRenamed, kDone };

struct SegmentSwap {
  Offset base_offset;
  std::vector<Offset> others;  // base offsets of those it stands for besides
  // Of the segment behind it, when its name is not known to be durable; made when it is missing. The name carries the
  // log end, also where nothing that is left before it does.
  std::string next_path;
  SwapStage stage = SwapStage::kMade;
  bool sync_failed = false;
};

// Goes on from where the swap stands; after an error it may be tried again.
Result<void> carry_out(FileSystem& files, const std::string& directory, SegmentSwap& swap);

}  // namespace leat
