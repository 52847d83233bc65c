// source_text.cpp: blanking of comments and literals.
#include "test/tidy/source_text.h"

#include <cctype>

namespace leat::tidy {

namespace {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Walks the text once; every character outside of code becomes a space, line ends stay.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text), out_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (starts_with("//")) {
        blank_line_comment();
      } else if (starts_with("/*")) {
        blank_until("*/");
      } else if (text_[at_] == '"') {
        raw_prefix() ? blank_raw_string() : blank_literal('"');
      } else if (text_[at_] == '\'' && !inside_number()) {
        blank_literal('\'');
      } else {
        ++at_;
      }
    }
    return std::move(out_);
  }

 private:
  bool starts_with(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  void blank_one() {
    if (text_[at_] != '\n') out_[at_] = ' ';
    ++at_;
  }
  // A comment that ends in a backslash goes on in the next line.
  void blank_line_comment() {
    while (at_ < text_.size() && (text_[at_] != '\n' || text_[at_ - 1] == '\\')) blank_one();
  }
  void blank_until(std::string_view end) {
    const size_t found = text_.find(end, at_ + 1);
    const size_t stop = found == std::string_view::npos ? text_.size() : found + end.size();
    while (at_ < stop) blank_one();
  }
  // The quotes stay, so that `f("x")` still looks like a call with an argument.
  void blank_literal(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) blank_one();
      blank_one();
    }
    if (at_ < text_.size()) ++at_;
  }
  bool raw_prefix() const { return at_ > 0 && text_[at_ - 1] == 'R' && (at_ == 1 || !std::isalnum(text_[at_ - 2])); }
  void blank_raw_string() {
    const size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return blank_literal('"');
    const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    blank_until(end);
  }
  // 1'000'000: the quote separates digits.
  bool inside_number() const {
    size_t begin = at_;
    while (begin > 0 && (is_word(text_[begin - 1]) || text_[begin - 1] == '\'')) --begin;
    return begin < at_ && std::isdigit(static_cast<unsigned char>(text_[begin])) != 0;
  }

  std::string_view text_;
  std::string out_;
  size_t at_ = 0;
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

bool is_word(char c) noexcept { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

SourceText SourceText::parse(std::string path, std::string_view text) {
  SourceText source{.path = std::move(path), .lines = split_lines(text), .code = {}};
  source.code = source.is_cpp() ? split_lines(Blanker(text).run()) : source.lines;
  return source;
}

bool SourceText::is_header() const noexcept { return ends_with(path, ".h"); }
bool SourceText::is_cpp() const noexcept { return is_header() || ends_with(path, ".cpp"); }
bool SourceText::is_test() const noexcept { return path.rfind("test/", 0) == 0 || path.rfind("benchmarks/", 0) == 0; }

}  // namespace leat::tidy
