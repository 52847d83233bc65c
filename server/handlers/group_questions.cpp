// group_questions.cpp: see group_questions.h.
#include "server/handlers/group_questions.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>

#include "core/base/address_text.h"

namespace leat {
namespace {

// "0:0:0:0:0:0:0:1" for "::1"; what is no address stays as it is.
std::string full_ipv6(const std::string& host) {
  std::array<uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET6, host.c_str(), bytes.data()) != 1) return host;
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 2) {
    const unsigned part = static_cast<unsigned>(bytes.at(i)) << 8 | bytes.at(i + 1);
    text += fmt::format("{}{:x}", i == 0 ? "" : ":", part);
  }
  return text;
}

}  // namespace

std::string kafka_host_of(std::string_view peer) {
  const auto parts = split_address(peer);
  return "/" + full_ipv6(std::string(parts ? parts->host : peer));
}

GroupClient group_client_of(const Request& request) {
  return {.id = request.origin->client_id, .host = kafka_host_of(request.origin->peer)};
}

}  // namespace leat
