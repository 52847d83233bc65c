// crc32c.h: CRC-32C (Castagnoli), the checksum of a record batch. ISA-L when the build has it, else a portable table;
// both give the same value, and both are tested. Pure; any thread.
#pragma once

#include <cstdint>

#include "core/base/bytes.h"

namespace leat {

// `seed` is the CRC of what came before, so that crc32c(b, crc32c(a)) == crc32c(a + b).
uint32_t crc32c(ByteView bytes, uint32_t seed = 0) noexcept;
uint32_t crc32c_portable(ByteView bytes, uint32_t seed = 0) noexcept;

// The CRC of `difference` (old XOR new bytes) followed by `zero_count` unchanged bytes: what must be XORed into a CRC
// when some bytes change that far before the end. Costs O(log zero_count), so that a stamp in a header needs no pass
// over the batch.
uint32_t crc32c_change(ByteView difference, uint64_t zero_count) noexcept;

}  // namespace leat
