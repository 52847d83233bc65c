// topic_lookup.cpp: see topic_lookup.h.
//   no such topic by name, no such partition    UNKNOWN_TOPIC_OR_PARTITION
//   no such topic by id                         UNKNOWN_TOPIC_ID
//   its log could not be opened                 KAFKA_STORAGE_ERROR
#include "server/handlers/topic_lookup.h"

namespace leat {

PartitionRef find_partition(PartitionTable& table, const TopicRef& topic, int32_t index) noexcept {
  PartitionTable::Topic* found = topic.id != nullptr ? table.find_topic(*topic.id) : table.find_topic(topic.name);
  if (found == nullptr) {
    return {nullptr, topic.id != nullptr ? ErrorCode::kUnknownTopicId : ErrorCode::kUnknownTopicOrPartition};
  }
  if (index < 0 || static_cast<size_t>(index) >= found->partitions.size())
    return {nullptr, ErrorCode::kUnknownTopicOrPartition};
  Partition* partition = found->partitions[static_cast<size_t>(index)].get();
  if (partition == nullptr) return {nullptr, ErrorCode::kKafkaStorageError};
  return {partition, ErrorCode::kNone};
}

ErrorCode check_leader_epoch(const Partition& partition, int32_t current_leader_epoch) noexcept {
  if (current_leader_epoch == kNoLeaderEpoch) return ErrorCode::kNone;
  const int32_t actual = partition.log().leader_epoch();
  if (current_leader_epoch < actual) return ErrorCode::kFencedLeaderEpoch;
  if (current_leader_epoch > actual) return ErrorCode::kUnknownLeaderEpoch;
  return ErrorCode::kNone;
}

}  // namespace leat
