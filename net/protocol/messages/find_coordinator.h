// find_coordinator.h: FindCoordinator, API key 10, versions 0 to 6, flexible since 3: which broker coordinates a group
// (key type 0), a transactional id (1) or a share partition (2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct FindCoordinatorRequest {
  static constexpr std::string_view kName = "FindCoordinatorRequest";
  static constexpr Versions kVersions{.key = 10, .min = 0, .max = 6, .flexible_since = 3};

  std::string key;
  int8_t key_type = 0;
  std::vector<std::string> coordinator_keys;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("key", m.key, {.until = 3});
    v.field("keyType", m.key_type, {.since = 1});
    v.field("coordinatorKeys", m.coordinator_keys, {.since = 4});
  }
  friend bool operator==(const FindCoordinatorRequest&, const FindCoordinatorRequest&) = default;
};

struct FindCoordinatorResponse {
  static constexpr std::string_view kName = "FindCoordinatorResponse";
  static constexpr Versions kVersions{.key = 10, .min = 0, .max = 6, .flexible_since = 3};

  struct Coordinator {
    std::string key;
    int32_t node_id = 0;
    std::string host;
    int32_t port = 0;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("key", m.key);
      v.field("nodeId", m.node_id);
      v.field("host", m.host);
      v.field("port", m.port);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
    }
    friend bool operator==(const Coordinator&, const Coordinator&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  int32_t node_id = 0;
  std::string host;
  int32_t port = 0;
  std::vector<Coordinator> coordinators;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 1, .ignorable = true});
    v.field("errorCode", m.error_code, {.until = 3});
    v.field("errorMessage", m.error_message, {.since = 1, .until = 3, .ignorable = true});
    v.field("nodeId", m.node_id, {.until = 3});
    v.field("host", m.host, {.until = 3});
    v.field("port", m.port, {.until = 3});
    v.field("coordinators", m.coordinators, {.since = 4});
  }
  friend bool operator==(const FindCoordinatorResponse&, const FindCoordinatorResponse&) = default;
};

}  // namespace leat
