// config_resolution_test.cpp: which value holds and where it comes from; sources and synonyms as a Kafka 4.4.0 broker
// gave them for the same settings.
#include "core/metadata/config_resolution.h"

#include <fmt/format.h>

#include "core/metadata/broker_configs.h"
#include "core/metadata/log_settings.h"
#include "core/metadata/topic_configs.h"
#include "test/support/catch.h"

namespace leat {
namespace {

struct Layers {
  ConfigMap topic;
  ConfigMap dynamic_broker;
  ConfigMap dynamic_default;
  ConfigMap static_broker;

  BrokerConfigs broker() const {
    return {.dynamic_broker = dynamic_broker, .dynamic_default = dynamic_default, .static_broker = static_broker};
  }
  EffectiveConfig of_topic(std::string_view name) const {
    return resolve_topic_config(*topic_configs().find(name), topic, broker());
  }
  EffectiveConfig of_broker(std::string_view name) const {
    return resolve_broker_config(*broker_configs().find(name), broker());
  }
};

// "value@source: name=value@source ..."
std::string shown(const EffectiveConfig& config) {
  std::string text = fmt::format("{}@{}:", config.value.value_or("null"), static_cast<int>(config.source));
  for (const ConfigSynonym& synonym : config.synonyms) {
    text += fmt::format(" {}={}@{}", synonym.name, synonym.value.value_or("null"), static_cast<int>(synonym.source));
  }
  return text;
}

TEST_CASE("config resolution: nothing set is the default, with the broker's default behind it", "[metadata][config]") {
  const Layers layers;
  CHECK(shown(layers.of_topic("segment.bytes")) == "1073741824@5: log.segment.bytes=1073741824@5");
  CHECK(shown(layers.of_topic("retention.ms")) == "604800000@5:");
  CHECK(shown(layers.of_topic("flush.ms")) == "9223372036854775807@5:");
  CHECK(shown(layers.of_topic("cleanup.policy")) == "delete@5: log.cleanup.policy=delete@5");
  CHECK(shown(layers.of_topic("remote.storage.enable")) == "false@5:");
  CHECK(shown(layers.of_broker("log.retention.ms")) == "null@5:");
  CHECK(shown(layers.of_broker("log.retention.hours")) == "168@5: log.retention.hours=168@5");
  CHECK(shown(layers.of_broker("num.partitions")) == "1@5: num.partitions=1@5");
}

TEST_CASE("config resolution: each layer covers those below it", "[metadata][config]") {
  Layers layers;
  layers.static_broker["log.segment.bytes"] = "2000000";
  CHECK(shown(layers.of_topic("segment.bytes")) ==
        "2000000@4: log.segment.bytes=2000000@4 log.segment.bytes=1073741824@5");
  layers.dynamic_default["log.segment.bytes"] = "2000001";
  CHECK(shown(layers.of_topic("segment.bytes")) ==
        "2000001@3: log.segment.bytes=2000001@3 log.segment.bytes=2000000@4 log.segment.bytes=1073741824@5");
  layers.dynamic_broker["log.segment.bytes"] = "2000002";
  CHECK(layers.of_topic("segment.bytes").value == "2000002");
  CHECK(layers.of_broker("log.segment.bytes").source == ConfigSource::kDynamicBroker);
  layers.topic["segment.bytes"] = "3000000";
  CHECK(shown(layers.of_topic("segment.bytes")) ==
        "3000000@1: segment.bytes=3000000@1 log.segment.bytes=2000002@2 log.segment.bytes=2000001@3 "
        "log.segment.bytes=2000000@4 "
        "log.segment.bytes=1073741824@5");
}

TEST_CASE("config resolution: synonyms are listed as Kafka lists them", "[metadata][config]") {
  Layers layers;
  layers.topic["retention.ms"] = "5000";
  CHECK(shown(layers.of_topic("retention.ms")) == "5000@1: retention.ms=5000@1");
  layers.dynamic_broker["log.retention.ms"] = "999999";
  layers.dynamic_default["log.retention.ms"] = "888888";
  CHECK(shown(layers.of_topic("retention.ms")) ==
        "5000@1: retention.ms=5000@1 log.retention.ms=999999@2 log.retention.ms=888888@3 log.retention.hours=168@5");
  CHECK(shown(layers.of_broker("log.retention.ms")) ==
        "999999@2: log.retention.ms=999999@2 log.retention.ms=888888@3 log.retention.hours=168@5");
}

TEST_CASE("config resolution: hours and minutes give milliseconds, the closest wins", "[metadata][config]") {
  Layers layers;
  layers.static_broker["log.retention.hours"] = "2";
  CHECK(layers.of_topic("retention.ms").value == "7200000");
  CHECK(layers.of_topic("retention.ms").source == ConfigSource::kStaticBroker);
  layers.static_broker["log.retention.minutes"] = "3";
  CHECK(layers.of_topic("retention.ms").value == "180000");
  layers.static_broker["log.retention.ms"] = "4";
  CHECK(layers.of_topic("retention.ms").value == "4");
  layers.static_broker = {{"log.retention.hours", "-1"}};
  CHECK(layers.of_topic("retention.ms").value == "-1");
  layers.static_broker = {{"log.retention.hours", "2147483647"}};
  CHECK(layers.of_topic("retention.ms").value == "7730941129200000");
  layers.static_broker = {{"log.roll.hours", "1"}, {"log.roll.jitter.hours", "2"}};
  CHECK(layers.of_topic("segment.ms").value == "3600000");
  CHECK(layers.of_topic("segment.jitter.ms").value == "7200000");
}

TEST_CASE("log settings: defaults, and what Kafka's names set", "[metadata][config]") {
  Layers layers;
  LogConfig config = log_config_of(layers.topic, layers.broker());
  const LogConfig plain;
  CHECK(config.segment_bytes == plain.segment_bytes);
  CHECK(config.segment_ms == plain.segment_ms);
  CHECK(config.retention_ms == plain.retention_ms);
  CHECK(config.retention_bytes == plain.retention_bytes);
  CHECK(config.delete_old);
  CHECK_FALSE(config.compact);
  CHECK(config.min_cleanable_dirty_ratio == plain.min_cleanable_dirty_ratio);
  CHECK(config.min_compaction_lag_ms == plain.min_compaction_lag_ms);
  CHECK(config.max_compaction_lag_ms == plain.max_compaction_lag_ms);
  CHECK(config.delete_retention_ms == plain.delete_retention_ms);
  layers.topic = {{"segment.bytes", "2000000"},
                  {"cleanup.policy", "compact"},
                  {"min.cleanable.dirty.ratio", "0.25"},
                  {"min.compaction.lag.ms", "3"},
                  {"max.compaction.lag.ms", "5"},
                  {"message.timestamp.type", "LogAppendTime"},
                  {"flush.ms", "7"},
                  {"preallocate", "true"},
                  {"retention.bytes", "9"}};
  layers.static_broker = {
      {"producer.id.expiration.ms", "11"}, {"log.retention.minutes", "1"}, {"log.cleaner.delete.retention.ms", "4"}};
  config = log_config_of(layers.topic, layers.broker());
  CHECK(config.segment_bytes == 2'000'000);
  CHECK(config.compact);
  CHECK_FALSE(config.delete_old);
  CHECK(config.timestamp_type == TimestampType::kLogAppendTime);
  CHECK(config.flush_ms == 7);
  CHECK(config.preallocate);
  CHECK(config.retention_bytes == 9);
  CHECK(config.retention_ms == 60'000);
  CHECK(config.producer_id_expiration_ms == 11);
  CHECK(config.min_cleanable_dirty_ratio == 0.25);
  CHECK(config.min_compaction_lag_ms == 3);
  CHECK(config.max_compaction_lag_ms == 5);
  CHECK(config.delete_retention_ms == 4);
  layers.topic["internal.segment.bytes"] = "512";
  CHECK(log_config_of(layers.topic, layers.broker()).segment_bytes == 512);
}

TEST_CASE("log settings: the flush policy, where flush.messages=1 means commit", "[metadata][config]") {
  Layers layers;
  layers.static_broker["leat.flush"] = "none";
  CHECK(log_config_of(layers.topic, layers.broker()).flush == FlushPolicy::kNone);
  layers.topic["flush.messages"] = "1";
  CHECK(log_config_of(layers.topic, layers.broker()).flush == FlushPolicy::kCommit);
  layers.topic["flush.messages"] = "2";
  CHECK(log_config_of(layers.topic, layers.broker()).flush == FlushPolicy::kNone);
  layers.topic["leat.flush"] = "full";
  CHECK(log_config_of(layers.topic, layers.broker()).flush == FlushPolicy::kFull);
  layers.topic["flush.messages"] = "1";
  CHECK(log_config_of(layers.topic, layers.broker()).flush == FlushPolicy::kFull);
  layers = Layers{};
  layers.static_broker = {{"leat.flush", "none"}, {"log.flush.interval.messages", "1"}};
  CHECK(log_config_of(layers.topic, layers.broker()).flush == FlushPolicy::kCommit);
}

TEST_CASE("log settings: rules for producers' batches", "[metadata][config]") {
  Layers layers;
  ValidationRules rules = validation_rules_of(layers.topic, layers.broker());
  CHECK(rules.message_bytes_max == 1048588);
  CHECK_FALSE(rules.stored_codec.has_value());
  CHECK_FALSE(rules.compacted);
  CHECK(rules.timestamp_after_ms_max == 3'600'000);
  layers.topic = {{"max.message.bytes", "100"},
                  {"compression.type", "zstd"},
                  {"compression.zstd.level", "-5"},
                  {"cleanup.policy", "delete,compact"},
                  {"message.timestamp.before.max.ms", "8"}};
  rules = validation_rules_of(layers.topic, layers.broker());
  CHECK(rules.message_bytes_max == 100);
  CHECK(rules.stored_codec == Codec::kZstd);
  CHECK(rules.compression_level == -5);
  CHECK(rules.compacted);
  CHECK(rules.timestamp_before_ms_max == 8);
  layers.topic = {{"compression.type", "uncompressed"}};
  CHECK(validation_rules_of(layers.topic, layers.broker()).stored_codec == Codec::kNone);
}

}  // namespace
}  // namespace leat
