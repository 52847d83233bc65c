// address.cpp: see address.h.
#include "net/transport/address.h"

#include <fmt/format.h>

#include <charconv>

namespace leat {

std::string HostPort::to_string() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

Result<HostPort> parse_host_port(std::string_view text) {
  const auto refuse = [text](std::string_view why) {
    return fail(Errc::kInvalidArgument, fmt::format("'{}' is not HOST:PORT: {}", text, why));
  };
  std::string_view host;
  std::string_view port;
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return refuse("a bracket is not closed");
    host = text.substr(1, close - 1);
    port = text.substr(close + 1);
    if (!port.starts_with(':')) return refuse("no port");
    port.remove_prefix(1);
  } else {
    const size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return refuse("no port");
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.find(':') != std::string_view::npos) return refuse("an IPv6 address stands in brackets, as in [::1]:9092");
  }
  uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size()) return refuse("the port is a number from 0 to 65535");
  return HostPort{std::string(host), number};
}

}  // namespace leat
