// segment.h: one segment of a partition's log: a file of batches and what is known of it. The last of a log is active
// and grows; the others are sealed and never change, though compaction may put another in their place. Indexes are in
// memory while the segment grows and until their files are written; of a sealed one they are in their files only, so
// that old data costs no memory. Its .log file is held open only while it is written or synced, and for readers of old
// data as long as they go on: they open it for themselves, and keep it when retention has renamed it meanwhile.
// Thread: the loop; recovery before the loop has it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/strong.h"
#include "core/log/offset_index.h"
#include "core/log/time_index.h"
#include "core/storage/file_system.h"

namespace leat {

struct LogConfig;

struct BatchPlace {
  Position position;
  int64_t size_bytes = 0;
  Offset base_offset;
  Offset last_offset;
  int64_t max_timestamp_ms = kNoTimestamp;
};

// Whoever reads a segment's files by their names has a copy meanwhile: before nobody else has one, another segment must
// not get the names.
class SegmentLease {
 public:
  // On the loop, before the files are renamed, removed, or another's: who does not find them then has met no damage,
  // and who reads them still reads what nobody asks for any more.
  void end() noexcept { is_over_ = true; }
  bool is_over() const noexcept { return is_over_; }  // any thread

 private:
  std::atomic<bool> is_over_{false};
};

class Segment {
 public:
  enum class IndexHome : uint8_t { kMemory, kFile };

  // Where the latest readers of a sealed segment go on, with its file open for them. Dropped when nobody comes back.
  class Reading {
   public:
    explicit Reading(std::shared_ptr<File> opened) noexcept : file(std::move(opened)) {}
    std::optional<Position> find(Offset next_offset) noexcept;
    void put(Offset next_offset, Position position) noexcept;
    bool was_used() noexcept { return std::exchange(is_used_, false); }  // since this was asked last

    const std::shared_ptr<File> file;

   private:
    struct Place {
      Offset next_offset = kNoOffset;
      Position position{0};
    };
    std::array<Place, 4> places_;
    size_t oldest_ = 0;
    bool is_used_ = true;
  };

  explicit Segment(Offset base) noexcept : base_offset(base), index(base), time_index(base) {}

  // A batch is now part of the segment: size, largest timestamp, and an index entry each `index_interval_bytes`.
  void add_batch(const BatchPlace& place, int64_t index_interval_bytes, int64_t now_ms);
  // The last entry of the time index becomes the largest timestamp: at sealing and clean close.
  void complete_time_index();
  // Both indexes from the beginning, for a rebuild by add_batch.
  void restart_indexes();

  const Offset base_offset;
  int64_t size_bytes = 0;      // what readers may see
  std::shared_ptr<File> file;  // null: not open
  std::unique_ptr<Reading> reading;
  IndexHome index_home = IndexHome::kMemory;
  OffsetIndex index;
  TimeIndex time_index;
  size_t index_entries_written = 0;  // already in the files
  size_t time_entries_written = 0;
  int64_t bytes_since_index_entry = 0;

  int64_t max_timestamp_ms = kNoTimestamp;
  Offset max_timestamp_offset = kNoOffset;    // last offset of the batch that reached it
  int64_t first_timestamp_ms = kNoTimestamp;  // of its first batch, not later than its append: age for rolling
  int64_t first_append_ms = kNoTimestamp;
  int64_t last_append_ms = kNoTimestamp;  // by our clock; the file's time after a restart
  int64_t synced_bytes = 0;               // durable, as far as we had to know
  int64_t allocated_bytes = 0;            // the disk has room for, as far as we have asked
  bool directory_synced = false;          // its name survives a loss of power
  // Its greatest timestamp was read from the time index file only: checked against the batch before it lets a segment
  // die.
  bool max_timestamp_unchecked = false;
  bool age_is_of_append = false;  // that could not be checked: retention goes by its last append
  bool distrust_noted = false;    // its largest timestamp lies in the future, and that was said once
  // A sealed one that somebody has read is checked once.
  enum class Audit : uint8_t { kNotAsked, kDue, kBegun } audit = Audit::kNotAsked;

  // Compaction. When the first tombstone that has got a date may go, INT64_MAX when none has one; nullopt: not known,
  // for after a restart nobody has looked yet.
  std::optional<int64_t> delete_horizon_ms;
  // It stands in memory for segments whose files still have their names; its own lie beside them for so long.
  bool awaits_swap = false;
  std::shared_ptr<SegmentLease> lease = std::make_shared<SegmentLease>();  // null: it has left the log
};

// Relative offsets in a segment's indexes end below this offset.
constexpr Offset relative_bound(Offset base_offset) noexcept {
  return base_offset.v > INT64_MAX - INT32_MAX - 1 ? Offset(INT64_MAX) : Offset(base_offset.v + INT32_MAX + 1);
}

enum class RollReason : uint8_t { kNone, kSize, kAge, kIndexFull, kOffsetRange };

struct RollQuestion {
  int64_t batch_bytes = 0;
  Offset last_offset;
  int64_t max_timestamp_ms = kNoTimestamp;
  int64_t now_ms = 0;
};
// Whether a new segment must begin before this batch. `jitter_ms` is taken off segment.ms.
RollReason roll_reason(const Segment& segment, const RollQuestion& question, const LogConfig& config,
                       int64_t jitter_ms) noexcept;

}  // namespace leat
