// alter_configs.h: AlterConfigs, API key 33, versions 0 to 2, flexible since 2: all overrides of a resource replaced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct AlterConfigsRequest {
  static constexpr std::string_view kName = "AlterConfigsRequest";
  static constexpr Versions kVersions{.key = 33, .min = 0, .max = 2, .flexible_since = 2};

  struct AlterableConfig {
    std::string name;
    std::optional<std::string> value = "";

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("value", m.value, {}, kEmpty);
    }
    friend bool operator==(const AlterableConfig&, const AlterableConfig&) = default;
  };

  struct AlterConfigsResource {
    int8_t resource_type = 0;
    std::string resource_name;
    std::vector<AlterableConfig> configs;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("resourceType", m.resource_type);
      v.field("resourceName", m.resource_name);
      v.field("configs", m.configs);
    }
    friend bool operator==(const AlterConfigsResource&, const AlterConfigsResource&) = default;
  };

  std::vector<AlterConfigsResource> resources;
  bool validate_only = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("resources", m.resources);
    v.field("validateOnly", m.validate_only);
  }
  friend bool operator==(const AlterConfigsRequest&, const AlterConfigsRequest&) = default;
};

struct AlterConfigsResponse {
  static constexpr std::string_view kName = "AlterConfigsResponse";
  static constexpr Versions kVersions{.key = 33, .min = 0, .max = 2, .flexible_since = 2};

  struct AlterConfigsResourceResponse {
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    int8_t resource_type = 0;
    std::string resource_name;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("resourceType", m.resource_type);
      v.field("resourceName", m.resource_name);
    }
    friend bool operator==(const AlterConfigsResourceResponse&, const AlterConfigsResourceResponse&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<AlterConfigsResourceResponse> responses;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("responses", m.responses);
  }
  friend bool operator==(const AlterConfigsResponse&, const AlterConfigsResponse&) = default;
};

}  // namespace leat
