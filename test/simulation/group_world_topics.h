// group_world_topics.h: the topics of a simulated world, as the coordinator, the model clients and the checks see them,
// and sets of their partitions. A topic made again under its name has another id, and so other partitions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/base/uuid.h"
#include "core/coordinator/group/group_event.h"
#include "core/coordinator/group/topic_catalog.h"

namespace leat {

using SimPartition = std::pair<Uuid, int32_t>;
using SimPartitions = std::set<SimPartition>;

class SimTopics final : public TopicCatalog {
 public:
  std::optional<CatalogTopic> find(std::string_view name) const override {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<CatalogTopic> find(const Uuid& id) const override {
    const auto found = name_of_.find(id);
    return found == name_of_.end() ? std::nullopt : find(found->second);
  }
  void for_each(const std::function<void(const CatalogTopic&)>& visit) const override {
    for (const auto& [name, topic] : by_name_) visit(topic);
  }

  const std::map<std::string, CatalogTopic, std::less<>>& all() const noexcept { return by_name_; }
  uint64_t version() const noexcept { return version_; }  // rises with every change

  void make(const std::string& name, int32_t partition_count, Random& random) {
    const Uuid id = Uuid::make(random);
    by_name_[name] = CatalogTopic{.id = id, .name = name, .partition_count = partition_count};
    name_of_[id] = name;
    ++version_;
  }
  void grow(const std::string& name, int32_t by) {
    by_name_[name].partition_count += by;
    ++version_;
  }
  void remove(const CatalogTopic& topic) {
    name_of_.erase(topic.id);
    by_name_.erase(topic.name);
    ++version_;
  }

 private:
  std::map<std::string, CatalogTopic, std::less<>> by_name_;
  std::map<Uuid, std::string> name_of_;
  uint64_t version_ = 1;
};

// The patterns that model clients subscribe by, with what they match said in another way.
struct SimPattern {
  const char* text;
  bool (*matches)(std::string_view topic);
};
inline constexpr SimPattern kSimPatterns[]{
    {"topic-.*", [](std::string_view topic) { return topic.starts_with("topic-"); }},
    {"topic-[0-2]", [](std::string_view topic) { return topic >= "topic-0" && topic <= "topic-2"; }},
    {"(topic-1|topic-3)", [](std::string_view topic) { return topic == "topic-1" || topic == "topic-3"; }},
};

inline std::vector<TopicPartitions> to_topic_partitions(const SimPartitions& partitions) {
  std::vector<TopicPartitions> result;
  for (const auto& [topic_id, partition] : partitions) {
    if (result.empty() || result.back().topic_id != topic_id)
      result.push_back({.topic_id = topic_id, .partitions = {}});
    result.back().partitions.push_back(partition);
  }
  return result;
}

inline SimPartitions to_sim_partitions(const std::vector<TopicPartitions>& topics) {
  SimPartitions result;
  for (const TopicPartitions& topic : topics) {
    for (const int32_t partition : topic.partitions) result.emplace(topic.topic_id, partition);
  }
  return result;
}

inline bool is_subset(const SimPartitions& part, const SimPartitions& whole) {
  for (const SimPartition& partition : part) {
    if (!whole.contains(partition)) return false;
  }
  return true;
}

}  // namespace leat
