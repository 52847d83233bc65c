// reader.cpp: the reads that are not one fixed integer.
#include "core/codec/reader.h"

#include <bit>

namespace leat {

double Reader::f64() noexcept { return std::bit_cast<double>(i64()); }

uint64_t Reader::uvarlong_long() noexcept {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const ByteView byte = take(1);
    if (byte.empty()) return 0;
    if (shift == 63 && byte[0] > 1) break;
    value |= static_cast<uint64_t>(byte[0] & 0x7f) << shift;
    if (byte[0] < 0x80) return value;
  }
  failed_ = true;
  return 0;
}

uint32_t Reader::uvarint_long() noexcept {
  uint32_t value = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const ByteView byte = take(1);
    if (byte.empty()) return 0;
    if (shift == 28 && byte[0] > 0x0f) break;
    value |= static_cast<uint32_t>(byte[0] & 0x7f) << shift;
    if (byte[0] < 0x80) return value;
  }
  failed_ = true;
  return 0;
}

}  // namespace leat
