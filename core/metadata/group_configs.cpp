// group_configs.cpp: group settings, sorted by name. Names, types, defaults and ranges as Apache Kafka 4.4.0 has them.
#include "core/metadata/group_configs.h"

#include <fmt/format.h>

namespace leat {
namespace {

using enum ConfigType;
using enum ConfigRule;

constexpr std::string_view kHeartbeat = "consumer.heartbeat.interval.ms";
constexpr std::string_view kSession = "consumer.session.timeout.ms";

constexpr ConfigKey kGroupKeys[] = {
    {.name = "consumer.assignment.interval.ms",
     .type = kInt,
     .default_value = "1000",
     .rule = kAtLeast,
     .low = 0,
     .documentation = "Time between two assignments of a group. Kept, without effect: assignments are made at once.",
     .synonyms = {"group.consumer.assignment.interval.ms"}},
    {.name = "consumer.assignor.offload.enable",
     .type = kBoolean,
     .default_value = "true",
     .documentation = "Whether assignments are made by another thread. Kept, without effect.",
     .synonyms = {"group.consumer.assignor.offload.enable"}},
    {.name = kHeartbeat,
     .type = kInt,
     .default_value = "5000",
     .rule = kAtLeast,
     .low = 1,
     .documentation = "How often members of a consumer group are told to send a heartbeat.",
     .synonyms = {"group.consumer.heartbeat.interval.ms"}},
    {.name = kSession,
     .type = kInt,
     .default_value = "45000",
     .rule = kAtLeast,
     .low = 1,
     .documentation = "How long a member of a consumer group may be silent before it is taken out of the group.",
     .synonyms = {"group.consumer.session.timeout.ms"}},
};

constexpr ConfigTable kGroupTable{kGroupKeys};

struct Limited {
  std::string_view name;
  std::string_view low;
  std::string_view high;
};
// In the order in which Kafka looks at them.
constexpr Limited kLimited[] = {
    {kHeartbeat, "group.consumer.min.heartbeat.interval.ms", "group.consumer.max.heartbeat.interval.ms"},
    {kSession, "group.consumer.min.session.timeout.ms", "group.consumer.max.session.timeout.ms"},
    {"consumer.assignment.interval.ms", "group.consumer.min.assignment.interval.ms",
     "group.consumer.max.assignment.interval.ms"},
};

Result<void> check_limits(const ConfigMap& overrides, const BrokerConfigs& broker) {
  for (const Limited& limited : kLimited) {
    const auto at = overrides.find(limited.name);
    if (at == overrides.end()) continue;
    const int64_t value = config_integer(at->second);
    const int64_t low = broker_integer(limited.low, broker);
    const int64_t high = broker_integer(limited.high, broker);
    if (value >= low && value <= high) continue;
    return fail(Errc::kInvalidArgument,
                fmt::format("{} must be in the range {} to {} inclusive.", limited.name, low, high));
  }
  return {};
}

}  // namespace

const ConfigTable& group_configs() noexcept { return kGroupTable; }

Result<void> check_group_configs(const ConfigMap& overrides, const BrokerConfigs& broker) {
  TRY(check_known(kGroupTable, "group", overrides));
  TRY(check_limits(overrides, broker));
  if (!overrides.contains(kSession) && !overrides.contains(kHeartbeat)) return {};
  if (group_integer(kSession, overrides, broker) <= group_integer(kHeartbeat, overrides, broker)) {
    return fail(Errc::kInvalidArgument, fmt::format("{} must be greater than {}", kSession, kHeartbeat));
  }
  return {};
}

}  // namespace leat
