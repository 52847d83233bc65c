// record.cpp: the readers over records, and the words for what can be wrong with one.
#include "core/record/record.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/record/compression.h"
#include "core/record/record_parse.h"

namespace leat {

record_varint::LongForm record_varint::read_long(const uint8_t* next, const uint8_t* end, int bits) noexcept {
  constexpr LongForm kFailed{nullptr, 0};
  uint64_t value = 0;
  for (int shift = 0; shift < bits; shift += 7) {
    if (next == end) return kFailed;
    const uint8_t byte = *next++;
    const int bits_left = bits - shift;
    if (bits_left < 7 && byte >> bits_left != 0) return kFailed;  // too long, or bits that do not fit
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return {next, value};
  }
  return kFailed;
}

std::string_view to_string(RecordFault fault) noexcept {
  switch (fault) {
    case RecordFault::kNone:
      return "no fault";
    case RecordFault::kVarint:
      return "a varint is too long or cut off";
    case RecordFault::kSize:
      return "its size is not positive";
    case RecordFault::kBeyondEnd:
      return "it goes beyond the end of the batch";
    case RecordFault::kKey:
      return "its key does not fit in its size";
    case RecordFault::kValue:
      return "its value does not fit in its size";
    case RecordFault::kHeaderCount:
      return "its header count cannot be";
    case RecordFault::kHeaderKey:
      return "a header key is null or does not fit in its size";
    case RecordFault::kHeaderValue:
      return "a header value does not fit in its size";
    case RecordFault::kTrailing:
      return "bytes are left over in its size";
  }
  return "unknown fault";
}

bool HeaderReader::next(HeaderView& header) noexcept {
  if (next_ == end_) return false;
  std::optional<ByteView> key;
  const bool whole = record_parse::field(next_, end_, key) && key && record_parse::field(next_, end_, header.value);
  ENSURE(whole, "headers are checked when their record is parsed");
  header.key = as_text(*key);
  return true;
}

RecordFault parse_record(const uint8_t*& next, const uint8_t* end, RecordView& record) noexcept {
  return record_parse::record(next, end, record);
}

Result<std::optional<RecordView>> RecordReader::next() {
  if (index_ >= count_) {
    if (next_ == end_) return std::nullopt;
    return fail(Errc::kInvalidRecord,
                fmt::format("{} bytes are left over after the {} records of the batch", end_ - next_, count_));
  }
  RecordView record;
  const RecordFault fault = parse_record(next_, end_, record);
  if (fault != RecordFault::kNone) {
    return fail(Errc::kInvalidRecord, fmt::format("record {} of {} at byte {} of the records: {}", index_, count_,
                                                  next_ - begin_, to_string(fault)));
  }
  ++index_;
  return record;
}

Result<BatchRecords> BatchRecords::open(const BatchView& batch, int64_t unpacked_bytes_max) {
  if (batch.codec_bits() == 0) return BatchRecords(batch, Slice(), batch.records());
  TRY(codec, codec_from_bits(batch.codec_bits()));
  TRY(unpacked, decompress(codec, batch.records(), unpacked_bytes_max));
  const ByteView records = unpacked.view();
  return BatchRecords(batch, std::move(unpacked), records);
}

int64_t BatchRecords::timestamp_of(const RecordView& record) const noexcept {
  if (batch_.timestamp_type() == TimestampType::kLogAppendTime) return batch_.max_timestamp();
  return add_timestamps(batch_.base_timestamp(), record.timestamp_delta);
}

}  // namespace leat
