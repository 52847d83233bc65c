// protocol_document_test.cpp: docs/protocol.md says of every API what ApiVersions says: served or not, and which
// versions.
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <string>

#include "net/protocol/api_table.h"
#include "test/support/catch.h"

namespace leat::tidy {

namespace {

using Rows = std::map<std::string, std::string>;  // "key API" to versions

std::string cell(const std::string& line, size_t wanted) {
  size_t begin = 0;
  for (size_t i = 0; i <= wanted && begin != std::string::npos; ++i) begin = line.find('|', begin) + 1;
  const size_t end = line.find('|', begin);
  if (begin == 0 || end == std::string::npos) return "";
  const std::string text = line.substr(begin, end - begin);
  const size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The rows that begin with a number, of the tables under the heading.
Rows rows_under(std::istream& document, const std::string& heading) {
  Rows rows;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line.rfind("## ", 0) == 0) inside = line == "## " + heading;
    if (!inside || line.rfind("| ", 0) != 0 || line.size() < 3 || line[2] < '0' || line[2] > '9') continue;
    rows[cell(line, 0) + " " + cell(line, 1)] = cell(line, 2);
  }
  return rows;
}

Rows rows_of_document(const std::string& heading) {
  std::ifstream document(LEAT_SOURCE_DIR "/docs/protocol.md");
  REQUIRE(document.good());
  return rows_under(document, heading);
}

Rows rows_of_table(Served served) {
  Rows rows;
  for (const ApiSpec& api : kApis) {
    if (api.served != served) continue;
    const int16_t min = served == Served::kYes ? api.advertised_min : api.min;
    rows[fmt::format("{} {}", static_cast<int>(api.key), api.name)] =
        min == api.max ? fmt::format("{}", min) : fmt::format("{}–{}", min, api.max);
  }
  return rows;
}

}  // namespace

TEST_CASE("docs/protocol.md: its tables are the broker's", "[docs]") {
  const Rows served = rows_of_document("Served");
  CHECK(served.size() > 10);
  CHECK(served == rows_of_table(Served::kYes));
  CHECK(rows_of_document("Described, not served yet") == rows_of_table(Served::kNo));
}

}  // namespace leat::tidy
