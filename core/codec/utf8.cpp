// utf8.cpp: eight ASCII bytes at a time, which is nearly all that names consist of; the rest by the table of
// well-formed sequences of the Unicode standard (chapter 3, table 3-7).
#include "core/codec/utf8.h"

#include <cstring>

namespace leat {
namespace {

bool continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

// The size of the well-formed sequence at the front of `bytes`; 0 if there is none.
size_t sequence_size(ByteView bytes) {
  const uint8_t lead = bytes[0];
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (bytes.size() < 2) return 0;
  const uint8_t second = bytes[1];
  if (lead < 0xe0) return continuation(second) ? 2 : 0;
  if (lead < 0xf0) {
    const uint8_t low = lead == 0xe0 ? 0xa0 : 0x80;
    const uint8_t high = lead == 0xed ? 0x9f : 0xbf;
    return bytes.size() >= 3 && second >= low && second <= high && continuation(bytes[2]) ? 3 : 0;
  }
  if (lead > 0xf4) return 0;
  const uint8_t low = lead == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xf4 ? 0x8f : 0xbf;
  return bytes.size() >= 4 && second >= low && second <= high && continuation(bytes[2]) && continuation(bytes[3]) ? 4
                                                                                                                  : 0;
}

}  // namespace

bool is_utf8(ByteView bytes) noexcept {
  while (!bytes.empty()) {
    if (bytes.size() >= 8) {
      uint64_t eight = 0;
      std::memcpy(&eight, bytes.data(), 8);
      if ((eight & 0x8080808080808080) == 0) {
        bytes = bytes.subspan(8);
        continue;
      }
    }
    const size_t size = sequence_size(bytes);
    if (size == 0) return false;
    bytes = bytes.subspan(size);
  }
  return true;
}

}  // namespace leat
