// offsets_topic.h: `__consumer_offsets`, the log of the groups: how it is made.
#pragma once

#include <string_view>

#include "core/metadata/metadata_machine.h"

namespace leat {

inline constexpr std::string_view kOffsetsTopic = "__consumer_offsets";

// As it is made at first need: partitions by the broker's settings, the rest is the store's.
CreateTopicEvent offsets_topic_event(const BrokerConfigs& broker);
// Its own settings, unless whoever makes it says otherwise: it must be compacted and never shortened.
ConfigMap offsets_topic_configs(const BrokerConfigs& broker);
void add_offsets_topic_configs(CreateTopicEvent& event, const BrokerConfigs& broker);  // those that are not given

}  // namespace leat
