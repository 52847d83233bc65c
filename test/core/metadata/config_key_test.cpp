// config_key_test.cpp: one value at a time, in Kafka 4.4.0's words.
#include "core/metadata/config_key.h"

#include <algorithm>

#include "core/metadata/broker_configs.h"
#include "core/metadata/group_configs.h"
#include "core/metadata/topic_configs.h"
#include "test/support/catch.h"

namespace leat {
namespace {

std::string fault(std::string_view name, std::string_view value) {
  const ConfigKey* key = topic_configs().find(name);
  REQUIRE(key != nullptr);
  const Result<void> checked = check_config_value(*key, value);
  return checked ? "" : checked.error().context;
}

TEST_CASE("config: the tables are sorted, and every default is valid", "[metadata][config]") {
  for (const ConfigTable* table : {&topic_configs(), &broker_configs(), &group_configs()}) {
    const std::vector<std::string_view> names = table->names();
    CHECK(std::is_sorted(names.begin(), names.end()));
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    for (const ConfigKey& key : table->keys()) {
      INFO(key.name);
      CHECK(table->find(key.name) == &key);
      CHECK_FALSE(key.documentation.empty());
      if (key.default_value != nullptr) CHECK(check_config_value(key, key.default_value).has_value());
    }
    CHECK(table->find("") == nullptr);
    CHECK(table->find("zzz") == nullptr);
  }
  CHECK(topic_configs().keys().size() == 39);  // Kafka 4.4.0's 38, with internal.segment.bytes, and leat.flush
}

TEST_CASE("config: what stands behind a topic's or group's setting is a broker setting", "[metadata][config]") {
  for (const ConfigTable* table : {&topic_configs(), &group_configs()}) {
    for (const ConfigKey& key : table->keys()) {
      for (const std::string_view synonym : key.synonyms) {
        INFO(key.name << " " << synonym);
        if (!synonym.empty()) CHECK(broker_configs().find(synonym) != nullptr);
      }
    }
  }
}

TEST_CASE("config: one of several words, in capitals or not", "[metadata][config]") {
  const ConfigKey* key = broker_configs().find("group.consumer.migration.policy");
  REQUIRE(key != nullptr);
  CHECK(check_config_value(*key, "UPGRADE").has_value());
  CHECK(check_config_value(*key, "disabled").has_value());
  CHECK_FALSE(check_config_value(*key, "sideways").has_value());
}

TEST_CASE("config: no name is both meaningful and inert", "[metadata][config]") {
  const std::span<const std::string_view> inert = inert_broker_settings();
  CHECK(std::is_sorted(inert.begin(), inert.end()));
  for (const std::string_view name : inert) {
    INFO(name);
    CHECK(broker_configs().find(name) == nullptr);
    CHECK(is_inert_broker_setting(name));
  }
  CHECK(is_inert_broker_setting("zookeeper.connect"));
  CHECK(is_inert_broker_setting("listener.name.internal.ssl.keystore.location"));
  CHECK_FALSE(is_inert_broker_setting("num.partitions"));
  CHECK_FALSE(is_inert_broker_setting("num.partition"));
}

TEST_CASE("config: good values", "[metadata][config]") {
  CHECK(fault("retention.ms", "-1").empty());
  CHECK(fault("retention.ms", " 5000 ").empty());
  CHECK(fault("retention.ms", "+5").empty());
  CHECK(fault("retention.ms", "9223372036854775807").empty());
  CHECK(fault("cleanup.policy", "compact, delete").empty());
  CHECK(fault("cleanup.policy", "").empty());
  CHECK(fault("preallocate", "TRUE").empty());
  CHECK(fault("min.cleanable.dirty.ratio", "1").empty());
  CHECK(fault("min.cleanable.dirty.ratio", "1e-3").empty());
  CHECK(fault("compression.gzip.level", "-1").empty());
  CHECK(fault("leader.replication.throttled.replicas", "*").empty());
  CHECK(fault("leader.replication.throttled.replicas", "0:1,12:3").empty());
  CHECK(fault("compression.zstd.level", "-131072").empty());
}

TEST_CASE("config: bad values are refused as Kafka refuses them", "[metadata][config]") {
  CHECK(fault("retention.ms", "abc") == "Invalid value abc for configuration retention.ms: Not a number of type LONG");
  CHECK(fault("retention.ms", "") == "Invalid value '' for configuration retention.ms: Not a number of type LONG");
  CHECK(fault("retention.ms", "-2") == "Invalid value -2 for configuration retention.ms: Value must be at least -1");
  CHECK(fault("segment.bytes", "1000") ==
        "Invalid value 1000 for configuration segment.bytes: Value must be at least 1048576");
  CHECK(fault("max.message.bytes", "3000000000") ==
        "Invalid value 3000000000 for configuration max.message.bytes: Not a number of type INT");
  CHECK(fault("cleanup.policy", "delete,foo") ==
        "Invalid value foo for configuration cleanup.policy: String must be one of: compact, delete");
  CHECK(fault("preallocate", "yes") ==
        "Invalid value yes for configuration preallocate: Expected value to be either true or false");
  CHECK(fault("min.cleanable.dirty.ratio", "1.5") ==
        "Invalid value 1.5 for configuration min.cleanable.dirty.ratio: Value must be no more than 1");
  CHECK(fault("message.timestamp.type", "createtime") ==
        "Invalid value createtime for configuration message.timestamp.type: String must be one of: CreateTime, "
        "LogAppendTime");
  CHECK(fault("compression.gzip.level", "0") ==
        "Invalid value 0 for configuration compression.gzip.level: Value must be between 1 and 9 or equal to -1");
  CHECK(fault("leader.replication.throttled.replicas", "x") ==
        "Invalid value [x] for configuration leader.replication.throttled.replicas: "
        "leader.replication.throttled.replicas must be the "
        "literal '*' or a list of replicas in the following format: "
        "[partitionId]:[brokerId],[partitionId]:[brokerId],...");
  CHECK(fault("compression.zstd.level", "23").find("no more than 22") != std::string::npos);
  CHECK(fault("segment.bytes", "2G").find("without a unit") != std::string::npos);
  for (const std::string_view bad :
       {"", " ", "1.0", "0x10", "1e3", "--1", "+-1", "1 2", "9223372036854775808", "-9223372036854775809"}) {
    INFO(bad);
    CHECK_FALSE(fault("retention.ms", bad).empty());
  }
  for (const std::string_view bad : {"", "nan", "0x1p0", "0.5x", "one"}) {
    INFO(bad);
    CHECK_FALSE(fault("min.cleanable.dirty.ratio", bad).empty());
  }
  for (const std::string_view bad : {"1", "1:", ":1", "1:2,", "a:b", "*,1:1"}) {
    INFO(bad);
    CHECK_FALSE(fault("leader.replication.throttled.replicas", bad).empty());
  }
  CHECK(fault("cleanup.policy", "delete, delete") == "Configuration 'cleanup.policy' values must not be duplicated.");
  CHECK(fault("cleanup.policy", "delete,") == "Configuration 'cleanup.policy' values must not be empty.");
}

TEST_CASE("config: unlimited is -1 and no other negative number", "[metadata][config]") {
  for (const std::string_view name : {"log.retention.ms", "log.retention.minutes", "log.retention.hours"}) {
    const ConfigKey* key = broker_configs().find(name);
    REQUIRE(key != nullptr);
    INFO(name);
    for (const std::string_view good : {"-1", "1", "2147483647"}) CHECK(check_config_value(*key, good).has_value());
    for (const std::string_view bad : {"-7", "-2", "0", "-2147483648"}) {
      const Result<void> checked = check_config_value(*key, bad);
      REQUIRE_FALSE(checked.has_value());
      CHECK(checked.error().context.find("Value must be unlimited (-1) or at least 1") != std::string::npos);
    }
  }
}

// Kafka makes a LogConfig of the broker's values when it starts, so it starts with none that a topic could not have.
TEST_CASE("config: what a topic may not have is no default of topics either", "[metadata][config]") {
  const auto is_number = [](const ConfigKey& key) {
    return key.type == ConfigType::kInt || key.type == ConfigType::kLong || key.type == ConfigType::kDouble;
  };
  size_t compared = 0;
  for (const ConfigTable* table : {&topic_configs(), &group_configs()}) {
    for (const ConfigKey& key : table->keys()) {
      if (!is_number(key)) continue;
      for (const std::string_view synonym : key.synonyms) {
        const ConfigKey* behind = broker_configs().find(synonym);
        if (behind == nullptr) continue;
        for (const std::string_view value : {"-200000", "-3", "-2", "-1", "0", "3", "1000", "2147483647"}) {
          INFO(key.name << " and " << synonym << " of " << value);
          const bool topic_takes = check_config_value(key, value).has_value();
          if (!topic_takes) CHECK_FALSE(check_config_value(*behind, value).has_value());
          ++compared;
        }
      }
    }
  }
  CHECK(compared > 200);
}

TEST_CASE("config: a topic's overrides are checked as a whole", "[metadata][config]") {
  const auto fault_of = [](const ConfigMap& configs) {
    const ConfigMap none;
    const Result<void> checked =
        check_topic_configs(configs, {.dynamic_broker = none, .dynamic_default = none, .static_broker = none});
    return checked ? std::string() : checked.error().context;
  };
  CHECK(fault_of({{"retention.ms", "1"}, {"cleanup.policy", "compact"}}).empty());
  CHECK(fault_of({{"retention.mss", "1"}}) == "Unknown topic config name: retention.mss, did you mean retention.ms?");
  CHECK(fault_of({{"min.compaction.lag.ms", "2"}, {"max.compaction.lag.ms", "1"}}) ==
        "conflict topic config setting min.compaction.lag.ms (2) > max.compaction.lag.ms (1)");
  CHECK(fault_of({{"remote.storage.enable", "true"}}).find("Tiered Storage functionality is disabled") !=
        std::string::npos);
  CHECK(fault_of({{"remote.storage.enable", "false"}}).empty());
  CHECK(fault_of({{"internal.segment.bytes", "100"}}).empty());
}

TEST_CASE("config: lists are split as Kafka splits them", "[metadata][config]") {
  CHECK(config_list("").empty());
  CHECK(config_list("  ").empty());
  CHECK(config_list("a") == std::vector<std::string>{"a"});
  CHECK(config_list(" a , b,c ") == std::vector<std::string>{"a", "b", "c"});
  CHECK(config_list("a,,b") == std::vector<std::string>{"a", "", "b"});
  CHECK(config_list("a,") == std::vector<std::string>{"a", ""});
}

}  // namespace
}  // namespace leat
