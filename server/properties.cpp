// properties.cpp: logical lines first (continuations joined), then name, separator and value of each.
#include "server/properties.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/parse_int.h"

namespace leat {
namespace {

constexpr std::string_view kBom = "\xef\xbb\xbf";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

std::string_view without_leading_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

// An odd number of backslashes at the end: the last one is no escaped backslash.
bool continues(std::string_view line) {
  size_t backslashes = 0;
  while (backslashes < line.size() && line[line.size() - 1 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool empty() const { return rest_.empty(); }
  int number() const { return number_; }
  std::string_view next() {
    ++number_;
    const size_t end = rest_.find_first_of("\r\n");
    const std::string_view line = rest_.substr(0, end);
    if (end == std::string_view::npos) {
      rest_ = {};
    } else {
      rest_.remove_prefix(rest_.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
    }
    return line;
  }

 private:
  std::string_view rest_;
  int number_ = 0;
};

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

std::optional<uint32_t> parse_hex4(std::string_view digits) {
  if (digits.size() < 4) return std::nullopt;
  return parse_int<uint32_t>(digits.substr(0, 4), 16);
}

Result<std::string> unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) break;
    switch (text[i]) {
      case 't':
        out += '\t';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 'f':
        out += '\f';
        break;
      case 'u': {
        const std::optional<uint32_t> code = parse_hex4(text.substr(i + 1));
        if (!code) return fail(Errc::kInvalidArgument, "\\u must be followed by four hexadecimal digits");
        append_utf8(out, *code);
        i += 4;
        break;
      }
      default:
        out += text[i];
    }
  }
  return out;
}

Result<Property> parse_property(std::string_view line) {
  size_t end = 0;
  while (end < line.size() && line[end] != '=' && line[end] != ':' && !is_blank(line[end]))
    end += line[end] == '\\' ? 2 : 1;
  if (end >= line.size()) return fail(Errc::kInvalidArgument, fmt::format("'{}' has no value; write name=value", line));
  std::string_view value = without_leading_blanks(line.substr(end));
  if (value.starts_with('=') || value.starts_with(':')) value = without_leading_blanks(value.substr(1));
  while (!value.empty() && is_blank(value.back())) value.remove_suffix(1);
  TRY(name_text, unescaped(line.substr(0, end)));
  TRY(value_text, unescaped(value));
  if (name_text.empty()) return fail(Errc::kInvalidArgument, fmt::format("'{}' has no name; write name=value", line));
  return Property{.name = std::move(name_text), .value = std::move(value_text), .line = 0};
}

}  // namespace

Result<std::vector<Property>> parse_properties(std::string_view text) {
  if (text.starts_with(kBom)) text.remove_prefix(kBom.size());
  std::vector<Property> properties;
  Lines lines(text);
  while (!lines.empty()) {
    std::string line(without_leading_blanks(lines.next()));
    const int number = lines.number();
    if (line.empty() || line.front() == '#' || line.front() == '!') continue;
    while (continues(line) && !lines.empty()) {
      line.pop_back();
      line += without_leading_blanks(lines.next());
    }
    if (line.find('\0') != std::string::npos)
      return fail(Errc::kInvalidArgument, fmt::format("line {}: not text (a NUL byte)", number));
    Result<Property> property = parse_property(line);
    if (!property) return fail(property.error().code, fmt::format("line {}: {}", number, property.error().context));
    property->line = number;
    properties.push_back(*std::move(property));
  }
  return properties;
}

}  // namespace leat
