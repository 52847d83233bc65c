// coordinator.cpp: FindCoordinator 0-6, one group a request in every version.
#include "client/cluster/coordinator.h"

#include <fmt/format.h>

#include "client/cluster/name_limits.h"
#include "net/protocol/messages/find_coordinator.h"

namespace leat::client::detail {
namespace {

constexpr int16_t kFirstBatchedVersion = 4;

FindCoordinatorRequest make_request(const std::string& group_id, int16_t version) {
  FindCoordinatorRequest request;
  if (version >= kFirstBatchedVersion) {
    request.coordinator_keys.push_back(group_id);
  } else {
    request.key = group_id;
  }
  return request;
}

}  // namespace

bool may_coordinate_later(ErrorCode code) noexcept {
  return code == ErrorCode::kCoordinatorNotAvailable || code == ErrorCode::kCoordinatorLoadInProgress ||
         code == ErrorCode::kNotCoordinator || code == ErrorCode::kUnstableOffsetCommit;
}

leat::Task<Result<BrokerLink*>> Coordinator::reach(LinkPurpose purpose) {
  if (stopped_.is_set()) co_return closed_error();
  if (std::optional<Error> refused = refuse_group_name(group_id_)) co_return *std::move(refused);
  if (node_id_ >= 0) {
    BrokerLink* const known = cluster_.link(node_id_, purpose);
    if (known != nullptr) co_return known;
  }
  AskOptions options;
  options.timeout = Millis(context_.settings.request_timeout_ms);
  std::function<FindCoordinatorRequest(int16_t)> make = [this](int16_t version) {
    return make_request(group_id_, version);
  };
  Result<FindCoordinatorResponse> answer = co_await ask_by_version<FindCoordinatorResponse, FindCoordinatorRequest>(
      context_, cluster_.any_link(), std::move(make), options);
  if (stopped_.is_set()) co_return closed_error();
  if (!answer) co_return std::move(answer).error();
  FindCoordinatorResponse::Coordinator found;
  if (!answer->coordinators.empty()) {
    found = answer->coordinators.front();
  } else {
    found.error_code = answer->error_code;
    found.error_message = answer->error_message;
    found.node_id = answer->node_id;
    found.host = answer->host;
    found.port = answer->port;
  }
  if (found.error_code != ErrorCode::kNone) {
    co_return Error::from_broker(found.error_code, fmt::format("group '{}' has no coordinator", group_id_),
                                 found.error_message);
  }
  constexpr int32_t kPortMax = 65'535;
  if (found.node_id < 0 || found.host.empty() || found.port <= 0 || found.port > kPortMax) {
    co_return Error(Cause::kProtocol, fmt::format("the broker did not say who coordinates group '{}'", group_id_));
  }
  node_id_ = found.node_id;
  HostPort address{.host = found.host, .port = static_cast<uint16_t>(found.port)};
  cluster_.note_broker(node_id_, std::move(address));
  co_return cluster_.link(node_id_, purpose);
}

void Coordinator::note(const Error& error) noexcept {
  const ErrorCode code = error.kafka_code();
  if (code != ErrorCode::kCoordinatorLoadInProgress && code != ErrorCode::kUnstableOffsetCommit) forget();
}

Millis Coordinator::pause(int failures) const {
  const BackoffSettings backoff{.base = Millis(context_.settings.retry_backoff_ms),
                                .max = Millis(context_.settings.retry_backoff_max_ms)};
  return backoff_delay(backoff, failures, context_.random);
}

}  // namespace leat::client::detail
