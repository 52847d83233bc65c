// broker_configs.h: the table of broker settings that mean something here, Kafka's by Kafka's names and Leat's own
// under leat.; and the names of Kafka's other settings, which are accepted so that an existing server.properties
// starts, and reported once.
#pragma once

#include "core/metadata/config_key.h"

namespace leat {

const ConfigTable& broker_configs() noexcept;

// Settings of Apache Kafka 4.4.0 that mean nothing to a single node or not yet to Leat; sorted.
std::span<const std::string_view> inert_broker_settings() noexcept;
bool is_inert_broker_setting(std::string_view name) noexcept;

// ", did you mean ...?" among all that are known.
std::string broker_setting_hint(std::string_view wrong);

}  // namespace leat
