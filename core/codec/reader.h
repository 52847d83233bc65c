// reader.h: big-endian integers, varints and byte strings out of a view. Every read of every type ends in take(): it
// never goes past the end, and failure is sticky, so that the caller asks failed() once, at the end. After a failure
// reads give 0.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/base/bytes.h"

namespace leat {

template <class Int>
constexpr Int from_big_endian(const uint8_t* bytes) noexcept {
  using U = std::make_unsigned_t<Int>;
  U value = 0;
  for (size_t i = 0; i < sizeof(Int); ++i) value = static_cast<U>((static_cast<uint64_t>(value) << 8) | bytes[i]);
  return static_cast<Int>(value);
}

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
  uint32_t uvarint() noexcept;
  uint64_t uvarlong() noexcept;  // at most 10 bytes
  int32_t varint() noexcept;     // zigzag
  int64_t varlong() noexcept;    // zigzag

 private:
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
