// message_types.h: every request and response, headers included, for tests, fuzzers and tools that go through all.
#pragma once

#include <span>

#include "core/codec/any_message.h"

namespace leat {

std::span<const MessageType> message_types() noexcept;
// nullptr: no such message.
const MessageType* find_message_type(std::string_view name) noexcept;

}  // namespace leat
