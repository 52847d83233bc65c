// metadata_topics.cpp: decisions about topics: create, adopt, more partitions, delete. Checks and texts in Kafka's
// order and words.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/metadata/metadata_machine.h"
#include "core/metadata/topic_configs.h"
#include "core/metadata/topic_name.h"

namespace leat {
namespace {

using Failure = std::optional<MetadataError>;

tl::unexpected<MetadataError> refuse(MetadataErrc code, std::string message) {
  return tl::unexpected<MetadataError>(MetadataError{code, std::move(message)});
}

// One broker is all there is, so a good list of replicas is that broker, once.
Failure replicas_fault(const std::vector<int32_t>& replicas, int32_t node_id) {
  const auto fault = [](std::string message) {
    return MetadataError{MetadataErrc::kInvalidReplicaAssignment, std::move(message)};
  };
  if (replicas.empty()) return fault("The manual partition assignment includes an empty replica list.");
  for (const int32_t broker : replicas) {
    if (broker != node_id) {
      return fault(
          fmt::format("The manual partition assignment includes broker {}, but no such broker is registered.", broker));
    }
  }
  if (replicas.size() > 1)
    return fault(fmt::format("The manual partition assignment includes the broker {} more than once.", node_id));
  return std::nullopt;
}

MetadataResult<int32_t> assigned_partition_count(const CreateTopicEvent& event, int32_t node_id) {
  if (event.replication_factor != -1) {
    return refuse(MetadataErrc::kInvalidRequest,
                  "A manual partition assignment was specified, but replication factor was not set to -1.");
  }
  if (event.partition_count != -1) {
    return refuse(MetadataErrc::kInvalidRequest,
                  "A manual partition assignment was specified, but numPartitions was not set to -1.");
  }
  std::set<int32_t> seen;
  for (const PartitionAssignment& assignment : event.assignments) {
    if (!seen.insert(assignment.partition).second) {
      return refuse(MetadataErrc::kInvalidReplicaAssignment,
                    fmt::format("Found multiple manual partition assignments for partition {}", assignment.partition));
    }
    if (Failure fault = replicas_fault(assignment.replicas, node_id))
      return tl::unexpected<MetadataError>(*std::move(fault));
  }
  if (*seen.begin() != 0 || *seen.rbegin() != static_cast<int32_t>(seen.size()) - 1) {
    return refuse(MetadataErrc::kInvalidReplicaAssignment,
                  "partitions should be a consecutive 0-based integer sequence");
  }
  return static_cast<int32_t>(seen.size());
}

MetadataResult<int32_t> partition_count_of(const CreateTopicEvent& event, const MetadataRules& rules) {
  if (!event.assignments.empty()) return assigned_partition_count(event, rules.node_id);
  if (event.replication_factor < -1 || event.replication_factor == 0) {
    return refuse(MetadataErrc::kInvalidReplicationFactor,
                  "Replication factor must be larger than 0, or -1 to use the default value.");
  }
  if (event.partition_count < -1 || event.partition_count == 0) {
    return refuse(MetadataErrc::kInvalidPartitions, "Number of partitions was set to an invalid non-positive value.");
  }
  if (event.replication_factor > 1) {
    return refuse(
        MetadataErrc::kInvalidReplicationFactor,
        fmt::format(
            "Unable to replicate the partition {} time(s): The target replication factor of {} cannot be reached "
            "because only 1 broker(s) are registered. The largest replication factor here is 1.",
            event.replication_factor, event.replication_factor));
  }
  return event.partition_count == -1 ? rules.num_partitions : event.partition_count;
}

MetadataResult<ConfigMap> configs_of(const CreateTopicEvent& event, const BrokerConfigs& broker) {
  ConfigMap configs;
  std::string nulls;
  for (const auto& [name, value] : event.configs) {
    if (!value) {
      nulls += (nulls.empty() ? "" : ",") + name;
      continue;
    }
    configs.insert_or_assign(name, *value);
  }
  if (!nulls.empty())
    return refuse(MetadataErrc::kInvalidConfig, "Null value not supported for topic configs: " + nulls);
  if (Result<void> valid = check_topic_configs(configs, broker); !valid)
    return refuse(MetadataErrc::kInvalidConfig, valid.error().context);
  return configs;
}

TopicStep made(TopicState topic, int32_t first) {
  TopicStep made_step;
  made_step.step.records.push_back(TopicRecord{.id = topic.id, .state = topic});
  made_step.step.effects.push_back(
      PartitionsAdded{.topic_id = topic.id, .first = first, .count = topic.partition_count - first});
  made_step.topic = std::move(topic);
  return made_step;
}

}  // namespace

std::optional<MetadataError> MetadataMachine::name_fault(std::string_view name) const {
  if (std::optional<std::string> fault = topic_name_fault(name))
    return MetadataError{MetadataErrc::kInvalidTopic, *std::move(fault)};
  if (name == kMetadataTopic || name == "__cluster_metadata") {
    return MetadataError{MetadataErrc::kInvalidTopic, fmt::format("Topic name is invalid: '{}' is reserved", name)};
  }
  if (by_name_.find(name) != by_name_.end()) {
    return MetadataError{MetadataErrc::kTopicAlreadyExists, fmt::format("Topic '{}' already exists.", name)};
  }
  const auto group = can_collide(name) ? colliding_.find(colliding_form(name)) : colliding_.end();
  if (group != colliding_.end()) {
    return MetadataError{MetadataErrc::kInvalidTopic,
                         fmt::format("Topic '{}' collides with existing topic: {}", name, *group->second.begin())};
  }
  return std::nullopt;
}

MetadataResult<TopicStep> MetadataMachine::on_create_topic(const CreateTopicEvent& event, const MetadataRules& rules,
                                                           const BrokerConfigs& broker, int64_t now_ms,
                                                           Random& random) const {
  if (Failure fault = name_fault(event.name)) return tl::unexpected<MetadataError>(*std::move(fault));
  MetadataResult<ConfigMap> configs = configs_of(event, broker);
  if (!configs) return tl::unexpected<MetadataError>(configs.error());
  const MetadataResult<int32_t> count = partition_count_of(event, rules);
  if (!count) return tl::unexpected<MetadataError>(count.error());
  if (*count > rules.partitions_per_request_max) {
    return refuse(MetadataErrc::kPolicyViolation, "Excessively large number of partitions per request.");
  }
  TopicState topic{.name = event.name,
                   .id = Uuid::make(random),
                   .partition_count = *count,
                   .created_ms = now_ms,
                   .phase = TopicPhase::kLive,
                   .configs = *std::move(configs)};
  while (topics_.contains(topic.id)) topic.id = Uuid::make(random);
  return made(std::move(topic), 0);
}

MetadataResult<TopicStep> MetadataMachine::on_adopt_topic(const AdoptTopicEvent& event, const BrokerConfigs& broker,
                                                          int64_t now_ms) const {
  if (event.id.is_zero() || event.partition_count < 1) {
    return refuse(MetadataErrc::kInvalidRequest,
                  fmt::format("topic {} cannot be taken in without an id and a partition", event.name));
  }
  if (const TopicState* known = this->topic(event.id)) {
    if (known->name != event.name || known->phase != TopicPhase::kLive) {
      return refuse(MetadataErrc::kInvalidRequest,
                    fmt::format("topic id {} of {} belongs to {}{}", event.id.to_string(), event.name,
                                known->phase == TopicPhase::kLive ? "" : "the deleted ", known->name));
    }
    TopicState topic = *known;
    const int32_t first = topic.partition_count;
    topic.partition_count = std::max(first, event.partition_count);
    return made(std::move(topic), first);
  }
  if (Failure fault = name_fault(event.name)) return tl::unexpected<MetadataError>(*std::move(fault));
  if (Result<void> valid = check_topic_configs(event.configs, broker); !valid)
    return refuse(MetadataErrc::kInvalidConfig, valid.error().context);
  TopicState topic{.name = event.name,
                   .id = event.id,
                   .partition_count = event.partition_count,
                   .created_ms = now_ms,
                   .phase = TopicPhase::kLive,
                   .configs = event.configs};
  return made(std::move(topic), 0);
}

MetadataResult<TopicStep> MetadataMachine::on_create_partitions(const CreatePartitionsEvent& event,
                                                                const MetadataRules& rules) const {
  const TopicState* known = this->topic(event.topic);
  if (known == nullptr) return refuse(MetadataErrc::kUnknownTopic, "This server does not host this topic-partition.");
  if (event.count == known->partition_count) {
    return refuse(MetadataErrc::kInvalidPartitions,
                  fmt::format("Topic already has {} partition(s).", known->partition_count));
  }
  if (event.count < known->partition_count) {
    return refuse(MetadataErrc::kInvalidPartitions,
                  fmt::format("The topic {} currently has {} partition(s); {} would not be an increase.", event.topic,
                              known->partition_count, event.count));
  }
  const int32_t added = event.count - known->partition_count;
  if (added > rules.partitions_per_request_max) {
    return refuse(MetadataErrc::kPolicyViolation, "Excessively large number of additional partitions per request.");
  }
  if (event.assignments) {
    if (event.assignments->size() != static_cast<size_t>(added)) {
      return refuse(
          MetadataErrc::kInvalidReplicaAssignment,
          fmt::format("Attempted to add {} additional partition(s), but only {} assignment(s) were specified.", added,
                      event.assignments->size()));
    }
    for (const std::vector<int32_t>& replicas : *event.assignments) {
      if (Failure fault = replicas_fault(replicas, rules.node_id))
        return tl::unexpected<MetadataError>(*std::move(fault));
    }
  }
  TopicState topic = *known;
  topic.partition_count = event.count;
  return made(std::move(topic), known->partition_count);
}

MetadataResult<TopicStep> MetadataMachine::on_delete_topic(const Uuid& id) const {
  const TopicState* known = this->topic(id);
  if (known == nullptr || known->phase != TopicPhase::kLive) {
    return refuse(MetadataErrc::kUnknownTopicId, "This server does not host this topic ID.");
  }
  TopicStep deleted;
  deleted.topic = *known;
  deleted.topic.phase = TopicPhase::kDeleting;
  deleted.topic.configs.clear();
  deleted.step.records.push_back(TopicRecord{.id = id, .state = deleted.topic});
  deleted.step.effects.push_back(TopicDeleted{.topic_id = id});
  return deleted;
}

MetadataStep MetadataMachine::on_topic_gone(const Uuid& id) const {
  MetadataStep step;
  const TopicState* known = this->topic(id);
  if (known != nullptr && known->phase == TopicPhase::kDeleting)
    step.records.push_back(TopicRecord{.id = id, .state = std::nullopt});
  return step;
}

}  // namespace leat
