// reader.h: big-endian integers, varints and byte strings out of a view. Every read of every type ends in take(), or
// looks at the end itself: none goes past it. Failure is sticky, so that the caller asks failed() once, at the end;
// after a failure reads give 0.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/base/bytes.h"
#include "core/codec/byte_order.h"

namespace leat {

class Reader {
 public:
  explicit Reader(ByteView bytes) noexcept : next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool failed() const noexcept { return failed_; }
  void fail() noexcept { failed_ = true; }
  size_t remaining() const noexcept { return failed_ ? 0 : static_cast<size_t>(end_ - next_); }
  const uint8_t* position() const noexcept { return next_; }

  ByteView take(size_t size) noexcept {
    if (failed_ || size > static_cast<size_t>(end_ - next_)) {
      failed_ = true;
      return {};
    }
    const ByteView bytes(next_, size);
    next_ += size;
    return bytes;
  }
  void skip(size_t size) noexcept { (void)take(size); }

  int8_t i8() noexcept { return fixed<int8_t>(); }
  int16_t i16() noexcept { return fixed<int16_t>(); }
  uint16_t u16() noexcept { return fixed<uint16_t>(); }
  int32_t i32() noexcept { return fixed<int32_t>(); }
  uint32_t u32() noexcept { return fixed<uint32_t>(); }
  int64_t i64() noexcept { return fixed<int64_t>(); }
  double f64() noexcept;
  bool boolean() noexcept { return i8() != 0; }

  // Kafka's unsigned varint: at most 5 bytes, the fifth at most 0x0f. Overlong forms are read as Kafka reads them.
  uint32_t uvarint() noexcept {
    if (!failed_ && next_ != end_ && *next_ < 0x80) return *next_++;  // nearly always
    return uvarint_long();
  }
  uint64_t uvarlong() noexcept {  // at most 10 bytes
    if (!failed_ && next_ != end_ && *next_ < 0x80) return *next_++;
    return uvarlong_long();
  }
  int32_t varint() noexcept {  // zigzag
    const uint32_t raw = uvarint();
    return static_cast<int32_t>((raw >> 1) ^ (~(raw & 1) + 1));
  }
  int64_t varlong() noexcept {  // zigzag
    const uint64_t raw = uvarlong();
    return static_cast<int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
  }

 private:
  uint32_t uvarint_long() noexcept;  // of more than one byte, or beyond the end
  uint64_t uvarlong_long() noexcept;

  template <class Int>
  Int fixed() noexcept {
    const ByteView bytes = take(sizeof(Int));
    return bytes.empty() ? Int{} : from_big_endian<Int>(bytes.data());
  }

  const uint8_t* next_;
  const uint8_t* end_;
  bool failed_ = false;
};

}  // namespace leat
