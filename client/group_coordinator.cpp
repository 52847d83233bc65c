// group_coordinator.cpp: FindCoordinator, one group a request in every version.
#include "client/group_coordinator.h"

#include <fmt/format.h>

#include "net/protocol/messages/find_coordinator.h"

namespace leat {
namespace {

constexpr int16_t kFirstBatchedVersion = 4;

struct Found {
  ErrorCode error;
  int32_t node_id;
  std::optional<std::string> message;
};

Result<Found> ask_whom(SimpleClient& client, const std::string& group_id) {
  TRY(version, client.any().version_of(ApiKey::kFindCoordinator));
  const bool batched = version >= kFirstBatchedVersion;
  FindCoordinatorRequest request;
  if (batched) {
    request.coordinator_keys.push_back(group_id);
  } else {
    request.key = group_id;
  }
  TRY(response, client.any().call<FindCoordinatorResponse>(request));
  if (!batched) {
    return Found{.error = response.error_code, .node_id = response.node_id, .message = response.error_message};
  }
  if (response.coordinators.empty()) {
    return fail(Errc::kProtocol, fmt::format("the broker did not answer who coordinates group '{}'", group_id));
  }
  const auto& first = response.coordinators.front();
  return Found{.error = first.error_code, .node_id = first.node_id, .message = first.error_message};
}

Result<BrokerConnection*> reach(SimpleClient& client, int32_t node_id) {
  Result<BrokerConnection*> known = client.broker(node_id);
  if (known || known.error().code != Errc::kNotFound) return known;
  TRY(client.metadata(std::vector<std::string>{}, AutoCreate::kNo));
  return client.broker(node_id);
}

}  // namespace

bool may_answer_later(ErrorCode code) noexcept {
  return code == ErrorCode::kCoordinatorNotAvailable || code == ErrorCode::kCoordinatorLoadInProgress ||
         code == ErrorCode::kNotCoordinator || code == ErrorCode::kUnstableOffsetCommit;
}

Result<BrokerConnection*> find_coordinator(SimpleClient& client, const std::string& group_id) {
  const auto ask = [&client, &group_id] { return ask_whom(client, group_id); };
  const auto error_of = [](const Found& answer) { return answer.error; };
  TRY(found, ask_patiently(ask, error_of));
  if (found.error == ErrorCode::kNone) return reach(client, found.node_id);
  return fail(to_error(found.error, fmt::format("group '{}' has no coordinator", group_id), found.message));
}

}  // namespace leat
