// offsets_topic.h: `__consumer_offsets`, the log of the groups: how it is made, and which of its partitions has a
// group.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/metadata/metadata_machine.h"

namespace leat {

inline constexpr std::string_view kOffsetsTopic = "__consumer_offsets";

// As it is made at first need, by the broker's settings.
CreateTopicEvent offsets_topic_event(const BrokerConfigs& broker);
// Its own settings, for those who make it another way (CreateTopics, --adopt) and say nothing else: it must be
// compacted and never shortened.
ConfigMap offsets_topic_configs(const BrokerConfigs& broker);

// Kafka's rule, so that a moved log is read by whoever is asked: the absolute value of Java's String.hashCode, which
// goes over UTF-16 units, modulo the number of partitions.
int32_t java_hash_of(std::string_view utf8) noexcept;
int32_t partition_of_hash(int32_t hash, int32_t partition_count) noexcept;
inline int32_t coordinator_partition_of(std::string_view id, int32_t partition_count) noexcept {
  return partition_of_hash(java_hash_of(id), partition_count);
}

}  // namespace leat
