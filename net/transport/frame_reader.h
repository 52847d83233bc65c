// frame_reader.h: cuts a stream of bytes into frames, `size:i32be payload`, without libuv, so that it can be tested
// byte by byte. Bytes are received into pooled blocks; a frame that lies wholly in the block is handed over as a Slice
// of it. A frame that does not fit moves to a block of its own, which grows with the bytes that have arrived: a claim
// reserves at most kGrowth times of what is there (and untouched memory is not resident). Reads of a large frame end
// where it ends, so it shares its block with nothing behind it and is copied at most once, by 1/kGrowth. The size of
// fresh blocks follows the traffic of the connection, 4 KiB to 2 MiB; with nothing pending no block is held. Invariant:
// begin_ <= end_ <= capacity; bytes in [begin_, end_) are received and not handed over. Thread: the loop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/bytes.h"

namespace leat {

class FrameReader {
 public:
  explicit FrameReader(size_t frame_bytes_max) noexcept : frame_bytes_max_(frame_bytes_max) {}

  MutableByteView space();  // where the next bytes go, never empty; allocates
  void on_bytes(size_t size) noexcept;
  // The payload of the next whole frame; nothing when bytes are missing or after a refusal.
  std::optional<Slice> take_frame();
  const std::optional<std::string>& refusal() const noexcept {
    return refusal_;
  }                                    // then the stream is of no use any more
  void release_when_empty() noexcept;  // call when no more bytes are at hand
  void drop() noexcept;                // the stream has ended: what is pending is lost

  size_t pending_bytes() const noexcept { return end_ - begin_; }
  size_t held_bytes() const noexcept { return block_ ? block_.capacity() : 0; }

 private:
  static constexpr size_t kSizeBytes = 4;
  static constexpr size_t kBlockBytesMin = size_t{4} << 10;
  static constexpr size_t kBlockBytesMax = size_t{2} << 20;
  static constexpr size_t kProbeBytes = size_t{64} << 10;  // read at most so much without knowing where the frame ends
  static constexpr size_t kGrowth = 16;
  static constexpr int kSparseReadsMax = 8;  // so many blocks hardly used: take smaller ones

  size_t bytes_needed() const noexcept;  // of the frame that begins at begin_, with its size field
  void move_to_block(size_t capacity_bytes);

  size_t frame_bytes_max_;
  BlockRef block_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint32_t block_bytes_ = kBlockBytesMin;  // of the next fresh block
  uint32_t offered_bytes_ = 0;             // by the last space()
  int sparse_reads_ = 0;
  std::optional<std::string> refusal_;
};

}  // namespace leat
