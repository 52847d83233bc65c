// metadata_record.cpp: the bodies' descriptions and the way between them and the state.
#include "core/metadata/metadata_record.h"

#include <fmt/format.h>

#include "core/codec/prefixed.h"
#include "core/codec/schema_codec.h"

namespace leat {
namespace {

constexpr int16_t kValueVersion = 0;

enum class RecordType : int16_t {
  kCluster = 0,
  kTopic = 1,
  kBrokerConfig = 2,
  kProducerIds = 3,
  kGroupConfig = 4,
  kClientQuota = 5,
};

constexpr Versions key_versions(RecordType type) {
  return {.key = static_cast<int16_t>(type), .min = 0, .max = 0, .flexible_since = 0};
}
constexpr Versions kValueVersions{.key = -1, .min = 0, .max = kValueVersion, .flexible_since = 0};

}  // namespace

namespace metadata_wire {

struct ConfigPair {
  std::string name;
  std::string value;
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("name", m.name);
    v.field("value", m.value);
  }
  friend bool operator==(const ConfigPair&, const ConfigPair&) = default;
};

struct EmptyKey {
  static constexpr std::string_view kName = "MetadataKey";
  template <class Self, class Visitor>
  static void visit(Self&, Visitor&) {}
};

struct ClusterKey : EmptyKey {
  static constexpr Versions kVersions = key_versions(RecordType::kCluster);
};

struct ClusterValue {
  static constexpr std::string_view kName = "ClusterValue";
  static constexpr Versions kVersions = kValueVersions;
  std::string cluster_id;
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("clusterId", m.cluster_id);
  }
};

struct TopicKey {
  static constexpr std::string_view kName = "TopicKey";
  static constexpr Versions kVersions = key_versions(RecordType::kTopic);
  Uuid topic_id;
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topicId", m.topic_id);
  }
};

struct TopicValue {
  static constexpr std::string_view kName = "TopicValue";
  static constexpr Versions kVersions = kValueVersions;
  std::string name;
  int32_t partition_count = 0;
  int64_t created_ms = 0;
  TopicPhase phase = TopicPhase::kLive;
  std::vector<ConfigPair> configs;
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("name", m.name);
    v.field("partitionCount", m.partition_count);
    v.field("createdMs", m.created_ms);
    v.field("phase", m.phase);
    v.field("configs", m.configs);
  }
};

struct BrokerConfigKey {
  static constexpr std::string_view kName = "BrokerConfigKey";
  static constexpr Versions kVersions = key_versions(RecordType::kBrokerConfig);
  std::string broker;
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("broker", m.broker);
  }
};

struct GroupConfigKey {
  static constexpr std::string_view kName = "GroupConfigKey";
  static constexpr Versions kVersions = key_versions(RecordType::kGroupConfig);
  std::string group;
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("group", m.group);
  }
};

// Of a broker or a group.
struct ConfigsValue {
  static constexpr std::string_view kName = "ConfigsValue";
  static constexpr Versions kVersions = kValueVersions;
  std::vector<ConfigPair> configs;
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("configs", m.configs);
  }
};

struct QuotaPart {
  std::string type;
  std::optional<std::string> name;  // null: the default
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("type", m.type);
    v.field("name", m.name);
  }
  friend bool operator==(const QuotaPart&, const QuotaPart&) = default;
};

struct ClientQuotaKey {
  static constexpr std::string_view kName = "ClientQuotaKey";
  static constexpr Versions kVersions = key_versions(RecordType::kClientQuota);
  std::vector<QuotaPart> entity;
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("entity", m.entity);
  }
};

struct QuotaPair {
  std::string key;
  double value = 0;
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("key", m.key);
    v.field("value", m.value);
  }
  friend bool operator==(const QuotaPair&, const QuotaPair&) = default;
};

struct ClientQuotaValue {
  static constexpr std::string_view kName = "ClientQuotaValue";
  static constexpr Versions kVersions = kValueVersions;
  std::vector<QuotaPair> quotas;
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("quotas", m.quotas);
  }
};

struct ProducerIdsKey : EmptyKey {
  static constexpr Versions kVersions = key_versions(RecordType::kProducerIds);
};

struct ProducerIdsValue {
  static constexpr std::string_view kName = "ProducerIdsValue";
  static constexpr Versions kVersions = kValueVersions;
  int64_t next_producer_id = 0;
  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("nextProducerId", m.next_producer_id);
  }
};

}  // namespace metadata_wire

template struct MessageCodec<metadata_wire::ClusterKey>;
template struct MessageCodec<metadata_wire::ClusterValue>;
template struct MessageCodec<metadata_wire::TopicKey>;
template struct MessageCodec<metadata_wire::TopicValue>;
template struct MessageCodec<metadata_wire::BrokerConfigKey>;
template struct MessageCodec<metadata_wire::GroupConfigKey>;
template struct MessageCodec<metadata_wire::ConfigsValue>;
template struct MessageCodec<metadata_wire::ClientQuotaKey>;
template struct MessageCodec<metadata_wire::ClientQuotaValue>;
template struct MessageCodec<metadata_wire::ProducerIdsKey>;
template struct MessageCodec<metadata_wire::ProducerIdsValue>;

