// listeners.cpp: a listener is NAME://host:port; each gets its own advertised address.
#include "server/listeners.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/address_text.h"
#include "core/base/parse_int.h"
#include "core/metadata/config_key.h"

namespace leat {
namespace {

struct NamedAddress {
  std::string name;
  std::string host;
  uint16_t port = 0;
};

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

Result<NamedAddress> parse_named_address(std::string_view setting, std::string_view text) {
  const size_t slashes = text.find("://");
  if (slashes == std::string_view::npos || slashes == 0) {
    return fail(Errc::kInvalidArgument, fmt::format("{}: '{}' is not NAME://host:port", setting, text));
  }
  Result<ListenerEndpoint> address = parse_listener_endpoint(text.substr(slashes + 3));
  if (!address)
    return fail(Errc::kInvalidArgument, fmt::format("{}: '{}': {}", setting, text, address.error().context));
  return NamedAddress{.name = upper(text.substr(0, slashes)), .host = std::move(address->host), .port = address->port};
}

Result<std::vector<NamedAddress>> parse_named_addresses(std::string_view setting, std::string_view text) {
  std::vector<NamedAddress> addresses;
  for (const std::string& one : config_list(text)) {
    TRY(address, parse_named_address(setting, one));
    addresses.push_back(std::move(address));
  }
  return addresses;
}

Result<SecurityProtocol> parse_protocol(std::string_view name) {
  for (const SecurityProtocol protocol : {SecurityProtocol::kPlaintext, SecurityProtocol::kSsl,
                                          SecurityProtocol::kSaslPlaintext, SecurityProtocol::kSaslSsl}) {
    if (to_string(protocol) == name) return protocol;
  }
  return fail(Errc::kInvalidArgument, fmt::format("listener.security.protocol.map: no security protocol '{}'; "
                                                  "PLAINTEXT, SSL, SASL_PLAINTEXT and SASL_SSL exist",
                                                  name));
}

Result<std::map<std::string, SecurityProtocol>> parse_protocol_map(std::string_view text) {
  std::map<std::string, SecurityProtocol> protocols;
  for (const std::string& entry : config_list(text)) {
    const size_t colon = entry.rfind(':');
    if (colon == std::string::npos) {
      return fail(Errc::kInvalidArgument,
                  fmt::format("listener.security.protocol.map: '{}' is not NAME:PROTOCOL", entry));
    }
    TRY(protocol, parse_protocol(upper(trimmed(std::string_view(entry).substr(colon + 1)))));
    protocols[upper(trimmed(std::string_view(entry).substr(0, colon)))] = protocol;
  }
  return protocols;
}

Result<Listener> make_listener(const NamedAddress& address, const std::map<std::string, SecurityProtocol>& protocols) {
  const auto protocol = protocols.find(address.name);
  if (protocol == protocols.end()) {
    return fail(Errc::kInvalidArgument, fmt::format("listeners: no security protocol is given for {}; add it to "
                                                    "listener.security.protocol.map, e.g. {}:PLAINTEXT",
                                                    address.name, address.name));
  }
  if (protocol->second != SecurityProtocol::kPlaintext) {
    return fail(Errc::kUnsupported,
                fmt::format("listeners: {} uses {}, which this version does not serve; only PLAINTEXT is there",
                            address.name, to_string(protocol->second)));
  }
  Listener listener;
  listener.name = address.name;
  listener.protocol = protocol->second;
  listener.host = is_wildcard_host(address.host) && address.host != "0.0.0.0" ? "" : address.host;
  listener.port = address.port;
  return listener;
}

Result<void> check_distinct(const std::vector<Listener>& listeners) {
  for (size_t i = 0; i < listeners.size(); ++i) {
    for (size_t j = i + 1; j < listeners.size(); ++j) {
      const Listener& a = listeners[i];
      const Listener& b = listeners[j];
      if (a.name == b.name)
        return fail(Errc::kInvalidArgument,
                    fmt::format("listeners: {} is given twice; each needs its own name", a.name));
      if (a.port != 0 && a.port == b.port && a.host == b.host) {
        return fail(Errc::kInvalidArgument, fmt::format("listeners: {} and {} have the same address", a.name, b.name));
      }
    }
  }
  return {};
}

Result<void> set_advertised(Listener& listener, const NamedAddress& given) {
  if (is_wildcard_host(given.host)) {
    return fail(
        Errc::kInvalidArgument,
        fmt::format(
            "advertised.listeners: {} would tell clients to connect to '{}', which is no address; give a name or an "
            "address that clients reach",
            listener.name, given.host));
  }
  listener.advertised_host = given.host;
  listener.advertised_port = given.port;
  return {};
}

void set_advertised_by_default(Listener& listener, std::string_view machine_name, std::vector<std::string>& warnings) {
  listener.advertised_port = listener.port;
  listener.advertised_host = listener.host;
  if (!is_wildcard_host(listener.host)) return;
  listener.advertised_host = machine_name.empty() ? "localhost" : std::string(machine_name);
  warnings.push_back(
      fmt::format("listener {} is bound to every interface and advertised.listeners does not name it: clients are told "
                  "'{}'; set advertised.listeners={}://host:{} if they cannot reach that",
                  listener.name, listener.advertised_host, listener.name, listener.port));
}

}  // namespace

std::string_view to_string(SecurityProtocol protocol) noexcept {
  switch (protocol) {
    case SecurityProtocol::kPlaintext:
      return "PLAINTEXT";
    case SecurityProtocol::kSsl:
      return "SSL";
    case SecurityProtocol::kSaslPlaintext:
      return "SASL_PLAINTEXT";
    case SecurityProtocol::kSaslSsl:
      return "SASL_SSL";
  }
  return "";
}

bool is_wildcard_host(std::string_view host) noexcept {
  return host.empty() || host == "0.0.0.0" || host == "::" || host == "*";
}

Result<ListenerEndpoint> parse_listener_endpoint(std::string_view text) {
  text = trimmed(text);
  const auto parts = split_address(text);
  if (!parts && parts.error() == AddressFlaw::kNoBrackets) {
    const size_t colon = text.rfind(':');
    return fail(Errc::kInvalidArgument, fmt::format("'{}': put the IPv6 address in brackets: [{}]:{}", text,
                                                    text.substr(0, colon), text.substr(colon + 1)));
  }
  if (!parts || !parts->port) {
    return fail(Errc::kInvalidArgument,
                fmt::format("'{}' is not host:port (an IPv6 address goes in brackets: [::1]:9092)", text));
  }
  if (parts->host.find_first_of(" \t/@[]") != std::string_view::npos)
    return fail(Errc::kInvalidArgument, fmt::format("'{}' is no host name", parts->host));
  const std::optional<uint16_t> port = parse_int<uint16_t>(*parts->port);
  if (!port) return fail(Errc::kInvalidArgument, fmt::format("'{}' is no port (0 to 65535)", *parts->port));
  return ListenerEndpoint{.host = std::string(parts->host), .port = *port};
}

Result<ListenerPlan> plan_listeners(const ListenerSettings& settings) {
  TRY(addresses, parse_named_addresses("listeners", settings.listeners));
  TRY(advertised, parse_named_addresses("advertised.listeners", settings.advertised));
  TRY(protocols, parse_protocol_map(settings.protocol_map));
  std::vector<std::string> not_opened = config_list(settings.not_opened);
  for (std::string& name : not_opened) name = upper(name);
  const auto is_not_opened = [&](const std::string& name) {
    return std::find(not_opened.begin(), not_opened.end(), name) != not_opened.end();
  };

  ListenerPlan plan;
  for (const NamedAddress& address : addresses) {
    if (is_not_opened(address.name)) {
      plan.warnings.push_back(fmt::format("listener {} is not opened: there is no controller here", address.name));
      continue;
    }
    TRY(listener, make_listener(address, protocols));
    plan.listeners.push_back(std::move(listener));
  }
  if (plan.listeners.empty())
    return fail(Errc::kInvalidArgument, "listeners: at least one is needed, e.g. PLAINTEXT://localhost:9092");
  TRY(check_distinct(plan.listeners));
  for (Listener& listener : plan.listeners) {
    const auto given = std::find_if(advertised.begin(), advertised.end(),
                                    [&](const NamedAddress& one) { return one.name == listener.name; });
    if (given != advertised.end()) {
      TRY(set_advertised(listener, *given));
    } else {
      set_advertised_by_default(listener, settings.machine_name, plan.warnings);
    }
  }
  for (const NamedAddress& one : advertised) {
    const bool known = std::any_of(plan.listeners.begin(), plan.listeners.end(),
                                   [&](const Listener& listener) { return listener.name == one.name; });
    if (!known && !is_not_opened(one.name)) {
      return fail(Errc::kInvalidArgument, fmt::format("advertised.listeners: there is no listener {}; listeners has {}",
                                                      one.name, settings.listeners));
    }
  }
  return plan;
}

}  // namespace leat
