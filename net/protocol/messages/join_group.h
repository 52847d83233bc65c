// join_group.h: JoinGroup, API key 11, versions 0 to 9, flexible since 6: a member enters the rebalance of a classic
// group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct JoinGroupRequest {
  static constexpr std::string_view kName = "JoinGroupRequest";
  static constexpr Versions kVersions{.key = 11, .min = 0, .max = 9, .flexible_since = 6};

  struct JoinGroupRequestProtocol {
    std::string name;
    Bytes metadata;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("metadata", m.metadata);
    }
    friend bool operator==(const JoinGroupRequestProtocol&, const JoinGroupRequestProtocol&) = default;
  };

  std::string group_id;
  int32_t session_timeout_ms = 0;
  int32_t rebalance_timeout_ms = -1;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::string protocol_type;
  std::vector<JoinGroupRequestProtocol> protocols;
  std::optional<std::string> reason;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("sessionTimeoutMs", m.session_timeout_ms);
    v.field("rebalanceTimeoutMs", m.rebalance_timeout_ms, {.since = 1, .ignorable = true}, -1);
    v.field("memberId", m.member_id);
    v.field("groupInstanceId", m.group_instance_id, {.since = 5});
    v.field("protocolType", m.protocol_type);
    v.field("protocols", m.protocols);
    v.field("reason", m.reason, {.since = 8, .ignorable = true});
  }
  friend bool operator==(const JoinGroupRequest&, const JoinGroupRequest&) = default;
};

struct JoinGroupResponse {
  static constexpr std::string_view kName = "JoinGroupResponse";
  static constexpr Versions kVersions{.key = 11, .min = 0, .max = 9, .flexible_since = 6};

  struct JoinGroupResponseMember {
    std::string member_id;
    std::optional<std::string> group_instance_id;
    Bytes metadata;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("memberId", m.member_id);
      v.field("groupInstanceId", m.group_instance_id, {.since = 5, .ignorable = true});
      v.field("metadata", m.metadata);
    }
    friend bool operator==(const JoinGroupResponseMember&, const JoinGroupResponseMember&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  int32_t generation_id = -1;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol_name = "";
  std::string leader;
  bool skip_assignment = false;
  std::string member_id;
  std::vector<JoinGroupResponseMember> members;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 2, .ignorable = true});
    v.field("errorCode", m.error_code);
    v.field("generationId", m.generation_id, {}, -1);
    v.field("protocolType", m.protocol_type, {.since = 7, .ignorable = true});
    v.field("protocolName", m.protocol_name, {.null_since = 7}, kEmpty);
    v.field("leader", m.leader);
    v.field("skipAssignment", m.skip_assignment, {.since = 9});
    v.field("memberId", m.member_id);
    v.field("members", m.members);
  }
  friend bool operator==(const JoinGroupResponse&, const JoinGroupResponse&) = default;
};

}  // namespace leat
