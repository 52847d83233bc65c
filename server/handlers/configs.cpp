// configs.cpp: settings of topics, of the broker and of groups, as they are and as they are changed. A group has
// settings whether it is there or not.
//   DescribeConfigs 1-4           the resource "" of type broker is what was set for all brokers
//   AlterConfigs 0-2              replaces all overrides of a resource
//   IncrementalAlterConfigs 0-1   SET, DELETE, APPEND, SUBTRACT; all or nothing for each resource
//   ListConfigResources 0-1       groups that have settings of their own; 0: client metrics, of which there are none
// Gaps: resources of types broker logger and client metrics are INVALID_REQUEST: they do not exist here yet.
//     resource named twice in one request   INVALID_REQUEST in each
//     a group without a name                INVALID_REQUEST
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/metadata/broker_configs.h"
#include "core/metadata/group_configs.h"
#include "core/metadata/topic_configs.h"
#include "core/metadata/topic_name.h"
#include "server/broker.h"
#include "server/countdown.h"
#include "server/handlers/metadata_errors.h"
#include "server/handlers/metadata_handlers.h"
#include "server/metadata_store.h"

namespace leat {
namespace {

// Kafka's ConfigResource.Type.
constexpr int8_t kTopicResource = 2;
constexpr int8_t kBrokerResource = 4;
constexpr int8_t kBrokerLoggerResource = 8;
constexpr int8_t kClientMetricsResource = 16;
constexpr int8_t kGroupResource = 32;

std::string resource_type_name(int8_t type) {
  switch (type) {
    case kTopicResource:
      return "TOPIC";
    case kBrokerResource:
      return "BROKER";
    case kBrokerLoggerResource:
      return "BROKER_LOGGER";
    case kClientMetricsResource:
      return "CLIENT_METRICS";
    case kGroupResource:
      return "GROUP";
    default:
      return fmt::format("UNKNOWN ({})", type);
  }
}

std::string unsupported_resource(int8_t type) {
  return fmt::format("Unsupported resource type: {}", resource_type_name(type));
}

using DescribeResult = DescribeConfigsResponse::DescribeConfigsResult;
using DescribedConfig = DescribeConfigsResponse::DescribeConfigsResourceResult;
using DescribeResource = DescribeConfigsRequest::DescribeConfigsResource;

struct Describing {
  const DescribeConfigsRequest& message;
  const DescribeResource& resource;
  DescribeResult& result;

  bool wants(std::string_view name) const {
    const auto& keys = resource.configuration_keys;
    return !keys || keys->empty() || std::find(keys->begin(), keys->end(), name) != keys->end();
  }

  void add(const EffectiveConfig& effective, ConfigUpdate update) {
    const ConfigKey& key = *effective.key;
    DescribedConfig config;
    config.name = key.name;
    config.value = key.is_sensitive() ? std::nullopt : effective.value;
    config.read_only = update == ConfigUpdate::kReadOnly;
    config.config_source = static_cast<int8_t>(effective.source);
    config.is_sensitive = key.is_sensitive();
    config.config_type = static_cast<int8_t>(key.type);
    config.documentation = std::nullopt;
    if (message.include_documentation) config.documentation = key.documentation;
    if (message.include_synonyms) {
      for (const ConfigSynonym& synonym : effective.synonyms) {
        DescribeConfigsResponse::DescribeConfigsSynonym listed;
        listed.name = synonym.name;
        listed.value = key.is_sensitive() ? std::nullopt : synonym.value;
        listed.source = static_cast<int8_t>(synonym.source);
        config.synonyms.push_back(std::move(listed));
      }
    }
    result.configs.push_back(std::move(config));
  }

