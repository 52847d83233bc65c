// checksum_test.cpp: CRC-32C, murmur2, Java's string hash and varints against the values of Kafka's own classes.
#include "core/base/random.h"
#include "core/codec/reader.h"
#include "core/codec/writer.h"
#include "core/record/crc32c.h"
#include "core/record/partitioner.h"
#include "core/record/varint.h"
#include "test/core/record/corpus.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::test;

namespace {

Bytes random_bytes(Random& random, size_t size) {
  Bytes bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next());
  return bytes;
}

}  // namespace

TEST_CASE("crc32c: both forms give Java's values", "[record][crc32c]") {
  for (const Row& row : table("crc32c.tsv")) {
    const Bytes data = from_hex(row[0]);
    CHECK(crc32c(data) == std::stoul(row[1], nullptr, 16));
    CHECK(crc32c_portable(data) == std::stoul(row[1], nullptr, 16));
  }
}

TEST_CASE("crc32c: the portable form equals the other at every length, alignment and seed", "[record][crc32c]") {
  SeededRandom random(1);
  const Bytes data = random_bytes(random, 2000);
  for (size_t begin = 0; begin < 17; ++begin) {
    for (size_t size = 0; size < 700; size += 1 + size / 40) {
      const ByteView part = ByteView(data).subspan(begin, size);
      const auto seed = static_cast<uint32_t>(random.next());
      REQUIRE(crc32c(part, seed) == crc32c_portable(part, seed));
      REQUIRE(crc32c(part.subspan(size / 3), crc32c(part.first(size / 3))) == crc32c(part));
    }
  }
}

TEST_CASE("crc32c: a change far before the end is corrected without reading what follows", "[record][crc32c]") {
  SeededRandom random(2);
  for (const size_t behind : {0, 1, 7, 8, 9, 255, 256, 4097, 70'001}) {
    Bytes data = random_bytes(random, 20 + behind);
    const uint32_t before = crc32c(data);
    Bytes difference = random_bytes(random, 20);
    for (size_t i = 0; i < difference.size(); ++i) data[i] ^= difference[i];
    CHECK((before ^ crc32c_change(difference, behind)) == crc32c(data));
  }
}

TEST_CASE("partitioner: murmur2 and its partitions are Java's", "[record][partitioner]") {
  int count = 0;
  for (const Row& row : table("murmur2.tsv")) {
    INFO(row[0]);
    const Bytes key = from_hex(row[0]);
    CHECK(murmur2(key) == std::stol(row[1]));
    const int32_t counts[] = {3, 6, 12, 50, 1000};
    for (size_t i = 0; i < 5; ++i) CHECK(partition_for_key(key, counts[i]) == std::stol(row[3 + i]));
    ++count;
  }
  CHECK(count > 40);
}

TEST_CASE("partitioner: the coordinator's partition is Java's", "[record][partitioner]") {
  int rows = 0;
  for (const Row& row : table("idhash.tsv")) {
    INFO(row[0]);
    REQUIRE(row.size() == 4);
    CHECK(java_string_hash(row[0]) == std::stol(row[1]));
    CHECK(coordinator_partition(row[0], 50) == std::stol(row[2]));
    CHECK(coordinator_partition(row[0], 4) == std::stol(row[3]));
    ++rows;
  }
  CHECK(rows > 5);
  CHECK(coordinator_partition_of_hash(INT32_MIN, 50) == 0);
}

TEST_CASE("partitioner: malformed UTF-8 is hashed, not read beyond its end", "[record][partitioner]") {
  const int32_t replacement = 0xfffd;
  CHECK(java_string_hash("\xff") == replacement);
  CHECK(java_string_hash("\xff\xc3") == java_string_hash("\xef\xbf\xbd\xef\xbf\xbd"));  // as Java replaces them
  CHECK(java_string_hash("\xf0\x9f\x9a") == 31 * (31 * replacement + replacement) + replacement);
  CHECK(java_string_hash("\xc0\x80") == 31 * replacement + replacement);
}

TEST_CASE("varint: Reader, Writer and the record walk agree with Kafka", "[record][varint]") {
  int count = 0;
  for (const Row& row : table("varint.tsv")) {
    INFO(row[0] << " " << row[1]);
    const Bytes bytes = from_hex(row[2]);
    const int64_t value = std::stoll(row[1]);
    Reader reader(bytes);
    Writer writer;
    const uint8_t* next = bytes.data();
    const uint8_t* const end = next + bytes.size();
    if (row[0] == "varint") {
      int32_t walked = 0;
      CHECK(reader.varint() == value);
      writer.varint(static_cast<int32_t>(value));
      CHECK(record_varint::read_int(next, end, walked));
      CHECK(walked == value);
    } else if (row[0] == "varlong") {
      int64_t walked = 0;
      CHECK(reader.varlong() == value);
      writer.varlong(value);
      CHECK(record_varint::read_int64(next, end, walked));
      CHECK(walked == value);
    } else {
      uint64_t walked = 0;
      CHECK(reader.uvarint() == value);
      writer.uvarint(static_cast<uint32_t>(value));
      CHECK(record_varint::read_raw<32>(next, end, walked));
      CHECK(walked == static_cast<uint64_t>(value));
    }
    CHECK(!reader.failed());
    CHECK(reader.remaining() == 0);
    CHECK(next == end);
    CHECK(to_hex(Bytes(writer.view().begin(), writer.view().end())) == row[2]);
    ++count;
  }
  CHECK(count > 50);
}

TEST_CASE("varint: too long or cut off fails and moves nothing", "[record][varint]") {
  for (const char* hex : {"", "80", "ffff", "8080808080", "ffffffffff", "ffffffff10", "ffffffffff01", "808080808000"}) {
    INFO(hex);
    const Bytes bytes = from_hex(hex);
    const uint8_t* next = bytes.data();
    int32_t value = 0;
    CHECK(!record_varint::read_int(next, bytes.data() + bytes.size(), value));
    CHECK(next == bytes.data());
    Reader reader(bytes);
    (void)reader.varint();
    CHECK(reader.failed());
  }
  for (const char* hex : {"80", "ffffffffffffffffff02", "ffffffffffffffffffff01", "80808080808080808080"}) {
    INFO(hex);
    const Bytes bytes = from_hex(hex);
    const uint8_t* next = bytes.data();
    int64_t value = 0;
    CHECK(!record_varint::read_int64(next, bytes.data() + bytes.size(), value));
    Reader reader(bytes);
    (void)reader.varlong();
    CHECK(reader.failed());
  }
}
