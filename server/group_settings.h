// group_settings.h: the group coordinator's rules out of the broker's settings and the groups' own. Pure.
#pragma once

#include "core/base/result.h"
#include "core/coordinator/group/group_rules.h"
#include "core/metadata/config_resolution.h"

namespace leat {

// What a group set for itself stays what it set; what is used keeps within the broker's limits, which may have changed
// since.
GroupRules group_rules_of(const BrokerConfigs& broker, const std::map<std::string, ConfigMap, std::less<>>& groups);

// Settings of groups that contradict each other stop the start. Kafka's words.
Result<void> check_group_settings(const BrokerConfigs& broker);

}  // namespace leat
