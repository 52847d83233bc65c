// log_settings.h: a topic's effective settings as the log and the validator take them. Pure.
#pragma once

#include "core/log/partition_log.h"
#include "core/metadata/config_resolution.h"
#include "core/record/validator.h"

namespace leat {

LogConfig log_config_of(const ConfigMap& overrides, const BrokerConfigs& broker);
// A pattern: produce_version, from_client and now_ms are the caller's.
ValidationRules validation_rules_of(const ConfigMap& overrides, const BrokerConfigs& broker);

}  // namespace leat
