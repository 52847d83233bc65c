// table_host.h: a TopicHost whose partitions are fake logs in a table: nothing of a deleted topic is left.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "server/topic_host.h"
#include "test/server/fake_partition_log.h"

namespace leat::test {

class TableHost final : public TopicHost {
 public:
  explicit TableHost(PartitionTable& table) : table_(table) {}
  Task<Result<void>> add_partitions(TopicSpec topic, int32_t first, int32_t count) override {
    for (int32_t i = first; i < first + count; ++i) {
      auto log = std::make_unique<FakePartitionLog>(TopicPartition{topic.name, i}, FlushPolicy::kCommit, topic.id);
      table_.add(topic, i, i == unopened ? nullptr : std::move(log));
    }
    co_return Result<void>{};
  }
  Task<Result<void>> open_topic(TopicSpec topic, int32_t count) override {
    return add_partitions(std::move(topic), 0, count);
  }
  Task<Result<void>> remove_topic(Uuid id, std::string, int32_t) override {
    table_.forget(id);
    co_return Result<void>{};
  }
  void set_settings(const Uuid& id, const TopicSettings& settings) override { table_.set_settings(id, settings); }

  int32_t unopened = -1;

 private:
  PartitionTable& table_;
};

}  // namespace leat::test
