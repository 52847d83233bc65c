// log_settings.cpp: names of settings on one side, fields of LogConfig and ValidationRules on the other.
#include "core/metadata/log_settings.h"

#include <algorithm>

namespace leat {
namespace {

FlushPolicy flush_policy_of(std::string_view value) {
  if (value == "full") return FlushPolicy::kFull;
  return value == "none" ? FlushPolicy::kNone : FlushPolicy::kCommit;
}

TimestampType timestamp_type_of(std::string_view value) {
  return value == "LogAppendTime" ? TimestampType::kLogAppendTime : TimestampType::kCreateTime;
}

std::optional<Codec> codec_of(std::string_view value) {
  if (value == "uncompressed") return Codec::kNone;
  if (value == "gzip") return Codec::kGzip;
  if (value == "snappy") return Codec::kSnappy;
  if (value == "lz4") return Codec::kLz4;
  if (value == "zstd") return Codec::kZstd;
  return std::nullopt;
}

std::string_view level_setting_of(Codec codec) {
  switch (codec) {
    case Codec::kGzip:
      return "compression.gzip.level";
    case Codec::kLz4:
      return "compression.lz4.level";
    case Codec::kZstd:
      return "compression.zstd.level";
    case Codec::kNone:
    case Codec::kSnappy:
      return {};
  }
  return {};
}

}  // namespace

LogConfig log_config_of(const ConfigMap& overrides, const BrokerConfigs& broker) {
  const auto integer = [&](std::string_view name) { return topic_integer(name, overrides, broker); };
  LogConfig config;
  config.segment_bytes = integer("segment.bytes");
  if (const int64_t internal = integer("internal.segment.bytes"); internal > 0) config.segment_bytes = internal;
  config.segment_ms = integer("segment.ms");
  config.segment_jitter_ms = std::min(integer("segment.jitter.ms"), config.segment_ms);
  config.segment_index_bytes = integer("segment.index.bytes");
  config.index_interval_bytes = integer("index.interval.bytes");
  config.retention_bytes = integer("retention.bytes");
  config.retention_ms = integer("retention.ms");
  config.file_delete_delay_ms = integer("file.delete.delay.ms");
  const std::vector<std::string> policy = config_list(topic_value("cleanup.policy", overrides, broker));
  config.delete_old = std::find(policy.begin(), policy.end(), "delete") != policy.end();
  config.compact = std::find(policy.begin(), policy.end(), "compact") != policy.end();
  config.preallocate = config_boolean(topic_value("preallocate", overrides, broker));
  config.flush = flush_policy_of(topic_value("leat.flush", overrides, broker));
  config.flush_messages = integer("flush.messages");
  config.flush_ms = integer("flush.ms");
  // What Kafka promises for flush.messages=1 is what commit does; the weaker word of the two does not win.
  if (config.flush_messages == 1 && config.flush == FlushPolicy::kNone) config.flush = FlushPolicy::kCommit;
  config.timestamp_after_ms_max = integer("message.timestamp.after.max.ms");
  config.timestamp_type = timestamp_type_of(topic_value("message.timestamp.type", overrides, broker));
  config.min_cleanable_dirty_ratio = config_double(topic_value("min.cleanable.dirty.ratio", overrides, broker));
  config.min_compaction_lag_ms = integer("min.compaction.lag.ms");
  config.max_compaction_lag_ms = integer("max.compaction.lag.ms");
  config.delete_retention_ms = integer("delete.retention.ms");
  config.decompressed_bytes_max = integer("max.decompressed.message.bytes");
  config.producer_id_expiration_ms = broker_integer("producer.id.expiration.ms", broker);
  return config;
}

ValidationRules validation_rules_of(const ConfigMap& overrides, const BrokerConfigs& broker) {
  const auto integer = [&](std::string_view name) { return topic_integer(name, overrides, broker); };
  ValidationRules rules;
  rules.message_bytes_max = static_cast<int32_t>(integer("max.message.bytes"));
  rules.timestamp_type = timestamp_type_of(topic_value("message.timestamp.type", overrides, broker));
  rules.timestamp_before_ms_max = integer("message.timestamp.before.max.ms");
  rules.timestamp_after_ms_max = integer("message.timestamp.after.max.ms");
  const std::vector<std::string> policy = config_list(topic_value("cleanup.policy", overrides, broker));
  rules.compacted = std::find(policy.begin(), policy.end(), "compact") != policy.end();
  rules.stored_codec = codec_of(topic_value("compression.type", overrides, broker));
  if (rules.stored_codec) {
    const std::string_view level = level_setting_of(*rules.stored_codec);
    const int64_t value = level.empty() ? 0 : integer(level);
    rules.compression_level = value == -1 && rules.stored_codec == Codec::kGzip ? 0 : static_cast<int>(value);
  }
  rules.decompressed_bytes_max = integer("max.decompressed.message.bytes");
  return rules;
}

}  // namespace leat
