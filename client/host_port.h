// host_port.h: the address of a broker as people write it: host, host:port, [v6]:port, :port. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace leat {

inline constexpr uint16_t kDefaultBrokerPort = 9092;

struct HostPort {
  std::string host = "127.0.0.1";
  uint16_t port = kDefaultBrokerPort;

  std::string to_string() const;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

Result<HostPort> parse_host_port(std::string_view text);
Result<std::vector<HostPort>> parse_host_ports(std::string_view text);  // separated by commas

}  // namespace leat
