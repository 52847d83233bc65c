// config_key.cpp: parsing and checking of one value, in Kafka's words.
#include "core/metadata/config_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "core/base/parse_int.h"
#include "core/metadata/nearest_name.h"

namespace leat {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

Error invalid(const ConfigKey& key, std::string_view value, std::string_view why) {
  const std::string_view shown = key.is_sensitive() ? "[hidden]" : value.empty() ? "''" : value;
  return {Errc::kInvalidArgument, fmt::format("Invalid value {} for configuration {}: {}", shown, key.name, why)};
}

std::optional<double> parse_double(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::string copy(
      text);  // strtod wants an end; std::from_chars for double is missing from some standard libraries
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || std::isnan(value) || copy.find_first_of("xXpP") != std::string::npos)
    return std::nullopt;
  return value;
}

struct IntegerType {
  int64_t low;
  int64_t high;
  std::string_view name;
};

std::optional<IntegerType> integer_type(ConfigType type) {
  switch (type) {
    case ConfigType::kInt:
      return IntegerType{INT32_MIN, INT32_MAX, "INT"};
    case ConfigType::kShort:
      return IntegerType{INT16_MIN, INT16_MAX, "SHORT"};
    case ConfigType::kLong:
      return IntegerType{INT64_MIN, INT64_MAX, "LONG"};
    case ConfigType::kUnknown:
    case ConfigType::kBoolean:
    case ConfigType::kString:
    case ConfigType::kDouble:
    case ConfigType::kList:
    case ConfigType::kClass:
    case ConfigType::kPassword:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string shown_number(double number) {
  return std::floor(number) == number ? fmt::format("{:.0f}", number) : fmt::format("{}", number);
}

Result<void> check_type(const ConfigKey& key, std::string_view value) {
  if (const std::optional<IntegerType> type = integer_type(key.type)) {
    const std::optional<int64_t> number = parse_integer(value);
    if (!number || *number < type->low || *number > type->high) {
      const bool has_suffix = !value.empty() && value.front() >= '0' && value.front() <= '9';
      return fail(invalid(key, value,
                          fmt::format("Not a number of type {}{}", type->name,
                                      has_suffix && !number ? " (write the number in full, without a unit)" : "")));
    }
  } else if (key.type == ConfigType::kDouble) {
    if (!parse_double(value)) return fail(invalid(key, value, "Not a number of type DOUBLE"));
  } else if (key.type == ConfigType::kBoolean) {
    const std::string word = lower(value);
    if (word != "true" && word != "false")
      return fail(invalid(key, value, "Expected value to be either true or false"));
  }
  return {};
}

// The table's numbers are exact up to 2^53; the few bounds beyond it are those of the type.
Result<void> check_number(const ConfigKey& key, std::string_view value, bool has_high) {
  const double number =
      key.type == ConfigType::kDouble ? config_double(value) : static_cast<double>(config_integer(value));
  if (number < key.low)
    return fail(invalid(key, value, fmt::format("Value must be at least {}", shown_number(key.low))));
  if (has_high && number > key.high) {
    return fail(invalid(key, value, fmt::format("Value must be no more than {}", shown_number(key.high))));
  }
  return {};
}

Result<void> check_unlimited_or_at_least(const ConfigKey& key, std::string_view value) {
  const int64_t number = config_integer(value);
  if (number == -1 || static_cast<double>(number) >= key.low) return {};
  return fail(invalid(key, value, fmt::format("Value must be unlimited (-1) or at least {}", shown_number(key.low))));
}

Result<void> check_choice(const ConfigKey& key, const std::string& one) {
  const std::vector<std::string> choices = config_list(key.choices);
  if (std::find(choices.begin(), choices.end(), one) != choices.end()) return {};
  return fail(invalid(key, one, fmt::format("String must be one of: {}", key.choices)));
}

Result<void> check_list(const ConfigKey& key, std::string_view value) {
  const std::vector<std::string> given = config_list(value);
  const auto refuse = [&key](std::string_view why) {
    return fail(Errc::kInvalidArgument, fmt::format("Configuration '{}' values must not be {}.", key.name, why));
  };
  if (std::set<std::string>(given.begin(), given.end()).size() != given.size()) return refuse("duplicated");
  for (const std::string& one : given) {
    if (one.empty()) return refuse("empty");
    TRY(check_choice(key, one));
  }
  return {};
}

bool is_replica(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto digits = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  return digits(text.substr(0, colon)) && digits(text.substr(colon + 1));
}

Result<void> check_throttled(const ConfigKey& key, std::string_view value) {
  const std::vector<std::string> replicas = config_list(value);
  if (value == "*" || std::all_of(replicas.begin(), replicas.end(), is_replica)) return {};
  return fail(invalid(key, fmt::format("[{}]", value),
                      fmt::format("{} must be the literal '*' or a list of replicas in the following format: "
                                  "[partitionId]:[brokerId],[partitionId]:[brokerId],...",
                                  key.name)));
}

}  // namespace

const ConfigKey* ConfigTable::find(std::string_view name) const noexcept {
  const auto at = std::lower_bound(keys_.begin(), keys_.end(), name,
                                   [](const ConfigKey& key, std::string_view n) { return key.name < n; });
  return at != keys_.end() && at->name == name ? &*at : nullptr;
}

std::vector<std::string_view> ConfigTable::names() const {
  std::vector<std::string_view> all;
  all.reserve(keys_.size());
  for (const ConfigKey& key : keys_) all.push_back(key.name);
  return all;
}

Result<void> check_config_value(const ConfigKey& key, std::string_view untrimmed) {
  const std::string_view value = trimmed(untrimmed);
  TRY(check_type(key, value));
  switch (key.rule) {
    case ConfigRule::kAny:
      return {};
    case ConfigRule::kAtLeast:
      return check_number(key, value, false);
    case ConfigRule::kUnlimitedOrAtLeast:
      return check_unlimited_or_at_least(key, value);
    case ConfigRule::kBetween:
      return check_number(key, value, true);
    case ConfigRule::kOneOf:
      return check_choice(key, std::string(value));
    case ConfigRule::kOneOfAnyCase:
      return check_choice(key, lower(value));
    case ConfigRule::kListOf:
      return check_list(key, value);
    case ConfigRule::kGzipLevel: {
      const int64_t level = config_integer(value);
      if (level == -1 || (level >= 1 && level <= 9)) return {};
      return fail(invalid(key, value, "Value must be between 1 and 9 or equal to -1"));
    }
    case ConfigRule::kThrottledReplicas:
      return check_throttled(key, value);
  }
  return {};
}

Result<void> check_known(const ConfigTable& table, std::string_view kind, const ConfigMap& configs) {
  for (const auto& [name, value] : configs) {
    const ConfigKey* key = table.find(name);
    if (key == nullptr) {
      return fail(Errc::kInvalidArgument,
                  fmt::format("Unknown {} config name: {}{}", kind, name, nearest_name_hint(name, table.names())));
    }
    TRY(check_config_value(*key, value));
  }
  return {};
}

std::string_view trimmed(std::string_view text) noexcept {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<int64_t> parse_integer(std::string_view text) noexcept {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  return parse_int<int64_t>(text);
}

int64_t config_integer(std::string_view value) noexcept { return parse_integer(trimmed(value)).value_or(0); }
double config_double(std::string_view value) noexcept { return parse_double(trimmed(value)).value_or(0); }
bool config_boolean(std::string_view value) noexcept { return lower(trimmed(value)) == "true"; }

std::vector<std::string> config_list(std::string_view value) {
  std::vector<std::string> elements;
  value = trimmed(value);
  while (!value.empty()) {
    const size_t comma = value.find(',');
    elements.emplace_back(trimmed(value.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    value.remove_prefix(comma + 1);
    if (value.empty()) elements.emplace_back();
  }
  return elements;
}

}  // namespace leat