  void refuse(ErrorCode code, std::string why) {
    result.error_code = code;
    result.error_message = std::move(why);
  }
};

void describe_topic(const MetadataStore& metadata, Describing& describing) {
  const std::string& name = describing.resource.resource_name;
  if (std::optional<std::string> fault = topic_name_fault(name))
    return describing.refuse(ErrorCode::kInvalidTopicException, *std::move(fault));
  const TopicState* topic = metadata.machine().topic(name);
  if (topic == nullptr) {
    return describing.refuse(ErrorCode::kUnknownTopicOrPartition, fmt::format("The topic '{}' does not exist.", name));
  }
  const BrokerConfigs broker = metadata.broker_configs();
  for (const ConfigKey& key : topic_configs().keys()) {
    const bool is_hidden = key.listing == ConfigListing::kHidden && !topic->configs.contains(key.name);
    if (is_hidden || !describing.wants(key.name)) continue;
    describing.add(resolve_topic_config(key, topic->configs, broker), ConfigUpdate::kClusterWide);
  }
}

// What was set for all brokers, and no more: the defaults of the table belong to each broker.
void describe_all_brokers(const BrokerConfigs& broker, Describing& describing) {
  for (const auto& [name, value] : broker.dynamic_default) {
    const ConfigKey* key = broker_configs().find(name);
    if (key == nullptr || !describing.wants(name)) continue;
    const EffectiveConfig effective{.key = key,
                                    .value = value,
                                    .source = ConfigSource::kDynamicDefaultBroker,
                                    .synonyms = {{key->name, value, ConfigSource::kDynamicDefaultBroker}}};
    describing.add(effective, key->update);
  }
}

void describe_broker(const MetadataStore& metadata, Describing& describing) {
  const std::string& name = describing.resource.resource_name;
  const BrokerConfigs broker = metadata.broker_configs();
  if (name.empty()) return describe_all_brokers(broker, describing);
  const std::optional<int64_t> id = parse_integer(name);
  if (!id)
    return describing.refuse(ErrorCode::kInvalidRequest,
                             fmt::format("Broker id must be an integer, but it is: {}", name));
  if (*id != metadata.rules().node_id) {
    return describing.refuse(ErrorCode::kInvalidRequest,
                             fmt::format("Unexpected broker id, expected {} or empty string, but received {}",
                                         metadata.rules().node_id, name));
  }
  for (const ConfigKey& key : broker_configs().keys()) {
    if (key.listing == ConfigListing::kHidden || !describing.wants(key.name)) continue;
    describing.add(resolve_broker_config(key, broker), key.update);
  }
}

void describe_group(const MetadataStore& metadata, Describing& describing) {
  const std::string& name = describing.resource.resource_name;
  if (name.empty()) return describing.refuse(ErrorCode::kInvalidRequest, "Group name must not be empty");
  const BrokerConfigs broker = metadata.broker_configs();
  const ConfigMap& overrides = metadata.machine().group_configs(name);
  for (const ConfigKey& key : group_configs().keys()) {
    if (describing.wants(key.name))
      describing.add(resolve_group_config(key, overrides, broker), ConfigUpdate::kClusterWide);
  }
}

}  // namespace

Task<DescribeConfigsResponse> handle_describe_configs(Broker& broker, Request /*request*/,
                                                      DescribeConfigsRequest message) {
  DescribeConfigsResponse response;
  for (const DescribeResource& resource : message.resources) {
    DescribeResult& result = response.results.emplace_back();
    result.resource_type = resource.resource_type;
    result.resource_name = resource.resource_name;
    Describing describing{.message = message, .resource = resource, .result = result};
    if (resource.resource_type == kTopicResource) {
      describe_topic(*broker.metadata, describing);
    } else if (resource.resource_type == kBrokerResource) {
      describe_broker(*broker.metadata, describing);
    } else if (resource.resource_type == kGroupResource) {
      describe_group(*broker.metadata, describing);
    } else {
      describing.refuse(ErrorCode::kInvalidRequest, unsupported_resource(resource.resource_type));
    }
  }
  co_return response;
}

namespace {

struct Alteration {
  int8_t resource_type = 0;
  std::string resource_name;
  std::vector<ConfigChange> changes;
};

// Moved out of the message; `operation_of` tells what is done with one of its settings.
template <class Message, class OperationOf>
std::vector<Alteration> take_alterations(Message& message, const OperationOf& operation_of) {
  std::vector<Alteration> alterations;
  alterations.reserve(message.resources.size());
  for (auto& resource : message.resources) {
    Alteration& one = alterations.emplace_back();
    one.resource_type = resource.resource_type;
    one.resource_name = std::move(resource.resource_name);
    for (auto& config : resource.configs) {
      const ConfigOperation operation = operation_of(config);
      one.changes.push_back({.name = std::move(config.name), .operation = operation, .value = std::move(config.value)});
    }
  }
  return alterations;
}

bool may_alter(int8_t resource_type) noexcept {
  return resource_type == kTopicResource || resource_type == kBrokerResource || resource_type == kGroupResource;
}

// Takes what `alteration` holds.
Task<MetadataResult<void>> alter_one(MetadataStore& metadata, Alteration& alteration, AlterMode mode,
                                     Validate validate) {
  std::string name = std::move(alteration.resource_name);
  std::vector<ConfigChange> changes = std::move(alteration.changes);
  switch (alteration.resource_type) {
    case kTopicResource:
      return metadata.alter_topic_configs(std::move(name), std::move(changes), mode, validate);
    case kGroupResource:
      return metadata.alter_group_configs(std::move(name), std::move(changes), mode, validate);
    default:
      return metadata.alter_broker_configs(std::move(name), std::move(changes), mode, validate);
  }
}

template <class Result>
Task<void> alter(Broker& broker, Alteration alteration, AlterMode mode, Validate validate, Result& result) {
  Task<MetadataResult<void>> altering = alter_one(*broker.metadata, alteration, mode, validate);
  const MetadataResult<void> altered = co_await std::move(altering);
  if (altered) co_return;
  result.error_code = error_code_of(altered.error().code);
  result.error_message = altered.error().message;
}

// Each resource is all or nothing by itself.
template <class Response>
Task<Response> alter_all(Broker& broker, std::vector<Alteration> alterations, AlterMode mode, Validate validate) {
  Response response;
  std::map<std::pair<int8_t, std::string>, int> counts;
  for (const Alteration& one : alterations) ++counts[{one.resource_type, one.resource_name}];
  response.responses.resize(alterations.size());
  std::vector<size_t> good;
  for (size_t i = 0; i < alterations.size(); ++i) {
    const Alteration& one = alterations[i];
    auto& result = response.responses[i];
    result.resource_type = one.resource_type;
    result.resource_name = one.resource_name;
    if (counts[{one.resource_type, one.resource_name}] > 1) {
      result.error_code = ErrorCode::kInvalidRequest;
      result.error_message = "Each resource must appear at most once.";
    } else if (!may_alter(one.resource_type)) {
      result.error_code = ErrorCode::kInvalidRequest;
      result.error_message = unsupported_resource(one.resource_type);
    } else {
      good.push_back(i);
    }
  }
  Countdown left(broker.scheduler, good.size());
  for (const size_t i : good) {
    spawn(counted(alter(broker, std::move(alterations[i]), mode, validate, response.responses[i]), left));
  }
  const Woken woken = co_await left.reached.wait();
  (void)woken;
  co_return response;
}

}  // namespace

Task<AlterConfigsResponse> handle_alter_configs(Broker& broker, Request /*request*/, AlterConfigsRequest message) {
  using Config = AlterConfigsRequest::AlterableConfig;
  std::vector<Alteration> alterations =
      take_alterations(message, [](const Config& /*config*/) { return ConfigOperation::kSet; });
  const Validate validate = message.validate_only ? Validate::kOnly : Validate::kAndDo;
  AlterConfigsResponse response =
      co_await alter_all<AlterConfigsResponse>(broker, std::move(alterations), AlterMode::kReplace, validate);
  co_return response;
}

Task<IncrementalAlterConfigsResponse> handle_incremental_alter_configs(Broker& broker, Request /*request*/,
                                                                       IncrementalAlterConfigsRequest message) {
  using Config = IncrementalAlterConfigsRequest::AlterableConfig;
  std::vector<Alteration> alterations = take_alterations(
      message, [](const Config& config) { return static_cast<ConfigOperation>(config.config_operation); });
  const Validate validate = message.validate_only ? Validate::kOnly : Validate::kAndDo;
  IncrementalAlterConfigsResponse response = co_await alter_all<IncrementalAlterConfigsResponse>(
      broker, std::move(alterations), AlterMode::kIncremental, validate);
  co_return response;
}

Task<ListConfigResourcesResponse> handle_list_config_resources(Broker& broker, Request request,
                                                               ListConfigResourcesRequest message) {
  ListConfigResourcesResponse response;
  if (request.version == 0) co_return response;  // asks for client metrics alone
  const std::set<int8_t> known = {kTopicResource, kBrokerResource, kBrokerLoggerResource, kClientMetricsResource,
                                  kGroupResource};
  const std::set<int8_t> asked(message.resource_types.begin(), message.resource_types.end());
  if (!std::includes(known.begin(), known.end(), asked.begin(), asked.end())) {
    response.error_code = ErrorCode::kUnsupportedVersion;
    co_return response;
  }
  const auto add = [&](int8_t type, std::string name) {
    ListConfigResourcesResponse::ConfigResource resource;
    resource.resource_type = type;
    resource.resource_name = std::move(name);
    response.config_resources.push_back(std::move(resource));
  };
  if (asked.empty() || asked.contains(kBrokerResource)) add(kBrokerResource, fmt::format("{}", broker.node_id));
  if (asked.empty() || asked.contains(kTopicResource)) {
    for (const MetadataStore::ServedTopic& topic : broker.metadata->served_topics())
      add(kTopicResource, topic.state->name);
  }
  if (asked.empty() || asked.contains(kGroupResource)) {
    for (const auto& [group, configs] : broker.metadata->machine().all_group_configs()) add(kGroupResource, group);
  }
  co_return response;
}

}  // namespace leat
