// group_settings.cpp: names of settings on one side, fields of GroupRules on the other.
#include "server/group_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/metadata/group_configs.h"

namespace leat {
namespace {

constexpr int64_t kMillisOfMinute = 60'000;
// What clocks count in nanoseconds cannot be asked to wait much longer than a hundred years.
constexpr int64_t kWaitMsMax = int64_t{100} * 365 * 24 * 60 * kMillisOfMinute;

int32_t small(std::string_view name, const BrokerConfigs& broker) {
  return static_cast<int32_t>(broker_integer(name, broker));
}

// "uniform" for "org.apache.kafka.coordinator.group.assignor.UniformAssignor".
std::string assignor_name(std::string given) {
  if (given.ends_with(".UniformAssignor")) return "uniform";
  if (given.ends_with(".RangeAssignor")) return "range";
  return given;
}

std::vector<std::string> assignors_of(const BrokerConfigs& broker) {
  std::vector<std::string> names;
  for (std::string& given : config_list(broker_value("group.consumer.assignors", broker))) {
    names.push_back(assignor_name(std::move(given)));
  }
  return names;
}

MigrationPolicy migration_policy_of(std::string_view value) {
  std::string word(trimmed(value));
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (word == "upgrade") return MigrationPolicy::kUpgrade;
  if (word == "downgrade") return MigrationPolicy::kDowngrade;
  return word == "disabled" ? MigrationPolicy::kDisabled : MigrationPolicy::kBidirectional;
}

std::optional<int32_t> within(std::string_view name, const ConfigMap& overrides, int32_t low, int32_t high) {
  const auto at = overrides.find(name);
  if (at == overrides.end()) return std::nullopt;
  return static_cast<int32_t>(std::clamp<int64_t>(config_integer(at->second), low, std::max(low, high)));
}

GroupOverrides overrides_of(const ConfigMap& configs, const BrokerConfigs& broker) {
  return {.consumer_session_timeout_ms =
              within("consumer.session.timeout.ms", configs, small("group.consumer.min.session.timeout.ms", broker),
                     small("group.consumer.max.session.timeout.ms", broker)),
          .consumer_heartbeat_interval_ms = within("consumer.heartbeat.interval.ms", configs,
                                                   small("group.consumer.min.heartbeat.interval.ms", broker),
                                                   small("group.consumer.max.heartbeat.interval.ms", broker))};
}

Result<void> check_bounded(std::string_view kind, const BrokerConfigs& broker) {
  const std::string own = fmt::format("group.consumer.{}", kind);
  const std::string low = fmt::format("group.consumer.min.{}", kind);
  const std::string high = fmt::format("group.consumer.max.{}", kind);
  const auto refuse = [](std::string_view name, std::string_view relation, std::string_view other) {
    return fail(Errc::kInvalidArgument, fmt::format("{} must be {} than or equal to {}", name, relation, other));
  };
  if (small(high, broker) < small(low, broker)) return refuse(high, "greater", low);
  if (small(own, broker) < small(low, broker)) return refuse(own, "greater", low);
  if (small(own, broker) > small(high, broker)) return refuse(own, "less", high);
  return {};
}

}  // namespace

GroupRules group_rules_of(const BrokerConfigs& broker, const std::map<std::string, ConfigMap, std::less<>>& groups) {
  GroupRules rules;
  rules.min_session_timeout_ms = small("group.min.session.timeout.ms", broker);
  rules.max_session_timeout_ms = small("group.max.session.timeout.ms", broker);
  rules.initial_rebalance_delay_ms = small("group.initial.rebalance.delay.ms", broker);
  rules.max_size = small("group.max.size", broker);
  rules.consumer_session_timeout_ms = small("group.consumer.session.timeout.ms", broker);
  rules.consumer_heartbeat_interval_ms = small("group.consumer.heartbeat.interval.ms", broker);
  rules.consumer_max_size = small("group.consumer.max.size", broker);
  rules.consumer_assignors = assignors_of(broker);
  rules.migration_policy = migration_policy_of(broker_value("group.consumer.migration.policy", broker));
  rules.regex_refresh_interval_ms = small("group.consumer.regex.refresh.interval.ms", broker);
  rules.offsets_retention_ms = broker_integer("offsets.retention.minutes", broker) * kMillisOfMinute;
  rules.offsets_check_interval_ms = std::min(broker_integer("offsets.retention.check.interval.ms", broker), kWaitMsMax);
  rules.offset_metadata_max_bytes = small("offset.metadata.max.bytes", broker);
  for (const auto& [group, configs] : groups) rules.by_group.emplace(group, overrides_of(configs, broker));
  return rules;
}

Result<void> check_group_settings(const BrokerConfigs& broker) {
  TRY(check_bounded("heartbeat.interval.ms", broker));
  TRY(check_bounded("session.timeout.ms", broker));
  if (small("group.consumer.heartbeat.interval.ms", broker) >= small("group.consumer.session.timeout.ms", broker)) {
    return fail(Errc::kInvalidArgument,
                "group.consumer.heartbeat.interval.ms must be less than group.consumer.session.timeout.ms");
  }
  TRY(check_bounded("assignment.interval.ms", broker));
  const std::vector<std::string> assignors = assignors_of(broker);
  if (assignors.empty()) return fail(Errc::kInvalidArgument, "group.consumer.assignors must name an assignor");
  if (std::set<std::string>(assignors.begin(), assignors.end()).size() != assignors.size()) {
    return fail(Errc::kInvalidArgument, "group.consumer.assignors names an assignor twice");
  }
  return {};
}

}  // namespace leat
