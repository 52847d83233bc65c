// message_print.cpp: one line for people. Beyond its greatest size only "..." is added, and brackets are no longer
// closed.
#include "core/codec/message_print.h"

#include <fmt/format.h>

namespace leat {
namespace {

constexpr size_t kStringBytesShown = 80;

bool opens(const std::string& text) { return text.empty() || text.back() == '{' || text.back() == '['; }

}  // namespace

std::string PrintSink::take() && {
  if (full()) text_ += " ...";
  return std::move(text_);
}

void PrintSink::separate() {
  if (!opens(text_) && !text_.ends_with(": ")) text_ += ", ";
}

void PrintSink::put(std::string_view value) {
  if (full()) return;
  separate();
  text_ += value;
}

void PrintSink::close(char bracket) {
  if (!full()) text_ += bracket;
}

bool PrintSink::begin_field(const Field& field) {
  if (!field.present || field.at_default || full()) return false;
  separate();
  text_ += field.name;
  text_ += ": ";
  return true;
}

void PrintSink::begin_struct() { put("{"); }

bool PrintSink::on_nullable(bool has_value) {
  if (!has_value) put("null");
  return has_value;
}

size_t PrintSink::begin_array(size_t count) {
  put("[");
  return count;
}

void PrintSink::on_string(std::string& value) {
  std::string quoted = "\"";
  for (const char c : std::string_view(value).substr(0, kStringBytesShown)) {  // from peers: a log line stays one line
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      quoted += c;
    } else {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  put(quoted + (value.size() > kStringBytesShown ? "...\"" : "\""));
}

}  // namespace leat
