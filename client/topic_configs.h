// topic_configs.h: settings of topics and brokers, read and changed. Thread: the client's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/simple_client.h"

namespace leat {

enum class ResourceType : int8_t { kTopic = 2, kBroker = 4 };

struct ConfigResource {
  ResourceType type = ResourceType::kTopic;
  std::string name;  // of the topic, or the node id as text
};

// Kafka's numbers for where a value comes from.
inline constexpr int8_t kDynamicTopicConfig = 1;
std::string_view config_source_name(int8_t source) noexcept;  // DYNAMIC_TOPIC_CONFIG, STATIC_BROKER_CONFIG, ...

struct ConfigEntry {
  std::string name;
  std::optional<std::string> value;  // nullopt: none, or kept secret
  int8_t source = 0;
  bool read_only = false;
  bool sensitive = false;
};

// Sorted by name; all of them when `names` is empty.
Result<std::vector<ConfigEntry>> describe_configs(SimpleClient& client, const ConfigResource& resource,
                                                  const std::vector<std::string>& names);

struct ConfigChange {
  std::string name;
  std::optional<std::string> value;  // nullopt: back to the default
};
Result<void> alter_configs(SimpleClient& client, const ConfigResource& resource,
                           const std::vector<ConfigChange>& changes);

}  // namespace leat
