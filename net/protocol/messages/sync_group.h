// sync_group.h: SyncGroup, API key 14, versions 0 to 5, flexible since 4: the leader of a classic group gives
// assignments, everybody gets theirs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct SyncGroupRequest {
  static constexpr std::string_view kName = "SyncGroupRequest";
  static constexpr Versions kVersions{.key = 14, .min = 0, .max = 5, .flexible_since = 4};

  struct SyncGroupRequestAssignment {
    std::string member_id;
    Bytes assignment;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("memberId", m.member_id);
      v.field("assignment", m.assignment);
    }
    friend bool operator==(const SyncGroupRequestAssignment&, const SyncGroupRequestAssignment&) = default;
  };

  std::string group_id;
  int32_t generation_id = 0;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol_name;
  std::vector<SyncGroupRequestAssignment> assignments;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("generationId", m.generation_id);
    v.field("memberId", m.member_id);
    v.field("groupInstanceId", m.group_instance_id, {.since = 3});
    v.field("protocolType", m.protocol_type, {.since = 5, .ignorable = true});
    v.field("protocolName", m.protocol_name, {.since = 5, .ignorable = true});
    v.field("assignments", m.assignments);
  }
  friend bool operator==(const SyncGroupRequest&, const SyncGroupRequest&) = default;
};

struct SyncGroupResponse {
  static constexpr std::string_view kName = "SyncGroupResponse";
  static constexpr Versions kVersions{.key = 14, .min = 0, .max = 5, .flexible_since = 4};

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol_name;
  Bytes assignment;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 1, .ignorable = true});
    v.field("errorCode", m.error_code);
    v.field("protocolType", m.protocol_type, {.since = 5, .ignorable = true});
    v.field("protocolName", m.protocol_name, {.since = 5, .ignorable = true});
    v.field("assignment", m.assignment);
  }
  friend bool operator==(const SyncGroupResponse&, const SyncGroupResponse&) = default;
};

}  // namespace leat
