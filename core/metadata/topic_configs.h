// topic_configs.h: the table of topic settings: all of Apache Kafka 4.4.0's and Leat's own. Some of Kafka's have no
// effect on a single node (replication throttles, tiered storage); they are accepted and kept, so that tools which set
// them go on.
#pragma once

#include "core/metadata/config_key.h"
#include "core/metadata/config_resolution.h"

namespace leat {

const ConfigTable& topic_configs() noexcept;

// One topic's overrides as a whole: each known, each valid, and none in conflict with another or with what the broker
// gives in its place. Kafka's words, and the nearest name. Without overrides: whether the broker's own values agree.
Result<void> check_topic_configs(const ConfigMap& overrides, const BrokerConfigs& broker);

// leat.flush's default: what survives a loss of power here.
#ifdef __APPLE__
inline constexpr const char* kFlushDefault = "full";
#else
inline constexpr const char* kFlushDefault = "commit";
#endif

}  // namespace leat
