// properties_test.cpp: the settings file as java.util.Properties reads it, and what it is stricter about.
#include "server/properties.h"

#include "test/support/catch.h"

namespace leat {
namespace {

std::vector<Property> parsed(std::string_view text) {
  Result<std::vector<Property>> properties = parse_properties(text);
  INFO((properties ? "" : properties.error().context));
  REQUIRE(properties.has_value());
  return *properties;
}

std::string error_of(std::string_view text) {
  const Result<std::vector<Property>> properties = parse_properties(text);
  REQUIRE_FALSE(properties.has_value());
  return properties.error().context;
}

TEST_CASE("properties: names, values and their lines", "[settings]") {
  const std::vector<Property> all =
      parsed("# a comment\n! another\n\nnum.partitions=3\nlog.dirs = /var/lib/leat\n  a:b\nc d\n");
  REQUIRE(all.size() == 4);
  CHECK(all[0].name == "num.partitions");
  CHECK(all[0].value == "3");
  CHECK(all[0].line == 4);
  CHECK(all[1].name == "log.dirs");
  CHECK(all[1].value == "/var/lib/leat");
  CHECK(all[2].name == "a");
  CHECK(all[2].value == "b");
  CHECK(all[3].name == "c");
  CHECK(all[3].value == "d");
}

TEST_CASE("properties: byte order mark, CRLF and blanks at the end are no part of a value", "[settings]") {
  const std::vector<Property> all = parsed("\xef\xbb\xbfnum.partitions=3 \t\r\nlog.dirs=/d\r\n\r\nx=1");
  REQUIRE(all.size() == 3);
  CHECK(all[0].name == "num.partitions");
  CHECK(all[0].value == "3");
  CHECK(all[1].value == "/d");
  CHECK(all[2].line == 4);
}

TEST_CASE("properties: a backslash continues a line, two do not", "[settings]") {
  const std::vector<Property> all = parsed("listeners=A://:1,\\\n   B://:2\nn=1\npath=C:\\\\\nnext=2\nopen=x\\");
  REQUIRE(all.size() == 5);
  CHECK(all[0].value == "A://:1,B://:2");
  CHECK(all[1].line == 3);
  CHECK(all[2].value == "C:\\");
  CHECK(all[3].value == "2");
  CHECK(all[4].value == "x");
}

TEST_CASE("properties: escapes", "[settings]") {
  const std::vector<Property> all = parsed("a\\=b=c\\=d\nt=\\tx\\n\nu=\\u00e9\\u20AC\n# no \\u escape here: \\uzz\n");
  REQUIRE(all.size() == 3);
  CHECK(all[0].name == "a=b");
  CHECK(all[0].value == "c=d");
  CHECK(all[1].value == "\tx\n");
  CHECK(all[2].value == "\xc3\xa9\xe2\x82\xac");
}

TEST_CASE("properties: an empty value is a value, and separators inside it are part of it", "[settings]") {
  const std::vector<Property> all = parsed("broker.rack=\nlisteners=PLAINTEXT://:9092\neq==x\n");
  REQUIRE(all.size() == 3);
  CHECK(all[0].value.empty());
  CHECK(all[1].value == "PLAINTEXT://:9092");
  CHECK(all[2].value == "=x");
}

TEST_CASE("properties: what cannot be meant is an error with its line", "[settings]") {
  CHECK(error_of("a=1\nnum.partitions\n") == "line 2: 'num.partitions' has no value; write name=value");
  CHECK(error_of("\n\n=3\n") == "line 3: '=3' has no name; write name=value");
  CHECK(error_of("a=\\u00g1\n") == "line 1: \\u must be followed by four hexadecimal digits");
  CHECK(error_of("a=\\u12") == "line 1: \\u must be followed by four hexadecimal digits");
  CHECK(error_of(std::string_view("a=1\nb=\0x\n", 9)).starts_with("line 2: not text"));
}

TEST_CASE("properties: any bytes end in an answer", "[settings]") {
  const std::string seed = "a=b\\\r\n\xef\xbb\xbf c : d\\u00e9\n#x\n!y\n=\n";
  for (size_t cut = 0; cut <= seed.size(); ++cut) {
    for (const char flipped : {'\\', '\n', '\r', '=', 'u', '\0'}) {
      std::string text = seed.substr(0, cut);
      if (!text.empty()) text[cut / 2] = flipped;
      const Result<std::vector<Property>> properties = parse_properties(text);
      if (!properties) CHECK(properties.error().context.starts_with("line "));
    }
  }
}

}  // namespace
}  // namespace leat
