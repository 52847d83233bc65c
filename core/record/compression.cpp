// compression.cpp: names, levels and the packing side. Each codec writes what Kafka's Java clients can read: lz4 blocks
// are independent, snappy comes in xerial's blocks of 32 KiB.
#include "core/record/compression.h"

#include <fmt/format.h>
#include <lz4frame.h>
#include <lz4hc.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <climits>

#include "core/base/check.h"
#include "core/codec/writer.h"
#include "core/record/snappy_framing.h"

namespace leat {
namespace {

constexpr std::array<std::string_view, 5> kNames{"none", "gzip", "snappy", "lz4", "zstd"};
constexpr size_t kSnappyBlockBytes = 32 * 1024;
constexpr int kGzipWindowBits = 15 + 16;  // 16: gzip's header and trailer
constexpr size_t kGzipFrameBytes = 18;

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
};

Result<size_t> compress_gzip(std::optional<int> level, ByteView input, MutableByteView out) {
  z_stream stream{};
  const int effort = level.value_or(Z_DEFAULT_COMPRESSION);
  if (deflateInit2(&stream, effort, Z_DEFLATED, kGzipWindowBits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return fail(Errc::kInvalidArgument, fmt::format("gzip level {} cannot be used", effort));
  }
  stream.next_in = const_cast<uint8_t*>(input.data());  // declared without const
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(std::min<size_t>(out.size(), UINT_MAX));
  const int status = deflate(&stream, Z_FINISH);
  const auto size = static_cast<size_t>(stream.total_out);
  deflateEnd(&stream);
  ENSURE(status == Z_STREAM_END, "room was computed for the worst case; status {}", status);
  return size;
}

Result<size_t> compress_snappy(ByteView input, MutableByteView out) {
  uint8_t* at = out.data();
  std::copy(snappy_framing::kMagic.begin(), snappy_framing::kMagic.end(), at);
  to_big_endian(int32_t{1}, at + snappy_framing::kMagic.size());      // version
  to_big_endian(int32_t{1}, at + snappy_framing::kMagic.size() + 4);  // oldest reader
  at += snappy_framing::kHeaderBytes;
  while (!input.empty()) {
    const ByteView block = input.first(std::min(input.size(), kSnappyBlockBytes));
    input = input.subspan(block.size());
    size_t size = 0;
    snappy::RawCompress(reinterpret_cast<const char*>(block.data()), block.size(), reinterpret_cast<char*>(at + 4),
                        &size);
    to_big_endian(static_cast<int32_t>(size), at);
    at += 4 + size;
  }
  return static_cast<size_t>(at - out.data());
}

// Level 9 is the default of compression.lz4.level and stands there for the fast compressor, as in Kafka; others are
// lz4hc.
constexpr int kLz4DefaultLevel = 9;

LZ4F_preferences_t lz4_preferences(std::optional<int> level) noexcept {
  LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.compressionLevel = level == kLz4DefaultLevel ? 0 : level.value_or(0);
  return preferences;
}

Result<size_t> compress_lz4(std::optional<int> level, ByteView input, MutableByteView out) {
  const LZ4F_preferences_t preferences = lz4_preferences(level);
  const size_t size = LZ4F_compressFrame(out.data(), out.size(), input.data(), input.size(), &preferences);
  if (LZ4F_isError(size) != 0) return fail(Errc::kIo, fmt::format("lz4: {}", LZ4F_getErrorName(size)));
  return size;
}

Result<size_t> compress_zstd(std::optional<int> level, ByteView input, MutableByteView out) {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeZstd> context(ZSTD_createCCtx());
  if (!context) return fail(Errc::kIo, "zstd: no memory for a context");
  const size_t size = ZSTD_compressCCtx(context.get(), out.data(), out.size(), input.data(), input.size(),
                                        level.value_or(ZSTD_CLEVEL_DEFAULT));
  if (ZSTD_isError(size) != 0) return fail(Errc::kIo, fmt::format("zstd: {}", ZSTD_getErrorName(size)));
  return size;
}

}  // namespace

Result<Codec> codec_from_bits(uint8_t bits) {
  if (bits < kNames.size()) return static_cast<Codec>(bits);
  return fail(Errc::kCorruptBatch, fmt::format("unknown compression type id {}", bits));
}

std::optional<Codec> codec_from_name(std::string_view name) noexcept {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Codec>(found - kNames.begin());
}

std::string_view to_string(Codec codec) noexcept { return kNames[static_cast<size_t>(codec)]; }

LevelRange compression_levels(Codec codec) noexcept {
  switch (codec) {
    case Codec::kNone:
      return {0, 0};
    case Codec::kGzip:
      return {1, 9};
    case Codec::kSnappy:
      return {0, 0};
    case Codec::kLz4:
      return {1, 17};
    case Codec::kZstd:
      return {ZSTD_minCLevel(), ZSTD_maxCLevel()};
  }
  return {0, 0};
}

size_t compressed_size_max(Codec codec, size_t size) noexcept {
  switch (codec) {
    case Codec::kNone:
      return size;
    case Codec::kGzip:
      return compressBound(size) + kGzipFrameBytes;
    case Codec::kSnappy: {
      const size_t blocks = size / kSnappyBlockBytes + 1;
      return snappy_framing::kHeaderBytes + blocks * (4 + snappy::MaxCompressedLength(kSnappyBlockBytes));
    }
    case Codec::kLz4: {
      const LZ4F_preferences_t preferences = lz4_preferences(std::nullopt);
      return LZ4F_compressFrameBound(size, &preferences);
    }
    case Codec::kZstd:
      return ZSTD_compressBound(size);
  }
  return size;
}

Result<size_t> compress(Codec codec, std::optional<int> level, ByteView input, MutableByteView out) {
  ENSURE(out.size() >= compressed_size_max(codec, input.size()), "{} bytes into {}", input.size(), out.size());
  if (input.size() > INT32_MAX) return fail(Errc::kMessageTooLarge, "more than 2 GiB cannot be one batch");
  switch (codec) {
    case Codec::kNone:
      std::copy(input.begin(), input.end(), out.begin());
      return input.size();
    case Codec::kGzip:
      return compress_gzip(level, input, out);
    case Codec::kSnappy:
      return compress_snappy(input, out);
    case Codec::kLz4:
      return compress_lz4(level, input, out);
    case Codec::kZstd:
      return compress_zstd(level, input, out);
  }
  return fail(Errc::kUnsupportedCodec, "unknown codec");
}

}  // namespace leat
