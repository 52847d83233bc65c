// config_resolution.h: which value of a setting holds, and where it comes from. A topic's or group's override wins over
// the broker's own dynamic value, that over the dynamic default of all brokers, that over the settings file, that over
// the table's default. Every answer to DescribeConfigs and every LogConfig is made here, so that what is shown is what
// is used. Pure.
#pragma once

#include "core/metadata/config_key.h"

namespace leat {

// The broker's layers, closest first.
struct BrokerConfigs {
  const ConfigMap& dynamic_broker;
  const ConfigMap& dynamic_default;
  const ConfigMap& static_broker;
};

struct ConfigSynonym {
  std::string_view name;
  std::optional<std::string> value;
  ConfigSource source = ConfigSource::kDefault;
};

struct EffectiveConfig {
  const ConfigKey* key = nullptr;
  std::optional<std::string> value;  // nullopt: none
  ConfigSource source = ConfigSource::kDefault;
  std::vector<ConfigSynonym> synonyms;  // all that are set, closest first, as Kafka lists them
};

EffectiveConfig resolve_broker_config(const ConfigKey& key, const BrokerConfigs& broker);
// `overrides` of the topic; `key` from topic_configs().
EffectiveConfig resolve_topic_config(const ConfigKey& key, const ConfigMap& overrides, const BrokerConfigs& broker);
// The same of a group; `key` from group_configs().
EffectiveConfig resolve_group_config(const ConfigKey& key, const ConfigMap& overrides, const BrokerConfigs& broker);

// Effective values by name; the name must be in its table.
std::string topic_value(std::string_view name, const ConfigMap& overrides, const BrokerConfigs& broker);
int64_t topic_integer(std::string_view name, const ConfigMap& overrides, const BrokerConfigs& broker);
int64_t group_integer(std::string_view name, const ConfigMap& overrides, const BrokerConfigs& broker);
std::string broker_value(std::string_view name, const BrokerConfigs& broker);
int64_t broker_integer(std::string_view name, const BrokerConfigs& broker);
bool broker_boolean(std::string_view name, const BrokerConfigs& broker);

}  // namespace leat
