// prefixed.cpp: the words of its errors.
#include "core/codec/prefixed.h"

#include <fmt/format.h>

namespace leat::prefixed_internal {

Error cannot_encode(const PieceWriter& out, std::string_view name, int16_t version) {
  return {Errc::kInvalidArgument,
          fmt::format("{} version {} cannot carry the value of {}", name, version, out.failed_field())};
}

Error cannot_decode(const MessageReader& in, std::string_view name, int16_t version) {
  return {Errc::kCorrupt, fmt::format("malformed {} version {} at {}", name, version, in.failed_field())};
}

}  // namespace leat::prefixed_internal
