// address_text.cpp: brackets are written where the host has a colon, and asked for where there is more than one.
#include "core/base/address_text.h"

#include <fmt/format.h>

namespace leat {

std::string address_text(std::string_view host, uint16_t port) {
  const bool is_v6 = host.find(':') != std::string_view::npos;
  return is_v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string_view to_string(AddressFlaw flaw) noexcept {
  switch (flaw) {
    case AddressFlaw::kNoClosingBracket:
      return "']' is missing";
    case AddressFlaw::kTextBehindBracket:
      return "':' and a port belong behind ']'";
    case AddressFlaw::kNoBrackets:
      return "an IPv6 address belongs in brackets, as in [::1]:9092";
  }
  return "";
}

tl::expected<AddressParts, AddressFlaw> split_address(std::string_view text) noexcept {
  AddressParts parts;
  std::string_view rest;  // the colon and the port
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return tl::unexpected(AddressFlaw::kNoClosingBracket);
    parts.host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
    if (!rest.empty() && !rest.starts_with(':')) return tl::unexpected(AddressFlaw::kTextBehindBracket);
  } else {
    const size_t colon = text.find(':');
    if (colon != text.rfind(':')) return tl::unexpected(AddressFlaw::kNoBrackets);
    parts.host = text.substr(0, colon);
    if (colon != std::string_view::npos) rest = text.substr(colon);
  }
  if (!rest.empty()) parts.port = rest.substr(1);
  return parts;
}

}  // namespace leat
