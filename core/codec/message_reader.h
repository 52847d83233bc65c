// message_reader.h: what a message is decoded from: a Reader that also knows the frame, so that `records` fields become
// sub-slices of it without a copy, remembers which field failed, and bounds the memory that decoded arrays may take.
#pragma once

#include <string_view>

#include "core/base/bytes.h"
#include "core/codec/reader.h"

namespace leat {

// Arrays of tiny elements take more memory decoded than encoded (an empty string is 1 byte on the wire and 32 here).
// Beyond this a message is refused: no sane one comes near, and a hostile one must not cost many times its bytes.
inline constexpr size_t kDecodedArrayBytesMax = size_t{64} << 20;

class MessageReader : public Reader {
 public:
  explicit MessageReader(Slice frame) noexcept : Reader(frame.view()), frame_(std::move(frame)) {}
  explicit MessageReader(ByteView bytes) noexcept : Reader(bytes) {}  // records fields are copied out

  void fail_at(std::string_view field) noexcept {
    fail();
    if (failed_field_.empty()) failed_field_ = field;
  }
  std::string_view failed_field() const noexcept { return failed_field_; }

  bool charge_array(size_t count, size_t element_bytes) noexcept {
    const size_t left = kDecodedArrayBytesMax - array_bytes_;
    if (count > left / element_bytes) return false;
    array_bytes_ += count * element_bytes;
    return true;
  }

  Slice take_slice(size_t size) {
    const ByteView bytes = take(size);
    if (bytes.empty()) return {};
    if (frame_.empty()) return Slice::copy_of(bytes);
    return frame_.sub(static_cast<size_t>(bytes.data() - frame_.data()), bytes.size());
  }

 private:
  Slice frame_;
  std::string_view failed_field_;  // names are literals
  size_t array_bytes_ = 0;
};

}  // namespace leat
