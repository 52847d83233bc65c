// size_limits.h: how large a batch a topic takes, and a request its broker: what is known to be larger is refused
// before it is sent, in words that say what to change. A broker closes the connection on a request that is too large,
// and says nothing.
#pragma once

#include <leat/client.h>

#include <cstdint>
#include <optional>
#include <string>

#include "cli/session.h"

namespace leat::cli {

// None: the broker does not tell.
struct SizeLimits {
  std::optional<int64_t> batch_bytes;    // max.message.bytes of the topic: of a batch as it is stored, with its header
  std::optional<int64_t> request_bytes;  // socket.request.max.bytes of the broker that leads the first partition
};

SizeLimits ask_size_limits(client::Client& client, const client::TopicInfo& topic);

// Whether batches are compressed: then only the broker can say how large they are to it.
enum class Packed : uint8_t { kNo, kYes };

// MESSAGE_TOO_LARGE, when so many bytes cannot pass: "WHAT is larger than ...", and what to do. A packed batch is held
// to nothing.
std::optional<Error> refuse_size(Session& session, const SizeLimits& limits, const client::TopicInfo& topic,
                                 Packed packed, int64_t size_bytes, const std::string& what);

}  // namespace leat::cli
