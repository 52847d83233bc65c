// frame_reader.cpp: see frame_reader.h.
#include "net/transport/frame_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "core/base/check.h"

namespace leat {

namespace {

int32_t size_field(const uint8_t* bytes) noexcept {
  return static_cast<int32_t>(uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3]);
}

// What a size that no request has says in another protocol, to whoever looks for the reason in the log.
std::string_view other_protocol(const uint8_t* bytes) noexcept {
  constexpr std::array<std::string_view, 10> kHttp{"GET ", "HEAD", "POST", "PUT ", "DELE",
                                                   "CONN", "OPTI", "TRAC", "PATC", "PRI "};
  constexpr uint8_t kTlsHandshake = 0x16;
  constexpr uint8_t kTlsMajorVersion = 3;
  const std::string_view text(reinterpret_cast<const char*>(bytes), 4);
  if (std::find(kHttp.begin(), kHttp.end(), text) != kHttp.end()) {
    return ": it looks like HTTP, and Kafka's protocol is spoken here";
  }
  if (bytes[0] == kTlsHandshake && bytes[1] == kTlsMajorVersion) {
    return ": it looks like a TLS handshake, and nothing is encrypted here";
  }
  return "";
}

}  // namespace

MutableByteView FrameReader::space() {
  const size_t needed = bytes_needed();
  if (!block_) {
    move_to_block(block_bytes_);
  } else if (begin_ + needed > block_.capacity() && (begin_ > 0 || end_ == block_.capacity())) {
    move_to_block(std::min(needed, std::max<size_t>(kGrowth * pending_bytes(), block_bytes_)));
  }
  const size_t frame_end = begin_ + needed;
  const size_t read_end = needed > kProbeBytes ? frame_end : end_ + kProbeBytes;
  const size_t size = std::min(read_end, block_.capacity()) - end_;
  ENSURE(size > 0, "begin {} end {} needed {} capacity {}", begin_, end_, needed, block_.capacity());
  offered_bytes_ = static_cast<uint32_t>(std::min<size_t>(size, UINT32_MAX));
  return {block_.data() + end_, size};
}

void FrameReader::on_bytes(size_t size) noexcept {
  ENSURE(block_ && size <= block_.capacity() - end_);
  end_ += size;
  // A read that fills a block which was offered whole says that more was waiting: take larger ones.
  if (size == offered_bytes_ && size == block_bytes_ && block_bytes_ < kProbeBytes) block_bytes_ *= 2;
}

std::optional<Slice> FrameReader::take_frame() {
  if (refusal_ || pending_bytes() < kSizeBytes) return std::nullopt;
  const int32_t size = size_field(block_.data() + begin_);
  if (size < 0 || static_cast<size_t>(size) > frame_bytes_max_) {
    refusal_ = fmt::format("request size {} is not within 0..{} (socket.request.max.bytes){}", size, frame_bytes_max_,
                           other_protocol(block_.data() + begin_));
    return std::nullopt;
  }
  const size_t total = kSizeBytes + static_cast<size_t>(size);
  if (pending_bytes() < total) return std::nullopt;
  if (total > block_bytes_) block_bytes_ = static_cast<uint32_t>(std::bit_ceil(std::min(total, kBlockBytesMax)));
  Slice payload(block_, begin_ + kSizeBytes, static_cast<size_t>(size));
  begin_ += total;
  return payload;
}

void FrameReader::release_when_empty() noexcept {
  if (!block_ || begin_ != end_) return;
  const bool sparse = end_ < block_.capacity() / 4 && block_bytes_ > kBlockBytesMin;
  sparse_reads_ = sparse ? sparse_reads_ + 1 : 0;
  if (sparse_reads_ > kSparseReadsMax) {
    block_bytes_ /= 2;
    sparse_reads_ = 0;
  }
  block_ = BlockRef();
  begin_ = end_ = 0;
}

void FrameReader::drop() noexcept {
  block_ = BlockRef();
  begin_ = end_ = 0;
}

size_t FrameReader::bytes_needed() const noexcept {
  if (pending_bytes() < kSizeBytes) return kSizeBytes;
  // take_frame() has refused what is negative or too large before more space is asked for.
  return kSizeBytes + static_cast<size_t>(std::max(size_field(block_.data() + begin_), 0));
}

void FrameReader::move_to_block(size_t capacity_bytes) {
  const size_t pending = pending_bytes();
  BlockRef block = BlockRef::allocate(std::max(capacity_bytes, pending + kSizeBytes));
  if (pending > 0) std::memcpy(block.data(), block_.data() + begin_, pending);
  block_ = std::move(block);
  begin_ = 0;
  end_ = pending;
}

}  // namespace leat
