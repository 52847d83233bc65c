// host_port_test.cpp: addresses as people write them.
#include "client/host_port.h"

#include "test/support/catch.h"

using namespace leat;

TEST_CASE("host port: forms that are understood", "[client]") {
  CHECK(*parse_host_port("broker:19092") == HostPort{"broker", 19092});
  CHECK(*parse_host_port("broker") == HostPort{"broker", 9092});
  CHECK(*parse_host_port(":1") == HostPort{"127.0.0.1", 1});
  CHECK(*parse_host_port("[::1]:65535") == HostPort{"::1", 65535});
  CHECK(*parse_host_port("[::1]") == HostPort{"::1", 9092});
  CHECK(parse_host_port("[::1]:5")->to_string() == "[::1]:5");
  CHECK(parse_host_ports("a:1,b:2")->size() == 2);
}

TEST_CASE("host port: what is wrong is named", "[client]") {
  for (const char* wrong :
       {"", "::1", "a:", "a:0", "a:65536", "a:b", "a:1x", "[::1", "[::1]9", "a:1,", "a:1,,b:2", "a:-1"}) {
    INFO(wrong);
    const Result<std::vector<HostPort>> parsed = parse_host_ports(wrong);
    REQUIRE(!parsed.has_value());
    CHECK(parsed.error().code == Errc::kInvalidArgument);
  }
}
