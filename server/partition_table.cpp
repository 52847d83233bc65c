// partition_table.cpp: look-up by name and id. The folders behind it: partition_folders.h.
#include "server/partition_table.h"

#include "core/base/check.h"

namespace leat {

PartitionTable::PartitionTable(const Options& options)
    : scheduler_(options.scheduler), lane_starter_(options.scheduler), lane_(options.lane) {}

PartitionTable::~PartitionTable() = default;

PartitionTable::Topic* PartitionTable::find_topic(std::string_view topic) noexcept {
  const auto found = by_name_.find(topic);
  return found == by_name_.end() ? nullptr : found->second.get();
}

PartitionTable::Topic* PartitionTable::find_topic(const Uuid& topic_id) noexcept {
  const auto found = by_id_.find(topic_id);
  return found == by_id_.end() ? nullptr : found->second;
}

namespace {
Partition* partition_of(PartitionTable::Topic* topic, int32_t partition) noexcept {
  if (topic == nullptr || partition < 0 || static_cast<size_t>(partition) >= topic->partitions.size()) return nullptr;
  return topic->partitions[static_cast<size_t>(partition)].get();
}
}  // namespace

Partition* PartitionTable::find(std::string_view topic, int32_t partition) noexcept {
  return partition_of(find_topic(topic), partition);
}

Partition* PartitionTable::find(const Uuid& topic_id, int32_t partition) noexcept {
  return partition_of(find_topic(topic_id), partition);
}

bool PartitionTable::is_unopened(std::string_view topic, int32_t partition) noexcept {
  const Topic* found = find_topic(topic);
  if (found == nullptr || partition < 0 || static_cast<size_t>(partition) >= found->partitions.size()) return false;
  return found->partitions[static_cast<size_t>(partition)] == nullptr;
}

Partition* PartitionTable::add(const TopicSpec& topic, int32_t index, std::unique_ptr<PartitionLog> log) {
  ENSURE(index >= 0);
  std::unique_ptr<Topic>& entry = by_name_[topic.name];
  if (entry == nullptr) {
    entry = std::make_unique<Topic>();
    entry->spec = topic;
    by_id_[topic.id] = entry.get();
  }
  ENSURE(entry->spec.id == topic.id, "{} is there with another id", topic.name);
  const auto place = static_cast<size_t>(index);
  if (entry->partitions.size() <= place) {
    partition_count_ += place + 1 - entry->partitions.size();
    entry->partitions.resize(place + 1);
  }
  ENSURE(entry->partitions[place] == nullptr, "{}-{} is there already", topic.name, index);
  if (log == nullptr) return nullptr;
  const Partition::Parts parts{.scheduler = scheduler_, .lane_starter = lane_starter_, .lane = lane_};
  entry->partitions[place] = std::make_unique<Partition>(parts, std::move(log), entry->spec.settings);
  return entry->partitions[place].get();
}

bool PartitionTable::forget(const Uuid& topic_id, std::function<void(std::unique_ptr<Topic>)> on_quiet) {
  Topic* found = find_topic(topic_id);
  if (found == nullptr) return false;
  by_id_.erase(topic_id);
  partition_count_ -= found->partitions.size();
  const auto place = by_name_.find(found->spec.name);
  auto farewell = std::make_shared<Farewell>();
  farewell->topic = std::move(place->second);
  farewell->on_quiet = std::move(on_quiet);
  by_name_.erase(place);
  // Held by the callbacks alone: the last one to be quiet ends it.
  const auto one_is_quiet = [farewell] {
    if (--farewell->busy == 0 && farewell->on_quiet != nullptr) farewell->on_quiet(std::move(farewell->topic));
  };
  farewell->busy = 1;
  for (const std::unique_ptr<Partition>& partition : farewell->topic->partitions) {
    if (partition == nullptr) continue;
    ++farewell->busy;
    partition->retire(one_is_quiet);
  }
  scheduler_.call_soon(one_is_quiet);
  return true;
}

void PartitionTable::set_settings(const Uuid& topic_id, const TopicSettings& settings) {
  Topic* topic = find_topic(topic_id);
  if (topic == nullptr) return;  // deleted meanwhile
  topic->spec.settings = settings;
  for (const std::unique_ptr<Partition>& partition : topic->partitions) {
    if (partition != nullptr) partition->set_settings(settings);
  }
}

}  // namespace leat
