// record_types.h: every schema of an internal topic and of embedded data, for tests, fuzzers and tools that go through
// all.
#pragma once

#include <span>

#include "core/codec/any_message.h"

namespace leat {

std::span<const MessageType> record_types() noexcept;

}  // namespace leat
