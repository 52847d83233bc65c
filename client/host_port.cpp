// host_port.cpp: parsing addresses.
#include "client/host_port.h"

#include <fmt/format.h>

#include "core/base/parse_int.h"

namespace leat {

std::string HostPort::to_string() const {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<HostPort> parse_host_port(std::string_view text) {
  const auto refuse = [text](std::string_view why) {
    return fail(Errc::kInvalidArgument, fmt::format("'{}' is not HOST:PORT: {}", text, why));
  };
  HostPort address;
  std::string_view port;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return refuse("']' is missing");
    address.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return refuse("':' and a port belong behind ']'");
  } else {
    const size_t colon = text.find(':');
    if (colon != text.rfind(':')) return refuse("an IPv6 address belongs in brackets, as in [::1]:9092");
    if (colon != 0) address.host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon);
  }
  if (address.host.empty()) return refuse("the host is missing");
  if (port.empty()) return address;
  port.remove_prefix(1);
  address.port = parse_int<uint16_t>(port).value_or(0);
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
