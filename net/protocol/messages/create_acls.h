// create_acls.h: CreateAcls, API key 30, versions 1 to 3, flexible since 2: new access rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct CreateAclsRequest {
  static constexpr std::string_view kName = "CreateAclsRequest";
  static constexpr Versions kVersions{.key = 30, .min = 1, .max = 3, .flexible_since = 2};

  struct AclCreation {
    int8_t resource_type = 0;
    std::string resource_name;
    int8_t resource_pattern_type = 3;
    std::string principal;
    std::string host;
    int8_t operation = 0;
    int8_t permission_type = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("resourceType", m.resource_type);
      v.field("resourceName", m.resource_name);
      v.field("resourcePatternType", m.resource_pattern_type, {}, 3);
      v.field("principal", m.principal);
      v.field("host", m.host);
      v.field("operation", m.operation);
      v.field("permissionType", m.permission_type);
    }
    friend bool operator==(const AclCreation&, const AclCreation&) = default;
  };

  std::vector<AclCreation> creations;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("creations", m.creations);
  }
  friend bool operator==(const CreateAclsRequest&, const CreateAclsRequest&) = default;
};

struct CreateAclsResponse {
  static constexpr std::string_view kName = "CreateAclsResponse";
  static constexpr Versions kVersions{.key = 30, .min = 1, .max = 3, .flexible_since = 2};

  struct AclCreationResult {
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
    }
    friend bool operator==(const AclCreationResult&, const AclCreationResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<AclCreationResult> results;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("results", m.results);
  }
  friend bool operator==(const CreateAclsResponse&, const CreateAclsResponse&) = default;
};

}  // namespace leat
