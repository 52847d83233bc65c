// segment_read.h: reads from segment files by a worker: whole batches from an offset on.
// Positions come from the index in memory, or from the index file of a sealed segment; either is only a hint from which
// the walk begins. What is served looks like batches in order; damage is passed over when the offset wanted lies behind
// it, else it is kCorrupt with file and position (docs/on-disk-format.md, "Damage"). Thread: made on the loop, executed
// by a worker, or by the loop when the bytes are in the page cache.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/log/partition_log.h"
#include "core/log/segment.h"

namespace leat {

// A segment as it was when the operation was made.
struct SegmentSnapshot {
  Offset base_offset;
  Offset bound;  // no offset of the segment reaches it
  int64_t size_bytes = 0;
  std::shared_ptr<File> file;                           // null: to be opened
  std::optional<Position> position;                     // where to begin; nullopt: the index file knows
  std::shared_ptr<const SegmentLease> lease = nullptr;  // Segment::lease
};

// Opens what a snapshot names; retention may have renamed it meanwhile. When there is no such file: kOffsetOutOfRange
// if the segment has left the log, kCorrupt if it is still in it.
Result<std::shared_ptr<File>> open_segment(FileSystem& files, const std::string& directory,
                                           const SegmentSnapshot& segment);

class FileSegmentRead final : public SegmentRead {
 public:
  struct Plan {
    FileSystem& files;
    std::string directory;
    std::vector<SegmentSnapshot> segments;  // at least one; reading goes on into the next when the limits allow
    Offset from;
    ReadLimits limits;
  };
  explicit FileSegmentRead(Plan plan) noexcept : plan_(std::move(plan)) {}
  Result<FetchedBatches> execute() override;
  std::optional<FetchedBatches> execute_cached() override;
  std::optional<StoredBatches> locate_cached(int64_t room_bytes) override;

  // What the loop reads at most: as long as sending it takes anyway.
  static constexpr int64_t kCachedBytesMax = int64_t{1} << 20;
  // What is worth being left in the file: walking the headers costs a system call a batch, copying some 120 µs a MiB.
  static constexpr int64_t kStoredBytesMin = int64_t{128} << 10;
  static constexpr int64_t kStoredBytesMax = int64_t{8} << 20;
  static constexpr int64_t kStoredBatchBytesMin = int64_t{8} << 10;  // on average
  // A batch that is larger, and than what was asked for, is given when its CRC holds.
  static constexpr int64_t kBelievedBytesMax = int64_t{16} << 20;
  // A batch of this size is left to the page cache from the beginning.
  static constexpr int64_t kUntailedBatchBytesMin = int64_t{64} << 10;

 private:
  enum class Source : uint8_t { kDisk, kPageCache };
  Result<FetchedBatches> read(Source source);
  Result<std::optional<Position>> find_first(File& file, const SegmentSnapshot& segment);
  enum class Reached : uint8_t { kInside, kEnd };  // of the segment
  Result<void> check_large(File& file, const SegmentSnapshot& segment, Position begin, const BatchView& header) const;
  Result<Reached> read_segment(const SegmentSnapshot& segment, FetchedBatches& fetched, Source source);
  // `file` is `kept`, or the same behind a mask.
  Result<Reached> read_batches(File& file, const SegmentSnapshot& segment, const std::shared_ptr<File>& kept,
                               FetchedBatches& fetched);
  struct Extent {
    size_t size_bytes = 0;
    std::optional<std::string> damage;  // what stands behind it
    Offset next_offset{0};
    bool is_cut = false;  // the bytes end inside a batch
  };
  Extent whole_batches(ByteView bytes, const SegmentSnapshot& segment, int64_t bytes_max, Offset next_offset) const;
  Result<Reached> locate_batches(const SegmentSnapshot& segment, StoredBatches& located, int64_t room_bytes);
  Result<Extent> walk_headers(File& file, const SegmentSnapshot& segment, Position begin, int64_t bytes_max) const;
  void note_end(const SegmentSnapshot& segment, const std::shared_ptr<File>& file, Position begin,
                const Extent& extent);
  bool is_next(const BatchView& batch, const SegmentSnapshot& segment, Offset next_offset) const noexcept;

  Plan plan_;
  std::optional<Position> first_;  // in the first segment, once it was found: a read may be tried in three ways
  std::optional<ReadEnd> end_;
};

}  // namespace leat
