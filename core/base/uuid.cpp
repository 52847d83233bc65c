// uuid.cpp: text form and making of ids.
#include "core/base/uuid.h"

namespace leat {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::string Uuid::to_string() const {
  std::string text;
  uint32_t bits = 0;
  int bit_count = 0;
  for (const uint8_t byte : bytes) {
    bits = (bits << 8) | byte;
    bit_count += 8;
    while (bit_count >= 6) {
      bit_count -= 6;
      text += kAlphabet[(bits >> bit_count) & 63];
    }
  }
  text += kAlphabet[(bits << (6 - bit_count)) & 63];
  return text;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != 22) return std::nullopt;
  Uuid id;
  uint32_t bits = 0;
  int bit_count = 0;
  size_t filled = 0;
  for (const char c : text) {
    const size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<uint32_t>(digit);
    bit_count += 6;
    if (bit_count >= 8) {
      bit_count -= 8;
      id.bytes[filled++] = static_cast<uint8_t>(bits >> bit_count);
    }
  }
  if ((bits & ((1U << bit_count) - 1)) != 0) return std::nullopt;
  return id;
}

Uuid Uuid::make(Random& random) {
  Uuid id;
  do {
    for (size_t half = 0; half < 2; ++half) {
      const uint64_t word = random.next();
      std::memcpy(id.bytes.data() + half * 8, &word, sizeof word);
    }
    id.bytes[6] = static_cast<uint8_t>((id.bytes[6] & 0x0f) | 0x40);
    id.bytes[8] = static_cast<uint8_t>((id.bytes[8] & 0x3f) | 0x80);
  } while (id.to_string().front() == '-');
  return id;
}

}  // namespace leat
