// crc32c.cpp: slicing-by-8 tables for the portable form, polynomial arithmetic for crc32c_change.
#include "core/record/crc32c.h"

#include <algorithm>
#include <array>
#include <bit>
#include <climits>

#ifdef LEAT_HAVE_ISAL
#include <isa-l/crc.h>
#endif

namespace leat {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // Castagnoli, bits reflected

using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t slice = 1; slice < 8; ++slice) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t previous = tables[slice - 1][byte];
      tables[slice][byte] = (previous >> 8) ^ tables[0][previous & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

// Both take and give the register as it is between bytes: inverted at neither end.
uint32_t update_portable(uint32_t state, ByteView bytes) noexcept {
  const uint8_t* next = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, next += 8) {
    const uint32_t low =
        state ^ (uint32_t{next[0]} | uint32_t{next[1]} << 8 | uint32_t{next[2]} << 16 | uint32_t{next[3]} << 24);
    state = kTables[7][low & 0xff] ^ kTables[6][(low >> 8) & 0xff] ^ kTables[5][(low >> 16) & 0xff] ^
            kTables[4][low >> 24] ^ kTables[3][next[4]] ^ kTables[2][next[5]] ^ kTables[1][next[6]] ^
            kTables[0][next[7]];
  }
  for (; left > 0; --left, ++next) state = (state >> 8) ^ kTables[0][(state ^ *next) & 0xff];
  return state;
}

// Product of two polynomials modulo the CRC's, bits reflected: bit 31 is x^0.
constexpr uint32_t multiply(uint32_t a, uint32_t b) noexcept {
  uint32_t product = 0;
  for (uint32_t bit = uint32_t{1} << 31; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b >> 1) ^ ((b & 1) != 0 ? kPolynomial : 0);
  }
  return product;
}

constexpr auto kByteShifts = [] {  // [k]: x^(8 * 2^k)
  std::array<uint32_t, 64> powers{};
  powers[0] = uint32_t{1} << 23;
  for (size_t k = 1; k < powers.size(); ++k) powers[k] = multiply(powers[k - 1], powers[k - 1]);
  return powers;
}();

}  // namespace

uint32_t crc32c_portable(ByteView bytes, uint32_t seed) noexcept { return ~update_portable(~seed, bytes); }

#ifdef LEAT_HAVE_ISAL
uint32_t crc32c(ByteView bytes, uint32_t seed) noexcept {
  uint32_t state = ~seed;  // ISA-L inverts at neither end
  while (!bytes.empty()) {
    const size_t piece = std::min<size_t>(bytes.size(), INT_MAX);
    state = crc32_iscsi(const_cast<uint8_t*>(bytes.data()), static_cast<int>(piece), state);  // declared without const
    bytes = bytes.subspan(piece);
  }
  return ~state;
}
#else
uint32_t crc32c(ByteView bytes, uint32_t seed) noexcept { return crc32c_portable(bytes, seed); }
#endif

uint32_t crc32c_change(ByteView difference, uint64_t zero_count) noexcept {
  uint32_t state = update_portable(0, difference);
  for (; zero_count != 0; zero_count &= zero_count - 1) {
    state = multiply(state, kByteShifts[static_cast<size_t>(std::countr_zero(zero_count))]);
  }
  return state;
}

}  // namespace leat
