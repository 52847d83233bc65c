// compaction_map_test.cpp: the hash, and the table within its bound.
#include "core/log/compaction_map.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "test/support/catch.h"

using namespace leat;

namespace {

Uuid counting_secret() {
  Uuid secret;
  for (size_t i = 0; i < secret.bytes.size(); ++i) secret.bytes[i] = static_cast<uint8_t>(i);
  return secret;
}

std::string numbered(int number) { return fmt::format("key-{}", number); }

}  // namespace

// From the reference implementation: key 00 01 .. 0f, inputs of the first 0, 1 and 15 numbers.
TEST_CASE("compaction map: the hash is SipHash-2-4 of 128 bits", "[log][compaction]") {
  const Uuid secret = counting_secret();
  const std::array<uint8_t, 15> input{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  CHECK(hash_key({}, secret) == KeyHash{0xe6a825ba047f81a3, 0x930255c71472f66d});
  CHECK(hash_key(ByteView(input).first(1), secret) == KeyHash{0x44af996bd8c187da, 0x45fc229b11597634});
  CHECK(hash_key(ByteView(input), secret) == KeyHash{0x11a8b03399e99354, 0xd9c3cf970fec087e});
  CHECK(hash_key(ByteView(input), Uuid()) != hash_key(ByteView(input), secret));
}

TEST_CASE("compaction map: the greatest offset of a key counts", "[log][compaction]") {
  CompactionMap map(counting_secret(), 1 << 20);
  CHECK(map.latest(as_bytes("a")) == kNoOffset);
  CHECK(map.put(as_bytes("a"), Offset(5)) == CompactionMap::Put::kDone);
  CHECK(map.put(as_bytes(""), Offset(6)) == CompactionMap::Put::kDone);
  CHECK(map.put(as_bytes("a"), Offset(3)) == CompactionMap::Put::kDone);
  CHECK(map.latest(as_bytes("a")) == Offset(5));
  CHECK(map.put(as_bytes("a"), Offset(9)) == CompactionMap::Put::kDone);
  CHECK(map.latest(as_bytes("a")) == Offset(9));
  CHECK(map.latest(as_bytes("")) == Offset(6));
  CHECK(map.latest(as_bytes("b")) == kNoOffset);
  CHECK(map.size() == 2);
}

TEST_CASE("compaction map: it grows to its bound and no further, and loses nothing", "[log][compaction]") {
  constexpr size_t kBytesMax = 24 * 5000;  // 4096 entries, three quarters of them in use
  CompactionMap map(counting_secret(), kBytesMax);
  int count = 0;
  while (map.put(as_bytes(numbered(count)), Offset(count)) == CompactionMap::Put::kDone) ++count;
  CHECK(count == 3072);
  CHECK(map.size() == 3072);
  CHECK(map.bytes() <= kBytesMax);
  for (int i = 0; i < count; ++i) REQUIRE(map.latest(as_bytes(numbered(i))) == Offset(i));
  CHECK(map.latest(as_bytes(numbered(count))) == kNoOffset);
  CHECK(map.put(as_bytes(numbered(0)), Offset(9999)) == CompactionMap::Put::kDone);  // a key that is there
}
