// compression_test.cpp: each codec there and back, its framing, damaged data, and bombs.
#include "core/record/compression.h"

#include <algorithm>

#include "core/base/random.h"
#include "test/core/record/corpus.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::test;

namespace {

constexpr Codec kCodecs[] = {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd};
constexpr int64_t kMebibyte = int64_t{1} << 20;

Bytes packed(Codec codec, const Bytes& input, std::optional<int> level = std::nullopt) {
  Bytes out(compressed_size_max(codec, input.size()));
  const Result<size_t> size = compress(codec, level, input, out);
  REQUIRE(size.has_value());
  out.resize(*size);
  return out;
}

Bytes sample(size_t size, uint64_t seed) {  // half text, half noise
  SeededRandom random(seed);
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = (i / 512) % 2 == 0 ? static_cast<uint8_t>('a' + i % 7) : static_cast<uint8_t>(random.next());
  return bytes;
}

Bytes unpacked(Codec codec, const Bytes& payload, int64_t limit) {
  const Result<Slice> out = decompress(codec, payload, limit);
  REQUIRE(out.has_value());
  return {out->view().begin(), out->view().end()};
}

}  // namespace

TEST_CASE("compression: every codec gives back what it was given", "[record][compression]") {
  for (const Codec codec : kCodecs) {
    for (const size_t size : {0, 1, 17, 32'767, 32'768, 32'769, 65'536, 300'000}) {
      INFO(to_string(codec) << " " << size);
      const Bytes input = sample(size, size);
      const Bytes payload = packed(codec, input);
      CHECK(unpacked(codec, payload, kMebibyte) == input);
      CHECK(unpacked(codec, payload, static_cast<int64_t>(size)) == input);
      if (size > 0) CHECK(decompress(codec, payload, static_cast<int64_t>(size) - 1).error().code == Errc::kLimit);
    }
  }
}

TEST_CASE("compression: levels at both ends of the range", "[record][compression]") {
  const Bytes input = sample(50'000, 3);
  for (const Codec codec : {Codec::kGzip, Codec::kLz4, Codec::kZstd}) {
    const LevelRange levels = compression_levels(codec);
    for (const int level : {levels.least, levels.greatest}) {
      INFO(to_string(codec) << " " << level);
      CHECK(unpacked(codec, packed(codec, input, level), kMebibyte) == input);
    }
  }
  Bytes out(compressed_size_max(Codec::kGzip, input.size()));
  CHECK(compress(Codec::kGzip, 99, input, out).error().code == Errc::kInvalidArgument);
}

TEST_CASE("compression: a read in odd pieces gives the same bytes", "[record][compression]") {
  const Bytes input = sample(200'000, 4);
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    INFO(to_string(codec));
    const Bytes payload = packed(codec, input);
    const auto reader = Decompressor::open(codec, payload, kMebibyte);
    const auto beside = Decompressor::open(codec, payload, kMebibyte);  // two at once on one thread
    Bytes found;
    for (size_t piece = 1;; piece = piece * 3 % 4001) {
      Bytes part(piece);
      const Result<size_t> size = reader->read(part);
      REQUIRE(size.has_value());
      found.insert(found.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(*size));
      uint8_t one = 0;
      REQUIRE(beside->read({&one, 1}).has_value());
      if (*size < piece) break;
    }
    CHECK(found == input);
  }
}

TEST_CASE("compression: cut-off data is an error at every byte", "[record][compression]") {
  const Bytes input = sample(3'000, 5);
  for (const Codec codec : kCodecs) {
    const Bytes payload = packed(codec, input);
    for (size_t size = 0; size < payload.size(); ++size) {
      const Bytes cut(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size));
      INFO(to_string(codec) << " " << size << " of " << payload.size());
      const Result<Slice> out = decompress(codec, cut, kMebibyte);
      // Snappy's frame has no end mark: cut between blocks it is a shorter stream, which the record count then betrays.
      if (codec == Codec::kSnappy && out) {
        CHECK(out->size() < input.size());
      } else {
        REQUIRE(!out.has_value());
        CHECK(out.error().code == Errc::kCorruptBatch);
      }
    }
  }
}

TEST_CASE("compression: flipped bits never crash and never pass the limit", "[record][compression]") {
  const Bytes input = sample(1'500, 6);
  for (const Codec codec : kCodecs) {
    const Bytes payload = packed(codec, input);
    for (size_t bit = 0; bit < payload.size() * 8; ++bit) {
      Bytes damaged = payload;
      damaged[bit / 8] ^= static_cast<uint8_t>(1 << (bit % 8));
      const Result<Slice> out = decompress(codec, damaged, 20'000);
      if (out) {
        CHECK(out->size() <= 20'000);
      } else {
        CHECK((out.error().code == Errc::kCorruptBatch || out.error().code == Errc::kLimit));
      }
    }
  }
}

TEST_CASE("compression: a bomb stops at the limit", "[record][compression]") {
  const Bytes zeros(static_cast<size_t>(64 * kMebibyte));
  for (const Codec codec : kCodecs) {
    INFO(to_string(codec));
    const Bytes bomb = packed(codec, zeros);
    const size_t in_use = block_pool_stats().in_use_bytes;
    CHECK(decompress(codec, bomb, kMebibyte).error().code == Errc::kLimit);
    CHECK(block_pool_stats().in_use_bytes == in_use);

    const auto reader = Decompressor::open(codec, bomb, kMebibyte);
    Bytes window(1000);
    int64_t given = 0;
    Result<size_t> size = reader->read(window);
    for (; size && *size > 0; size = reader->read(window)) given += static_cast<int64_t>(*size);
    REQUIRE(!size.has_value());
    CHECK(size.error().code == Errc::kLimit);
    CHECK(given <= kMebibyte);
  }
}

TEST_CASE("compression: a snappy block that claims more than it can hold takes no memory", "[record][compression]") {
  const Bytes claim = from_hex("ffffffff0f0000");  // 4 GiB, by its own word
  const Result<Slice> out = decompress(Codec::kSnappy, claim, int64_t{1} << 40);
  REQUIRE(!out.has_value());
  CHECK(out.error().code == Errc::kCorruptBatch);
}

TEST_CASE("compression: snappy is framed as xerial's, and read with or without the frame", "[record][compression]") {
  const Bytes input = sample(70'000, 7);
  const Bytes framed = packed(Codec::kSnappy, input);
  CHECK(to_hex(Bytes(framed.begin(), framed.begin() + 16)) ==
        "82534e4150505900"
        "00000001"
        "00000001");
  Bytes twice = framed;
  twice.insert(twice.end(), framed.begin(), framed.end());
  Bytes doubled = input;
  doubled.insert(doubled.end(), input.begin(), input.end());
  CHECK(unpacked(Codec::kSnappy, twice, kMebibyte) == doubled);
  // A bare block: the first block of the frame alone.
  const auto size = from_big_endian<int32_t>(framed.data() + 16);
  const Bytes bare(framed.begin() + 20, framed.begin() + 20 + size);
  CHECK(unpacked(Codec::kSnappy, bare, kMebibyte) == Bytes(input.begin(), input.begin() + 32'768));
}

TEST_CASE("compression: concatenated gzip members and zstd frames are one stream, as in Java",
          "[record][compression]") {
  const Bytes input = sample(5'000, 8);
  Bytes doubled = input;
  doubled.insert(doubled.end(), input.begin(), input.end());
  for (const Codec codec : {Codec::kGzip, Codec::kZstd}) {
    INFO(to_string(codec));
    Bytes twice = packed(codec, input);
    const Bytes once = twice;
    twice.insert(twice.end(), once.begin(), once.end());
    CHECK(unpacked(codec, twice, kMebibyte) == doubled);
  }
}

TEST_CASE("compression: lz4 blocks that depend on one another are refused", "[record][compression]") {
  Bytes frame = packed(Codec::kLz4, sample(1'000, 9));
  CHECK((frame[4] & 0x20) != 0);
  frame[4] = static_cast<uint8_t>(frame[4] & ~0x20);
  const Result<Slice> out = decompress(Codec::kLz4, frame, kMebibyte);
  REQUIRE(!out.has_value());
  CHECK(out.error().context.find("independent blocks") != std::string::npos);
}

TEST_CASE("compression: names and bits", "[record][compression]") {
  for (const Codec codec : kCodecs) CHECK(codec_from_name(to_string(codec)) == codec);
  CHECK(!codec_from_name("brotli"));
  CHECK(codec_from_bits(4).has_value());
  for (const uint8_t bits : std::initializer_list<uint8_t>{5, 6, 7}) {
    CHECK(codec_from_bits(bits).error().code == Errc::kCorruptBatch);
  }
}
