// rules.cpp: sizes, comments, names and leftovers; includes are in include_rules.cpp, banned calls in banned_rules.cpp.
#include "test/tidy/rules.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace leat::tidy {

namespace {

size_t columns(std::string_view line) {
  size_t count = 0;
  for (const char c : line)
    count += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1;  // UTF-8 continuation bytes
  return count;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_prose(const SourceText& source) { return file_name(source.path).find(".md") != std::string_view::npos; }

// The file name that a comment begins with: "// uuid.h: Kafka's ids" names uuid.h. Empty when it begins otherwise.
std::string_view named_file(std::string_view comment) {
  const size_t colon = comment.find(": ");
  if (colon == std::string_view::npos) return {};
  const std::string_view name = file_name(comment.substr(0, colon));
  const bool is_file = name.find(' ') == std::string_view::npos && name.find('.') != std::string_view::npos;
  return is_file ? name : std::string_view{};
}

bool has_condition(std::string_view after_todo) {
  return after_todo.size() > 2 && after_todo[0] == '(' && after_todo.find(')') != std::string_view::npos &&
         after_todo[1] != ')';
}

}  // namespace

std::string Violation::to_string() const { return fmt::format("{}:{}: [{}] {}", path, line, rule, message); }

void check_sizes(const SourceText& source, Violations& found) {
  if (is_prose(source)) return;
  for (size_t i = 0; i < source.lines.size(); ++i) {
    const size_t count = columns(source.lines[i]);
    if (count > kLineColumnsMax) {
      found.push_back(
          {"line-length", source.path, i + 1, fmt::format("{} columns, at most {}", count, kLineColumnsMax)});
    }
  }
  if (source.lines.size() > kFileLinesMax) {
    found.push_back(
        {"file-length", source.path, kFileLinesMax,
         fmt::format("{} lines, at most {}: split it by what changes apart", source.lines.size(), kFileLinesMax)});
  }
  if (!source.is_cpp()) return;
  for (const Function& function : find_functions(source)) {
    if (function.line_count <= kFunctionLinesMax) continue;
    found.push_back({"function-length", source.path, function.first_line,
                     fmt::format("{} lines, at most {}: {}", function.line_count, kFunctionLinesMax, function.head)});
  }
}

void check_top_comment(const SourceText& source, Violations& found) {
  // A list of sources needs no introduction, though many have one.
  if (is_prose(source) || file_name(source.path) == "CMakeLists.txt" || source.lines.empty()) return;
  const size_t first = source.lines[0].rfind("#!", 0) == 0 && source.lines.size() > 1 ? 1 : 0;
  const std::string_view line = source.lines[first];
  const std::string_view mark = source.is_cpp() ? "// " : "# ";
  if (line.substr(0, mark.size()) != mark || line.size() < mark.size() + 15) {
    found.push_back({"top-comment", source.path, first + 1,
                     "begin with a comment: what the file owns, its format, its invariants, its thread"});
    return;
  }
  const std::string_view name = named_file(line.substr(mark.size()));
  if (!name.empty() && name != file_name(source.path)) {
    found.push_back({"top-comment", source.path, first + 1, fmt::format("names another file, {}", name)});
  }
}

// Folders at the root are put together here, so that this file names no path itself.
std::vector<std::string> texts_of_a_machine() {
  std::vector<std::string> texts{"/tmp/h-",          "deb.debian.org", "registry.npmjs", "pypi.org",
                                 "proxy.golang.org", "repo1.maven",    "crates.io"};
  for (const char* folder : {"home", "root", "Users", "work"}) texts.push_back(fmt::format("/{}/", folder));
  return texts;
}

void check_leftovers(const SourceText& source, Violations& found) {
  constexpr std::array kLeftovers{"FIXME", "XXX", "HACK", "TODO", "DO NOT SUBMIT"};
  static const std::vector<std::string> machine_texts = texts_of_a_machine();
  if (source.path.rfind("test/tidy/", 0) == 0) return;  // it names what it looks for
  for (size_t i = 0; i < source.lines.size(); ++i) {
    const std::string_view line = source.lines[i];
    for (const std::string_view word : kLeftovers) {
      const size_t at = line.find(word);
      if (at == std::string_view::npos) continue;
      const bool whole =
          (at == 0 || !is_word(line[at - 1])) && (at + word.size() == line.size() || !is_word(line[at + word.size()]));
      if (!whole || (word == "TODO" && has_condition(line.substr(at + word.size())))) continue;
      found.push_back(
          {"leftover", source.path, i + 1, fmt::format("{}: do it now, or TODO(when it can be done)", word)});
    }
    for (const std::string& text : machine_texts) {
      if (line.find(text) == std::string_view::npos) continue;
      found.push_back({"machine-path", source.path, i + 1, fmt::format("`{}` belongs to one machine", text)});
    }
  }
}

void check_name(const SourceText& source, Violations& found) {
  constexpr std::array kVague{"util", "utils", "common", "helper", "helpers", "misc"};
  std::string_view rest = source.path;
  while (!rest.empty()) {
    const size_t end = rest.find_first_of("/._");
    for (const std::string_view vague : kVague) {
      if (rest.substr(0, end) != vague) continue;
      found.push_back({"vague-name", source.path, 1, fmt::format("`{}` says nothing: name what it is", vague)});
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
}

void check_header(const SourceText& source, Violations& found) {
  if (!source.is_header()) return;
  bool once = false;
  for (size_t i = 0; i < source.code.size(); ++i) {
    once = once || source.code[i].rfind("#pragma once", 0) == 0;
    if (source.code[i].rfind("using namespace", 0) == 0) {
      found.push_back({"using-namespace", source.path, i + 1, "a header gives its names to everyone who includes it"});
    }
  }
  if (!once) found.push_back({"pragma-once", source.path, 1, "a header says #pragma once"});
}

Violations check_file(const SourceText& source) {
  Violations found;
  check_sizes(source, found);
  check_top_comment(source, found);
  check_leftovers(source, found);
  check_name(source, found);
  if (source.is_cpp()) {
    check_header(source, found);
    check_includes(source, found);
    check_banned(source, found);
  }
  return found;
}

}  // namespace leat::tidy
