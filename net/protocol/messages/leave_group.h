// leave_group.h: LeaveGroup, API key 13, versions 0 to 5, flexible since 4: members leave a classic group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct LeaveGroupRequest {
  static constexpr std::string_view kName = "LeaveGroupRequest";
  static constexpr Versions kVersions{.key = 13, .min = 0, .max = 5, .flexible_since = 4};

  struct MemberIdentity {
    std::string member_id;
    std::optional<std::string> group_instance_id;
    std::optional<std::string> reason;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("memberId", m.member_id);
      v.field("groupInstanceId", m.group_instance_id);
      v.field("reason", m.reason, {.since = 5, .ignorable = true});
    }
    friend bool operator==(const MemberIdentity&, const MemberIdentity&) = default;
  };

  std::string group_id;
  std::string member_id;
  std::vector<MemberIdentity> members;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id, {.until = 2});
    v.field("members", m.members, {.since = 3});
  }
  friend bool operator==(const LeaveGroupRequest&, const LeaveGroupRequest&) = default;
};

struct LeaveGroupResponse {
  static constexpr std::string_view kName = "LeaveGroupResponse";
  static constexpr Versions kVersions{.key = 13, .min = 0, .max = 5, .flexible_since = 4};

  struct MemberResponse {
    std::string member_id;
    std::optional<std::string> group_instance_id = "";
    ErrorCode error_code = ErrorCode::kNone;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("memberId", m.member_id);
      v.field("groupInstanceId", m.group_instance_id, {}, kEmpty);
      v.field("errorCode", m.error_code);
    }
    friend bool operator==(const MemberResponse&, const MemberResponse&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::vector<MemberResponse> members;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 1, .ignorable = true});
    v.field("errorCode", m.error_code);
    v.field("members", m.members, {.since = 3});
  }
  friend bool operator==(const LeaveGroupResponse&, const LeaveGroupResponse&) = default;
};

}  // namespace leat
