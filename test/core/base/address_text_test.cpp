// address_text_test.cpp: what is written is split into the same parts; each flaw is told from the others.
#include "core/base/address_text.h"

#include "test/support/catch.h"

using namespace leat;

namespace {

struct Row {
  std::string_view text;
  std::string_view host;
  std::optional<std::string_view> port;
};

}  // namespace

TEST_CASE("address text: an IPv6 address is written in brackets", "[base]") {
  CHECK(address_text("broker", 9092) == "broker:9092");
  CHECK(address_text("127.0.0.1", 0) == "127.0.0.1:0");
  CHECK(address_text("::1", 65535) == "[::1]:65535");
  CHECK(address_text("", 1) == ":1");
}

TEST_CASE("address text: host and port are split", "[base]") {
  for (const Row& row : {Row{"broker:9092", "broker", "9092"}, Row{"broker", "broker", std::nullopt},
                         Row{":1", "", "1"}, Row{"", "", std::nullopt}, Row{"a:", "a", ""}, Row{"a:x y", "a", "x y"},
                         Row{"[::1]:9092", "::1", "9092"}, Row{"[::1]", "::1", std::nullopt}, Row{"[]:2", "", "2"},
                         Row{"[fe80::1%eth0]:", "fe80::1%eth0", ""}, Row{"[::1]:9:9", "::1", "9:9"}}) {
    INFO(row.text);
    const auto parts = split_address(row.text);
    REQUIRE(parts.has_value());
    CHECK(parts->host == row.host);
    CHECK(parts->port == row.port);
  }
}

TEST_CASE("address text: what was written comes back", "[base]") {
  for (const std::string host : {"broker", "127.0.0.1", "::1", "2001:db8::5", ""}) {
    const std::string text = address_text(host, 19092);
    INFO(text);
    const auto parts = split_address(text);
    REQUIRE(parts.has_value());
    CHECK(parts->host == host);
    CHECK(parts->port == "19092");
  }
}

TEST_CASE("address text: each flaw has its words", "[base]") {
  CHECK(split_address("[::1:9").error() == AddressFlaw::kNoClosingBracket);
  CHECK(split_address("[::1]9").error() == AddressFlaw::kTextBehindBracket);
  CHECK(split_address("[::1]x:9").error() == AddressFlaw::kTextBehindBracket);
  for (const std::string_view bare : {"::1", "::1:9092", "a:1:2", "::"}) {
    INFO(bare);
    CHECK(split_address(bare).error() == AddressFlaw::kNoBrackets);
  }
  CHECK(to_string(AddressFlaw::kNoClosingBracket) == "']' is missing");
  CHECK(to_string(AddressFlaw::kNoBrackets).find("brackets") != std::string_view::npos);
}
