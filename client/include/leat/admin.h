// admin.h: a cluster looked at and changed: topics, settings, quotas, groups, offsets. Each call asks whom it must (the
// controller, the leaders, a coordinator), repeats what may succeed later within the client's request_timeout_ms, and
// fails as a whole on the first refusal unless its answer has a place for each one's error. Threads: as in producer.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <leat/pending.h>
#include <leat/result.h>
#include <leat/topic_partition.h>

namespace leat::client {

struct BrokerInfo {
  int32_t node_id = -1;
  std::string host;
  int32_t port = 0;
  std::optional<std::string> rack;
};

struct ClusterInfo {
  std::string cluster_id;
  int32_t controller_id = -1;
  std::vector<BrokerInfo> brokers;  // by node id
};

struct ApiVersionRange {
  int16_t api_key = 0;
  std::string name;  // "Produce"; "" of one that this client does not know
  int16_t min = 0;
  int16_t max = 0;
};

struct PartitionInfo {
  int32_t partition = 0;
  int32_t leader = -1;  // -1: none at present
  int32_t leader_epoch = -1;
  std::vector<int32_t> replicas;
  std::vector<int32_t> in_sync_replicas;
  std::vector<int32_t> offline_replicas;
};

enum class Internal : uint8_t { kNo, kYes };

struct TopicInfo {
  std::string name;
  std::string topic_id;  // in Kafka's text form; "" where the broker does not tell
  Internal internal = Internal::kNo;
  std::vector<PartitionInfo> partitions;  // by number
};

// kOnly: the broker says whether it would do it, and changes nothing.
enum class Validate : uint8_t { kAndDo, kOnly };

struct NewTopic {
  std::string name;
  int32_t partition_count = -1;     // -1: the broker's default
  int16_t replication_factor = -1;  // -1: the broker's default
  std::map<std::string, std::string> configs = {};
};

enum class ResourceType : int8_t { kTopic = 2, kBroker = 4, kBrokerLogger = 8, kClientMetrics = 16, kGroup = 32 };
struct ConfigResource {
  ResourceType type = ResourceType::kTopic;
  std::string name;  // of the topic or group, or the node id as text
};
enum class ConfigSource : int8_t {
  kUnknown = 0,
  kDynamicTopic = 1,
  kDynamicBroker = 2,
  kDynamicDefaultBroker = 3,
  kStaticBroker = 4,
  kDefault = 5,
  kDynamicBrokerLogger = 6,
  kClientMetrics = 7,
  kGroup = 8,
};
std::string_view to_string(ConfigSource source) noexcept;  // "DYNAMIC_TOPIC_CONFIG"
struct ConfigEntry {
  std::string name;
  std::optional<std::string> value;  // none: there is none, or it is kept secret
  ConfigSource source = ConfigSource::kUnknown;
  enum class Access : uint8_t { kWritable, kReadOnly } access = Access::kWritable;
  enum class Secrecy : uint8_t { kOpen, kSensitive } secrecy = Secrecy::kOpen;
};
struct ConfigChange {
  std::string name;
  std::optional<std::string> value;  // none: back to the default
};

// Whom a quota is for: "user", "client-id" or both, or "ip", each with a name, or none: the default of all who have no
// quota of their own.
using QuotaEntity = std::map<std::string, std::optional<std::string>>;
struct QuotaEntry {
  QuotaEntity entity;
  std::map<std::string, double> quotas;  // "producer_byte_rate": 1048576
};
struct QuotaChange {
  std::string key;
  std::optional<double> value;  // none: the quota is taken away
};
enum class QuotaMatch : uint8_t {
  kAll,       // entities that have these parts, and perhaps others; of no parts: all there are
  kThisOnly,  // the entity itself
};

struct GroupFilter {  // empty: all; in any case of letters
  std::vector<std::string> states = {};
  std::vector<std::string> types = {};
};
struct GroupSummary {
  std::string group_id;
  std::string type;  // "classic", "consumer", ...; "" where the broker does not tell
  std::string state;
  std::string protocol_type;
};
struct GroupMember {
  std::string member_id;
  std::optional<std::string> instance_id;
  std::string client_id;
  std::string client_host;
  int32_t member_epoch = -1;             // consumer protocol
  std::vector<TopicPartition> assigned;  // sorted, as is the next
  std::vector<TopicPartition> target;    // consumer protocol: what it shall own when the group has settled
};
struct GroupInfo {
  std::string group_id;
  std::string type;  // "classic" or "consumer"
  std::string state;
  std::string protocol_type;
  std::string assignor;
  int32_t group_epoch = -1;       // consumer protocol
  int32_t assignment_epoch = -1;  // the same
  std::vector<GroupMember> members;
};

struct LogDirPartition {
  TopicPartition partition;
  int64_t size_bytes = 0;
  int64_t offset_lag = 0;
};
struct LogDirInfo {
  int32_t node_id = -1;
  std::string path;
  int64_t total_bytes = -1;   // -1: not told
  int64_t usable_bytes = -1;  // the same
  std::vector<LogDirPartition> partitions;
};

struct ProducerInfo {  // of a partition
  int64_t producer_id = -1;
  int32_t producer_epoch = -1;
  int32_t last_sequence = -1;
  int64_t last_timestamp_ms = -1;
  int64_t current_transaction_start_offset = -1;
};

using PartitionErrors = std::map<TopicPartition, Error>;  // those that were refused; empty: none was

namespace detail {
class AdminCore;
}

class Admin {
 public:
  explicit Admin(std::unique_ptr<detail::AdminCore> core) noexcept;  // see Client::admin
  ~Admin();
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;

