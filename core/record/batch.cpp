// batch.cpp: finding a batch at the front of bytes, and the patches that a broker makes.
#include "core/record/batch.h"

#include <fmt/format.h>

#include <climits>

#include "core/base/check.h"
#include "core/codec/writer.h"
#include "core/record/crc32c.h"

namespace leat {
namespace {

// The smallest length field of any format: Kafka refuses less before it looks at the magic byte.
constexpr int32_t kOldLengthMin = 14;
constexpr int32_t kLengthMax = INT32_MAX - static_cast<int32_t>(kBatchLengthEnd);
constexpr int16_t kKnownAttributes =
    kCodecMask | kTimestampTypeBit | kTransactionalBit | kControlBit | kDeleteHorizonBit;

template <class Int>
void put(MutableByteView batch, size_t position, Int value) noexcept {
  ENSURE(batch.size() >= kBatchHeaderBytes, "{} bytes", batch.size());
  to_big_endian(value, batch.data() + position);
}

}  // namespace

Result<std::optional<BatchView>> BatchView::parse(ByteView bytes) {
  if (bytes.size() < kBatchLengthEnd) return std::nullopt;
  const BatchView batch(bytes);
  const int32_t length = batch.batch_length();
  if (length < kOldLengthMin || length > kLengthMax) {
    return fail(Errc::kCorrupt,
                fmt::format("batch length {} cannot be: expected {} to {}", length, kBatchLengthMin, kLengthMax));
  }
  if (bytes.size() <= kMagicAt) return std::nullopt;
  const int8_t magic = batch.magic();
  if (magic == 0 || magic == 1) {
    return fail(Errc::kUnsupportedFormat,
                fmt::format("message format v{}: only record batches of magic 2 are supported", magic));
  }
  if (magic != kMagicV2) return fail(Errc::kCorrupt, fmt::format("batch magic {}: expected {}", magic, kMagicV2));
  if (length < kBatchLengthMin) {
    return fail(Errc::kCorrupt, fmt::format("batch length {} is smaller than a batch header: expected at least {}",
                                            length, kBatchLengthMin));
  }
  const auto size = static_cast<size_t>(batch.size_bytes());
  if (bytes.size() < size) return std::nullopt;
  return BatchView(bytes.first(size));
}

int32_t BatchView::last_sequence() const noexcept {
  if (base_sequence() == kNoSequence) return kNoSequence;
  const int64_t last = int64_t{base_sequence()} + last_offset_delta();
  return static_cast<int32_t>(last > INT32_MAX ? last - INT32_MAX - 1 : last);
}

bool BatchView::crc_matches() const noexcept {
  return crc32c(bytes_.subspan(kAttributesAt, static_cast<size_t>(size_bytes()) - kAttributesAt)) == crc();
}

void set_base_offset(MutableByteView batch, Offset base_offset) noexcept { put(batch, kBaseOffsetAt, base_offset.v); }
void set_leader_epoch(MutableByteView batch, int32_t leader_epoch) noexcept {
  put(batch, kLeaderEpochAt, leader_epoch);
}
void set_crc(MutableByteView batch) noexcept { put(batch, kCrcAt, crc32c(batch.subspan(kAttributesAt))); }

void set_timestamps(MutableByteView batch, TimestampType type, int64_t max_timestamp_ms) noexcept {
  constexpr size_t kChangedBytes = kMaxTimestampAt + sizeof(int64_t) - kAttributesAt;
  uint8_t difference[kChangedBytes];
  ENSURE(batch.size() >= kBatchHeaderBytes, "{} bytes", batch.size());
  std::memcpy(difference, batch.data() + kAttributesAt, kChangedBytes);
  const BatchView view(batch);
  const int16_t type_bit = type == TimestampType::kLogAppendTime ? kTimestampTypeBit : int16_t{0};
  put(batch, kAttributesAt,
      static_cast<int16_t>((view.attributes() & kKnownAttributes & ~kTimestampTypeBit) | type_bit));
  put(batch, kMaxTimestampAt, max_timestamp_ms);
  for (size_t i = 0; i < kChangedBytes; ++i) difference[i] ^= batch[kAttributesAt + i];
  put(batch, kCrcAt, view.crc() ^ crc32c_change(difference, batch.size() - kAttributesAt - kChangedBytes));
}

void set_append_time(MutableByteView batch, int64_t append_time_ms) noexcept {
  set_timestamps(batch, TimestampType::kLogAppendTime, append_time_ms);
}

}  // namespace leat
