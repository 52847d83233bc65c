// api_versions.cpp: ApiVersions 0-5: what the broker speaks, from the one API table. An unknown version is answered by
// the dispatcher. Gaps: no features are listed: none of those that Kafka finalizes has its semantics here yet, and
// clients choose protocols by them.
//   version 3+, client software name or version is not [a-zA-Z0-9.-], or begins or ends with - or .   INVALID_REQUEST
//   version 5+, the client looks for another cluster or node (KIP-1242) REBOOTSTRAP_REQUIRED
#include <algorithm>
#include <string_view>

#include "net/protocol/api_table.h"
#include "server/broker.h"
#include "server/handlers/cluster_handlers.h"

namespace leat {

namespace {

bool is_alphanumeric(char character) noexcept {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9');
}

bool is_software_word(std::string_view text) noexcept {
  if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char character) { return is_alphanumeric(character) || character == '-' || character == '.'; });
}

}  // namespace

Task<ApiVersionsResponse> handle_api_versions(Broker& broker, Request request, ApiVersionsRequest message) {
  ApiVersionsResponse response;
  const bool named = request.version < 3 || (is_software_word(message.client_software_name) &&
                                             is_software_word(message.client_software_version));
  if (!named) {
    response.error_code = ErrorCode::kInvalidRequest;
    co_return response;
  }
  if (message.cluster_id && (*message.cluster_id != broker.cluster_id || message.node_id != broker.node_id)) {
    response.error_code = ErrorCode::kRebootstrapRequired;
    co_return response;
  }
  for (const ApiSpec& api : kApis) {
    if (api.served == Served::kNo) continue;
    response.api_keys.push_back({static_cast<int16_t>(api.key), api.advertised_min, api.max});
  }
  co_return response;
}

}  // namespace leat
