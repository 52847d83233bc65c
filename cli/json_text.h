// json_text.h: JSON as the commands print it: one object a line, members in the order given, bytes that are no UTF-8
// replaced. Written as text at once: a command's answer is a few members, and a consumed record must be cheap. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace leat::cli {

struct JsonRaw {  // a value that is JSON already
  std::string text;
};
using JsonValue = std::variant<std::nullptr_t, bool, int64_t, double, std::string_view, JsonRaw>;
template <class T>
JsonValue or_null(const std::optional<T>& value) {
  return value ? JsonValue(*value) : JsonValue(nullptr);
}

class JsonObject {
 public:
  JsonObject() = default;
  struct Member {
    std::string_view name;
    JsonValue value;
  };
  JsonObject(std::initializer_list<Member> members);

  void add(std::string_view name, const JsonValue& value);
  JsonRaw raw() const { return {text_ + "}"}; }
  std::string line() const { return text_ + "}\n"; }

 private:
  std::string text_ = "{";
};

JsonRaw json_array(const std::vector<JsonValue>& values);
JsonRaw json_texts(const std::vector<std::string>& texts);
std::string json_line(std::initializer_list<JsonObject::Member> members);

}  // namespace leat::cli
