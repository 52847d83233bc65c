// tree_test.cpp: Leat's own tree keeps the tidy rules, but for the named exceptions.
#include <array>
#include <cstdio>
#include <string>

#include "test/support/catch.h"
#include "test/tidy/exceptions.h"
#include "test/tidy/rules.h"
#include "test/tidy/tree.h"

namespace leat::tidy {

namespace {

Violations all_violations(const std::vector<SourceText>& tree) {
  Violations found = check_tree(tree);
  for (const SourceText& source : tree) {
    Violations in_file = check_file(source);
    found.insert(found.end(), std::make_move_iterator(in_file.begin()), std::make_move_iterator(in_file.end()));
  }
  return found;
}

bool excuses(const Exception& exception, const Violation& violation) {
  return exception.rule == violation.rule && exception.path == violation.path &&
         violation.message.find(exception.text) != std::string::npos;
}

}  // namespace

TEST_CASE("tree: keeps the tidy rules", "[tidy]") {
  const std::vector<SourceText> tree = read_tree(LEAT_SOURCE_DIR);
  REQUIRE(tree.size() > 50);
  std::array<bool, kExceptions.size()> used{};
  std::string report;
  for (const Violation& violation : all_violations(tree)) {
    bool excused = false;
    for (size_t i = 0; i < kExceptions.size(); ++i) {
      if (!excuses(kExceptions[i], violation)) continue;
      excused = used[i] = true;
    }
    if (!excused) report += violation.to_string() + "\n";
  }
  std::fputs(report.c_str(), stderr);  // not INFO, which breaks the lines
  CHECK(report.empty());
  for (size_t i = 0; i < kExceptions.size(); ++i) {
    INFO("an exception that excuses nothing: " << kExceptions[i].rule << " in " << kExceptions[i].path);
    CHECK(used[i]);
  }
}

}  // namespace leat::tidy
