// reader_test.cpp: integers and varints both ways, against Kafka's bytes, and reads beyond the end.
#include "core/codec/reader.h"

#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

#include "core/codec/writer.h"
#include "test/support/catch.h"
#include "test/support/test_data.h"

namespace leat {
namespace {

std::vector<uint8_t> from_hex(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

struct VarintLine {
  std::string kind;
  std::string value;
  std::vector<uint8_t> bytes;
};

std::vector<VarintLine> varint_lines() {
  std::ifstream in(test_data_path("protocol/varint.tsv"));
  std::vector<VarintLine> lines;
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text[0] == '#' || text.starts_with("kind")) continue;
    std::istringstream words(text);
    VarintLine line;
    std::string hex;
    words >> line.kind >> line.value >> hex;
    line.bytes = from_hex(hex);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("varint: Kafka's bytes both ways", "[codec][varint]") {
  const std::vector<VarintLine> lines = varint_lines();
  REQUIRE(lines.size() > 50);
  for (const VarintLine& line : lines) {
    INFO(line.kind << " " << line.value);
    Reader in(line.bytes);
    Writer out;
    if (line.kind == "varint") {
      const int32_t value = in.varint();
      CHECK(std::to_string(value) == line.value);
      out.varint(value);
    } else if (line.kind == "uvarint") {
      const uint32_t value = in.uvarint();
      CHECK(std::to_string(value) == line.value);
      out.uvarint(value);
      CHECK(uvarint_size(value) == line.bytes.size());
    } else {
      REQUIRE(line.kind == "varlong");
      const int64_t value = in.varlong();
      CHECK(std::to_string(value) == line.value);
      out.varlong(value);
      CHECK(uvarlong_size(zigzag(value)) == line.bytes.size());
    }
    CHECK_FALSE(in.failed());
    CHECK(in.remaining() == 0);
    CHECK(std::move(out).take() == line.bytes);
  }
}

TEST_CASE("varint: truncated and too long ones fail", "[codec][varint]") {
  for (const VarintLine& line : varint_lines()) {
    for (size_t size = 0; size < line.bytes.size(); ++size) {
      const std::vector<uint8_t> cut(line.bytes.begin(), line.bytes.begin() + static_cast<ptrdiff_t>(size));
      Reader in(cut);
      if (line.kind == "varlong") {
        (void)in.varlong();
      } else {
        (void)in.uvarint();
      }
      CHECK(in.failed());
    }
  }
  const auto uvarint_fails = [](const std::string& hex) {
    const std::vector<uint8_t> bytes = from_hex(hex);
    Reader in(bytes);
    (void)in.uvarint();
    return in.failed();
  };
  CHECK_FALSE(uvarint_fails("ffffffff0f"));
  CHECK(uvarint_fails("ffffffff10"));
  CHECK(uvarint_fails("ffffffff8f00"));
  CHECK_FALSE(uvarint_fails("8000"));  // longer than needed, and read as Kafka reads it
  const std::vector<uint8_t> ten = from_hex("ffffffffffffffffff01");
  Reader whole(ten);
  CHECK(whole.uvarlong() == std::numeric_limits<uint64_t>::max());
  const std::vector<uint8_t> beyond = from_hex("ffffffffffffffffff02");
  Reader over(beyond);
  CHECK(over.uvarlong() == 0);
  CHECK(over.failed());
}

TEST_CASE("byte order: the same at compile time and at run time", "[codec][byte_order]") {
  constexpr uint8_t kBytes[] = {0x81, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88};
  constexpr int64_t kWide = from_big_endian<int64_t>(kBytes);
  static_assert(static_cast<uint64_t>(kWide) == 0x8102030405060788);
  static_assert(from_big_endian<int16_t>(kBytes) == static_cast<int16_t>(0x8102));
  static_assert(from_big_endian<int8_t>(kBytes) == static_cast<int8_t>(0x81));
  const std::vector<uint8_t> bytes(std::begin(kBytes), std::end(kBytes));
  CHECK(from_big_endian<int64_t>(bytes.data()) == kWide);
  CHECK(from_big_endian<uint32_t>(bytes.data() + 1) == 0x02030405);  // at an odd address
  std::vector<uint8_t> out(9, 0xee);
  to_big_endian(kWide, out.data() + 1);
  CHECK(std::vector<uint8_t>(out.begin() + 1, out.end()) == bytes);
  CHECK(out[0] == 0xee);
}

TEST_CASE("reader: failure is sticky and reads give zero", "[codec][reader]") {
  const std::vector<uint8_t> bytes = {1, 2, 3};
  Reader in(bytes);
  CHECK(in.i16() == 0x0102);
  CHECK(in.i32() == 0);
  CHECK(in.failed());
  CHECK(in.i8() == 0);  // though one byte is left
  CHECK(in.remaining() == 0);
  CHECK(in.take(0).empty());
  CHECK(in.f64() == 0);
}

TEST_CASE("reader: integers of every width", "[codec][reader]") {
  Writer out;
  out.i8(-1);
  out.boolean(true);
  out.i16(-2);
  out.u16(0xfffe);
  out.i32(std::numeric_limits<int32_t>::min());
  out.u32(0xfedcba98);
  out.i64(std::numeric_limits<int64_t>::min());
  out.f64(-0.5);
  Reader in(out.view());
  CHECK(in.i8() == -1);
  CHECK(in.boolean());
  CHECK(in.i16() == -2);
  CHECK(in.u16() == 0xfffe);
  CHECK(in.i32() == std::numeric_limits<int32_t>::min());
  CHECK(in.u32() == 0xfedcba98);
  CHECK(in.i64() == std::numeric_limits<int64_t>::min());
  CHECK(in.f64() == -0.5);
  CHECK_FALSE(in.failed());
  CHECK(in.remaining() == 0);
}

}  // namespace leat
