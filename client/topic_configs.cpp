// topic_configs.cpp: DescribeConfigs and IncrementalAlterConfigs for one resource.
#include "client/topic_configs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "net/protocol/messages/describe_configs.h"
#include "net/protocol/messages/incremental_alter_configs.h"

namespace leat {
namespace {

std::string described(const ConfigResource& resource) {
  return fmt::format("{} '{}'", resource.type == ResourceType::kTopic ? "topic" : "broker", resource.name);
}

// A broker is asked about itself; about a topic anybody may be.
Result<BrokerConnection*> whom_to_ask(SimpleClient& client, const ConfigResource& resource) {
  int32_t node_id = -1;
  const char* const end = resource.name.data() + resource.name.size();
  const bool names_broker = resource.type == ResourceType::kBroker &&
                            std::from_chars(resource.name.data(), end, node_id).ptr == end && !resource.name.empty();
  TRY(controller, client.controller());
  if (!names_broker) return controller;
  return client.broker(node_id);
}

}  // namespace

std::string_view config_source_name(int8_t source) noexcept {
  switch (source) {
    case 1:
      return "DYNAMIC_TOPIC_CONFIG";
    case 2:
      return "DYNAMIC_BROKER_CONFIG";
    case 3:
      return "DYNAMIC_DEFAULT_BROKER_CONFIG";
    case 4:
      return "STATIC_BROKER_CONFIG";
    case 5:
      return "DEFAULT_CONFIG";
    case 6:
      return "DYNAMIC_BROKER_LOGGER_CONFIG";
    default:
      return "UNKNOWN";
  }
}

Result<std::vector<ConfigEntry>> describe_configs(SimpleClient& client, const ConfigResource& resource,
                                                  const std::vector<std::string>& names) {
  DescribeConfigsRequest request;
  auto& asked = request.resources.emplace_back();
  asked.resource_type = static_cast<int8_t>(resource.type);
  asked.resource_name = resource.name;
  asked.configuration_keys.reset();
  if (!names.empty()) asked.configuration_keys = names;
  TRY(broker, whom_to_ask(client, resource));
  TRY(response, broker->call<DescribeConfigsResponse>(request));
  std::vector<ConfigEntry> entries;
  for (auto& result : response.results) {
    if (result.error_code != ErrorCode::kNone) {
      return fail(to_error(result.error_code, described(resource), result.error_message));
    }
    for (auto& config : result.configs) {
      entries.push_back({.name = std::move(config.name),
                         .value = std::move(config.value),
                         .source = config.config_source,
                         .read_only = config.read_only,
                         .sensitive = config.is_sensitive});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const ConfigEntry& a, const ConfigEntry& b) { return a.name < b.name; });
  return entries;
}

Result<void> alter_configs(SimpleClient& client, const ConfigResource& resource,
                           const std::vector<ConfigChange>& changes) {
  constexpr int8_t kSet = 0;
  constexpr int8_t kDelete = 1;
  IncrementalAlterConfigsRequest request;
  auto& asked = request.resources.emplace_back();
  asked.resource_type = static_cast<int8_t>(resource.type);
  asked.resource_name = resource.name;
  for (const ConfigChange& change : changes) {
    asked.configs.push_back(
        {.name = change.name, .config_operation = change.value ? kSet : kDelete, .value = change.value});
  }
  TRY(broker, whom_to_ask(client, resource));
  TRY(response, broker->call<IncrementalAlterConfigsResponse>(request));
  for (const auto& result : response.responses) {
    if (result.error_code == ErrorCode::kNone) continue;
    return fail(
        to_error(result.error_code, fmt::format("{} keeps its settings", described(resource)), result.error_message));
  }
  return {};
}

}  // namespace leat
