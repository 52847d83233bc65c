// listeners.h: what listeners, advertised.listeners and listener.security.protocol.map say, checked. Listener names are
// upper case, as Kafka makes them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace leat {

enum class SecurityProtocol : uint8_t { kPlaintext, kSsl, kSaslPlaintext, kSaslSsl };
std::string_view to_string(SecurityProtocol protocol) noexcept;

struct Listener {
  std::string name;
  SecurityProtocol protocol = SecurityProtocol::kPlaintext;
  std::string host;   // to bind: "" is every interface, else a name or an address without brackets; a name is bound at
                      // all its addresses (localhost at 127.0.0.1 and ::1)
  uint16_t port = 0;  // 0: any free one
  std::string advertised_host;   // what clients are told
  uint16_t advertised_port = 0;  // 0: the port that was bound
};

struct ListenerSettings {
  std::string_view listeners;
  std::string_view advertised;  // "" is not given
  std::string_view protocol_map;
  std::string_view not_opened;    // controller.listener.names
  std::string_view machine_name;  // advertised in place of a wildcard
};

struct ListenerPlan {
  std::vector<Listener> listeners;  // at least one
  std::vector<std::string> warnings;
};

Result<ListenerPlan> plan_listeners(const ListenerSettings& settings);

// "host:port", "[::1]:9092", ":9092"; for flags and settings. The port must be given; 0 is any free one.
struct ListenerEndpoint {
  std::string host;
  uint16_t port = 0;
};
Result<ListenerEndpoint> parse_listener_endpoint(std::string_view text);
bool is_wildcard_host(std::string_view host) noexcept;

}  // namespace leat
