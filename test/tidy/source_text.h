// source_text.h: one file of our tree as the tidy rules see it: its lines as written, and its code with comments,
// string and character literals blanked out, so that a rule about code is not fooled by prose. Blanking keeps every
// line and column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leat::tidy {

struct SourceText {
  std::string path;                // from the top of the tree, with '/'
  std::vector<std::string> lines;  // as written
  std::vector<std::string> code;   // the same lines, comments and literals blanked

  static SourceText parse(std::string path, std::string_view text);
  bool is_cpp() const noexcept;  // .h or .cpp: everything else has `code` equal to `lines`
  bool is_header() const noexcept;
  bool is_test() const noexcept;  // under test/ or benchmarks/
};

struct Function {
  std::string head;   // its first line
  size_t first_line;  // from 1, where its declaration begins
  size_t line_count;  // to its closing brace
};
// Every function body in the code: free functions, members, lambdas at namespace scope, TEST_CASEs. A lambda inside a
// function counts as part of it.
std::vector<Function> find_functions(const SourceText& source);

// The identifier characters of C++.
bool is_word(char c) noexcept;

}  // namespace leat::tidy
