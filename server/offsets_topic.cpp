// offsets_topic.cpp: see offsets_topic.h.
#include "server/offsets_topic.h"

#include <fmt/format.h>

namespace leat {
namespace {

constexpr int64_t kSegmentBytesMin = 1 << 20;  // segment.bytes below it is refused
constexpr uint32_t kReplacement = 0xfffd;      // what Java makes of bytes that are no UTF-8

bool continues(std::string_view utf8, size_t at) noexcept {
  return at < utf8.size() && (static_cast<uint8_t>(utf8[at]) & 0xc0) == 0x80;
}

// The code point at `at`, which moves behind it. Ids are checked UTF-8 when they come off the wire; others still get
// some number.
uint32_t take_code_point(std::string_view utf8, size_t& at) noexcept {
  const auto first = static_cast<uint8_t>(utf8[at++]);
  if (first < 0x80) return first;
  const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  if (first < 0xc0) return kReplacement;
  uint32_t code_point = first & (0x3fU >> more);
  for (int i = 0; i < more; ++i) {
    if (!continues(utf8, at)) return kReplacement;
    code_point = code_point << 6 | (static_cast<uint8_t>(utf8[at++]) & 0x3fU);
  }
  return code_point;
}

}  // namespace

int32_t java_hash_of(std::string_view utf8) noexcept {
  uint32_t hash = 0;
  const auto add = [&hash](uint32_t unit) { hash = hash * 31 + unit; };
  for (size_t at = 0; at < utf8.size();) {
    const uint32_t code_point = take_code_point(utf8, at);
    if (code_point < 0x10000) {
      add(code_point);
    } else {
      add(0xd800 + ((code_point - 0x10000) >> 10));
      add(0xdc00 + ((code_point - 0x10000) & 0x3ff));
    }
  }
  return static_cast<int32_t>(hash);
}

int32_t partition_of_hash(int32_t hash, int32_t partition_count) noexcept {
  if (hash == INT32_MIN) return 0;  // it has no absolute value: Kafka takes 0
  return (hash < 0 ? -hash : hash) % partition_count;
}

ConfigMap offsets_topic_configs(const BrokerConfigs& broker) {
  ConfigMap configs{{"cleanup.policy", "compact"}, {"compression.type", "producer"}};
  const int64_t segment_bytes = broker_integer("offsets.topic.segment.bytes", broker);
  const bool is_small = segment_bytes < kSegmentBytesMin;
  configs[is_small ? "internal.segment.bytes" : "segment.bytes"] = fmt::format("{}", segment_bytes);
  return configs;
}

CreateTopicEvent offsets_topic_event(const BrokerConfigs& broker) {
  CreateTopicEvent event;
  event.name = kOffsetsTopic;
  event.partition_count = static_cast<int32_t>(broker_integer("offsets.topic.num.partitions", broker));
  for (auto& [name, value] : offsets_topic_configs(broker)) event.configs.emplace_back(name, value);
  return event;
}

}  // namespace leat
