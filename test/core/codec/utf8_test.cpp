// utf8_test.cpp: what is UTF-8 and what only looks like it.
#include "core/codec/utf8.h"

#include "test/support/catch.h"

namespace leat {
namespace {

bool valid(std::string_view text) { return is_utf8(as_bytes(text)); }

}  // namespace

TEST_CASE("utf8: valid text at every place among ASCII", "[codec][utf8]") {
  for (const std::string_view character :
       {"a", "\x7f", "\xc2\x80", "\xc3\xa9", "\xe0\xa0\x80", "\xe6\xb6\x88", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xf0\x90\x80\x80", "\xf0\x9f\x9a\x80", "\xf4\x8f\xbf\xbf"}) {
    for (size_t before = 0; before < 20; ++before) {
      for (const size_t after : {0, 1, 7, 8, 9}) {
        CHECK(valid(std::string(before, 'x') + std::string(character) + std::string(after, 'y')));
      }
    }
  }
  CHECK(valid(""));
  CHECK(valid(std::string_view("\0\0", 2)));
}

TEST_CASE("utf8: malformed text at every place among ASCII", "[codec][utf8]") {
  for (const std::string_view wrong :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc3\x28", "\xe0\x9f\xbf", "\xe0\xa0", "\xe6\xb6",
        "\xe6\x28\x88", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x9a", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff", "\xfe"}) {
    for (size_t before = 0; before < 20; ++before) {
      for (const size_t after : {0, 1, 7, 8, 9}) {
        CHECK_FALSE(valid(std::string(before, 'x') + std::string(wrong) + std::string(after, 'y')));
      }
    }
  }
}

}  // namespace leat
