// batch_scanner.cpp: the walk over the batches of a file.
#include "core/log/batch_scanner.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/record/crc32c.h"

namespace leat {
namespace {

// Half a megabyte stays in the second-level cache, so that the CRC reads what pread has just written there.
constexpr size_t kWholeBufferBytes = 512 << 10;
constexpr size_t kHeadersBufferBytes = 64 << 10;
// Of headers so much is read at first, and where a jump over a large body leads; more as long as batches are so small
// that the walk goes on inside what was read.
constexpr size_t kHeadersReadBytesMin = 512;

}  // namespace

BatchScanner::BatchScanner(File& file, Position begin, int64_t end, Depth depth)
    : file_(file), depth_(depth), end_(end), position_(begin) {
  const size_t capacity = depth == Depth::kWhole ? kWholeBufferBytes : kHeadersBufferBytes;
  const auto left = static_cast<size_t>(std::max<int64_t>(end - begin.v, static_cast<int64_t>(kBatchHeaderBytes)));
  capacity_ = std::min(capacity, left);
  read_bytes_ = capacity_;
  buffer_ = std::make_unique_for_overwrite<uint8_t[]>(capacity_);
}

Result<ByteView> BatchScanner::peek(size_t size) {
  const auto left = static_cast<size_t>(std::max<int64_t>(end_ - position_.v, 0));
  size = std::min(size, left);
  const int64_t skip = position_ - buffer_begin_;
  const bool in_buffer = skip >= 0 && skip <= static_cast<int64_t>(buffer_size_);
  if (!in_buffer || buffer_size_ - static_cast<size_t>(skip) < size) {
    const bool goes_on = in_buffer && buffer_size_ > 0;
    if (depth_ == Depth::kHeaders) read_bytes_ = goes_on ? read_bytes_ * 4 : kHeadersReadBytesMin;
    read_bytes_ = std::min(std::max(read_bytes_, size), capacity_);
    TRY(count, file_.read_at(position_, {buffer_.get(), std::min(read_bytes_, left)}));
    buffer_begin_ = position_;
    buffer_size_ = count;
    return ByteView(buffer_.get(), count);
  }
  return ByteView(buffer_.get() + skip, buffer_size_ - static_cast<size_t>(skip));
}

std::optional<ScannedBatch> BatchScanner::stopped(Stop stop, std::string reason) {
  stop_ = stop;
  stop_reason_ = std::move(reason);
  return std::nullopt;
}

Result<std::optional<ScannedBatch>> BatchScanner::next() {
  if (position_.v >= end_) return stopped(Stop::kEnd, {});
  TRY(header, peek(kBatchHeaderBytes));
  const auto parsed = BatchView::parse(header.first(std::min(header.size(), kBatchHeaderBytes)));
  if (!parsed) return stopped(Stop::kNoBatch, parsed.error().context);
  if (header.size() < kBatchHeaderBytes) {
    return stopped(Stop::kIncomplete,
                   fmt::format("expected a batch header of {} bytes, found {}", kBatchHeaderBytes, header.size()));
  }
  const BatchView batch(header);
  const int64_t size = batch.size_bytes();
  if (size > end_ - position_.v) {
    return stopped(Stop::kIncomplete, fmt::format("expected a batch of {} bytes, found {}", size, end_ - position_.v));
  }
  if (batch.last_offset_delta() < 0) {
    return stopped(Stop::kNoBatch, fmt::format("last offset delta {} cannot be", batch.last_offset_delta()));
  }
  ByteView bytes = header;
  if ((depth_ == Depth::kWhole || batch.is_control()) && static_cast<size_t>(size) <= capacity_) {
    TRY(whole, peek(static_cast<size_t>(size)));
    bytes = whole;
  }
  const bool is_whole = bytes.size() >= static_cast<size_t>(size);
  if (is_whole) bytes = bytes.first(static_cast<size_t>(size));
  const ScannedBatch scanned{.batch = BatchView(bytes), .position = position_, .is_whole = is_whole};
  position_ += size;
  return scanned;
}

Result<bool> BatchScanner::next_begins_in(Offset least, Offset bound, Position back_to) {
  TRY(following, next());
  const bool begins = following && following->batch.base_offset() >= least && following->batch.base_offset() < bound;
  seek(back_to);
  return begins;
}

Result<bool> BatchScanner::crc_matches(const ScannedBatch& scanned) {
  if (scanned.is_whole) return scanned.batch.crc_matches();
  const uint32_t expected = scanned.batch.crc();
  const int64_t size = scanned.batch.size_bytes() - static_cast<int64_t>(kAttributesAt);
  TRY(found, crc_of_range(file_, scanned.position + static_cast<int64_t>(kAttributesAt), size));
  return found == expected;
}

Result<uint32_t> crc_of_range(File& file, Position begin, int64_t size_bytes) {
  const size_t piece = std::min(kWholeBufferBytes, static_cast<size_t>(size_bytes));
  const auto buffer = std::make_unique_for_overwrite<uint8_t[]>(piece);
  uint32_t crc = 0;
  for (int64_t done = 0; done < size_bytes;) {
    const size_t wanted = std::min(piece, static_cast<size_t>(size_bytes - done));
    TRY(count, file.read_at(begin + done, {buffer.get(), wanted}));
    if (count == 0) break;
    crc = crc32c({buffer.get(), count}, crc);
    done += static_cast<int64_t>(count);
  }
  return crc;
}

}  // namespace leat
