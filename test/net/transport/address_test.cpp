// address_test.cpp: HOST:PORT as users write it, right and wrong.
#include "net/transport/address.h"

#include "test/support/catch.h"

namespace leat {
namespace {

TEST_CASE("address: hosts, brackets, wildcards", "[transport]") {
  REQUIRE(parse_host_port("localhost:9092")->host == "localhost");
  REQUIRE(parse_host_port("localhost:9092")->port == 9092);
  REQUIRE(parse_host_port("[::1]:0")->host == "::1");
  REQUIRE(parse_host_port("[::1]:65535")->to_string() == "[::1]:65535");
  REQUIRE(parse_host_port(":9092")->is_wildcard());
  REQUIRE(parse_host_port("0.0.0.0:1")->is_wildcard());
  REQUIRE_FALSE(parse_host_port("127.0.0.1:1")->is_wildcard());
}

TEST_CASE("address: what is wrong is named", "[transport]") {
  for (const char* text : {"", "localhost", "localhost:", "localhost:x", "localhost:65536", "localhost:-1", "::1:9092",
                           "[::1]", "[::1:9092", "localhost:9092 "}) {
    const auto parsed = parse_host_port(text);
    INFO(text);
    REQUIRE_FALSE(parsed);
    REQUIRE(parsed.error().context.find(text) != std::string::npos);
  }
}

}  // namespace
}  // namespace leat
