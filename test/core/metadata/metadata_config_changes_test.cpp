// metadata_config_changes_test.cpp: altering settings: all or nothing for each resource (CASES L39).
#include "core/metadata/metadata_machine.h"
#include "test/support/catch.h"

namespace leat {
namespace {

struct Fixture {
  MetadataMachine machine;
  SeededRandom random{7};
  MetadataRules rules{.node_id = 1, .num_partitions = 1};
  ConfigMap static_broker;

  Fixture() {
    CreateTopicEvent event;
    event.name = "t";
    apply(machine.on_create_topic(event, rules, broker(), 0, random)->step);
  }
  BrokerConfigs broker() const {
    return {.dynamic_broker = machine.broker_configs("1"),
            .dynamic_default = machine.broker_configs(""),
            .static_broker = static_broker};
  }
  void apply(const MetadataStep& step) {
    for (const MetadataRecord& record : step.records) machine.apply(record);
  }
  MetadataResult<MetadataStep> decide(std::vector<ConfigChange> changes,
                                      AlterMode mode = AlterMode::kIncremental) const {
    return machine.on_alter_topic_configs("t", changes, mode, broker());
  }
  void alter(std::vector<ConfigChange> changes, AlterMode mode = AlterMode::kIncremental) {
    const MetadataResult<MetadataStep> step = decide(std::move(changes), mode);
    INFO((step ? "" : step.error().message));
    REQUIRE(step.has_value());
    apply(*step);
  }
  MetadataError refused(std::vector<ConfigChange> changes) const {
    const MetadataResult<MetadataStep> step = decide(std::move(changes));
    REQUIRE_FALSE(step.has_value());
    return step.error();
  }
  const ConfigMap& configs() const { return machine.topic("t")->configs; }

