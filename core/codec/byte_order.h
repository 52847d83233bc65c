// byte_order.h: between the machine's integers and big-endian bytes, as everything on the wire and on disk is. One load
// or store and a swap: the byte loop that stays for constant evaluation is not turned into these by g++ 12 at -O2.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace leat {

// Its own inverse: to big-endian and back.
template <class Unsigned>
constexpr Unsigned big_endian(Unsigned value) noexcept {
  static_assert(std::is_unsigned_v<Unsigned>);
  if constexpr (std::endian::native == std::endian::big || sizeof(Unsigned) == 1) {
    return value;
  } else if constexpr (sizeof(Unsigned) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(Unsigned) == 4) {
    return __builtin_bswap32(value);
  } else {
    static_assert(sizeof(Unsigned) == 8);
    return __builtin_bswap64(value);
  }
}

template <class Int>
constexpr Int from_big_endian(const uint8_t* bytes) noexcept {
  using Unsigned = std::make_unsigned_t<Int>;
  Unsigned value = 0;
  if (std::is_constant_evaluated()) {
    for (size_t i = 0; i < sizeof(Int); ++i) {
      value = static_cast<Unsigned>((static_cast<uint64_t>(value) << 8) | bytes[i]);
    }
    return static_cast<Int>(value);
  }
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<Int>(big_endian(value));
}

template <class Int>
constexpr void to_big_endian(Int value, uint8_t* out) noexcept {
  auto bits = static_cast<std::make_unsigned_t<Int>>(value);
  if (std::is_constant_evaluated()) {
    for (size_t i = sizeof(Int); i-- > 0;) {
      out[i] = static_cast<uint8_t>(bits);
      bits = static_cast<std::make_unsigned_t<Int>>(static_cast<uint64_t>(bits) >> 8);
    }
    return;
  }
  bits = big_endian(bits);
  std::memcpy(out, &bits, sizeof bits);
}

}  // namespace leat