namespace {

using namespace metadata_wire;

std::vector<ConfigPair> to_pairs(const ConfigMap& configs) {
  std::vector<ConfigPair> pairs;
  pairs.reserve(configs.size());
  for (const auto& [name, value] : configs) pairs.push_back({name, value});
  return pairs;
}

ConfigMap to_map(std::vector<ConfigPair>& pairs) {
  ConfigMap configs;
  for (ConfigPair& pair : pairs) configs.insert_or_assign(std::move(pair.name), std::move(pair.value));
  return configs;
}

template <class Key, class Value>
Result<EncodedMetadataRecord> encoded(const Key& key, const Value* value) {
  EncodedMetadataRecord out;
  TRY(key_bytes, encode_key(key));
  out.key = std::move(key_bytes);
  if (value != nullptr) {
    TRY(value_bytes, encode_value(*value, kValueVersion));
    out.value = std::move(value_bytes);
  }
  return out;
}

Result<EncodedMetadataRecord> encode_one(const ClusterRecord& record) {
  ClusterValue value;
  value.cluster_id = record.cluster_id;
  return encoded(ClusterKey{}, &value);
}

Result<EncodedMetadataRecord> encode_one(const TopicRecord& record) {
  TopicKey key;
  key.topic_id = record.id;
  if (!record.state) return encoded<TopicKey, TopicValue>(key, nullptr);
  TopicValue value;
  value.name = record.state->name;
  value.partition_count = record.state->partition_count;
  value.created_ms = record.state->created_ms;
  value.phase = record.state->phase;
  value.configs = to_pairs(record.state->configs);
  return encoded(key, &value);
}

template <class Key>
Result<EncodedMetadataRecord> encoded_configs(const Key& key, const std::optional<ConfigMap>& configs) {
  if (!configs) return encoded<Key, ConfigsValue>(key, nullptr);
  ConfigsValue value;
  value.configs = to_pairs(*configs);
  return encoded(key, &value);
}

Result<EncodedMetadataRecord> encode_one(const BrokerConfigRecord& record) {
  BrokerConfigKey key;
  key.broker = record.broker;
  return encoded_configs(key, record.configs);
}

Result<EncodedMetadataRecord> encode_one(const GroupConfigRecord& record) {
  GroupConfigKey key;
  key.group = record.group;
  return encoded_configs(key, record.configs);
}

Result<EncodedMetadataRecord> encode_one(const ClientQuotaRecord& record) {
  ClientQuotaKey key;
  for (const auto& [type, name] : record.entity.parts()) key.entity.push_back({std::string(type), name});
  if (!record.quotas) return encoded<ClientQuotaKey, ClientQuotaValue>(key, nullptr);
  ClientQuotaValue value;
  for (const auto& [quota, limit] : *record.quotas) value.quotas.push_back({std::string(name_of(quota)), limit});
  return encoded(key, &value);
}

Result<EncodedMetadataRecord> encode_one(const ProducerIdsRecord& record) {
  ProducerIdsValue value;
  value.next_producer_id = record.next_producer_id;
  return encoded(ProducerIdsKey{}, &value);
}

// The value of a record that cannot be without one.
template <class Value>
Result<Value> decode_present(std::optional<ByteView> bytes) {
  if (!bytes) return fail(Errc::kCorrupt, fmt::format("metadata record without its {}", Value::kName));
  if (bytes->size() >= sizeof(int16_t) && Reader(*bytes).i16() > kValueVersion) {
    return fail(Errc::kUnsupported,
                fmt::format("{} of version {}: written by a newer Leat", Value::kName, Reader(*bytes).i16()));
  }
  Result<Value> value = decode_value<Value>(*bytes);
  if (!value) return fail(Errc::kCorrupt, value.error().context);
  return value;
}

Result<MetadataRecord> decode_topic(ByteView key_bytes, std::optional<ByteView> value_bytes) {
  TRY(key, decode_key<TopicKey>(key_bytes));
  TopicRecord record{.id = key.topic_id, .state = std::nullopt};
  if (value_bytes) {
    TRY(value, decode_present<TopicValue>(value_bytes));
    if (value.name.empty() || value.partition_count < 1 ||
        (value.phase != TopicPhase::kLive && value.phase != TopicPhase::kDeleting)) {
      return fail(Errc::kCorrupt,
                  fmt::format("TopicValue of {}: name '{}', {} partitions, phase {}", key.topic_id.to_string(),
                              value.name, value.partition_count, static_cast<int>(value.phase)));
    }
    record.state = TopicState{.name = std::move(value.name),
                              .id = key.topic_id,
                              .partition_count = value.partition_count,
                              .created_ms = value.created_ms,
                              .phase = value.phase,
                              .configs = to_map(value.configs)};
  }
  return record;
}

Result<std::optional<ConfigMap>> decode_configs(std::optional<ByteView> value_bytes) {
  if (!value_bytes) return std::optional<ConfigMap>();
  TRY(value, decode_present<ConfigsValue>(value_bytes));
  return std::optional<ConfigMap>(to_map(value.configs));
}

Result<MetadataRecord> decode_broker_config(ByteView key_bytes, std::optional<ByteView> value_bytes) {
  TRY(key, decode_key<BrokerConfigKey>(key_bytes));
  TRY(configs, decode_configs(value_bytes));
  return BrokerConfigRecord{.broker = std::move(key.broker), .configs = std::move(configs)};
}

Result<MetadataRecord> decode_group_config(ByteView key_bytes, std::optional<ByteView> value_bytes) {
  TRY(key, decode_key<GroupConfigKey>(key_bytes));
  TRY(configs, decode_configs(value_bytes));
  return GroupConfigRecord{.group = std::move(key.group), .configs = std::move(configs)};
}

Error newer_quota(std::string_view what, std::string_view name) {
  return {Errc::kUnsupported, fmt::format("client quota of the {} {}: written by a newer Leat", what, name)};
}

// What the rules for clients would refuse was not written by us; but a newer Leat may know more types and keys.
Result<MetadataRecord> decode_client_quota(ByteView key_bytes, std::optional<ByteView> value_bytes) {
  TRY(key, decode_key<ClientQuotaKey>(key_bytes));
  for (const QuotaPart& part : key.entity) {
    if (part.type != kUserEntity && part.type != kClientIdEntity && part.type != kIpEntity)
      return fail(newer_quota("entity type", part.type));
  }
  std::vector<std::pair<std::string, QuotaName>> parts;
  for (QuotaPart& part : key.entity) parts.emplace_back(std::move(part.type), std::move(part.name));
  QuotaResult<QuotaEntity> entity = quota_entity_of(parts);
  if (!entity) return fail(Errc::kCorrupt, fmt::format("ClientQuotaKey: {}", entity.error()));
  ClientQuotaRecord record{.entity = *std::move(entity), .quotas = std::nullopt};
  if (!value_bytes) return record;
  TRY(value, decode_present<ClientQuotaValue>(value_bytes));
  std::vector<QuotaChange> changes;
  for (QuotaPair& pair : value.quotas) {
    if (!find_quota_key(pair.key)) return fail(newer_quota("key", pair.key));
    changes.push_back({std::move(pair.key), pair.value});
  }
  QuotaResult<QuotaValues> quotas = quotas_after(record.entity, QuotaValues{}, changes);
  if (!quotas) {
    return fail(Errc::kCorrupt, fmt::format("ClientQuotaValue of {}: {}", record.entity.to_string(), quotas.error()));
  }
  record.quotas = *std::move(quotas);
  return record;
}

Result<MetadataRecord> decode_typed(ByteView key, std::optional<ByteView> value) {
  if (key.size() < sizeof(int16_t)) return fail(Errc::kCorrupt, "metadata record without a type");
  switch (static_cast<RecordType>(key_type(key))) {
    case RecordType::kCluster: {
      TRY(decode_key<ClusterKey>(key));
      TRY(body, decode_present<ClusterValue>(value));
      return ClusterRecord{.cluster_id = std::move(body.cluster_id)};
    }
    case RecordType::kTopic:
      return decode_topic(key, value);
    case RecordType::kBrokerConfig:
      return decode_broker_config(key, value);
    case RecordType::kGroupConfig:
      return decode_group_config(key, value);
    case RecordType::kClientQuota:
      return decode_client_quota(key, value);
    case RecordType::kProducerIds: {
      TRY(decode_key<ProducerIdsKey>(key));
      TRY(body, decode_present<ProducerIdsValue>(value));
      if (body.next_producer_id < 0)
        return fail(Errc::kCorrupt, fmt::format("next producer id {}", body.next_producer_id));
      return ProducerIdsRecord{.next_producer_id = body.next_producer_id};
    }
  }
  return fail(Errc::kUnsupported, fmt::format("metadata record of type {}: written by a newer Leat", key_type(key)));
}

}  // namespace

Result<EncodedMetadataRecord> encode_metadata_record(const MetadataRecord& record) {
  return std::visit([](const auto& one) { return encode_one(one); }, record);
}

Result<MetadataRecord> decode_metadata_record(ByteView key, std::optional<ByteView> value) {
  Result<MetadataRecord> record = decode_typed(key, value);
  if (!record && record.error().code != Errc::kUnsupported) return fail(Errc::kCorrupt, record.error().context);
  return record;
}

}  // namespace leat
