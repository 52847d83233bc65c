// describe_acls.h: DescribeAcls, API key 29, versions 1 to 3, flexible since 2: access rules that match a filter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DescribeAclsRequest {
  static constexpr std::string_view kName = "DescribeAclsRequest";
  static constexpr Versions kVersions{.key = 29, .min = 1, .max = 3, .flexible_since = 2};

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
  friend bool operator==(const DescribeAclsRequest&, const DescribeAclsRequest&) = default;
};

struct DescribeAclsResponse {
  static constexpr std::string_view kName = "DescribeAclsResponse";
  static constexpr Versions kVersions{.key = 29, .min = 1, .max = 3, .flexible_since = 2};

  struct AclDescription {
    std::string principal;
    std::string host;
    int8_t operation = 0;
    int8_t permission_type = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("principal", m.principal);
      v.field("host", m.host);
      v.field("operation", m.operation);
      v.field("permissionType", m.permission_type);
    }
    friend bool operator==(const AclDescription&, const AclDescription&) = default;
  };

  struct DescribeAclsResource {
    int8_t resource_type = 0;
    std::string resource_name;
    int8_t pattern_type = 3;
    std::vector<AclDescription> acls;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("resourceType", m.resource_type);
      v.field("resourceName", m.resource_name);
      v.field("patternType", m.pattern_type, {}, 3);
      v.field("acls", m.acls);
    }
    friend bool operator==(const DescribeAclsResource&, const DescribeAclsResource&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::vector<DescribeAclsResource> resources;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("resources", m.resources);
  }
  friend bool operator==(const DescribeAclsResponse&, const DescribeAclsResponse&) = default;
};

}  // namespace leat
