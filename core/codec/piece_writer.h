// piece_writer.h: where a message is encoded: one contiguous buffer from the block pool that grows geometrically, and
// records that are only referred to, in memory or in a file. take() gives the pieces in order, ready for one writev:
// runs of the buffer with the large slices between them.
#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/piece.h"
#include "core/codec/writer.h"

namespace leat {

// A slice below this is copied: a piece of its own costs an iovec and a reference count, more than copying so few
// bytes.
inline constexpr size_t kReferencedSliceBytesMin = 1024;

class PieceWriter {
 public:
  explicit PieceWriter(size_t capacity_bytes = 512);

  void i8(int8_t value) { *space(1) = static_cast<uint8_t>(value), ++size_; }
  void boolean(bool value) { i8(value ? 1 : 0); }
  void i16(int16_t value) { fixed(value); }
  void u16(uint16_t value) { fixed(value); }
  void i32(int32_t value) { fixed(value); }
  void i64(int64_t value) { fixed(value); }
  void f64(double value);
  void uvarint(uint32_t value) {
    uint8_t* out = space(5);
    const uint8_t* begin = out;
    for (; value >= 0x80; value >>= 7) *out++ = static_cast<uint8_t>(value | 0x80);
    *out++ = static_cast<uint8_t>(value);
    size_ += static_cast<size_t>(out - begin);
  }
  void raw(ByteView bytes) {
    if (bytes.empty()) return;
    std::memcpy(space(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void slice(const Slice& bytes);
  void piece(const Piece& piece);

  size_t size() const noexcept { return size_ + referenced_bytes_; }  // of everything written so far
  size_t position() const noexcept { return size_; }                  // in the buffer
  void patch_i8(size_t position, int8_t value) noexcept { data_[position] = static_cast<uint8_t>(value); }
  void patch_i32(size_t position, int32_t value) noexcept { to_big_endian(value, data_ + position); }
  // Puts the varint `value` before the bytes from `position` on. They must not hold references.
  void insert_uvarint(size_t position, uint32_t value);

  void fail_at(std::string_view field) noexcept {
    if (!failed_) failed_field_ = field;
    failed_ = true;
  }
  bool failed() const noexcept { return failed_; }
  std::string_view failed_field() const noexcept { return failed_field_; }

  std::vector<Piece> take_pieces() &&;
  std::vector<Slice> take() &&;          // of one that was given nothing stored in a file
  std::vector<uint8_t> take_bytes() &&;  // all in one, copied: for small records of internal topics

 private:
  struct Reference {
    size_t position;  // in the buffer: the slice goes before the byte there
    Piece piece;
  };

  uint8_t* space(size_t size) {
    if (capacity_ - size_ < size) [[unlikely]]
      grow(size);
    return data_ + size_;
  }
  template <class Int>
  void fixed(Int value) {
    to_big_endian(value, space(sizeof(Int)));
    size_ += sizeof(Int);
  }
  void grow(size_t size);

  BlockRef block_;
  uint8_t* data_;
  size_t size_ = 0;
  size_t capacity_;
  std::vector<Reference> references_;
  size_t referenced_bytes_ = 0;
  bool failed_ = false;
  std::string_view failed_field_;  // names are literals
};

}  // namespace leat
