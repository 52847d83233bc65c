// json_text.cpp: the quoting of strings is nlohmann's.
#include "cli/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace leat::cli {
namespace {

std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

struct ToText {
  std::string operator()(std::nullptr_t) const { return "null"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(std::string_view value) const { return quoted(value); }
  std::string operator()(const JsonRaw& value) const { return value.text; }
};

}  // namespace

JsonObject::JsonObject(std::initializer_list<Member> members) {
  for (const Member& member : members) add(member.name, member.value);
}

void JsonObject::add(std::string_view name, const JsonValue& value) {
  if (text_.size() > 1) text_ += ',';
  text_ += quoted(name);
  text_ += ':';
  text_ += std::visit(ToText(), value);
}

JsonRaw json_array(const std::vector<JsonValue>& values) {
  std::string text = "[";
  for (const JsonValue& value : values) {
    if (text.size() > 1) text += ',';
    text += std::visit(ToText(), value);
  }
  return {text + "]"};
}

JsonRaw json_texts(const std::vector<std::string>& texts) {
  std::vector<JsonValue> values;
  values.reserve(texts.size());
  for (const std::string& text : texts) values.emplace_back(std::string_view(text));
  return json_array(values);
}

std::string json_line(std::initializer_list<JsonObject::Member> members) { return JsonObject(members).line(); }

}  // namespace leat::cli
