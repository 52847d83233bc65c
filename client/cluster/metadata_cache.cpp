// metadata_cache.cpp: see metadata_cache.h.
#include "client/cluster/metadata_cache.h"

#include <algorithm>

namespace leat::client::detail {

namespace {
constexpr int32_t kPartitionsMax = 1'000'000;  // a claim of a broker's: no more memory than this for one topic
}

bool MetadataCache::want(std::string_view topic, AutoCreate auto_create) {
  auto found = topics_.find(topic);
  const bool is_new = found == topics_.end();
  if (is_new) found = topics_.emplace(topic, KnownTopic{}).first;
  KnownTopic& known = found->second;
  if (auto_create == AutoCreate::kNo || known.auto_create == AutoCreate::kYes) return is_new;
  known.auto_create = AutoCreate::kYes;
  return is_new || !known.is_there();
}

void MetadataCache::forget(std::string_view topic) {
  if (const auto found = topics_.find(topic); found != topics_.end()) topics_.erase(found);
}

std::vector<std::string> MetadataCache::wanted() const {
  std::vector<std::string> names;
  names.reserve(topics_.size());
  for (const auto& [name, topic] : topics_) names.push_back(name);
  return names;
}

std::vector<std::string> MetadataCache::wanted(AutoCreate auto_create) const {
  std::vector<std::string> names;
  for (const auto& [name, topic] : topics_) {
    const bool is_made = topic.auto_create == AutoCreate::kYes && !topic.is_there();
    if (is_made == (auto_create == AutoCreate::kYes)) names.push_back(name);
  }
  return names;
}

void MetadataCache::apply(const MetadataResponse& response) {
  if (!response.brokers.empty()) {
    brokers_.clear();
    for (const auto& broker : response.brokers) {
      brokers_[broker.node_id] = HostPort{.host = broker.host, .port = static_cast<uint16_t>(broker.port)};
    }
  }
  controller_id_ = response.controller_id;
  cluster_id_ = response.cluster_id.value_or("");
  for (const auto& news : response.topics) {
    if (const auto found = topics_.find(news.name.value_or("")); found != topics_.end()) {
      apply_topic(news, found->second);
    }
  }
}

void MetadataCache::apply_topic(const MetadataResponse::MetadataResponseTopic& news, KnownTopic& topic) {
  topic.answered = true;
  topic.error = news.error_code;
  // A known topic that a broker has not heard of, or cannot tell about just now, keeps its partitions: the broker may
  // be behind, and producers go on with what they know.
  if (news.error_code != ErrorCode::kNone) return;
  const bool same_topic = topic.topic_id == news.topic_id;
  std::vector<KnownPartition> partitions;
  for (const auto& found : news.partitions) {
    if (found.partition_index < 0 || found.partition_index >= kPartitionsMax) continue;
    const auto index = static_cast<size_t>(found.partition_index);
    if (index >= partitions.size()) partitions.resize(index + 1);
    const bool none = found.leader_id < 0 || found.error_code == ErrorCode::kLeaderNotAvailable;
    partitions[index] = {
        .error = found.error_code, .leader = none ? -1 : found.leader_id, .leader_epoch = found.leader_epoch};
    const bool older = same_topic && index < topic.partitions.size() && found.leader_epoch >= 0 &&
                       found.leader_epoch < topic.partitions[index].leader_epoch;
    if (older) partitions[index] = topic.partitions[index];
  }
  topic.topic_id = news.topic_id;
  topic.partitions = std::move(partitions);
}

bool MetadataCache::move_leader(std::string_view topic, int32_t partition, int32_t leader, int32_t leader_epoch) {
  const auto found = topics_.find(topic);
  if (found == topics_.end() || partition < 0) return false;
  auto& partitions = found->second.partitions;
  if (static_cast<size_t>(partition) >= partitions.size()) return false;
  KnownPartition& known = partitions[static_cast<size_t>(partition)];
  if (leader_epoch <= known.leader_epoch || leader < 0) return false;
  known = {.error = ErrorCode::kNone, .leader = leader, .leader_epoch = leader_epoch};
  return true;
}

const KnownTopic* MetadataCache::find(std::string_view topic) const {
  const auto found = topics_.find(topic);
  return found == topics_.end() ? nullptr : &found->second;
}

bool MetadataCache::is_incomplete() const noexcept {
  return std::any_of(topics_.begin(), topics_.end(), [](const auto& entry) {
    const KnownTopic& topic = entry.second;
    return topic.error != ErrorCode::kNone ||
           std::any_of(topic.partitions.begin(), topic.partitions.end(),
                       [](const KnownPartition& partition) { return partition.leader < 0; });
  });
}

}  // namespace leat::client::detail
