// group_configs.h: the table of group settings (resource type GROUP): Apache Kafka 4.4.0's for consumer groups. Those
// for share and streams groups come with these groups.
#pragma once

#include "core/metadata/config_key.h"
#include "core/metadata/config_resolution.h"

namespace leat {

const ConfigTable& group_configs() noexcept;

// One group's overrides as a whole: each known, each valid, within the broker's limits, and not in conflict. Kafka's
// words, and the nearest name.
Result<void> check_group_configs(const ConfigMap& overrides, const BrokerConfigs& broker);

}  // namespace leat
