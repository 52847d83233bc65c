// writer.cpp: the writes that are not one fixed integer.
#include "core/codec/writer.h"

#include <bit>

namespace leat {

void Writer::f64(double value) { i64(std::bit_cast<int64_t>(value)); }

void Writer::uvarlong(uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<uint8_t>(value | 0x80));
  out_.push_back(static_cast<uint8_t>(value));
}

}  // namespace leat
