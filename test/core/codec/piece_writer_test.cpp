// piece_writer_test.cpp: growth, references, patches and gaps.
#include "core/codec/piece_writer.h"

#include "core/codec/reader.h"
#include "test/support/catch.h"

namespace leat {
namespace {

std::vector<uint8_t> joined(const std::vector<Slice>& pieces) {
  std::vector<uint8_t> bytes;
  for (const Slice& piece : pieces) bytes.insert(bytes.end(), piece.data(), piece.data() + piece.size());
  return bytes;
}

Slice filled(size_t size, uint8_t byte) { return Slice::copy_of(std::vector<uint8_t>(size, byte)); }

}  // namespace

TEST_CASE("piece writer: grows without losing a byte", "[codec][piece_writer]") {
  PieceWriter out(1);
  Writer expected;
  for (int32_t i = 0; i < 10'000; ++i) {
    out.i8(static_cast<int8_t>(i));
    out.i16(static_cast<int16_t>(i));
    out.i32(i * 7919);
    out.i64(int64_t{i} << 33);
    out.uvarint(static_cast<uint32_t>(i) << (i % 20));
    expected.i8(static_cast<int8_t>(i));
    expected.i16(static_cast<int16_t>(i));
    expected.i32(i * 7919);
    expected.i64(int64_t{i} << 33);
    expected.uvarint(static_cast<uint32_t>(i) << (i % 20));
  }
  CHECK(out.size() == expected.size());
  const std::vector<Slice> pieces = std::move(out).take();
  CHECK(pieces.size() == 1);
  CHECK(joined(pieces) == std::move(expected).take());
}

TEST_CASE("piece writer: large slices stay where they are, small ones are copied", "[codec][piece_writer]") {
  const Slice large = filled(kReferencedSliceBytesMin, 1);
  const Slice small = filled(kReferencedSliceBytesMin - 1, 2);
  PieceWriter out;
  out.slice(large);
  out.slice(large);
  out.i32(3);
  out.slice(small);
  out.slice(large);
  CHECK(out.size() == 3 * large.size() + 4 + small.size());
  const std::vector<Slice> pieces = std::move(out).take();
  REQUIRE(pieces.size() == 4);
  CHECK(pieces[0].data() == large.data());
  CHECK(pieces[1].data() == large.data());
  CHECK(pieces[2].size() == 4 + small.size());
  CHECK(pieces[2].data() != small.data());
  CHECK(pieces[3].data() == large.data());
}

TEST_CASE("piece writer: pieces are in order also when the buffer grew after a reference", "[codec][piece_writer]") {
  const Slice large = filled(5000, 0xee);
  PieceWriter out(16);
  std::vector<uint8_t> expected;
  for (int round = 0; round < 50; ++round) {
    const std::vector<uint8_t> run(static_cast<size_t>(round * 13), static_cast<uint8_t>(round));
    out.raw(run);
    out.slice(large);
    expected.insert(expected.end(), run.begin(), run.end());
    expected.insert(expected.end(), large.data(), large.data() + large.size());
  }
  CHECK(joined(std::move(out).take()) == expected);
}

TEST_CASE("piece writer: a length put before what was written", "[codec][piece_writer]") {
  for (const size_t size : {0, 1, 127, 128, 20'000}) {
    PieceWriter out(8);
    out.i32(0);
    const size_t begin = out.position();
    for (size_t i = 0; i < size; ++i) out.i8(static_cast<int8_t>(i));
    out.insert_uvarint(begin, static_cast<uint32_t>(size));
    out.patch_i32(0, 77);
    const std::vector<uint8_t> bytes = std::move(out).take_bytes();
    Reader in(bytes);
    CHECK(in.i32() == 77);
    CHECK(in.uvarint() == size);
    CHECK(in.remaining() == size);
    for (size_t i = 0; i < size; ++i) CHECK(in.i8() == static_cast<int8_t>(i));
  }
}

TEST_CASE("piece writer: nothing written gives no pieces", "[codec][piece_writer]") {
  CHECK(PieceWriter().take().empty());
  CHECK(PieceWriter().take_bytes().empty());
}

TEST_CASE("piece writer: the first failed field is kept", "[codec][piece_writer]") {
  PieceWriter out;
  CHECK_FALSE(out.failed());
  out.fail_at("first");
  out.fail_at("second");
  CHECK(out.failed());
  CHECK(out.failed_field() == "first");
}

}  // namespace leat
