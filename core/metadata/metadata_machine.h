// metadata_machine.h: topics, their settings, the dynamic settings of the broker and of groups, client quotas, and the
// blocks of producer ids, as one state machine over one journal. on_* decide: they are const, check everything, and
// return records and effects; apply alone changes the state, the same live and at recovery. Synchronous: no clock, no
// randomness of its own, no I/O.
// Invariants: no two live topics share a name or an id; a deleted topic's id is remembered until it is forgotten (its
// folders are gone); the next producer id never falls. Thread: the loop.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/metadata/config_resolution.h"
#include "core/metadata/metadata_record.h"

namespace leat {

enum class MetadataErrc : uint8_t {
  kTopicAlreadyExists,
  kUnknownTopic,    // by name
  kUnknownTopicId,  // by id
  kInvalidTopic,
  kInvalidPartitions,
  kInvalidReplicationFactor,
  kInvalidReplicaAssignment,
  kInvalidConfig,
  kInvalidRequest,
  kPolicyViolation,
  kThrottlingQuotaExceeded,  // whoever decides about quotas, asked before the step, said no
  // Made by the runtime, not by the machine.
  kStorage,   // the journal or a folder could not be written; nothing was promised, try again
  kStopping,  // shutting down
};

struct MetadataError {
  MetadataErrc code;
  std::string message;
};

template <class T>
using MetadataResult = tl::expected<T, MetadataError>;

// What remains to be done once the records are durable.
struct PartitionsAdded {
  Uuid topic_id;
  int32_t first = 0;
  int32_t count = 0;
};
struct TopicDeleted {
  Uuid topic_id;
};
struct TopicConfigsChanged {
  Uuid topic_id;
};
struct BrokerConfigsChanged {};
using MetadataEffect = std::variant<PartitionsAdded, TopicDeleted, TopicConfigsChanged, BrokerConfigsChanged>;

struct MetadataStep {
  std::vector<MetadataRecord> records;  // applied together, in one batch
  std::vector<MetadataEffect> effects;
};

struct PartitionAssignment {
  int32_t partition = 0;
  std::vector<int32_t> replicas;
};

struct CreateTopicEvent {
  std::string name;
  int32_t partition_count = -1;  // -1: num.partitions
  int32_t replication_factor = -1;
  std::vector<PartitionAssignment> assignments;  // empty: none by hand
  std::vector<std::pair<std::string, std::optional<std::string>>> configs;
};

struct CreatePartitionsEvent {
  std::string topic;
  int32_t count = 0;                                             // in all
  std::optional<std::vector<std::vector<int32_t>>> assignments;  // of the new ones
};

struct AdoptTopicEvent {  // folders of another broker, taken in as they are
  std::string name;
  Uuid id;
  int32_t partition_count = 0;
  ConfigMap configs;
};

enum class ConfigOperation : int8_t { kSet = 0, kDelete = 1, kAppend = 2, kSubtract = 3 };

struct ConfigChange {
  std::string name;
  ConfigOperation operation = ConfigOperation::kSet;
  std::optional<std::string> value;
};

enum class AlterMode : uint8_t {
  kIncremental,
  kReplace,  // the old AlterConfigs: what is not named is unset
};

struct MetadataRules {
  int32_t node_id = 1;
  int32_t num_partitions = 1;  // for topics created with -1
  int32_t partitions_per_request_max = 10'000;
};

struct TopicStep {
  MetadataStep step;
  TopicState topic;  // as it will be
};

struct ProducerIdBlock {
  MetadataStep step;
  int64_t first = 0;
  int64_t count = 0;
};

class MetadataMachine {
 public:
  // State. Topics by name are the live ones, sorted; all_topics() has those under deletion too.
  const TopicState* topic(std::string_view name) const noexcept;
  const TopicState* topic(const Uuid& id) const noexcept;  // also one under deletion: look at its phase
  const std::map<std::string, Uuid, std::less<>>& topics() const noexcept { return by_name_; }
  const std::unordered_map<Uuid, TopicState>& all_topics() const noexcept { return topics_; }
  const ConfigMap& broker_configs(std::string_view broker) const noexcept;  // "" is the default of all
  const std::map<std::string, ConfigMap, std::less<>>& all_broker_configs() const noexcept { return broker_configs_; }
  const ConfigMap& group_configs(std::string_view group) const noexcept;
  const std::map<std::string, ConfigMap, std::less<>>& all_group_configs() const noexcept { return group_configs_; }
  const QuotaMap& client_quotas() const noexcept { return client_quotas_; }
  int64_t next_producer_id() const noexcept { return next_producer_id_; }
  const std::string& cluster_id() const noexcept { return cluster_id_; }  // "" until the first record
  size_t live_record_count() const noexcept {
    return topics_.size() + broker_configs_.size() + group_configs_.size() + client_quotas_.size() + 2;
  }

