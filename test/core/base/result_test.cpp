// result_test.cpp: TRY passes values on and returns errors.
#include "core/base/result.h"

#include "test/support/catch.h"

using namespace leat;

namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Errc::kInvalidArgument, "odd");
  return value / 2;
}
Result<void> even(int value) {
  TRY(half(value));
  return {};
}
Result<int> quarter(int value) {
  TRY(even(value));
  TRY(once, half(value));
  TRY(twice, half(once));
  return twice;
}

}  // namespace

TEST_CASE("result: TRY names the value or returns the error", "[result]") {
  REQUIRE(quarter(8) == 2);
  REQUIRE(quarter(6).error().code == Errc::kInvalidArgument);
  REQUIRE(quarter(7).error().context == "odd");
}
