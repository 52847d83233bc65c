// list_groups.h: ListGroups, API key 16, versions 0 to 5, flexible since 3: all groups of a broker.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct ListGroupsRequest {
  static constexpr std::string_view kName = "ListGroupsRequest";
  static constexpr Versions kVersions{.key = 16, .min = 0, .max = 5, .flexible_since = 3};

  std::vector<std::string> states_filter;
  std::vector<std::string> types_filter;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("statesFilter", m.states_filter, {.since = 4});
    v.field("typesFilter", m.types_filter, {.since = 5});
  }
  friend bool operator==(const ListGroupsRequest&, const ListGroupsRequest&) = default;
};

struct ListGroupsResponse {
  static constexpr std::string_view kName = "ListGroupsResponse";
  static constexpr Versions kVersions{.key = 16, .min = 0, .max = 5, .flexible_since = 3};

  struct ListedGroup {
    std::string group_id;
    std::string protocol_type;
    std::string group_state;
    std::string group_type;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("groupId", m.group_id);
      v.field("protocolType", m.protocol_type);
      v.field("groupState", m.group_state, {.since = 4, .ignorable = true});
      v.field("groupType", m.group_type, {.since = 5, .ignorable = true});
    }
    friend bool operator==(const ListedGroup&, const ListedGroup&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::vector<ListedGroup> groups;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 1, .ignorable = true});
    v.field("errorCode", m.error_code);
    v.field("groups", m.groups);
  }
  friend bool operator==(const ListGroupsResponse&, const ListGroupsResponse&) = default;
};

}  // namespace leat
