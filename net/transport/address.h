// address.h: HOST:PORT as users write it: "localhost:9092", "[::1]:9092", ":9092" (all addresses), and what it binds
// to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace leat {

struct HostPort {
  std::string host;  // without brackets; empty means every address of the machine
  uint16_t port = 0;

  std::string to_string() const;  // brackets round an IPv6 host
  bool is_wildcard() const noexcept { return host.empty() || host == "0.0.0.0" || host == "::"; }
};

Result<HostPort> parse_host_port(std::string_view text);

}  // namespace leat
