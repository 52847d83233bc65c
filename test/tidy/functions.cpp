// functions.cpp: finds function bodies by following braces, without parsing C++. What is between the last `;`, `{` or
// `}` and a brace (its head) says what the brace opens; that suffices on code that clang-format has been over.
#include <array>
#include <optional>
#include <string>

#include "test/tidy/source_text.h"

namespace leat::tidy {

namespace {

enum class Scope { kNamespace, kClass, kFunction, kInitializer, kBlock };

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

std::string_view first_word(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(0, end);
}

std::string_view last_word(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

std::string_view without_template(std::string_view head) {
  while (first_word(head) == "template") {
    size_t at = head.find('<');
    if (at == std::string_view::npos) return head;
    int depth = 0;
    do {
      depth += head[at] == '<' ? 1 : head[at] == '>' ? -1 : 0;
      ++at;
    } while (depth > 0 && at < head.size());
    head = trim(head.substr(at));
  }
  return head;
}

bool is_qualifier(std::string_view word) {
  return word == "const" || word == "noexcept" || word == "override" || word == "final" || word == "mutable" ||
         word == "try";
}

// `Foo::Foo(int a) : a_` before a brace: the brace initializes a member, and the body is still to come.
bool is_member_initializer(std::string_view head) {
  const size_t close = head.find(')');
  if (close == std::string_view::npos || head.empty() || !(is_word(head.back()) || head.back() == '>')) return false;
  if (is_qualifier(last_word(head))) return false;
  for (size_t i = close; i + 1 < head.size(); ++i) {
    if (head[i] == '?') return false;
    if (head[i] == ':' && head[i + 1] != ':' && head[i - 1] != ':') return true;
  }
  return false;
}

Scope scope_of(std::string_view whole_head, bool inside_function) {
  if (inside_function) return Scope::kBlock;
  const std::string_view head = without_template(trim(whole_head));
  const std::string_view first = first_word(head);
  const bool ends_like_function = !head.empty() && (head.back() == ')' || is_qualifier(last_word(head)));
  if (first == "namespace" || (first == "inline" && head.find("namespace") != std::string_view::npos))
    return Scope::kNamespace;
  if (first == "extern" && head.find('(') == std::string_view::npos) return Scope::kNamespace;
  if (first == "class" || first == "struct" || first == "union" || first == "enum") {
    if (head.find('(') == std::string_view::npos || !ends_like_function) return Scope::kClass;
  }
  if (head.find('(') == std::string_view::npos) return Scope::kInitializer;
  if (is_member_initializer(head)) return Scope::kInitializer;
  const char last = head.back();
  if (last == '=' || last == ',' || last == '(' || last == '{') return Scope::kInitializer;
  return Scope::kFunction;
}

struct Open {
  Scope scope;
  std::string head;
  size_t first_line;
  int paren_depth;  // of the code around the brace
};

class Walker {
 public:
  explicit Walker(const SourceText& source) : source_(source) {}

  std::vector<Function> run() {
    bool continued = false;  // a preprocessor line that ends in a backslash
    for (line_ = 1; line_ <= source_.code.size(); ++line_) {
      const std::string& text = source_.code[line_ - 1];
      const std::string_view trimmed = trim(text);
      const bool directive = continued || (!trimmed.empty() && trimmed.front() == '#');
      continued = directive && !trimmed.empty() && trimmed.back() == '\\';
      if (directive) continue;
      for (const char c : text) step(c);
      if (!head_.empty()) head_ += '\n';
    }
    // Only #if branches that open a brace twice come here; such a function cannot be measured, so it is reported as too
    // long.
    if (!open_.empty()) found_.push_back({"braces do not balance", open_.front().first_line, source_.code.size()});
    return std::move(found_);
  }

 private:
  void step(char c) {
    switch (c) {
      case '(':
        ++paren_depth_;
        return add(c);
      case ')':
        --paren_depth_;
        return add(c);
      case '{':
        return open();
      case '}':
        return close();
      case ';':
        return paren_depth_ > 0 ? add(c) : head_.clear();
      case ':':
        return after_access_specifier() ? head_.clear() : add(c);
      default:
        return add(c);
    }
  }
  void add(char c) {
    if (head_.empty()) {
      if (c == ' ') return;
      head_line_ = line_;
    }
    head_ += c;
  }
  bool after_access_specifier() const { return head_ == "public" || head_ == "private" || head_ == "protected"; }
  bool inside_function() const {
    for (const Open& scope : open_) {
      if (scope.scope == Scope::kFunction) return true;
    }
    return false;
  }
  void open() {
    const Scope scope = paren_depth_ > 0 ? Scope::kBlock : scope_of(head_, inside_function());
    const size_t first_line = head_.empty() ? line_ : head_line_;
    open_.push_back({scope, std::move(head_), first_line, paren_depth_});
    head_.clear();
    paren_depth_ = 0;
  }
  void close() {
    if (open_.empty()) return;
    Open opened = std::move(open_.back());
    open_.pop_back();
    paren_depth_ = opened.paren_depth;
    head_.clear();
    if (opened.scope == Scope::kFunction) {
      found_.push_back(
          {opened.head.substr(0, opened.head.find('\n')), opened.first_line, line_ - opened.first_line + 1});
    } else if (opened.scope == Scope::kInitializer || opened.paren_depth > 0) {
      head_ = std::move(opened.head) + "{}";  // the statement goes on
      head_line_ = opened.first_line;
    }
  }

  const SourceText& source_;
  std::vector<Function> found_;
  std::vector<Open> open_;
  std::string head_;
  size_t head_line_ = 1;
  size_t line_ = 1;
  int paren_depth_ = 0;
};

}  // namespace

std::vector<Function> find_functions(const SourceText& source) { return Walker(source).run(); }

}  // namespace leat::tidy
