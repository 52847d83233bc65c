// metadata_record.h: the records of __leat_metadata, key and value as in Kafka's internal topics: a type or version
// (int16), then a body described by core/codec/schema.h. Each record is the whole state of one thing (a topic, a
// broker's or a group's overrides, an entity's quotas, the next producer id), a null value its end: replaying any
// suffix that holds every live thing gives the same state, which is what lets a snapshot be nothing but live records
// appended again. A version is flexible: fields may be added as tagged fields; an unknown type or version stops the
// start, because a journal of a newer Leat must not be rewritten by an older one that would lose what it does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/uuid.h"
#include "core/metadata/config_key.h"
#include "core/quota/quota_entity.h"

namespace leat {

enum class TopicPhase : int8_t {
  kLive = 0,
  kDeleting = 1,  // the name is free again; the id is remembered until the folders are gone
};

struct TopicState {
  std::string name;
  Uuid id;
  int32_t partition_count = 0;
  int64_t created_ms = 0;
  TopicPhase phase = TopicPhase::kLive;
  ConfigMap configs;

  friend bool operator==(const TopicState&, const TopicState&) = default;
};

struct TopicRecord {
  Uuid id;
  std::optional<TopicState> state;  // nullopt: forgotten
  friend bool operator==(const TopicRecord&, const TopicRecord&) = default;
};

struct BrokerConfigRecord {
  std::string broker;                // node id in decimal; "" is the default of all brokers
  std::optional<ConfigMap> configs;  // nullopt: none left
  friend bool operator==(const BrokerConfigRecord&, const BrokerConfigRecord&) = default;
};

struct GroupConfigRecord {
  std::string group;
  std::optional<ConfigMap> configs;  // nullopt: none left
  friend bool operator==(const GroupConfigRecord&, const GroupConfigRecord&) = default;
};

struct ClientQuotaRecord {
  QuotaEntity entity;
  std::optional<QuotaValues> quotas;  // nullopt: none left
  friend bool operator==(const ClientQuotaRecord&, const ClientQuotaRecord&) = default;
};

struct ProducerIdsRecord {
  int64_t next_producer_id = 0;  // every id below it may have been given out
  friend bool operator==(const ProducerIdsRecord&, const ProducerIdsRecord&) = default;
};

struct ClusterRecord {  // the first of a journal
  std::string cluster_id;
  friend bool operator==(const ClusterRecord&, const ClusterRecord&) = default;
};

using MetadataRecord = std::variant<ClusterRecord, TopicRecord, BrokerConfigRecord, ProducerIdsRecord,
                                    GroupConfigRecord, ClientQuotaRecord>;

struct EncodedMetadataRecord {
  std::vector<uint8_t> key;
  std::optional<std::vector<uint8_t>> value;
};

Result<EncodedMetadataRecord> encode_metadata_record(const MetadataRecord& record);
// kCorrupt: these bytes were never written by us; kUnsupported: by a newer Leat.
Result<MetadataRecord> decode_metadata_record(ByteView key, std::optional<ByteView> value);

}  // namespace leat
