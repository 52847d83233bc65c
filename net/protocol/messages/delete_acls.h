// delete_acls.h: DeleteAcls, API key 31, versions 1 to 3, flexible since 2: access rules removed by filters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DeleteAclsRequest {
  static constexpr std::string_view kName = "DeleteAclsRequest";
  static constexpr Versions kVersions{.key = 31, .min = 1, .max = 3, .flexible_since = 2};

  struct DeleteAclsFilter {
    int8_t resource_type_filter = 0;
    std::optional<std::string> resource_name_filter = "";
    int8_t pattern_type_filter = 3;
    std::optional<std::string> principal_filter = "";
    std::optional<std::string> host_filter = "";
    int8_t operation = 0;
    int8_t permission_type = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("resourceTypeFilter", m.resource_type_filter);
      v.field("resourceNameFilter", m.resource_name_filter, {}, kEmpty);
      v.field("patternTypeFilter", m.pattern_type_filter, {}, 3);
      v.field("principalFilter", m.principal_filter, {}, kEmpty);
      v.field("hostFilter", m.host_filter, {}, kEmpty);
      v.field("operation", m.operation);
      v.field("permissionType", m.permission_type);
    }
    friend bool operator==(const DeleteAclsFilter&, const DeleteAclsFilter&) = default;
  };

  std::vector<DeleteAclsFilter> filters;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("filters", m.filters);
  }
  friend bool operator==(const DeleteAclsRequest&, const DeleteAclsRequest&) = default;
};

struct DeleteAclsResponse {
  static constexpr std::string_view kName = "DeleteAclsResponse";
  static constexpr Versions kVersions{.key = 31, .min = 1, .max = 3, .flexible_since = 2};

  struct DeleteAclsMatchingAcl {
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    int8_t resource_type = 0;
    std::string resource_name;
    int8_t pattern_type = 3;
    std::string principal;
    std::string host;
    int8_t operation = 0;
    int8_t permission_type = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("resourceType", m.resource_type);
      v.field("resourceName", m.resource_name);
      v.field("patternType", m.pattern_type, {}, 3);
      v.field("principal", m.principal);
      v.field("host", m.host);
      v.field("operation", m.operation);
      v.field("permissionType", m.permission_type);
    }
    friend bool operator==(const DeleteAclsMatchingAcl&, const DeleteAclsMatchingAcl&) = default;
  };

  struct DeleteAclsFilterResult {
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    std::vector<DeleteAclsMatchingAcl> matching_acls;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("matchingAcls", m.matching_acls);
    }
    friend bool operator==(const DeleteAclsFilterResult&, const DeleteAclsFilterResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<DeleteAclsFilterResult> filter_results;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("filterResults", m.filter_results);
  }
  friend bool operator==(const DeleteAclsResponse&, const DeleteAclsResponse&) = default;
};

}  // namespace leat