  Pending<ClusterInfo> describe_cluster();
  Pending<std::vector<ApiVersionRange>> api_versions(int32_t node_id);  // -1: of any broker

  Pending<std::vector<TopicInfo>> list_topics();
  // In the order asked for. UNKNOWN_TOPIC_OR_PARTITION names the topic. Waits for a topic whose leaders are being
  // chosen. kYes: a broker that makes topics when they are asked for does so; one may be unknown for a moment yet.
  Pending<std::vector<TopicInfo>> describe_topics(std::vector<std::string> names,
                                                  AutoCreate auto_create = AutoCreate::kNo);
  Pending<TopicInfo> create_topic(NewTopic topic);
  Pending<> delete_topic(std::string name);
  // The new count.
  Pending<> create_partitions(std::string topic, int32_t partition_count, Validate validate = Validate::kAndDo);

  // Sorted by name; all of them where `names` is empty.
  Pending<std::vector<ConfigEntry>> describe_configs(ConfigResource resource, std::vector<std::string> names = {});
  Pending<> alter_configs(ConfigResource resource, std::vector<ConfigChange> changes,
                          Validate validate = Validate::kAndDo);

  Pending<std::vector<QuotaEntry>> describe_quotas(QuotaEntity parts = {}, QuotaMatch match = QuotaMatch::kAll);
  Pending<> alter_quotas(QuotaEntity entity, std::vector<QuotaChange> changes);

  // The first record at or after each timestamp, or kLatestOffset, kEarliestOffset, kMaxTimestampOffset. Under
  // kReadCommitted the latest is where the first open transaction begins. Waits for leaders.
  Pending<std::map<TopicPartition, OffsetAndTimestamp>> list_offsets(
      std::map<TopicPartition, int64_t> times, IsolationLevel isolation = IsolationLevel::kReadUncommitted);
  // Deletes what is before these offsets (kLatestOffset: all); gives the new log start offsets.
  Pending<std::map<TopicPartition, int64_t>> delete_records(std::map<TopicPartition, int64_t> before);

  Pending<std::vector<GroupSummary>> list_groups(GroupFilter filter = {});
  Pending<GroupInfo> describe_group(std::string group_id);
  Pending<> delete_group(std::string group_id);
  // What is committed, for `only` or for all; partitions without a commit are left out.
  Pending<Offsets> list_group_offsets(std::string group_id, std::vector<TopicPartition> only = {});
  Pending<PartitionErrors> alter_group_offsets(std::string group_id, Offsets offsets);
  Pending<PartitionErrors> delete_group_offsets(std::string group_id, std::vector<TopicPartition> partitions);

  Pending<std::vector<LogDirInfo>> describe_log_dirs();
  Pending<std::map<TopicPartition, std::vector<ProducerInfo>>> describe_producers(std::vector<TopicPartition> of);

 private:
  std::unique_ptr<detail::AdminCore> core_;
};

}  // namespace leat::client
