// offsets_topic.cpp: see offsets_topic.h.
#include "server/offsets_topic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace leat {
namespace {

constexpr int64_t kSegmentBytesMin = 1 << 20;  // segment.bytes below it is refused

}  // namespace

ConfigMap offsets_topic_configs(const BrokerConfigs& broker) {
  ConfigMap configs{{"cleanup.policy", "compact"}, {"compression.type", "producer"}};
  const int64_t segment_bytes = broker_integer("offsets.topic.segment.bytes", broker);
  const bool is_small = segment_bytes < kSegmentBytesMin;
  configs[is_small ? "internal.segment.bytes" : "segment.bytes"] = fmt::format("{}", segment_bytes);
  return configs;
}

CreateTopicEvent offsets_topic_event(const BrokerConfigs& broker) {
  CreateTopicEvent event;
  event.name = kOffsetsTopic;
  event.partition_count = static_cast<int32_t>(broker_integer("offsets.topic.num.partitions", broker));
  return event;
}

void add_offsets_topic_configs(CreateTopicEvent& event, const BrokerConfigs& broker) {
  for (const auto& [name, value] : offsets_topic_configs(broker)) {
    const auto is_given = [&key = name](const auto& config) { return config.first == key; };
    if (std::none_of(event.configs.begin(), event.configs.end(), is_given)) event.configs.emplace_back(name, value);
  }
}

}  // namespace leat
