// record_parse.h: the body of parse_record, inline, so that a walk that needs only some fields pays only for those.
#pragma once

#include "core/record/record.h"
#include "core/record/varint.h"

namespace leat::record_parse {

// A size-prefixed field; negative sizes give nullopt. False when it does not fit in the record.
[[gnu::always_inline]] inline bool field(const uint8_t*& next, const uint8_t* end,
                                         std::optional<ByteView>& out) noexcept {
  int32_t size = 0;
  if (!record_varint::read_int(next, end, size)) [[unlikely]]
    return false;
  if (size < 0) {
    out.reset();
    return true;
  }
  if (size > end - next) [[unlikely]]
    return false;
  out = ByteView(next, static_cast<size_t>(size));
  next += size;
  return true;
}

// Gives where they end, or null with the fault; by value for the sake of the walk's pointer.
struct HeadersEnd {
  const uint8_t* next;
  RecordFault fault;
};
inline HeadersEnd headers(const uint8_t* next, const uint8_t* end, int32_t count) noexcept {
  if (count < 0 || count > end - next)
    return {nullptr, RecordFault::kHeaderCount};  // a header takes two bytes at least
  for (int32_t i = 0; i < count; ++i) {
    std::optional<ByteView> part;
    if (!field(next, end, part) || !part) return {nullptr, RecordFault::kHeaderKey};
    if (!field(next, end, part)) return {nullptr, RecordFault::kHeaderValue};
  }
  return {next, RecordFault::kNone};
}

// What stands behind the size; the record ends at `end`.
[[gnu::always_inline]] inline RecordFault body(const uint8_t*& next, const uint8_t* end, RecordView& record) noexcept {
  if (next == end) [[unlikely]]
    return RecordFault::kSize;
  record.attributes = static_cast<int8_t>(*next++);
  if (!record_varint::read_int64(next, end, record.timestamp_delta)) [[unlikely]]
    return RecordFault::kVarint;
  if (!record_varint::read_int(next, end, record.offset_delta)) [[unlikely]]
    return RecordFault::kVarint;
  if (!field(next, end, record.key)) [[unlikely]]
    return RecordFault::kKey;
  if (!field(next, end, record.value)) [[unlikely]]
    return RecordFault::kValue;
  if (!record_varint::read_int(next, end, record.header_count)) [[unlikely]]
    return RecordFault::kHeaderCount;
  const uint8_t* const headers_begin = next;
  if (record.header_count != 0) {
    const HeadersEnd headers_end = headers(next, end, record.header_count);
    if (headers_end.fault != RecordFault::kNone) return headers_end.fault;
    next = headers_end.next;
  }
  record.encoded_headers = ByteView(headers_begin, next);
  return next == end ? RecordFault::kNone : RecordFault::kTrailing;
}

[[gnu::always_inline]] inline RecordFault record(const uint8_t*& next, const uint8_t* end, RecordView& out) noexcept {
  const uint8_t* at = next;
  int32_t size = 0;
  if (!record_varint::read_int(at, end, size)) [[unlikely]] {
    constexpr ptrdiff_t kVarintBytesMax = 5;
    return end - next < kVarintBytesMax ? RecordFault::kBeyondEnd : RecordFault::kVarint;
  }
  if (size <= 0) [[unlikely]]
    return RecordFault::kSize;
  if (size > end - at) [[unlikely]]
    return RecordFault::kBeyondEnd;
  const uint8_t* const record_end = at + size;
  const RecordFault fault = body(at, record_end, out);
  if (fault != RecordFault::kNone) [[unlikely]]
    return fault;
  out.encoded = ByteView(next, record_end);
  next = record_end;
  return RecordFault::kNone;
}

}  // namespace leat::record_parse
