// log_test.cpp: what peers can cause is bounded and printable.
#include "server/log.h"

#include "test/support/catch.h"

namespace leat {
namespace {

TEST_CASE("log: what a peer says is cut and escaped", "[server]") {
  REQUIRE(printable("rdkafka") == "rdkafka");
  REQUIRE(printable("a\nb\x1b[31m\"\\") == "a\\x0ab\\x1b[31m\\x22\\x5c");
  REQUIRE(printable(std::string(5000, 'x')).size() == 103);
}

TEST_CASE("log: a rate-limited line is admitted again when its period is over", "[server]") {
  ManualClock clock;
  RateLimitedLog limited(clock, 3, Millis(1000));
  int admitted = 0;
  for (int i = 0; i < 100; ++i) admitted += limited.admit() ? 1 : 0;
  REQUIRE(admitted == 3);
  REQUIRE(limited.left_out() == 97);
  clock.advance(Millis(999));
  REQUIRE_FALSE(limited.admit());
  clock.advance(Millis(1));
  REQUIRE(limited.admit());
}

TEST_CASE("log: levels by name", "[server]") {
  REQUIRE(parse_log_level("warn") == LogLevel::kWarn);
  REQUIRE_FALSE(parse_log_level("WARNING"));
  REQUIRE_FALSE(log_enabled(LogLevel::kError));  // nothing was started
}

}  // namespace
}  // namespace leat
