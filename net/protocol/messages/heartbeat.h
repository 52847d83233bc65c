// heartbeat.h: Heartbeat, API key 12, versions 0 to 4, flexible since 4: a member of a classic group is alive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct HeartbeatRequest {
  static constexpr std::string_view kName = "HeartbeatRequest";
  static constexpr Versions kVersions{.key = 12, .min = 0, .max = 4, .flexible_since = 4};

  std::string group_id;
  int32_t generation_id = 0;
  std::string member_id;
  std::optional<std::string> group_instance_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("generationId", m.generation_id);
    v.field("memberId", m.member_id);
    v.field("groupInstanceId", m.group_instance_id, {.since = 3});
  }
  friend bool operator==(const HeartbeatRequest&, const HeartbeatRequest&) = default;
};

struct HeartbeatResponse {
  static constexpr std::string_view kName = "HeartbeatResponse";
  static constexpr Versions kVersions{.key = 12, .min = 0, .max = 4, .flexible_since = 4};

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 1, .ignorable = true});
    v.field("errorCode", m.error_code);
  }
  friend bool operator==(const HeartbeatResponse&, const HeartbeatResponse&) = default;
};

}  // namespace leat
