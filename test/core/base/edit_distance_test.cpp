// edit_distance_test.cpp: letters and swaps are counted, the same from either word.
#include "core/base/edit_distance.h"

#include <algorithm>
#include <string>

#include "test/support/catch.h"

using namespace leat;

TEST_CASE("edit distance: letters and swaps count one each", "[base]") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("list", "lost") == 1);
  CHECK(edit_distance("list", "ist") == 1);
  CHECK(edit_distance("create", "craete") == 1);
  CHECK(edit_distance("ab", "ba") == 1);
  CHECK(edit_distance("abcd", "badc") == 2);
  CHECK(edit_distance("abc", "xyz") == 3);
}

TEST_CASE("edit distance: it is the same in either direction, and never more than the longer word", "[base]") {
  const std::string words[] = {"", "a", "ba", "list", "lost", "retention.ms", "retentoin.ms", "delete"};
  for (const std::string& a : words) {
    for (const std::string& b : words) {
      INFO(a << " and " << b);
      CHECK(edit_distance(a, b) == edit_distance(b, a));
      CHECK(edit_distance(a, b) <= std::max(a.size(), b.size()));
      CHECK((edit_distance(a, b) == 0) == (a == b));
    }
  }
}
