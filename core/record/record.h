// record.h: the records inside a batch, viewed without copying.
//   record := size:varint attributes:i8 timestamp_delta:varlong offset_delta:varint key:bytes value:bytes
//             header_count:varint header*
//   header := key:bytes(not null) value:bytes
//   bytes  := size:varint byte*                  a size below 0 is null
// `size` counts what follows it and must be used up exactly. Views live as long as the bytes they point into. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/record/batch.h"

namespace leat {

struct HeaderView {
  std::string_view key;
  std::optional<ByteView> value;
};

// The headers of a record that was parsed, one by one: while (reader.next(header)) ...
class HeaderReader {
 public:
  explicit HeaderReader(ByteView encoded) noexcept : next_(encoded.data()), end_(encoded.data() + encoded.size()) {}
  bool next(HeaderView& header) noexcept;

 private:
  const uint8_t* next_;
  const uint8_t* end_;
};

struct RecordView {
  int64_t timestamp_delta = 0;
  int32_t offset_delta = 0;
  int32_t header_count = 0;
  int8_t attributes = 0;  // unused by Kafka
  std::optional<ByteView> key;
  std::optional<ByteView> value;
  ByteView encoded_headers;  // checked, without the count
  ByteView encoded;          // the whole record, with its size

  HeaderReader headers() const noexcept { return HeaderReader(encoded_headers); }
};

enum class RecordFault : uint8_t {
  kNone,
  kVarint,
  kSize,
  kBeyondEnd,
  kKey,
  kValue,
  kHeaderCount,
  kHeaderKey,
  kHeaderValue,
  kTrailing
};
std::string_view to_string(RecordFault fault) noexcept;

// One record at `next`, which moves behind it; kNone when it is well formed.
RecordFault parse_record(const uint8_t*& next, const uint8_t* end, RecordView& record) noexcept;

// Walks the uncompressed records of a batch. After the last of `count` records next() gives nullopt, or kInvalidRecord
// when bytes are left over; kInvalidRecord too when a record is malformed or missing.
class RecordReader {
 public:
  RecordReader(ByteView records, int32_t count) noexcept
      : begin_(records.data()), next_(records.data()), end_(records.data() + records.size()), count_(count) {}
  Result<std::optional<RecordView>> next();
  void rewind() noexcept {
    next_ = begin_;
    index_ = 0;
  }

 private:
  const uint8_t* begin_;
  const uint8_t* next_;
  const uint8_t* end_;
  int32_t count_;
  int32_t index_ = 0;
};

// A batch with its records unpacked when they were compressed. Keeps the unpacked bytes; the batch's own must outlive
// it.
class BatchRecords {
 public:
  // kCorruptBatch, kUnsupportedCodec, kLimit when more than `unpacked_bytes_max` would come out.
  static Result<BatchRecords> open(const BatchView& batch, int64_t unpacked_bytes_max);

  Result<std::optional<RecordView>> next() { return reader_.next(); }
  void rewind() noexcept { reader_.rewind(); }  // to the first record
  Offset offset_of(const RecordView& record) const noexcept { return batch_.base_offset() + record.offset_delta; }
  int64_t timestamp_of(const RecordView& record) const noexcept;  // the batch's max timestamp under LogAppendTime
  const BatchView& batch() const noexcept { return batch_; }

 private:
  BatchRecords(const BatchView& batch, Slice unpacked, ByteView records) noexcept
      : batch_(batch), unpacked_(std::move(unpacked)), reader_(records, batch.record_count()) {}

  BatchView batch_;
  Slice unpacked_;
  RecordReader reader_;
};

// Base timestamp plus delta as Java adds them: wraps.
constexpr int64_t add_timestamps(int64_t base, int64_t delta) noexcept {
  return static_cast<int64_t>(static_cast<uint64_t>(base) + static_cast<uint64_t>(delta));
}

}  // namespace leat
