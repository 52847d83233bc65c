// rules.h: the tidy rules: what Leat's own tree must not contain. Each rule looks at one file, or at the tree as a
// whole, and says where it is broken and what to do. Exceptions are in exceptions.h, by rule and file, each with its
// reason.
#pragma once

#include <string>
#include <vector>

#include "test/tidy/source_text.h"

namespace leat::tidy {

struct Violation {
  std::string rule;  // "line-length", "banned-call", ...
  std::string path;
  size_t line;
  std::string message;

  std::string to_string() const;  // path:line: [rule] message
};
using Violations = std::vector<Violation>;

inline constexpr size_t kLineColumnsMax = 120;
inline constexpr size_t kFunctionLinesMax = 70;
inline constexpr size_t kFileLinesMax = 800;

// Rules that need nothing but the file itself.
Violations check_file(const SourceText& source);

// One rule each, for check_file and for their own tests.
void check_sizes(const SourceText& source, Violations& found);        // line-length, function-length, file-length
void check_top_comment(const SourceText& source, Violations& found);  // top-comment
void check_includes(const SourceText& source, Violations& found);     // upward-include, include-path, uv-include
void check_banned(const SourceText& source, Violations& found);       // banned-call
void check_leftovers(const SourceText& source, Violations& found);    // leftover, machine-path
void check_name(const SourceText& source, Violations& found);         // vague-name
void check_header(const SourceText& source, Violations& found);       // pragma-once, using-namespace

// Rules about the tree: every .cpp is named by a CMakeLists.txt, every quoted include exists, and every header is the
// first include of its own .cpp or of a generated one (then the compiler proves that it compiles alone).
Violations check_tree(const std::vector<SourceText>& tree);

}  // namespace leat::tidy
