// describe_groups.h: DescribeGroups, API key 15, versions 0 to 6, flexible since 5: classic groups with their members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DescribeGroupsRequest {
  static constexpr std::string_view kName = "DescribeGroupsRequest";
  static constexpr Versions kVersions{.key = 15, .min = 0, .max = 6, .flexible_since = 5};

  std::vector<std::string> groups;
  bool include_authorized_operations = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groups", m.groups);
    v.field("includeAuthorizedOperations", m.include_authorized_operations, {.since = 3});
  }
  friend bool operator==(const DescribeGroupsRequest&, const DescribeGroupsRequest&) = default;
};

struct DescribeGroupsResponse {
  static constexpr std::string_view kName = "DescribeGroupsResponse";
  static constexpr Versions kVersions{.key = 15, .min = 0, .max = 6, .flexible_since = 5};

  struct DescribedGroupMember {
    std::string member_id;
    std::optional<std::string> group_instance_id;
    std::string client_id;
    std::string client_host;
    Bytes member_metadata;
    Bytes member_assignment;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("memberId", m.member_id);
      v.field("groupInstanceId", m.group_instance_id, {.since = 4, .ignorable = true});
      v.field("clientId", m.client_id);
      v.field("clientHost", m.client_host);
      v.field("memberMetadata", m.member_metadata);
      v.field("memberAssignment", m.member_assignment);
    }
    friend bool operator==(const DescribedGroupMember&, const DescribedGroupMember&) = default;
  };

  struct DescribedGroup {
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    std::string group_id;
    std::string group_state;
    std::string protocol_type;
    std::string protocol_data;
    std::vector<DescribedGroupMember> members;
    int32_t authorized_operations = INT32_MIN;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message, {.since = 6});
      v.field("groupId", m.group_id);
      v.field("groupState", m.group_state);
      v.field("protocolType", m.protocol_type);
      v.field("protocolData", m.protocol_data);
      v.field("members", m.members);
      v.field("authorizedOperations", m.authorized_operations, {.since = 3}, INT32_MIN);
    }
    friend bool operator==(const DescribedGroup&, const DescribedGroup&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<DescribedGroup> groups;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 1, .ignorable = true});
    v.field("groups", m.groups);
  }
  friend bool operator==(const DescribeGroupsResponse&, const DescribeGroupsResponse&) = default;
};

}  // namespace leat
