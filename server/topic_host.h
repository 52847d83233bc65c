// topic_host.h: those who keep a topic's partitions, as MetadataStore sees them: what is done once a change of topics
// is durable. Thread: the loop.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "net/loop/task.h"
#include "server/partition_table.h"

namespace leat {

class TopicHost {
 public:
  virtual ~TopicHost() = default;
  // Partitions [first, first + count) with their folders; when it returns they take and serve records. At start the
  // same for folders that may be there already.
  virtual Task<Result<void>> add_partitions(TopicSpec topic, int32_t first, int32_t count) = 0;
  virtual Task<Result<void>> open_topic(TopicSpec topic, int32_t count) = 0;
  // The topic stops serving, and its folders are renamed for removal; also after a restart, when only folders with that
  // id are left. What bears the name with another id is not touched.
  virtual Task<Result<void>> remove_topic(Uuid id, std::string name, int32_t partition_count) = 0;
  virtual void set_settings(const Uuid& id, const TopicSettings& settings) = 0;
};

}  // namespace leat
