// batch_scanner.h: walks the batches of a segment file in order, through one buffer of fixed size: a length field is a
// claim, and memory does not grow with claims. Used by recovery, index rebuild, cold reads, verify and dump. Invariant:
// position() is where the next batch should begin; whatever stops the walk stays there until seek(). Thread: a
// worker's; one walk, one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/record/batch.h"
#include "core/storage/file_system.h"

namespace leat {

struct ScannedBatch {
  BatchView batch;  // its header always; all of it when is_whole. Valid until the next call
  Position position;
  bool is_whole;  // small enough for the buffer
};

class BatchScanner {
 public:
  enum class Depth : uint8_t {
    kHeaders,  // skips over bodies: for state that is in headers (control batches are read whole)
    kWhole,    // reads everything, in large pieces
  };
  enum class Stop : uint8_t {
    kEnd,         // all bytes were batches
    kIncomplete,  // the file ends inside a batch, or its header
    kNoBatch,     // what is there cannot be a header
  };

  BatchScanner(File& file, Position begin, int64_t end, Depth depth);

  // nullopt when the walk stops, see stop(). Errors are those of the disk.
  Result<std::optional<ScannedBatch>> next();
  Stop stop() const noexcept { return stop_; }
  const std::string& stop_reason() const noexcept { return stop_reason_; }
  Position position() const noexcept { return position_; }
  void seek(Position position) noexcept { position_ = position; }

  // Whether the next batch begins at an offset from `least` to below `bound`; then the walk is at `back_to` again. Base
  // offsets stand outside the CRC: behind a gap, so the next batch shows whether the one before it lies.
  Result<bool> next_begins_in(Offset least, Offset bound, Position back_to);

  // CRC of a batch that next() gave last, read again in pieces when it is too large for the buffer.
  Result<bool> crc_matches(const ScannedBatch& scanned);

 private:
  Result<ByteView> peek(size_t size);  // fewer only at the end
  std::optional<ScannedBatch> stopped(Stop stop, std::string reason);

  File& file_;
  Depth depth_;
  int64_t end_;
  Position position_;
  Stop stop_ = Stop::kEnd;
  std::string stop_reason_;
  size_t capacity_;
  size_t read_bytes_;  // of the latest read
  std::unique_ptr<uint8_t[]> buffer_;
  Position buffer_begin_{0};
  size_t buffer_size_ = 0;
};

// CRC of `size_bytes` of a file, without holding them.
Result<uint32_t> crc_of_range(File& file, Position begin, int64_t size_bytes);

}  // namespace leat
