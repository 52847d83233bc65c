// writer.h: big-endian integers, varints and byte strings appended to a growing buffer; the mirror of reader.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/codec/byte_order.h"

namespace leat {

constexpr size_t uvarint_size(uint32_t value) noexcept {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}
constexpr size_t uvarlong_size(uint64_t value) noexcept {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}
constexpr uint32_t zigzag(int32_t value) noexcept {
  return (static_cast<uint32_t>(value) << 1) ^ static_cast<uint32_t>(value >> 31);
}
constexpr uint64_t zigzag(int64_t value) noexcept {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}

class Writer {
 public:
  Writer() = default;

  void i8(int8_t value) { out_.push_back(static_cast<uint8_t>(value)); }
  void i16(int16_t value) { fixed(value); }
  void u16(uint16_t value) { fixed(value); }
  void i32(int32_t value) { fixed(value); }
  void u32(uint32_t value) { fixed(value); }
  void i64(int64_t value) { fixed(value); }
  void f64(double value);
  void boolean(bool value) { i8(value ? 1 : 0); }
  void uvarint(uint32_t value) { uvarlong(value); }
  void uvarlong(uint64_t value);
  void varint(int32_t value) { uvarint(zigzag(value)); }
  void varlong(int64_t value) { uvarlong(zigzag(value)); }
  void raw(ByteView bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }

  size_t size() const noexcept { return out_.size(); }
  ByteView view() const noexcept { return out_; }
  uint8_t* at(size_t position) noexcept { return out_.data() + position; }  // to patch a length written earlier
  void reserve(size_t size) { out_.reserve(size); }
  void clear() noexcept { out_.clear(); }
  std::vector<uint8_t> take() && { return std::move(out_); }

 private:
  template <class Int>
  void fixed(Int value) {
    uint8_t bytes[sizeof(Int)];
    to_big_endian(value, bytes);
    out_.insert(out_.end(), bytes, bytes + sizeof(Int));
  }

  std::vector<uint8_t> out_;
};

}  // namespace leat
