// address_text.h: "host:port" as people write it: an IPv6 address stands in brackets, so that its colons are not taken
// for the one before the port. What a host or a port may be, and what stands for one that is left out, the callers say.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace leat {

std::string address_text(std::string_view host, uint16_t port);  // "broker:9092", "[::1]:9092"

struct AddressParts {
  std::string_view host;                 // without brackets; may be empty
  std::optional<std::string_view> port;  // behind the colon, not looked at; nullopt: there is no colon
};

enum class AddressFlaw : uint8_t { kNoClosingBracket, kTextBehindBracket, kNoBrackets };
std::string_view to_string(AddressFlaw flaw) noexcept;  // "']' is missing"

// Views into `text`.
tl::expected<AddressParts, AddressFlaw> split_address(std::string_view text) noexcept;

}  // namespace leat
