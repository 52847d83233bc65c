// topic_partition.h: the name of a partition.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace leat {

struct TopicPartition {
  std::string topic;
  int32_t partition = 0;

  friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

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
