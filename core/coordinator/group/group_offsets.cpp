// group_offsets.cpp: rules of Kafka's OffsetCommit, OffsetFetch and OffsetDelete for each partition, and of expiry.
#include "core/coordinator/group/group_offsets.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "core/coordinator/consumer_protocol.h"

namespace leat {
namespace {

constexpr int64_t kNoRetention = -1;  // what clients send that leave it to the broker

OffsetCommitRecord tombstone_of(const std::string& group_id, std::string_view topic, int32_t partition) {
  OffsetCommitRecord record;
  record.key.group = group_id;
  record.key.topic = topic;
  record.key.partition = partition;
  return record;
}

// offset.metadata.max.bytes counts what Java counts, UTF-16 units: one for each character, two beyond U+FFFF.
bool is_too_long(std::string_view metadata, int32_t units_max) {
  const auto limit = static_cast<size_t>(std::max(units_max, 0));
  if (metadata.size() <= limit) return false;
  size_t units = 0;
  for (const char unit : metadata) {
    const auto byte = static_cast<uint8_t>(unit);
    if ((byte & 0xc0) != 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units > limit;
}

std::optional<int64_t> expiry_of(const CommitOffsets& event, int64_t wall_ms) {
  if (!event.retention_ms || *event.retention_ms == kNoRetention) return std::nullopt;
  return *event.retention_ms > INT64_MAX - wall_ms ? INT64_MAX : std::max<int64_t>(0, wall_ms + *event.retention_ms);
}

// Looks a topic up once for the partitions of it that follow each other.
class TopicLookup {
 public:
  explicit TopicLookup(const TopicCatalog& catalog) noexcept : catalog_(catalog) {}

  const CatalogTopic* find(std::string_view name) {
    if (!last_ || last_->name != name) last_ = catalog_.find(name);
    return last_ ? &*last_ : nullptr;
  }

 private:
  const TopicCatalog& catalog_;
  std::optional<CatalogTopic> last_;
};

GroupErrc check_topic(const OffsetToCommit& commit, const CatalogTopic* topic) {
  if (!commit.topic_id.is_zero() && (topic == nullptr || topic->id != commit.topic_id)) {
    return GroupErrc::kUnknownTopicId;
  }
  const bool is_there = topic != nullptr && commit.partition >= 0 && commit.partition < topic->partition_count;
  return is_there ? GroupErrc::kNone : GroupErrc::kUnknownTopicOrPartition;
}

// The server has found the topic already, but the event may have waited for its turn since: a commit must not outlive
// the topic that it is for.
GroupErrc commit_one(GroupStep& step, const std::string& group_id, OffsetToCommit& commit, const CatalogTopic* topic,
                     std::optional<int64_t> expire_ms) {
  if (const GroupErrc error = check_topic(commit, topic); error != GroupErrc::kNone) return error;
  if (is_too_long(commit.metadata, step.rules().offset_metadata_max_bytes)) return GroupErrc::kOffsetMetadataTooLarge;
  OffsetCommitRecord record;
  record.key.group = group_id;
  record.key.topic = std::move(commit.topic);
  record.key.partition = commit.partition;
  OffsetCommitValue& value = record.value.emplace();
  value.offset = commit.offset;
  value.metadata = std::move(commit.metadata);
  value.commit_timestamp = step.wall_ms();
  if (expire_ms) {
    // The one version of the value with a place for it has none for the rest: what is applied now must be what is read
    // again after a crash.
    value.expire_timestamp = *expire_ms;
  } else {
    value.leader_epoch = commit.leader_epoch;
    value.topic_id = topic->id;
  }
  step.write(std::move(record));
  return GroupErrc::kNone;
}

bool is_of_topic(const StoredOffset& stored, const CatalogTopic* topic) {
  return topic == nullptr || stored.topic_id.is_zero() || stored.topic_id == topic->id;
}

CommittedOffset row_of(std::string_view topic, int32_t partition) {
  CommittedOffset row;
  row.topic = topic;
  row.partition = partition;
  return row;
}

// Offsets that an open transaction has staged (TxnOffsetCommit, Leat 5) are to be looked up here: when there is one for
// the partition and the request requires stable offsets, the row says kUnstableOffsetCommit and offset -1. Such a
// partition does not expire either, and its group is not removed.
CommittedOffset row_of(const StoredOffset& stored) {
  CommittedOffset row = row_of(stored.topic, stored.partition);
  row.offset = stored.offset;
  row.leader_epoch = stored.leader_epoch;
  row.metadata = stored.metadata;
  return row;
}

std::vector<CommittedOffset> fetch_all(const OffsetStore& store, const TopicCatalog& catalog,
                                       const std::string& group_id) {
  std::vector<CommittedOffset> rows;
  TopicLookup topics(catalog);
  store.for_each_of(group_id, [&](const StoredOffset& stored) {
    if (is_of_topic(stored, topics.find(stored.topic))) rows.push_back(row_of(stored));
  });
  return rows;
}

int64_t expiry_of(const StoredOffset& stored, const OffsetRetention& retention, int64_t retention_ms) {
  if (stored.expire_ms != -1) return stored.expire_ms;
  int64_t since_ms = retention.empty_since_ms == -1 ? stored.commit_ms : retention.empty_since_ms;
  if (retention.commit_counts) since_ms = std::max(since_ms, stored.commit_ms);
  return since_ms > INT64_MAX - retention_ms ? INT64_MAX : since_ms + retention_ms;
}

}  // namespace

IsSubscribed subscriptions_of(const GroupTable::Group& group) {
  return [&group](std::string_view topic) {
    return std::visit([topic](const auto& one) { return one.is_subscribed_to(topic); }, group);
  };
}

std::vector<GroupErrc> commit_offsets(GroupStep& step, CommitOffsets& event) {
  const std::optional<int64_t> expire_ms = expiry_of(event, step.wall_ms());
  TopicLookup topics(step.catalog());
  std::vector<GroupErrc> results;
  results.reserve(event.offsets.size());
  for (OffsetToCommit& commit : event.offsets) {
    const CatalogTopic* topic = topics.find(commit.topic);
    results.push_back(commit_one(step, event.group_id, commit, topic, expire_ms));
  }
  return results;
}

std::vector<CommittedOffset> fetch_offsets(const OffsetStore& store, const TopicCatalog& catalog,
                                           const FetchOffsets& event) {
  if (!event.topics) return fetch_all(store, catalog, event.group_id);
  std::vector<CommittedOffset> rows;
  TopicLookup topics(catalog);
  for (const FetchOffsetsTopic& asked : *event.topics) {
    const CatalogTopic* topic = topics.find(asked.topic);
    for (const int32_t partition : asked.partitions) {
      const std::optional<StoredOffset> stored = store.find(event.group_id, asked.topic, partition);
      rows.push_back(stored && is_of_topic(*stored, topic) ? row_of(*stored) : row_of(asked.topic, partition));
    }
  }
  return rows;
}

std::vector<CommittedOffset> no_offsets(const FetchOffsets& event) {
  std::vector<CommittedOffset> rows;
  if (!event.topics) return rows;
  for (const FetchOffsetsTopic& asked : *event.topics) {
    for (const int32_t partition : asked.partitions) rows.push_back(row_of(asked.topic, partition));
  }
  return rows;
}

std::vector<GroupErrc> delete_offsets(GroupStep& step, const OffsetStore& store, const DeleteOffsets& event,
                                      const IsSubscribed& is_subscribed) {
  std::vector<GroupErrc> results;
  results.reserve(event.partitions.size());
  for (const auto& [topic, partition] : event.partitions) {
    if (is_subscribed(topic)) {
      results.push_back(GroupErrc::kGroupSubscribedToTopic);
      continue;
    }
    if (store.find(event.group_id, topic, partition)) step.write(tombstone_of(event.group_id, topic, partition));
    results.push_back(GroupErrc::kNone);
  }
  return results;
}

void delete_offsets(GroupStep& step, std::vector<OffsetCommitKey> keys) {
  for (OffsetCommitKey& key : keys) step.write(OffsetCommitRecord{.key = std::move(key), .value = {}});
}

void delete_all_offsets(GroupStep& step, const OffsetStore& store, const std::string& group_id) {
  std::vector<OffsetCommitRecord> tombstones;
  store.for_each_of(group_id, [&](const StoredOffset& stored) {
    tombstones.push_back(tombstone_of(group_id, stored.topic, stored.partition));
  });
  for (OffsetCommitRecord& tombstone : tombstones) step.write(std::move(tombstone));
}

void delete_offsets_of_topic(GroupStep& step, const OffsetStore& store, const TopicGone& event) {
  delete_offsets(step, store.keys_of_topic(event.topic, event.topic_id));
}

// While a classic group rebalances, and while one of another kind than "consumer" is live, it is not known what it is
// subscribed to: nothing expires.
OffsetRetention retention_of(const ClassicGroup& group) {
  const bool is_simple = group.protocol_type().empty();
  if (is_simple) return {.may_expire = true, .empty_since_ms = -1, .commit_counts = true};
  if (group.is_empty())
    return {.may_expire = true, .empty_since_ms = group.state_since_wall_ms(), .commit_counts = false};
  const bool is_known = group.protocol_type() == kConsumerProtocolType && group.state() == ClassicState::kStable;
  return {.may_expire = is_known, .empty_since_ms = -1, .commit_counts = true};
}

// Kafka goes by the commits' own times alone. A group that was live longer than the retention without a new commit then
// loses all as soon as it stops: where it is known when it became empty, the retention counts from then.
OffsetRetention retention_of(const ConsumerGroup& group) {
  return {.may_expire = true, .empty_since_ms = group.state_since_wall_ms(), .commit_counts = true};
}

ExpiredOffsets expire_offsets(GroupStep& step, const OffsetStore& store, const std::string& group_id,
                              const OffsetRetention& retention, const IsSubscribed& is_subscribed) {
  ExpiredOffsets result;
  std::vector<OffsetCommitRecord> tombstones;
  std::optional<std::string_view> looked_up;
  bool may_expire = false;
  store.for_each_of(group_id, [&](const StoredOffset& stored) {
    if (looked_up != stored.topic) {
      looked_up = stored.topic;
      may_expire = retention.may_expire && !is_subscribed(stored.topic);
    }
    if (may_expire && step.wall_ms() >= expiry_of(stored, retention, step.rules().offsets_retention_ms)) {
      tombstones.push_back(tombstone_of(group_id, stored.topic, stored.partition));
    } else {
      ++result.kept_count;
    }
  });
  result.expired_count = tombstones.size();
  for (OffsetCommitRecord& tombstone : tombstones) step.write(std::move(tombstone));
  return result;
}

}  // namespace leat
