// topic_lookup.h: from a topic's name or id, as a request carries it, to the partition, or to Kafka's error for its
// absence.
#pragma once

#include <string_view>

#include "net/protocol/error_code.h"
#include "server/partition_table.h"

namespace leat {

struct TopicRef {
  static TopicRef by_name(std::string_view name) noexcept { return {.name = name, .id = nullptr}; }
  static TopicRef by_id(const Uuid& id) noexcept { return {.name = {}, .id = &id}; }

  std::string_view name;
  const Uuid* id = nullptr;
};

struct PartitionRef {
  Partition* partition = nullptr;
  ErrorCode error = ErrorCode::kNone;  // why not
};

PartitionRef find_partition(PartitionTable& table, const TopicRef& topic, int32_t index) noexcept;

// KIP-320: what a client believes to be the leader epoch, against what it is. -1: it believes nothing.
ErrorCode check_leader_epoch(const Partition& partition, int32_t current_leader_epoch) noexcept;

}  // namespace leat
