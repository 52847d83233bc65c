// records_test.cpp: Records made of several slices.
#include "core/codec/records.h"

#include "test/support/catch.h"

namespace leat {
namespace {

Records cut(std::string_view text, std::initializer_list<size_t> sizes) {
  const Slice whole = Slice::copy_of(as_bytes(text));
  Records records;
  size_t begin = 0;
  for (const size_t size : sizes) {
    records.append(whole.sub(begin, size));
    begin += size;
  }
  return records;
}

}  // namespace

TEST_CASE("records: equal however they are cut", "[codec][records]") {
  const Records whole = cut("abcdef", {6});
  CHECK(whole.size() == 6);
  CHECK(whole.more().empty());
  CHECK(cut("abcdef", {1, 2, 3}) == whole);
  CHECK(cut("abcdef", {0, 3, 0, 3}) == cut("abcdef", {5, 1}));
  CHECK_FALSE(cut("abcdef", {5}) == whole);
  CHECK_FALSE(cut("abcdeg", {2, 4}) == whole);
  CHECK(Records() == cut("", {0}));
  CHECK(Records().empty());
  CHECK_FALSE(whole == Records());
}

}  // namespace leat
