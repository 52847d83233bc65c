// size_limits.cpp: see size_limits.h.
#include "cli/size_limits.h"

#include <fmt/format.h>

#include "core/base/parse_int.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

std::optional<int64_t> number_of(client::Client& client, client::ConfigResource resource, const std::string& setting) {
  const client::Result<std::vector<client::ConfigEntry>> entries =
      client.admin().describe_configs(std::move(resource), {setting}).wait();
  if (!entries || entries->size() != 1) return std::nullopt;
  const std::optional<int64_t> number = parse_int<int64_t>(entries->front().value.value_or(""));
  return number && *number > 0 ? number : std::nullopt;
}

}  // namespace

SizeLimits ask_size_limits(client::Client& client, const client::TopicInfo& topic) {
  SizeLimits limits;
  limits.batch_bytes =
      number_of(client, {.type = client::ResourceType::kTopic, .name = topic.name}, "max.message.bytes");
  const int32_t leader = topic.partitions.empty() ? -1 : topic.partitions.front().leader;
  if (leader >= 0) {
    limits.request_bytes = number_of(client, {.type = client::ResourceType::kBroker, .name = std::to_string(leader)},
                                     "socket.request.max.bytes");
  }
  return limits;
}

std::optional<Error> refuse_size(Session& session, const SizeLimits& limits, const client::TopicInfo& topic,
                                 Packed packed, int64_t size_bytes, const std::string& what) {
  if (packed == Packed::kYes) return std::nullopt;
  if (limits.batch_bytes && size_bytes > *limits.batch_bytes) {
    return session.refusal(
        ErrorCode::kMessageTooLarge,
        fmt::format("{}, which is more than topic '{}' takes at once (MESSAGE_TOO_LARGE): its max.message.bytes is {}. "
                    "More: leat config set topic {} max.message.bytes=N",
                    what, topic.name, *limits.batch_bytes, topic.name));
  }
  if (limits.request_bytes && size_bytes > *limits.request_bytes) {
    return session.refusal(ErrorCode::kMessageTooLarge,
                           fmt::format("{}, which is more than the broker takes in a request (MESSAGE_TOO_LARGE): its "
                                       "socket.request.max.bytes is {}",
                                       what, *limits.request_bytes));
  }
  return std::nullopt;
}

}  // namespace leat::cli
