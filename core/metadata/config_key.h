// config_key.h: what a setting is: name, type, default, valid values, documentation, and how it may be changed. One
// table for topics (topic_configs.h), one for the broker (broker_configs.h); values are kept as the text that the user
// gave, as Kafka keeps them. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace leat {

// Overrides of one resource: name to value.
using ConfigMap = std::map<std::string, std::string, std::less<>>;

// Numbers as DescribeConfigs has them on the wire.
enum class ConfigType : int8_t {
  kUnknown = 0,
  kBoolean = 1,
  kString = 2,
  kInt = 3,
  kShort = 4,
  kLong = 5,
  kDouble = 6,
  kList = 7,
  kClass = 8,
  kPassword = 9,
};

enum class ConfigSource : int8_t {
  kUnknown = 0,
  kDynamicTopic = 1,
  kDynamicBroker = 2,
  kDynamicDefaultBroker = 3,
  kStaticBroker = 4,
  kDefault = 5,
  kDynamicGroup = 8,
};

// Kafka's three ways of changing a broker setting while it runs.
enum class ConfigUpdate : uint8_t {
  kReadOnly,     // by the settings file and a restart
  kPerBroker,    // for one broker only
  kClusterWide,  // for one broker or as the default of all
};

enum class ConfigRule : uint8_t {
  kAny,
  kAtLeast,             // low
  kUnlimitedOrAtLeast,  // -1, or low
  kBetween,             // low, high
  kOneOf,               // choices
  kOneOfAnyCase,        // choices, in capitals or not
  kListOf,              // each element among choices
  kGzipLevel,           // 1 to 9 or -1
  kThrottledReplicas,   // '*' or partition:broker,...
};

enum class ConfigListing : uint8_t {
  kListed,
  kHidden,  // accepted, but left out of DescribeConfigs (Kafka's internal settings)
};

struct ConfigKey {
  std::string_view name;
  ConfigType type = ConfigType::kString;
  const char* default_value = nullptr;  // null: none
  ConfigRule rule = ConfigRule::kAny;
  double low = 0;
  double high = 0;
  std::string_view choices{};  // "a, b, c"
  std::string_view documentation{};
  ConfigUpdate update = ConfigUpdate::kReadOnly;
  ConfigListing listing = ConfigListing::kListed;
  // Broker settings that stand behind it, the first the closest: log.retention.ms, log.retention.minutes,
  // log.retention.hours.
  std::array<std::string_view, 3> synonyms{};

  bool is_sensitive() const noexcept { return type == ConfigType::kPassword; }
};

// A fixed table, sorted by name.
class ConfigTable {
 public:
  explicit constexpr ConfigTable(std::span<const ConfigKey> keys) noexcept : keys_(keys) {}
  const ConfigKey* find(std::string_view name) const noexcept;
  std::span<const ConfigKey> keys() const noexcept { return keys_; }
  std::vector<std::string_view> names() const;

 private:
  std::span<const ConfigKey> keys_;
};

// Kafka's words: "Invalid value abc for configuration retention.ms: Not a number of type LONG".
Result<void> check_config_value(const ConfigKey& key, std::string_view value);
// Each of `configs` is in the table, and its value is valid. Kafka's words, and the nearest name: "Unknown topic config
// name: retention.mss, did you mean retention.ms?", where `kind` is "topic".
Result<void> check_known(const ConfigTable& table, std::string_view kind, const ConfigMap& configs);

// Values that passed check_config_value. Whitespace round them is not part of them.
std::string_view trimmed(std::string_view text) noexcept;
int64_t config_integer(std::string_view value) noexcept;
double config_double(std::string_view value) noexcept;
bool config_boolean(std::string_view value) noexcept;
std::vector<std::string> config_list(std::string_view value);  // "" is no element

// A decimal integer within int64, a sign allowed, as Java reads it: parse_int.h takes no plus.
std::optional<int64_t> parse_integer(std::string_view text) noexcept;

}  // namespace leat
