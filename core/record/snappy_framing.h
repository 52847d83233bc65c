// snappy_framing.h: the frame that xerial's snappy-java puts round snappy blocks, and Kafka with it.
//   stream := magic version:i32 oldest_reader:i32 chunk*        chunk := size:i32 block:byte[size]
// A chunk whose size reads as the first half of the magic begins another stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leat::snappy_framing {

inline constexpr std::array<uint8_t, 8> kMagic{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
inline constexpr size_t kHeaderBytes = kMagic.size() + 8;
inline constexpr uint32_t kMagicHead = 0x82534e41;

}  // namespace leat::snappy_framing
