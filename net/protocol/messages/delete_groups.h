// delete_groups.h: DeleteGroups, API key 42, versions 0 to 3, flexible since 2: groups removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DeleteGroupsRequest {
  static constexpr std::string_view kName = "DeleteGroupsRequest";
  static constexpr Versions kVersions{.key = 42, .min = 0, .max = 3, .flexible_since = 2};

  std::vector<std::string> groups_names;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupsNames", m.groups_names);
  }
  friend bool operator==(const DeleteGroupsRequest&, const DeleteGroupsRequest&) = default;
};

struct DeleteGroupsResponse {
  static constexpr std::string_view kName = "DeleteGroupsResponse";
  static constexpr Versions kVersions{.key = 42, .min = 0, .max = 3, .flexible_since = 2};

  struct DeletableGroupResult {
    std::string group_id;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("groupId", m.group_id);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message, {.since = 3, .ignorable = true});
    }
    friend bool operator==(const DeletableGroupResult&, const DeletableGroupResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<DeletableGroupResult> results;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("results", m.results);
  }
  friend bool operator==(const DeleteGroupsResponse&, const DeleteGroupsResponse&) = default;
};

}  // namespace leat
