// partition_table.h: every partition of the broker, by topic name or id and index. Their folders: partition_folders.h.
// Invariant: a topic is here from the moment its creation is durable in the metadata journal until its deletion is. A
// partition whose log could not be opened has a place but no Partition: it answers KAFKA_STORAGE_ERROR, others go on.
// Thread: the loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/partition.h"

namespace leat {

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

  // Puts a log that is open into its place; null: it could not be opened.
  Partition* add(const TopicSpec& topic, int32_t index, std::unique_ptr<PartitionLog> log);
  // Out of the table, at once: whoever waits is told, later appends are refused. The partitions live until their jobs
  // are done; then `on_quiet` is called with them. False: no such topic.
  bool forget(const Uuid& topic_id, std::function<void(std::unique_ptr<Topic>)> on_quiet = {});
  LaneStarter& lane_starter() noexcept { return lane_starter_; }
  void set_settings(const Uuid& topic_id, const TopicSettings& settings);

 private:
  struct Farewell {
    std::unique_ptr<Topic> topic;
    size_t busy = 0;
    std::function<void(std::unique_ptr<Topic>)> on_quiet;
  };

  Scheduler& scheduler_;
  LaneStarter lane_starter_;  // before the partitions, whose lanes leave it at their end
  LaneOptions lane_;
  std::map<std::string, std::unique_ptr<Topic>, std::less<>> by_name_;
  std::unordered_map<Uuid, Topic*> by_id_;
  size_t partition_count_ = 0;
};

}  // namespace leat
