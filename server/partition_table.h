// partition_table.h: every partition of the broker, by topic name or id and index; creation and deletion of their
// folders. Invariant: a topic is here from the moment its creation is durable in the metadata journal until its
// deletion is. A partition whose log could not be opened has a place but no Partition: it answers KAFKA_STORAGE_ERROR,
// others go on. Thread: the loop; folders are made, opened and removed by workers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/partition.h"

namespace leat {

class LogDirectory;

struct TopicSpec {
  std::string name;
  Uuid id;
  TopicSettings settings;
};

class PartitionTable {
 public:
  struct Topic {
    TopicSpec spec;
    std::vector<std::unique_ptr<Partition>> partitions;  // null: its log could not be opened
  };
  struct Options {
    Scheduler& scheduler;
    LogDirectory& directory;
    LaneOptions lane;
  };

  explicit PartitionTable(const Options& options);
  ~PartitionTable();
  PartitionTable(const PartitionTable&) = delete;
  PartitionTable& operator=(const PartitionTable&) = delete;

  // Null when there is no such topic, no such partition, or its log could not be opened (then is_unopened() says so).
  Partition* find(std::string_view topic, int32_t partition) noexcept;
  Partition* find(const Uuid& topic_id, int32_t partition) noexcept;
  Topic* find_topic(std::string_view topic) noexcept;
  Topic* find_topic(const Uuid& topic_id) noexcept;
  bool is_unopened(std::string_view topic, int32_t partition) noexcept;

  const std::map<std::string, std::unique_ptr<Topic>, std::less<>>& topics() const noexcept { return by_name_; }
  size_t partition_count() const noexcept { return partition_count_; }

  // Makes partitions [first, first + count) of the topic, with their folders, on workers; the topic appears with its
  // first. When it returns, they take and serve records. On an error those that failed stay unopened.
  Task<Result<void>> create(TopicSpec topic, int32_t first, int32_t count);
  // At start: opens (or, when the folder is missing, makes) all partitions of a topic, in parallel on workers.
  Task<Result<void>> open(TopicSpec topic, int32_t count);
  // The topic leaves the table at once; returns when its folders are renamed for deletion. Removal goes on behind.
  Task<Result<void>> remove(Uuid topic_id);
  void set_settings(const Uuid& topic_id, const TopicSettings& settings);

  // Shutdown: appends what is queued, then closes every log (final sync and checkpoint).
  Task<void> close();

 private:
  std::map<std::string, std::unique_ptr<Topic>, std::less<>> by_name_;
  std::unordered_map<Uuid, Topic*> by_id_;
  size_t partition_count_ = 0;
  Scheduler& scheduler_;
  LogDirectory& directory_;
  LaneStarter lane_starter_;
  LaneOptions lane_;
};

}  // namespace leat
