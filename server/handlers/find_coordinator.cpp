// find_coordinator.cpp: FindCoordinator 0-6: a single key, since 4 several. This node coordinates every group; the
// topic that holds them is made here when it is not there, so that the answer is true at once (Kafka lets its clients
// ask again). Gaps: transactions and share groups.
//   key type 0, group              COORDINATOR_NOT_AVAILABLE when the topic cannot be made
//   key types 1 and 2              COORDINATOR_NOT_AVAILABLE until they are served; 2 below version 6 INVALID_REQUEST
//   another key type               INVALID_REQUEST
//   a listener without an address  COORDINATOR_NOT_AVAILABLE
#include "server/broker.h"
#include "server/group_coordinator.h"
#include "server/handlers/group_errors.h"
#include "server/handlers/group_handlers.h"

namespace leat {

namespace {

constexpr int8_t kGroupKey = 0;
constexpr int8_t kTransactionKey = 1;
constexpr int8_t kShareKey = 2;
constexpr int16_t kShareSince = 6;
constexpr int16_t kManySince = 4;

using Coordinator = FindCoordinatorResponse::Coordinator;

Coordinator nobody(ErrorCode why, std::string message) {
  Coordinator coordinator;
  coordinator.node_id = -1;
  coordinator.port = -1;
  coordinator.error_code = why;
  coordinator.error_message = std::move(message);
  return coordinator;
}

Coordinator this_node(const Broker& broker, const Request& request) {
  const auto address = broker.advertised.find(request.origin->listener_name);
  if (address == broker.advertised.end()) {
    return nobody(ErrorCode::kCoordinatorNotAvailable, std::string(error_message(ErrorCode::kCoordinatorNotAvailable)));
  }
  Coordinator coordinator;
  coordinator.node_id = broker.node_id;
  coordinator.host = address->second.host;
  coordinator.port = address->second.port;
  return coordinator;
}

// The same for every key of that type.
Task<Coordinator> coordinator_of(Broker& broker, Request request, int8_t key_type) {
  const bool is_known =
      key_type == kGroupKey || key_type == kTransactionKey || (key_type == kShareKey && request.version >= kShareSince);
  if (!is_known) co_return nobody(ErrorCode::kInvalidRequest, fmt::format("Unknown key type {}", key_type));
  if (key_type != kGroupKey) {
    co_return nobody(ErrorCode::kCoordinatorNotAvailable,
                     "Transactions and share groups are not served by this version of leatd");
  }
  Task<GroupErrc> preparing = broker.groups->prepare();
  const GroupErrc prepared = co_await preparing;
  if (prepared != GroupErrc::kNone) {
    const ErrorCode code = error_code_of(prepared);
    co_return nobody(code, std::string(error_message(code)));
  }
  co_return this_node(broker, request);
}

}  // namespace

Task<FindCoordinatorResponse> handle_find_coordinator(Broker& broker, Request request, FindCoordinatorRequest message) {
  const int16_t version = request.version;
  Task<Coordinator> finding = coordinator_of(broker, std::move(request), message.key_type);
  Coordinator found = co_await finding;
  FindCoordinatorResponse response;
  if (version >= kManySince) {
    for (std::string& key : message.coordinator_keys) {
      response.coordinators.push_back(found);
      response.coordinators.back().key = std::move(key);
    }
    co_return response;
  }
  response.error_code = found.error_code;
  response.error_message = std::move(found.error_message);
  response.node_id = found.node_id;
  response.host = std::move(found.host);
  response.port = found.port;
  co_return response;
}

}  // namespace leat
