// record_stream.h: a walk over the records of a compressed batch that never holds more than a window of them: for
// checks and look-ups that need offsets, timestamps and whether there is a key, not the bytes. Every byte is parsed as
// parse_record does. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/bytes.h"
#include "core/base/error.h"
#include "core/record/compression.h"
#include "core/record/record.h"

namespace leat {

struct RecordMeta {
  int64_t timestamp_delta = 0;
  int32_t offset_delta = 0;
  bool has_key = false;
};

class RecordStream {
 public:
  // The payload must outlive it. kNone is a codec like the others here.
  RecordStream(Codec codec, ByteView payload, int64_t unpacked_bytes_max);

  enum class Next : uint8_t { kRecord, kEnd, kFailed };
  Next next(RecordMeta& meta);  // kEnd when the data end where a record could begin
  // kCorruptBatch: the payload is damaged; kLimit; kInvalidRecord: a record is malformed.
  const Error& error() const noexcept { return *error_; }

 private:
  Next failed(RecordFault fault);
  bool refill();
  RecordFault parse_spanning(RecordMeta& meta);
  bool take_byte(uint8_t& byte);
  bool take_varint(int bits, uint64_t& value);
  bool take_int(int32_t& value);
  bool skip_field(bool& present);

  std::unique_ptr<Decompressor> reader_;
  BlockRef window_;
  const uint8_t* next_;
  const uint8_t* end_;
  bool drained_ = false;        // the reader has given all it has
  int64_t left_in_record_ = 0;  // of a record larger than the window
  int64_t record_index_ = 0;
  std::optional<Error> error_;
};

// The first record of a batch, compressed or not, with a timestamp at or after `timestamp_ms`; nullopt when there is
// none.
struct FoundRecord {
  Offset offset;
  int64_t timestamp_ms;
};
Result<std::optional<FoundRecord>> find_by_timestamp(const BatchView& batch, int64_t timestamp_ms,
                                                     int64_t unpacked_bytes_max);
// The first record with the greatest timestamp of all.
Result<std::optional<FoundRecord>> find_max_timestamp(const BatchView& batch, int64_t unpacked_bytes_max);

}  // namespace leat