  static constexpr size_t kQuotaEntitiesMax = 10'000;

  // Decisions. `broker` are the layers below a topic's overrides: what holds where it has none.
  MetadataStep on_create_cluster(std::string cluster_id) const;
  MetadataResult<TopicStep> on_create_topic(const CreateTopicEvent& event, const MetadataRules& rules,
                                            const BrokerConfigs& broker, int64_t now_ms, Random& random) const;
  MetadataResult<TopicStep> on_adopt_topic(const AdoptTopicEvent& event, const BrokerConfigs& broker,
                                           int64_t now_ms) const;
  MetadataResult<TopicStep> on_create_partitions(const CreatePartitionsEvent& event, const MetadataRules& rules) const;
  MetadataResult<TopicStep> on_delete_topic(const Uuid& id) const;
  MetadataStep on_topic_gone(const Uuid& id) const;  // its folders are: forget it
  MetadataResult<MetadataStep> on_alter_topic_configs(std::string_view topic, std::span<const ConfigChange> changes,
                                                      AlterMode mode, const BrokerConfigs& broker) const;
  // `name` as on the wire: "" or this node's id.
  MetadataResult<MetadataStep> on_alter_broker_configs(std::string_view name, std::span<const ConfigChange> changes,
                                                       AlterMode mode, const MetadataRules& rules,
                                                       const BrokerConfigs& broker) const;
  MetadataResult<MetadataStep> on_alter_group_configs(std::string_view group, std::span<const ConfigChange> changes,
                                                      AlterMode mode, const BrokerConfigs& broker) const;
  // No more than kQuotaEntitiesMax may have any: each change makes the table of all of them anew.
  MetadataResult<MetadataStep> on_alter_client_quotas(const QuotaEntity& entity,
                                                      const std::vector<QuotaChange>& changes) const;
  ProducerIdBlock on_reserve_producer_ids(int64_t count) const;

  // The only mutator. A record that came from disk is asked for its contradiction first.
  void apply(const MetadataRecord& record);
  std::optional<std::string> contradiction(const MetadataRecord& record) const;  // why it cannot follow this state

  // Live records that rebuild this state.
  std::vector<MetadataRecord> snapshot() const;

  friend bool operator==(const MetadataMachine&, const MetadataMachine&) = default;

 private:
  void apply_one(const ClusterRecord& record);
  void apply_one(const TopicRecord& record);
  void apply_one(const BrokerConfigRecord& record);
  void apply_one(const ProducerIdsRecord& record);
  void apply_one(const GroupConfigRecord& record);
  void apply_one(const ClientQuotaRecord& record);
  void forget_name(const TopicState& topic);
  std::optional<MetadataError> name_fault(std::string_view name) const;

  std::string cluster_id_;
  std::unordered_map<Uuid, TopicState> topics_;
  std::map<std::string, Uuid, std::less<>> by_name_;                     // live ones
  std::map<std::string, std::set<std::string>, std::less<>> colliding_;  // colliding form: live names that have it
  std::map<std::string, ConfigMap, std::less<>> broker_configs_;         // never an empty map
  std::map<std::string, ConfigMap, std::less<>> group_configs_;          // never an empty map
  QuotaMap client_quotas_;                                               // never an empty map
  int64_t next_producer_id_ = 0;
};

}  // namespace leat
