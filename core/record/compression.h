// compression.h: the codecs of record batches, in the framings that Kafka's clients use: gzip (RFC 1952), snappy in the
// blocks of xerial's snappy-java (a bare snappy block is read too), lz4 frames with independent blocks, zstd frames.
// Unpacking is streamed into the caller's buffer and stops at a limit, so that a bomb costs no more than that limit.
// Pure; any thread. Contexts are kept and reused for each thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/record/batch.h"

namespace leat {

Result<Codec> codec_from_bits(uint8_t bits);                           // kCorruptBatch for 5 to 7
std::optional<Codec> codec_from_name(std::string_view name) noexcept;  // Kafka's names: none, gzip, snappy, lz4, zstd
std::string_view to_string(Codec codec) noexcept;

struct LevelRange {
  int least;
  int greatest;
};
// Levels that may be asked for (Kafka's compression.<codec>.level); {0, 0} for codecs without levels.
LevelRange compression_levels(Codec codec) noexcept;

// No more than this comes out of compressing `size` bytes.
size_t compressed_size_max(Codec codec, size_t size) noexcept;
// Compresses into `out` of at least compressed_size_max bytes; gives the size. nullopt is the codec's default level.
Result<size_t> compress(Codec codec, std::optional<int> level, ByteView input, MutableByteView out);

// Reads a compressed payload piece by piece. The payload must outlive it.
class Decompressor {
 public:
  // `codec` may be kNone. At most `output_bytes_max` bytes come out; more is kLimit.
  static std::unique_ptr<Decompressor> open(Codec codec, ByteView payload, int64_t output_bytes_max);
  virtual ~Decompressor() = default;

  // Fills `out`; less than its size only at the end of the data. kCorruptBatch when the payload is damaged or cut off.
  Result<size_t> read(MutableByteView out);

 protected:
  explicit Decompressor(int64_t output_bytes_max) noexcept : output_bytes_left_(output_bytes_max) {}
  // Any count above 0, or 0 at the end. kLimit when more than `allowed` bytes are announced.
  virtual Result<size_t> read_some(MutableByteView out, int64_t allowed) = 0;

 private:
  int64_t output_bytes_left_;
};

// The whole of it, in one piece that grows as bytes come out.
Result<Slice> decompress(Codec codec, ByteView payload, int64_t output_bytes_max);

}  // namespace leat
