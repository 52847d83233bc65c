// topic_partition.h: the name of a partition, and which topics are the broker's own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace leat {

struct TopicPartition {
  std::string topic;
  int32_t partition = 0;

  friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

// Names that clients may read but not write: as Kafka's Topic.isInternal, and our own.
inline constexpr std::array<std::string_view, 4> kInternalTopics = {"__consumer_offsets", "__leat_metadata",
                                                                    "__share_group_state", "__transaction_state"};
inline bool is_internal_topic(std::string_view topic) noexcept {
  return std::find(kInternalTopics.begin(), kInternalTopics.end(), topic) != kInternalTopics.end();
}

}  // namespace leat

template <>
struct std::hash<leat::TopicPartition> {
  size_t operator()(const leat::TopicPartition& name) const noexcept {
    return std::hash<std::string>{}(name.topic) * 31 + static_cast<size_t>(name.partition);
  }
};

template <>
struct fmt::formatter<leat::TopicPartition> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(const leat::TopicPartition& name, Context& context) const {
    return fmt::format_to(context.out(), "{}-{}", name.topic, name.partition);
  }
};
