// host_port.cpp: parsing addresses.
#include "client/host_port.h"

#include <fmt/format.h>

#include "core/base/address_text.h"
#include "core/base/parse_int.h"

namespace leat {

std::string HostPort::to_string() const { return address_text(host, port); }

Result<HostPort> parse_host_port(std::string_view text) {
  const auto refuse = [text](std::string_view why) {
    return fail(Errc::kInvalidArgument, fmt::format("'{}' is not HOST:PORT: {}", text, why));
  };
  HostPort address;
  const auto parts = split_address(text);
  if (!parts) return refuse(leat::to_string(parts.error()));
  if (!text.starts_with(':')) address.host = parts->host;
  if (address.host.empty()) return refuse("the host is missing");
  if (!parts->port) return address;
  address.port = parse_int<uint16_t>(*parts->port).value_or(0);
  if (address.port == 0) return refuse("a port is a number from 1 to 65535");
  return address;
}

Result<std::vector<HostPort>> parse_host_ports(std::string_view text) {
  std::vector<HostPort> addresses;
  for (;;) {
    const size_t comma = text.find(',');
    TRY(address, parse_host_port(text.substr(0, comma)));
    addresses.push_back(address);
    if (comma == std::string_view::npos) return addresses;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace leat
