// batch_builder.cpp: records are encoded straight into the block that becomes the batch; without compression finish()
// only fills the header in.
#include "core/record/batch_builder.h"

#include <algorithm>
#include <climits>
#include <limits>

#include "core/base/check.h"
#include "core/codec/writer.h"
#include "core/record/compression.h"

namespace leat {
namespace {

constexpr size_t kFirstBlockBytes = 1024 - kBatchHeaderBytes;
constexpr size_t kBatchBytesMax = INT32_MAX - kBatchLengthEnd;
constexpr size_t kVarintMax = 5;
constexpr size_t kVarlongMax = 10;

uint8_t* put_varlong(uint8_t* at, int64_t value) noexcept {
  uint64_t raw = zigzag(value);
  for (; raw >= 0x80; raw >>= 7) *at++ = static_cast<uint8_t>(raw | 0x80);
  *at++ = static_cast<uint8_t>(raw);
  return at;
}
size_t varlong_size(int64_t value) noexcept { return uvarlong_size(zigzag(value)); }

uint8_t* put_bytes(uint8_t* at, ByteView bytes) noexcept {
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  return at + bytes.size();
}
uint8_t* put_field(uint8_t* at, const std::optional<ByteView>& field) noexcept {
  if (!field) return put_varlong(at, -1);
  return put_bytes(put_varlong(at, static_cast<int64_t>(field->size())), *field);
}
size_t field_size(const std::optional<ByteView>& field) noexcept {
  return field ? varlong_size(static_cast<int64_t>(field->size())) + field->size() : 1;
}

size_t headers_size(std::span<const HeaderView> headers) noexcept {
  size_t size = 0;
  for (const HeaderView& header : headers) size += field_size(as_bytes(header.key)) + field_size(header.value);
  return size;
}

int64_t subtract_timestamps(int64_t timestamp_ms, int64_t base_ms) noexcept {
  return static_cast<int64_t>(static_cast<uint64_t>(timestamp_ms) - static_cast<uint64_t>(base_ms));
}

}  // namespace

BatchBuilder::BatchBuilder(const BatchOptions& options) : options_(options) {}

uint8_t* BatchBuilder::make_room(size_t size) {
  const size_t needed = size_ + size;
  if (!block_ || needed > block_.capacity()) {
    BlockRef larger = BlockRef::allocate(std::max({needed, block_ ? 2 * block_.capacity() : 0, kFirstBlockBytes}));
    if (block_) std::memcpy(larger.data(), block_.data(), size_);
    block_ = std::move(larger);
  }
  uint8_t* const at = block_.data() + size_;
  size_ = needed;
  return at;
}

uint8_t* BatchBuilder::put_record(int32_t offset_delta, const NewRecord& record, int32_t header_count,
                                  size_t header_bytes) {
  ENSURE(offset_delta >= next_offset_delta_, "delta {} after {}", offset_delta, next_offset_delta_);
  if (record_count_ == 0) {
    base_timestamp_ms_ = options_.delete_horizon_ms.value_or(record.timestamp_ms);
    max_timestamp_ms_ = record.timestamp_ms;
  }
  max_timestamp_ms_ = std::max(max_timestamp_ms_, record.timestamp_ms);
  const int64_t timestamp_delta = subtract_timestamps(record.timestamp_ms, base_timestamp_ms_);
  const size_t body_size = 1 + varlong_size(timestamp_delta) + varlong_size(offset_delta) + field_size(record.key) +
                           field_size(record.value) + varlong_size(header_count) + header_bytes;
  const auto signed_size = static_cast<int64_t>(body_size);
  uint8_t* at = make_room(varlong_size(signed_size) + body_size);
  at = put_varlong(at, signed_size);
  *at++ = 0;
  at = put_varlong(at, timestamp_delta);
  at = put_varlong(at, offset_delta);
  at = put_field(at, record.key);
  at = put_field(at, record.value);
  at = put_varlong(at, header_count);
  ++record_count_;
  next_offset_delta_ = offset_delta + 1;
  return at;
}

void BatchBuilder::append_at(int32_t offset_delta, const NewRecord& record) {
  uint8_t* at =
      put_record(offset_delta, record, static_cast<int32_t>(record.headers.size()), headers_size(record.headers));
  for (const HeaderView& header : record.headers) at = put_field(put_field(at, as_bytes(header.key)), header.value);
}

void BatchBuilder::append_copy_at(int32_t offset_delta, const RecordView& record, int64_t timestamp_ms) {
  const NewRecord copy{.key = record.key, .value = record.value, .timestamp_ms = timestamp_ms};
  put_bytes(put_record(offset_delta, copy, record.header_count, record.encoded_headers.size()), record.encoded_headers);
}

size_t BatchBuilder::record_size_max(const NewRecord& record) noexcept {
  return kVarintMax + 1 + kVarlongMax + kVarintMax + field_size(record.key) + field_size(record.value) + kVarintMax +
         headers_size(record.headers);
}

void BatchBuilder::write_header(MutableByteView batch) const noexcept {
  uint8_t* const at = batch.data();
  const bool stamped = options_.timestamp_type == TimestampType::kLogAppendTime;
  int attributes = static_cast<int>(options_.codec) | (stamped ? kTimestampTypeBit : 0) |
                   (options_.delete_horizon_ms ? kDeleteHorizonBit : 0);
  switch (options_.kind) {
    case BatchKind::kData:
      break;
    case BatchKind::kTransactional:
      attributes |= kTransactionalBit;
      break;
    case BatchKind::kControl:
      attributes |= kControlBit;
      break;
    case BatchKind::kTransactionalControl:
      attributes |= kTransactionalBit | kControlBit;
      break;
  }
  to_big_endian(options_.base_offset.v, at + kBaseOffsetAt);
  to_big_endian(static_cast<int32_t>(batch.size() - kBatchLengthEnd), at + kBatchLengthAt);
  to_big_endian(options_.leader_epoch, at + kLeaderEpochAt);
  to_big_endian(kMagicV2, at + kMagicAt);
  to_big_endian(static_cast<int16_t>(attributes), at + kAttributesAt);
  to_big_endian(options_.last_offset_delta.value_or(next_offset_delta_ - 1), at + kLastOffsetDeltaAt);
  to_big_endian(base_timestamp_ms_, at + kBaseTimestampAt);
  to_big_endian(stamped ? options_.append_time_ms : max_timestamp_ms_, at + kMaxTimestampAt);
  to_big_endian(options_.producer_id, at + kProducerIdAt);
  to_big_endian(options_.producer_epoch, at + kProducerEpochAt);
  to_big_endian(options_.base_sequence, at + kBaseSequenceAt);
  to_big_endian(record_count_, at + kRecordCountAt);
  set_crc(batch);
}

Result<Slice> BatchBuilder::finish() {
  ENSURE(record_count_ > 0, "a batch needs a record");
  ENSURE(options_.last_offset_delta.value_or(next_offset_delta_) >= next_offset_delta_ - 1,
         "{} records end at delta {}", record_count_, next_offset_delta_ - 1);
  if (options_.codec != Codec::kNone) {
    const ByteView records(block_.data() + kBatchHeaderBytes, size_ - kBatchHeaderBytes);
    const size_t room = compressed_size_max(options_.codec, records.size());
    BlockRef packed = BlockRef::allocate(kBatchHeaderBytes + room);
    TRY(packed_size,
        compress(options_.codec, options_.compression_level, records, {packed.data() + kBatchHeaderBytes, room}));
    block_ = std::move(packed);
    size_ = kBatchHeaderBytes + packed_size;
  }
  if (size_ > kBatchBytesMax) return fail(Errc::kMessageTooLarge, "a batch cannot hold 2 GiB");
  Slice batch(std::move(block_), 0, size_);
  write_header(batch.unpublished());
  return batch;
}

Slice empty_batch(const BatchView& original) {
  constexpr int16_t kKeptAttributes = kTimestampTypeBit | kTransactionalBit | kControlBit;
  Slice batch = Slice::copy_of(original.bytes().first(kBatchHeaderBytes));
  uint8_t* const at = batch.unpublished().data();
  to_big_endian(kBatchLengthMin, at + kBatchLengthAt);
  to_big_endian(static_cast<int16_t>(original.attributes() & kKeptAttributes), at + kAttributesAt);
  to_big_endian(kNoTimestamp, at + kBaseTimestampAt);
  to_big_endian(int32_t{0}, at + kRecordCountAt);
  set_crc(batch.unpublished());
  return batch;
}

Slice end_marker_batch(const EndMarker& marker) {
  uint8_t key[4];
  to_big_endian(int16_t{0}, key);
  to_big_endian(static_cast<int16_t>(marker.type), key + 2);
  uint8_t value[6];
  to_big_endian(int16_t{0}, value);
  to_big_endian(marker.coordinator_epoch, value + 2);
  BatchBuilder builder({.producer_id = marker.producer_id,
                        .producer_epoch = marker.producer_epoch,
                        .kind = BatchKind::kTransactionalControl});
  builder.append({.key = ByteView(key), .value = ByteView(value), .timestamp_ms = marker.timestamp_ms});
  Result<Slice> batch = builder.finish();
  ENSURE(batch.has_value(), "a marker is small and not compressed");
  return *std::move(batch);
}

std::optional<int16_t> control_record_type(const RecordView& record) noexcept {
  if (!record.key || record.key->size() < 4) return std::nullopt;
  const auto version = from_big_endian<int16_t>(record.key->data());
  if (version < 0) return std::nullopt;
  return from_big_endian<int16_t>(record.key->data() + 2);
}

}  // namespace leat
