// group_settings_test.cpp: the group coordinator's rules that follow from the broker's settings and the groups' own.
#include "server/group_settings.h"

#include "test/support/catch.h"

namespace leat {
namespace {

struct Layers {
  ConfigMap static_broker;

  BrokerConfigs broker() const {
    return {.dynamic_broker = none, .dynamic_default = none, .static_broker = static_broker};
  }
  std::string broker_fault() const {
    const Result<void> checked = check_group_settings(broker());
    return checked ? "" : checked.error().context;
  }

 private:
  ConfigMap none;
};

TEST_CASE("group settings: those that contradict each other are refused", "[server][settings][groups]") {
  Layers layers;
  CHECK(layers.broker_fault().empty());
  layers.static_broker = {{"group.consumer.session.timeout.ms", "70000"}};
  CHECK(layers.broker_fault() ==
        "group.consumer.session.timeout.ms must be less than or equal to group.consumer.max.session.timeout.ms");
  layers.static_broker = {{"group.consumer.max.heartbeat.interval.ms", "1"}};
  CHECK(layers.broker_fault() ==
        "group.consumer.max.heartbeat.interval.ms must be greater than or equal to "
        "group.consumer.min.heartbeat.interval.ms");
  layers.static_broker = {{"group.consumer.min.session.timeout.ms", "1"},
                          {"group.consumer.session.timeout.ms", "5000"}};
  CHECK(layers.broker_fault() ==
        "group.consumer.heartbeat.interval.ms must be less than group.consumer.session.timeout.ms");
  layers.static_broker = {{"group.consumer.assignors", ""}};
  CHECK_FALSE(layers.broker_fault().empty());
  layers.static_broker = {
      {"group.consumer.assignors", "range,org.apache.kafka.coordinator.group.assignor.RangeAssignor"}};
  CHECK_FALSE(layers.broker_fault().empty());
}

TEST_CASE("group settings: rules, Kafka's defaults but where a setting says else", "[server][settings][groups]") {
  Layers layers;
  const GroupRules plain;
  const GroupRules defaults = group_rules_of(layers.broker(), {});
  CHECK(defaults.min_session_timeout_ms == plain.min_session_timeout_ms);
  CHECK(defaults.max_session_timeout_ms == plain.max_session_timeout_ms);
  CHECK(defaults.initial_rebalance_delay_ms == plain.initial_rebalance_delay_ms);
  CHECK(defaults.max_size == plain.max_size);
  CHECK(defaults.consumer_session_timeout_ms == plain.consumer_session_timeout_ms);
  CHECK(defaults.consumer_heartbeat_interval_ms == plain.consumer_heartbeat_interval_ms);
  CHECK(defaults.consumer_max_size == plain.consumer_max_size);
  CHECK(defaults.consumer_assignors == plain.consumer_assignors);
  CHECK(defaults.migration_policy == plain.migration_policy);
  CHECK(defaults.regex_refresh_interval_ms == plain.regex_refresh_interval_ms);
  CHECK(defaults.offsets_retention_ms == plain.offsets_retention_ms);
  CHECK(defaults.offsets_check_interval_ms == plain.offsets_check_interval_ms);
  CHECK(defaults.offset_metadata_max_bytes == plain.offset_metadata_max_bytes);
  layers.static_broker = {{"group.consumer.assignors", "org.apache.kafka.coordinator.group.assignor.RangeAssignor"},
                          {"group.consumer.migration.policy", "Downgrade"},
                          {"offsets.retention.minutes", "1"}};
  const GroupRules rules = group_rules_of(layers.broker(), {{"g", {{"consumer.session.timeout.ms", "1"}}}, {"h", {}}});
  CHECK(rules.consumer_assignors == std::vector<std::string>{"range"});
  CHECK(rules.migration_policy == MigrationPolicy::kDowngrade);
  CHECK(rules.offsets_retention_ms == 60'000);
  CHECK(rules.session_timeout_ms("g") == 45'000);  // within the limits, whatever was allowed once
  CHECK(rules.session_timeout_ms("h") == 45'000);
  CHECK(rules.heartbeat_interval_ms("g") == 5'000);
}

}  // namespace
}  // namespace leat
