// metadata_config_changes.cpp: decisions about settings of topics, of the broker and of groups. All or nothing for each
// resource.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/metadata/broker_configs.h"
#include "core/metadata/group_configs.h"
#include "core/metadata/metadata_machine.h"
#include "core/metadata/topic_configs.h"
#include "core/metadata/topic_name.h"

namespace leat {
namespace {

using Failure = std::optional<MetadataError>;

MetadataError fault_of(MetadataErrc code, std::string message) { return MetadataError{code, std::move(message)}; }
tl::unexpected<MetadataError> refuse(MetadataErrc code, std::string message) {
  return tl::unexpected<MetadataError>(fault_of(code, std::move(message)));
}

// What holds for every resource, before any name is looked at.
Failure form_fault(std::span<const ConfigChange> changes) {
  std::set<std::string_view> names;
  std::string nulls;
  for (const ConfigChange& change : changes) {
    if (!names.insert(change.name).second)
      return fault_of(MetadataErrc::kInvalidRequest, "Error due to duplicate config keys");
    if (!change.value && change.operation != ConfigOperation::kDelete)
      nulls += (nulls.empty() ? "" : ",") + change.name;
  }
  if (!nulls.empty()) return fault_of(MetadataErrc::kInvalidRequest, "Null value not supported for : " + nulls);
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& elements) { return fmt::format("{}", fmt::join(elements, ",")); }

std::string list_after(ConfigOperation operation, std::string_view before, std::string_view operand) {
  std::vector<std::string> elements = config_list(before);
  for (const std::string& element : config_list(operand)) {
    const auto at = std::find(elements.begin(), elements.end(), element);
    if (operation == ConfigOperation::kAppend && at == elements.end()) elements.push_back(element);
    if (operation == ConfigOperation::kSubtract && at != elements.end()) elements.erase(at);
  }
  return joined(elements);
}

// `inherited`: what a list setting holds when this resource has no override of it.
template <class Inherited>
Failure apply_change(const ConfigChange& change, const ConfigKey* key, ConfigMap& configs, const Inherited& inherited) {
  switch (change.operation) {
    case ConfigOperation::kSet:
      configs.insert_or_assign(change.name, *change.value);
      return std::nullopt;
    case ConfigOperation::kDelete:
      configs.erase(change.name);
      return std::nullopt;
    case ConfigOperation::kAppend:
    case ConfigOperation::kSubtract: {
      const std::string_view verb = change.operation == ConfigOperation::kAppend ? "APPEND to" : "SUBTRACT from";
      if (key != nullptr && key->type != ConfigType::kList) {
        return fault_of(MetadataErrc::kInvalidConfig,
                        fmt::format("Can't {} key {} because its type is not LIST.", verb, change.name));
      }
      const auto at = configs.find(change.name);
      const std::string before = at != configs.end() ? at->second : key == nullptr ? "" : inherited(*key);
      configs.insert_or_assign(change.name, list_after(change.operation, before, *change.value));
      return std::nullopt;
    }
  }
  return fault_of(MetadataErrc::kInvalidRequest,
                  fmt::format("Unknown operation type {}", static_cast<int>(change.operation)));
}

Failure broker_names_fault(std::span<const ConfigChange> changes) {
  std::vector<std::string> fixed;
  for (const ConfigChange& change : changes) {
    const ConfigKey* key = broker_configs().find(change.name);
    if (key == nullptr && is_inert_broker_setting(change.name)) {
      return fault_of(
          MetadataErrc::kInvalidRequest,
          fmt::format("Cannot update these configs dynamically: [{}]: it means nothing to this broker", change.name));
    }
    if (key == nullptr && change.operation != ConfigOperation::kDelete) {
      return fault_of(MetadataErrc::kInvalidConfig,
                      fmt::format("Unknown broker config name: {}{}", change.name, broker_setting_hint(change.name)));
    }
    if (key != nullptr && key->update == ConfigUpdate::kReadOnly) fixed.push_back(change.name);
  }
  if (!fixed.empty()) {
    return fault_of(MetadataErrc::kInvalidRequest,
                    fmt::format("Cannot update these configs dynamically: [{}]", fmt::join(fixed, ", ")));
  }
  return std::nullopt;
}

Failure broker_values_fault(const ConfigMap& configs) {
  for (const auto& [name, value] : configs) {
    const ConfigKey* key = broker_configs().find(name);
    if (key == nullptr) continue;  // kept from an older version that knew it
    if (Result<void> valid = check_config_value(*key, value); !valid)
      return fault_of(MetadataErrc::kInvalidRequest, valid.error().context);
  }
  return std::nullopt;
}

}  // namespace

MetadataResult<MetadataStep> MetadataMachine::on_alter_topic_configs(std::string_view topic_name,
                                                                     std::span<const ConfigChange> changes,
                                                                     AlterMode mode,
                                                                     const BrokerConfigs& broker) const {
  if (topic_name.empty()) return refuse(MetadataErrc::kInvalidRequest, "Default topic resources are not allowed.");
  if (std::optional<std::string> fault = topic_name_fault(topic_name))
    return refuse(MetadataErrc::kInvalidTopic, *std::move(fault));
  const TopicState* known = this->topic(topic_name);
  if (known == nullptr)
    return refuse(MetadataErrc::kUnknownTopic, fmt::format("The topic '{}' does not exist.", topic_name));
  if (Failure fault = form_fault(changes)) return tl::unexpected<MetadataError>(*std::move(fault));

  TopicState after = *known;
  if (mode == AlterMode::kReplace) after.configs.clear();
  const auto inherited = [&](const ConfigKey& key) {
    return resolve_topic_config(key, ConfigMap{}, broker).value.value_or("");
  };
  for (const ConfigChange& change : changes) {
    if (Failure fault = apply_change(change, topic_configs().find(change.name), after.configs, inherited)) {
      return tl::unexpected<MetadataError>(*std::move(fault));
    }
  }
  if (Result<void> valid = check_topic_configs(after.configs, broker); !valid)
    return refuse(MetadataErrc::kInvalidConfig, valid.error().context);
  MetadataStep step;
  if (after.configs == known->configs) return step;
  step.records.push_back(TopicRecord{.id = after.id, .state = after});
  step.effects.push_back(TopicConfigsChanged{.topic_id = after.id});
  return step;
}

MetadataResult<MetadataStep> MetadataMachine::on_alter_broker_configs(std::string_view name,
                                                                      std::span<const ConfigChange> changes,
                                                                      AlterMode mode, const MetadataRules& rules,
                                                                      const BrokerConfigs& broker) const {
  if (!name.empty()) {
    const std::optional<int64_t> node_id = parse_integer(name);
    if (!node_id)
      return refuse(MetadataErrc::kInvalidRequest, fmt::format("Node id must be an integer, but it is: {}", name));
    if (*node_id != rules.node_id) {
      return refuse(MetadataErrc::kInvalidRequest,
                    fmt::format("Unexpected broker id, expected {}, but received {}", rules.node_id, name));
    }
  }
  if (Failure fault = form_fault(changes)) return tl::unexpected<MetadataError>(*std::move(fault));
  if (Failure fault = broker_names_fault(changes)) return tl::unexpected<MetadataError>(*std::move(fault));

  const std::string resource = name.empty() ? std::string() : fmt::format("{}", rules.node_id);
  const ConfigMap& before = broker_configs(resource);
  ConfigMap after = mode == AlterMode::kReplace ? ConfigMap{} : before;
  const auto inherited = [&](const ConfigKey& key) { return resolve_broker_config(key, broker).value.value_or(""); };
  for (const ConfigChange& change : changes) {
    if (Failure fault = apply_change(change, leat::broker_configs().find(change.name), after, inherited)) {
      return tl::unexpected<MetadataError>(*std::move(fault));
    }
  }
  if (Failure fault = broker_values_fault(after)) return tl::unexpected<MetadataError>(*std::move(fault));
  const BrokerConfigs changed{.dynamic_broker = name.empty() ? broker.dynamic_broker : after,
                              .dynamic_default = name.empty() ? after : broker.dynamic_default,
                              .static_broker = broker.static_broker};
  if (Result<void> valid = check_topic_configs(ConfigMap{}, changed); !valid)
    return refuse(MetadataErrc::kInvalidRequest, valid.error().context);
  MetadataStep step;
  if (after == before) return step;
  step.records.push_back(BrokerConfigRecord{
      .broker = resource, .configs = after.empty() ? std::nullopt : std::optional<ConfigMap>(std::move(after))});
  step.effects.push_back(BrokerConfigsChanged{});
  return step;
}

MetadataResult<MetadataStep> MetadataMachine::on_alter_group_configs(std::string_view group,
                                                                     std::span<const ConfigChange> changes,
                                                                     AlterMode mode,
                                                                     const BrokerConfigs& broker) const {
  if (group.empty()) return refuse(MetadataErrc::kInvalidRequest, "Default group resources are not allowed.");
  if (Failure fault = form_fault(changes)) return tl::unexpected<MetadataError>(*std::move(fault));
  const ConfigMap& before = group_configs(group);
  ConfigMap after = mode == AlterMode::kReplace ? ConfigMap{} : before;
  const auto inherited = [&](const ConfigKey& key) {
    return resolve_group_config(key, ConfigMap{}, broker).value.value_or("");
  };
  for (const ConfigChange& change : changes) {
    if (Failure fault = apply_change(change, leat::group_configs().find(change.name), after, inherited)) {
      return tl::unexpected<MetadataError>(*std::move(fault));
    }
  }
  if (Result<void> valid = check_group_configs(after, broker); !valid)
    return refuse(MetadataErrc::kInvalidConfig, valid.error().context);
  MetadataStep step;
  if (after == before) return step;
  step.records.push_back(
      GroupConfigRecord{.group = std::string(group),
                        .configs = after.empty() ? std::nullopt : std::optional<ConfigMap>(std::move(after))});
  return step;
}

}  // namespace leat
