// batch.h: record batch v2 as it is on the wire and on disk (big-endian), viewed without copying.
//   batch := base_offset:i64 batch_length:i32 leader_epoch:i32 magic:i8(=2) crc:u32 attributes:i16
//   last_offset_delta:i32
//            base_timestamp:i64 max_timestamp:i64 producer_id:i64 producer_epoch:i16 base_sequence:i32 record_count:i32
//            record*
// batch_length counts what follows it. The CRC-32C covers from attributes to the end, so that base_offset and
// leader_epoch can be set by the broker without touching it. Source: Apache Kafka 4.4.0 DefaultRecordBatch, KIP-98.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/strong.h"
#include "core/codec/reader.h"

namespace leat {

enum class Codec : uint8_t { kNone = 0, kGzip = 1, kSnappy = 2, kLz4 = 3, kZstd = 4 };
enum class TimestampType : uint8_t { kCreateTime = 0, kLogAppendTime = 1 };

// Positions of the fields in a batch.
inline constexpr size_t kBaseOffsetAt = 0;
inline constexpr size_t kBatchLengthAt = 8;
inline constexpr size_t kLeaderEpochAt = 12;
inline constexpr size_t kMagicAt = 16;
inline constexpr size_t kCrcAt = 17;
inline constexpr size_t kAttributesAt = 21;
inline constexpr size_t kLastOffsetDeltaAt = 23;
inline constexpr size_t kBaseTimestampAt = 27;
inline constexpr size_t kMaxTimestampAt = 35;
inline constexpr size_t kProducerIdAt = 43;
inline constexpr size_t kProducerEpochAt = 51;
inline constexpr size_t kBaseSequenceAt = 53;
inline constexpr size_t kRecordCountAt = 57;
inline constexpr size_t kBatchHeaderBytes = 61;
inline constexpr size_t kBatchLengthEnd = 12;  // batch_length counts from here
inline constexpr int32_t kBatchLengthMin = static_cast<int32_t>(kBatchHeaderBytes - kBatchLengthEnd);
inline constexpr int8_t kMagicV2 = 2;
// Attribute bits. Those above are reserved: kept as the client sent them unless a stamp rewrites the field, as in
// Kafka.
inline constexpr int16_t kCodecMask = 0x07;
inline constexpr int16_t kTimestampTypeBit = 0x08;
inline constexpr int16_t kTransactionalBit = 0x10;
inline constexpr int16_t kControlBit = 0x20;
inline constexpr int16_t kDeleteHorizonBit = 0x40;

// Reads fields where they are. Valid while the bytes are; `bytes` holds at least the header and, for crc_matches and
// records, exactly the whole batch.
class BatchView {
 public:
  // The batch at the front of `bytes`: kCorrupt when its length or magic cannot be (the message names which),
  // kUnsupportedFormat for the old formats v0 and v1. nullopt when `bytes` end inside the batch: more must be read, or
  // it is a torn tail. Looks at nothing behind the magic byte: crc_matches() is for the caller to ask.
  static Result<std::optional<BatchView>> parse(ByteView bytes);
  explicit BatchView(ByteView whole_batch) noexcept : bytes_(whole_batch) {}

  ByteView bytes() const noexcept { return bytes_; }
  int64_t size_bytes() const noexcept { return int64_t{batch_length()} + static_cast<int64_t>(kBatchLengthEnd); }

  Offset base_offset() const noexcept { return Offset(at<int64_t>(kBaseOffsetAt)); }
  int32_t batch_length() const noexcept { return at<int32_t>(kBatchLengthAt); }
  int32_t leader_epoch() const noexcept { return at<int32_t>(kLeaderEpochAt); }
  int8_t magic() const noexcept { return at<int8_t>(kMagicAt); }
  uint32_t crc() const noexcept { return at<uint32_t>(kCrcAt); }
  int16_t attributes() const noexcept { return at<int16_t>(kAttributesAt); }
  int32_t last_offset_delta() const noexcept { return at<int32_t>(kLastOffsetDeltaAt); }
  Offset last_offset() const noexcept { return base_offset() + last_offset_delta(); }
  Offset next_offset() const noexcept { return last_offset() + 1; }
  int64_t base_timestamp() const noexcept { return at<int64_t>(kBaseTimestampAt); }
  int64_t max_timestamp() const noexcept { return at<int64_t>(kMaxTimestampAt); }
  int64_t producer_id() const noexcept { return at<int64_t>(kProducerIdAt); }
  int16_t producer_epoch() const noexcept { return at<int16_t>(kProducerEpochAt); }
  int32_t base_sequence() const noexcept { return at<int32_t>(kBaseSequenceAt); }
  int32_t last_sequence() const noexcept;  // wraps at 2^31-1 to 0
  int32_t record_count() const noexcept { return at<int32_t>(kRecordCountAt); }

  uint8_t codec_bits() const noexcept { return static_cast<uint8_t>(attributes() & kCodecMask); }
  TimestampType timestamp_type() const noexcept {
    return (attributes() & kTimestampTypeBit) != 0 ? TimestampType::kLogAppendTime : TimestampType::kCreateTime;
  }
  bool is_transactional() const noexcept { return (attributes() & kTransactionalBit) != 0; }
  bool is_control() const noexcept { return (attributes() & kControlBit) != 0; }
  bool has_delete_horizon() const noexcept { return (attributes() & kDeleteHorizonBit) != 0; }
  bool has_producer_id() const noexcept { return producer_id() > kNoProducerId; }  // -2 is none, too, as in Kafka

  bool crc_matches() const noexcept;
  ByteView records() const noexcept {
    return bytes_.subspan(kBatchHeaderBytes, static_cast<size_t>(size_bytes()) - kBatchHeaderBytes);
  }

 private:
  template <class Int>
  Int at(size_t position) const noexcept {
    return from_big_endian<Int>(bytes_.data() + position);
  }

  ByteView bytes_;
};

// The lane's patches; base offset and leader epoch stand outside the CRC, append time needs a new one.
void set_base_offset(MutableByteView batch, Offset base_offset) noexcept;
void set_leader_epoch(MutableByteView batch, int32_t leader_epoch) noexcept;
void set_append_time(MutableByteView batch, int64_t append_time_ms) noexcept;  // type bit, max timestamp, CRC
// Attributes (known bits only) and max timestamp, with the CRC brought up to date from the old one, which must be
// right.
void set_timestamps(MutableByteView batch, TimestampType type, int64_t max_timestamp_ms) noexcept;
void set_crc(MutableByteView batch) noexcept;  // from the bytes

}  // namespace leat
