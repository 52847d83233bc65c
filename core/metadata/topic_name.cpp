// topic_name.cpp: the rules of Apache Kafka 4.4.0's Topic class, in its order of checks.
#include "core/metadata/topic_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace leat {
namespace {

bool is_allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

std::optional<std::string> topic_name_fault(std::string_view name) {
  if (name.empty()) return "Topic name is invalid: the empty string is not allowed";
  if (name == "." || name == "..") return fmt::format("Topic name is invalid: '{}' is not allowed", name);
  if (name.size() > kTopicNameBytesMax) {
    return fmt::format("Topic name is invalid: the length of '{}' is longer than the max allowed length {}", name,
                       kTopicNameBytesMax);
  }
  if (!std::all_of(name.begin(), name.end(), is_allowed)) {
    return fmt::format(
        "Topic name is invalid: '{}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'",
        name);
  }
  return std::nullopt;
}

bool can_collide(std::string_view name) noexcept { return name.find_first_of("._") != std::string_view::npos; }

std::string colliding_form(std::string_view name) {
  std::string form(name);
  std::replace(form.begin(), form.end(), '.', '_');
  return form;
}

}  // namespace leat
