// parse_int_test.cpp: what is a whole number and what is none, at the ends of each type, too.
#include "core/base/parse_int.h"

#include <cstdint>
#include <limits>
#include <string>

#include "test/support/catch.h"

using namespace leat;

namespace {

template <class Int>
void check_ends() {
  using Limits = std::numeric_limits<Int>;
  const std::string least = std::to_string(Limits::min());
  const std::string greatest = std::to_string(Limits::max());
  CHECK(parse_int<Int>(least) == Limits::min());
  CHECK(parse_int<Int>(greatest) == Limits::max());
  CHECK_FALSE(parse_int<Int>(greatest + "0"));
  CHECK(parse_int<Int>("-1").has_value() == Limits::is_signed);
}

}  // namespace

TEST_CASE("parse int: the whole text is the number", "[base]") {
  CHECK(parse_int<int32_t>("0") == 0);
  CHECK(parse_int<int32_t>("-17") == -17);
  CHECK(parse_int<int32_t>("007") == 7);
  CHECK(parse_int<uint8_t>("fF", 16) == 255);
  for (const char* wrong : {"", " 1", "1 ", "+1", "-", "--1", "1x", "x", "1.0", "0x1", "1,2"}) {
    INFO(wrong);
    CHECK_FALSE(parse_int<int32_t>(wrong));
    CHECK_FALSE(parse_int<uint64_t>(wrong));
  }
}

TEST_CASE("parse int: a type takes what it can hold", "[base]") {
  check_ends<int16_t>();
  check_ends<int32_t>();
  check_ends<int64_t>();
  check_ends<uint16_t>();
  check_ends<uint64_t>();
  CHECK_FALSE(parse_int<uint8_t>("256"));
  CHECK_FALSE(parse_int<uint16_t>("65536"));
}

TEST_CASE("take int: the text goes on behind the number, and stays where there is none", "[base]") {
  std::string_view text = "12,-3 d";
  CHECK(take_int<int32_t>(text) == 12);
  CHECK(text == ",-3 d");
  CHECK_FALSE(take_int<int32_t>(text));
  CHECK(text == ",-3 d");
  text.remove_prefix(1);
  CHECK(take_int<int32_t>(text) == -3);
  CHECK(text == " d");
  text = "99999999999 d";
  CHECK_FALSE(take_int<int32_t>(text));
  CHECK(text == "99999999999 d");
}
