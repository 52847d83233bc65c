// group_rules.h: the settings that the group coordinator goes by, with Kafka 4.4's names and defaults, as they stand at
// the time of a step. Group configs (resource type GROUP) override the consumer_* ones of their group.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace leat {

enum class MigrationPolicy : uint8_t { kDisabled, kUpgrade, kDowngrade, kBidirectional };

// What a group may override: consumer.session.timeout.ms, consumer.heartbeat.interval.ms.
struct GroupOverrides {
  std::optional<int32_t> consumer_session_timeout_ms;
  std::optional<int32_t> consumer_heartbeat_interval_ms;
};

struct GroupRules {
  int32_t min_session_timeout_ms = 6'000;                              // group.min.session.timeout.ms
  int32_t max_session_timeout_ms = 1'800'000;                          // group.max.session.timeout.ms
  int32_t initial_rebalance_delay_ms = 3'000;                          // group.initial.rebalance.delay.ms
  int32_t max_size = INT32_MAX;                                        // group.max.size
  int32_t consumer_session_timeout_ms = 45'000;                        // group.consumer.session.timeout.ms
  int32_t consumer_heartbeat_interval_ms = 5'000;                      // group.consumer.heartbeat.interval.ms
  int32_t consumer_max_size = INT32_MAX;                               // group.consumer.max.size
  std::vector<std::string> consumer_assignors = {"uniform", "range"};  // group.consumer.assignors; the first is default
  MigrationPolicy migration_policy = MigrationPolicy::kBidirectional;  // group.consumer.migration.policy
  int32_t regex_refresh_interval_ms = 600'000;                         // group.consumer.regex.refresh.interval.ms
  int64_t offsets_retention_ms = 7LL * 24 * 60 * 60 * 1000;            // offsets.retention.minutes
  int64_t offsets_check_interval_ms = 600'000;                         // offsets.retention.check.interval.ms
  int32_t offset_metadata_max_bytes = 4096;                            // offset.metadata.max.bytes
  std::map<std::string, GroupOverrides, std::less<>> by_group;

  int32_t session_timeout_ms(std::string_view group) const {
    const auto found = by_group.find(group);
    return found == by_group.end() ? consumer_session_timeout_ms
                                   : found->second.consumer_session_timeout_ms.value_or(consumer_session_timeout_ms);
  }
  int32_t heartbeat_interval_ms(std::string_view group) const {
    const auto found = by_group.find(group);
    return found == by_group.end()
               ? consumer_heartbeat_interval_ms
               : found->second.consumer_heartbeat_interval_ms.value_or(consumer_heartbeat_interval_ms);
  }
};

}  // namespace leat
