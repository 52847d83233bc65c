// bytes_test.cpp: blocks are shared, reused and bounded.
#include "core/base/bytes.h"

#include "test/support/catch.h"

using namespace leat;

TEST_CASE("slice: a part shares its block and pins all of it", "[bytes]") {
  const Slice whole = Slice::copy_of(as_bytes("hello world"));
  const Slice part = whole.sub(6, 5);
  REQUIRE(as_text(part.view()) == "world");
  REQUIRE(part.data() == whole.data() + 6);
  REQUIRE(part.pinned_bytes() >= 11);
}

TEST_CASE("slice: outlives the slice it came from", "[bytes]") {
  Slice part;
  { part = Slice::copy_of(as_bytes("abcdef")).sub(2, 2); }
  REQUIRE(as_text(part.view()) == "cd");
}

TEST_CASE("block: a freed block is reused, huge ones are not kept", "[bytes]") {
  block_pool_trim(0);
  const uint8_t* first = nullptr;
  {
    const BlockRef block = BlockRef::allocate(5000);
    REQUIRE(block.capacity() == 8192);
    first = block.data();
  }
  REQUIRE(BlockRef::allocate(8000).data() == first);
  const size_t cached = block_pool_stats().cached_bytes;
  { const BlockRef huge = BlockRef::allocate(size_t{80} << 20); }
  REQUIRE(block_pool_stats().cached_bytes == cached);
}
