// uuid_test.cpp: text form, both ways, and what is refused.
#include "core/base/uuid.h"

#include "test/support/catch.h"

using namespace leat;

TEST_CASE("uuid: text form round trip", "[uuid]") {
  SeededRandom random(1);
  for (int i = 0; i < 200; ++i) {
    const Uuid id = Uuid::make(random);
    REQUIRE(id.to_string().size() == 22);
    REQUIRE(Uuid::parse(id.to_string()) == id);
    REQUIRE(id.to_string().front() != '-');
  }
  REQUIRE(Uuid{}.to_string() == "AAAAAAAAAAAAAAAAAAAAAA");
}

TEST_CASE("uuid: wrong length, letters or trailing bits are refused", "[uuid]") {
  REQUIRE_FALSE(Uuid::parse("").has_value());
  REQUIRE_FALSE(Uuid::parse("AAAAAAAAAAAAAAAAAAAAA").has_value());
  REQUIRE_FALSE(Uuid::parse("AAAAAAAAAAAAAAAAAAAAA=").has_value());
  REQUIRE_FALSE(Uuid::parse("AAAAAAAAAAAAAAAAAAAAAB").has_value());
}
