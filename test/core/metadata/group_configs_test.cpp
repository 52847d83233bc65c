// group_configs_test.cpp: a group's own settings, and the broker's limits for them.
#include "core/metadata/group_configs.h"

#include "core/metadata/metadata_machine.h"
#include "test/support/catch.h"

namespace leat {
namespace {

struct Layers {
  ConfigMap dynamic_broker;
  ConfigMap dynamic_default;
  ConfigMap static_broker;

  BrokerConfigs broker() const {
    return {.dynamic_broker = dynamic_broker, .dynamic_default = dynamic_default, .static_broker = static_broker};
  }
  std::string fault(const ConfigMap& group) const {
    const Result<void> checked = check_group_configs(group, broker());
    return checked ? "" : checked.error().context;
  }
};

TEST_CASE("group configs: checked as a whole, in Kafka's words", "[metadata][config][groups]") {
  Layers layers;
  CHECK(layers.fault({}).empty());
  CHECK(layers.fault({{"consumer.session.timeout.ms", "45000"}, {"consumer.heartbeat.interval.ms", "15000"}}).empty());
  CHECK(layers.fault({{"consumer.session.timeout.ms", "44999"}}) ==
        "consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.");
  CHECK(layers.fault({{"consumer.heartbeat.interval.ms", "15001"}}) ==
        "consumer.heartbeat.interval.ms must be in the range 5000 to 15000 inclusive.");
  CHECK(layers.fault({{"consumer.session.timeout.ms", "0"}}) ==
        "Invalid value 0 for configuration consumer.session.timeout.ms: Value must be at least 1");
  CHECK(layers.fault({{"consumer.session.timeout", "50000"}}) ==
        "Unknown group config name: consumer.session.timeout, did you mean consumer.session.timeout.ms?");
  layers.static_broker = {{"group.consumer.min.session.timeout.ms", "1000"},
                          {"group.consumer.min.heartbeat.interval.ms", "100"}};
  CHECK(layers.fault({{"consumer.session.timeout.ms", "2000"}}) ==
        "consumer.session.timeout.ms must be greater than consumer.heartbeat.interval.ms");
  CHECK(layers.fault({{"consumer.session.timeout.ms", "2000"}, {"consumer.heartbeat.interval.ms", "500"}}).empty());
}

TEST_CASE("group configs: which value holds", "[metadata][config][groups]") {
  Layers layers;
  const ConfigKey& key = *group_configs().find("consumer.session.timeout.ms");
  CHECK(resolve_group_config(key, {}, layers.broker()).value == "45000");
  CHECK(resolve_group_config(key, {}, layers.broker()).source == ConfigSource::kDefault);
  layers.static_broker["group.consumer.session.timeout.ms"] = "50000";
  CHECK(resolve_group_config(key, {}, layers.broker()).value == "50000");
  CHECK(resolve_group_config(key, {}, layers.broker()).source == ConfigSource::kStaticBroker);
  const EffectiveConfig own = resolve_group_config(key, {{"consumer.session.timeout.ms", "46000"}}, layers.broker());
  CHECK(own.value == "46000");
  CHECK(own.source == ConfigSource::kDynamicGroup);
  CHECK(own.synonyms.size() == 3);
}

TEST_CASE("group configs: altered, replaced, and gone when none is left", "[metadata][config][groups]") {
  Layers layers;
  MetadataMachine machine;
  const auto alter = [&](std::vector<ConfigChange> changes, AlterMode mode = AlterMode::kIncremental) {
    const MetadataResult<MetadataStep> step = machine.on_alter_group_configs("g", changes, mode, layers.broker());
    REQUIRE(step.has_value());
    for (const MetadataRecord& record : step->records) machine.apply(record);
    return step->records.size();
  };
  CHECK(alter({{"consumer.session.timeout.ms", ConfigOperation::kSet, "46000"}}) == 1);
  CHECK(alter({{"consumer.session.timeout.ms", ConfigOperation::kSet, "46000"}}) == 0);
  CHECK(alter({{"consumer.heartbeat.interval.ms", ConfigOperation::kSet, "6000"}}, AlterMode::kReplace) == 1);
  CHECK(machine.group_configs("g") == ConfigMap{{"consumer.heartbeat.interval.ms", "6000"}});
  CHECK(machine.live_record_count() == 3);
  CHECK(machine.snapshot().size() == 3);
  CHECK(alter({{"consumer.heartbeat.interval.ms", ConfigOperation::kDelete, std::nullopt}}) == 1);
  CHECK(machine.all_group_configs().empty());
  const std::vector<ConfigChange> change = {{"consumer.session.timeout.ms", ConfigOperation::kSet, "46000"}};
  CHECK(machine.on_alter_group_configs("", change, AlterMode::kIncremental, layers.broker()).error().code ==
        MetadataErrc::kInvalidRequest);
  const std::vector<ConfigChange> list = {{"consumer.session.timeout.ms", ConfigOperation::kAppend, "46000"}};
  CHECK(machine.on_alter_group_configs("g", list, AlterMode::kIncremental, layers.broker()).error().code ==
        MetadataErrc::kInvalidConfig);
}

}  // namespace
}  // namespace leat
