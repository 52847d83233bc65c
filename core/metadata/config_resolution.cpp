// config_resolution.cpp: layers and synonyms. log.retention.minutes stands behind retention.ms, so values carry a unit
// that is turned into the key's own.
#include "core/metadata/config_resolution.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/metadata/broker_configs.h"
#include "core/metadata/group_configs.h"
#include "core/metadata/topic_configs.h"

namespace leat {
namespace {

int64_t unit_ms(std::string_view name) {
  if (name.ends_with(".hours")) return 3'600'000;
  if (name.ends_with(".minutes")) return 60'000;
  return 1;
}

// The value as the key's own unit has it: 2 of log.retention.minutes is 120000 of retention.ms. Negative means for
// ever.
std::string in_unit_of(std::string_view key, std::string_view synonym, const std::string& value) {
  const int64_t factor = unit_ms(synonym) / unit_ms(key);
  if (factor <= 1) return value;
  const int64_t number = config_integer(value);
  return number < 0 ? "-1" : fmt::format("{}", number * factor);  // INT at most, so it cannot overflow
}

std::vector<ConfigSynonym> set_synonyms(const ConfigKey& key, const BrokerConfigs& broker) {
  const struct {
    const ConfigMap& values;
    ConfigSource source;
  } layers[] = {{broker.dynamic_broker, ConfigSource::kDynamicBroker},
                {broker.dynamic_default, ConfigSource::kDynamicDefaultBroker},
                {broker.static_broker, ConfigSource::kStaticBroker}};
  std::vector<ConfigSynonym> found;
  for (const auto& [values, source] : layers) {
    for (const std::string_view synonym : key.synonyms) {
      const auto at = synonym.empty() ? values.end() : values.find(synonym);
      if (at != values.end()) found.push_back({synonym, at->second, source});
    }
  }
  for (const std::string_view synonym : key.synonyms) {
    const ConfigKey* behind = synonym.empty() ? nullptr : broker_configs().find(synonym);
    if (behind != nullptr && behind->default_value != nullptr)
      found.push_back({synonym, behind->default_value, ConfigSource::kDefault});
  }
  return found;
}

EffectiveConfig resolve(const ConfigKey& key, const BrokerConfigs& broker) {
  EffectiveConfig effective{
      .key = &key, .value = std::nullopt, .source = ConfigSource::kDefault, .synonyms = set_synonyms(key, broker)};
  if (!effective.synonyms.empty()) {
    const ConfigSynonym& closest = effective.synonyms.front();
    effective.value = in_unit_of(key.name, closest.name, *closest.value);
    effective.source = closest.source;
  }
  if (effective.source == ConfigSource::kDefault && key.default_value != nullptr) effective.value = key.default_value;
  return effective;
}

// Kafka lists synonyms from the first that bears the closest broker name: log.retention.hours alone does not show.
void keep_listed(std::vector<ConfigSynonym>& synonyms, std::string_view closest_name) {
  const auto first = std::find_if(synonyms.begin(), synonyms.end(),
                                  [&](const ConfigSynonym& synonym) { return synonym.name == closest_name; });
  synonyms.erase(synonyms.begin(), first);
}

EffectiveConfig resolve_over(const ConfigKey& key, const ConfigMap& overrides, ConfigSource source,
                             const BrokerConfigs& broker) {
  EffectiveConfig effective = resolve(key, broker);
  keep_listed(effective.synonyms, key.synonyms.front());
  if (const auto at = overrides.find(key.name); at != overrides.end()) {
    effective.value = at->second;
    effective.source = source;
    effective.synonyms.insert(effective.synonyms.begin(), {key.name, at->second, source});
  }
  return effective;
}

}  // namespace

EffectiveConfig resolve_broker_config(const ConfigKey& key, const BrokerConfigs& broker) {
  // What stands behind a broker setting is listed with it but gives it no value: log.retention.ms is null while only
  // log.retention.hours is set, as in Kafka.
  EffectiveConfig effective{
      .key = &key, .value = std::nullopt, .source = ConfigSource::kDefault, .synonyms = set_synonyms(key, broker)};
  if (key.default_value != nullptr) effective.value = key.default_value;
  const auto own = std::find_if(effective.synonyms.begin(), effective.synonyms.end(),
                                [&](const ConfigSynonym& synonym) { return synonym.name == key.name; });
  if (own != effective.synonyms.end()) {
    effective.value = own->value;
    effective.source = own->source;
  }
  keep_listed(effective.synonyms, key.name);
  return effective;
}

EffectiveConfig resolve_topic_config(const ConfigKey& key, const ConfigMap& overrides, const BrokerConfigs& broker) {
  return resolve_over(key, overrides, ConfigSource::kDynamicTopic, broker);
}

EffectiveConfig resolve_group_config(const ConfigKey& key, const ConfigMap& overrides, const BrokerConfigs& broker) {
  return resolve_over(key, overrides, ConfigSource::kDynamicGroup, broker);
}

std::string topic_value(std::string_view name, const ConfigMap& overrides, const BrokerConfigs& broker) {
  const ConfigKey* key = topic_configs().find(name);
  ENSURE(key != nullptr, "no topic setting {}", name);
  return resolve_topic_config(*key, overrides, broker).value.value_or("");
}

int64_t topic_integer(std::string_view name, const ConfigMap& overrides, const BrokerConfigs& broker) {
  return config_integer(topic_value(name, overrides, broker));
}

int64_t group_integer(std::string_view name, const ConfigMap& overrides, const BrokerConfigs& broker) {
  const ConfigKey* key = group_configs().find(name);
  ENSURE(key != nullptr, "no group setting {}", name);
  return config_integer(resolve_group_config(*key, overrides, broker).value.value_or(""));
}

std::string broker_value(std::string_view name, const BrokerConfigs& broker) {
  const ConfigKey* key = broker_configs().find(name);
  ENSURE(key != nullptr, "no broker setting {}", name);
  return resolve_broker_config(*key, broker).value.value_or("");
}

int64_t broker_integer(std::string_view name, const BrokerConfigs& broker) {
  return config_integer(broker_value(name, broker));
}
bool broker_boolean(std::string_view name, const BrokerConfigs& broker) {
  return config_boolean(broker_value(name, broker));
}

}  // namespace leat