  MetadataResult<MetadataStep> decide_broker(std::string_view name, std::vector<ConfigChange> changes,
                                             AlterMode mode = AlterMode::kIncremental) const {
    return machine.on_alter_broker_configs(name, changes, mode, rules, broker());
  }
  MetadataError broker_refused(std::string_view name, std::vector<ConfigChange> changes) const {
    const MetadataResult<MetadataStep> step = decide_broker(name, std::move(changes));
    REQUIRE_FALSE(step.has_value());
    return step.error();
  }
};

ConfigChange set(std::string name, std::string value) {
  return {std::move(name), ConfigOperation::kSet, std::move(value)};
}
ConfigChange unset(std::string name) { return {std::move(name), ConfigOperation::kDelete, std::nullopt}; }
ConfigChange append(std::string name, std::string value) {
  return {std::move(name), ConfigOperation::kAppend, std::move(value)};
}
ConfigChange subtract(std::string name, std::string value) {
  return {std::move(name), ConfigOperation::kSubtract, std::move(value)};
}

TEST_CASE("metadata configs: several changes of a topic hold together", "[metadata][config]") {
  Fixture f;
  f.alter({set("retention.ms", "5000"), set("segment.bytes", "3000000")});
  CHECK(f.configs() == ConfigMap{{"retention.ms", "5000"}, {"segment.bytes", "3000000"}});
  f.alter({unset("retention.ms"), set("segment.bytes", "4000000")});
  CHECK(f.configs() == ConfigMap{{"segment.bytes", "4000000"}});
}

TEST_CASE("metadata configs: one bad change refuses all of its resource", "[metadata][config]") {
  Fixture f;
  CHECK(f.refused({set("retention.ms", "6000"), set("segment.bytes", "3")}).code == MetadataErrc::kInvalidConfig);
  CHECK(f.refused({set("retention.mss", "1")}).message ==
        "Unknown topic config name: retention.mss, did you mean retention.ms?");
  CHECK(f.refused({set("retention.ms", "1"), set("retention.ms", "2")}).message ==
        "Error due to duplicate config keys");
  CHECK(f.refused({set("retention.ms", "1"), set("retention.ms", "2")}).code == MetadataErrc::kInvalidRequest);
  CHECK(f.refused({{"retention.ms", ConfigOperation::kSet, std::nullopt}}).message ==
        "Null value not supported for : retention.ms");
  CHECK(f.refused({append("retention.ms", "1")}).message ==
        "Can't APPEND to key retention.ms because its type is not LIST.");
  CHECK(f.refused({{"retention.ms", static_cast<ConfigOperation>(9), "1"}}).message == "Unknown operation type 9");
  CHECK(f.configs().empty());
}

TEST_CASE("metadata configs: lists grow and shrink from what holds", "[metadata][config]") {
  Fixture f;
  f.alter({append("cleanup.policy", "compact")});
  CHECK(f.configs().at("cleanup.policy") == "delete,compact");
  f.alter({append("cleanup.policy", "compact")});
  CHECK(f.configs().at("cleanup.policy") == "delete,compact");
  f.alter({subtract("cleanup.policy", "delete")});
  CHECK(f.configs().at("cleanup.policy") == "compact");
  f.alter({subtract("cleanup.policy", "delete")});
  CHECK(f.configs().at("cleanup.policy") == "compact");
  f.alter({subtract("cleanup.policy", "compact")});
  CHECK(f.configs().at("cleanup.policy").empty());
  f.alter({unset("cleanup.policy")});
  f.static_broker["log.cleanup.policy"] = "compact";
  f.alter({append("cleanup.policy", "delete")});
  CHECK(f.configs().at("cleanup.policy") == "compact,delete");
}

TEST_CASE("metadata configs: what changes nothing writes nothing", "[metadata][config]") {
  Fixture f;
  f.alter({set("retention.ms", "1")});
  CHECK(f.decide({set("retention.ms", "1")})->records.empty());
  CHECK(f.decide({unset("flush.ms")})->records.empty());
  CHECK(f.decide({unset("no.such.setting")})->records.empty());
  CHECK(f.decide({})->records.empty());
}

TEST_CASE("metadata configs: the old way replaces all overrides", "[metadata][config]") {
  Fixture f;
  f.alter({set("retention.ms", "1"), set("flush.ms", "2")});
  f.alter({set("flush.ms", "3")}, AlterMode::kReplace);
  CHECK(f.configs() == ConfigMap{{"flush.ms", "3"}});
  f.alter({}, AlterMode::kReplace);
  CHECK(f.configs().empty());
}

TEST_CASE("metadata configs: a topic that is not there", "[metadata][config]") {
  Fixture f;
  const auto code_of = [&](std::string_view topic) {
    return f.machine.on_alter_topic_configs(topic, {}, AlterMode::kIncremental, f.broker()).error();
  };
  CHECK(code_of("").message == "Default topic resources are not allowed.");
  CHECK(code_of("a/b").code == MetadataErrc::kInvalidTopic);
  CHECK(code_of("nope").code == MetadataErrc::kUnknownTopic);
  CHECK(code_of("nope").message == "The topic 'nope' does not exist.");
}

TEST_CASE("metadata configs: the broker's own and the default of all brokers", "[metadata][config]") {
  Fixture f;
  f.apply(*f.decide_broker("1", {set("log.retention.ms", "999999")}));
  f.apply(*f.decide_broker("", {set("log.retention.ms", "888888"), set("log.segment.bytes", "2000001")}));
  CHECK(topic_value("retention.ms", f.configs(), f.broker()) == "999999");
  CHECK(topic_value("segment.bytes", f.configs(), f.broker()) == "2000001");
  f.apply(*f.decide_broker("1", {unset("log.retention.ms")}));
  CHECK(f.machine.all_broker_configs().size() == 1);
  CHECK(topic_value("retention.ms", f.configs(), f.broker()) == "888888");
  f.apply(*f.decide_broker("", {}, AlterMode::kReplace));
  CHECK(f.machine.all_broker_configs().empty());
}

TEST_CASE("metadata configs: what a broker refuses", "[metadata][config]") {
  Fixture f;
  CHECK(f.broker_refused("1", {set("node.id", "7")}).code == MetadataErrc::kInvalidRequest);
  CHECK(f.broker_refused("1", {set("node.id", "7"), set("log.dirs", "/x")}).message ==
        "Cannot update these configs dynamically: [node.id, log.dirs]");
  CHECK(f.broker_refused("1", {unset("num.partitions")}).code == MetadataErrc::kInvalidRequest);
  CHECK(f.broker_refused("1", {set("log.retention.mss", "7")}).code == MetadataErrc::kInvalidConfig);
  CHECK(f.broker_refused("1", {set("log.retention.mss", "7")}).message ==
        "Unknown broker config name: log.retention.mss, did you mean log.retention.ms?");
  CHECK(f.broker_refused("", {set("log.retention.ms", "abc")}).message ==
        "Invalid value abc for configuration log.retention.ms: Not a number of type LONG");
  CHECK(f.broker_refused("", {set("log.segment.bytes", "1")}).code == MetadataErrc::kInvalidRequest);
  CHECK(f.broker_refused("", {set("num.io.threads", "1")}).message.find("means nothing to this broker") !=
        std::string::npos);
  CHECK(f.broker_refused("2", {set("log.retention.ms", "1")}).message ==
        "Unexpected broker id, expected 1, but received 2");
  CHECK(f.broker_refused("abc", {set("log.retention.ms", "1")}).message ==
        "Node id must be an integer, but it is: abc");
  CHECK(f.broker_refused("1", {set("log.retention.ms", "1"), set("log.retention.ms", "1")}).code ==
        MetadataErrc::kInvalidRequest);
  CHECK(f.broker_refused("1", {set("log.retention.ms", "-7")}).message ==
        "Invalid value -7 for configuration log.retention.ms: Value must be unlimited (-1) or at least 1");
}

TEST_CASE("metadata configs: compaction lags agree over all layers", "[metadata][config]") {
  Fixture f;
  f.static_broker["log.cleaner.max.compaction.lag.ms"] = "100";
  CHECK(f.refused({set("min.compaction.lag.ms", "101")}).message ==
        "conflict topic config setting min.compaction.lag.ms (101) > max.compaction.lag.ms (100)");
  f.alter({set("min.compaction.lag.ms", "101"), set("max.compaction.lag.ms", "200")});
  CHECK(f.refused({unset("max.compaction.lag.ms")}).code == MetadataErrc::kInvalidConfig);
  CreateTopicEvent event;
  event.name = "another";
  event.configs = {{"min.compaction.lag.ms", "101"}};
  CHECK(f.machine.on_create_topic(event, f.rules, f.broker(), 0, f.random).error().code ==
        MetadataErrc::kInvalidConfig);
  for (const std::string_view resource : {"", "1"}) {
    CHECK(f.broker_refused(resource, {set("log.cleaner.min.compaction.lag.ms", "101")}).message.find("(101) > ") !=
          std::string::npos);
  }
  f.apply(*f.decide_broker("", {set("log.cleaner.min.compaction.lag.ms", "50")}));
  CHECK(f.broker_refused("1", {set("log.cleaner.max.compaction.lag.ms", "49")}).code == MetadataErrc::kInvalidRequest);
}

TEST_CASE("metadata configs: a setting that nobody knows is none to unset, as in Kafka", "[metadata][config]") {
  Fixture f;
  CHECK(f.decide({unset("retention.mss")})->records.empty());
  CHECK(f.refused({set("retention.mss", "1")}).code == MetadataErrc::kInvalidConfig);
  CHECK(f.refused({append("retention.mss", "1")}).code == MetadataErrc::kInvalidConfig);
  CHECK(f.refused({subtract("retention.mss", "1")}).code == MetadataErrc::kInvalidConfig);
  CHECK(f.decide_broker("1", {unset("log.retention.mss")})->records.empty());
}

}  // namespace
}  // namespace leat
