// name_limits.h: names that are too long for any broker, refused before one is asked: a request could not even carry
// the longest of them. Pure; any thread.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include <leat/error.h>

namespace leat::client::detail {

inline constexpr size_t kTopicNameBytesMax = 249;     // Kafka's rule
inline constexpr size_t kGroupNameBytesMax = 32'767;  // what a string of the protocol holds, as do instance ids

inline std::optional<Error> refuse_name(std::string_view kind, std::string_view name, size_t bytes_max) {
  constexpr size_t kShownBytes = 32;
  if (name.size() <= bytes_max) return std::nullopt;
  return Error(Cause::kInvalidArgument, fmt::format("{} '{}...': a name may have {} bytes at most, this one has {}",
                                                    kind, name.substr(0, kShownBytes), bytes_max, name.size()));
}
inline std::optional<Error> refuse_topic_name(std::string_view name) {
  return refuse_name("topic", name, kTopicNameBytesMax);
}
inline std::optional<Error> refuse_group_name(std::string_view name) {
  return refuse_name("group", name, kGroupNameBytesMax);
}
inline std::optional<Error> refuse_instance_name(const std::optional<std::string>& name) {
  return refuse_name("group instance", name ? std::string_view(*name) : std::string_view(), kGroupNameBytesMax);
}

}  // namespace leat::client::detail
