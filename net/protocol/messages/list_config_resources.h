// list_config_resources.h: ListConfigResources, API key 74, versions 0 to 1, flexible: resources that have settings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct ListConfigResourcesRequest {
  static constexpr std::string_view kName = "ListConfigResourcesRequest";
  static constexpr Versions kVersions{.key = 74, .min = 0, .max = 1, .flexible_since = 0};

  std::vector<int8_t> resource_types;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("resourceTypes", m.resource_types, {.since = 1});
  }
  friend bool operator==(const ListConfigResourcesRequest&, const ListConfigResourcesRequest&) = default;
};

struct ListConfigResourcesResponse {
  static constexpr std::string_view kName = "ListConfigResourcesResponse";
  static constexpr Versions kVersions{.key = 74, .min = 0, .max = 1, .flexible_since = 0};

  struct ConfigResource {
    std::string resource_name;
    int8_t resource_type = 16;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("resourceName", m.resource_name);
      v.field("resourceType", m.resource_type, {.since = 1, .ignorable = true}, 16);
    }
    friend bool operator==(const ConfigResource&, const ConfigResource&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::vector<ConfigResource> config_resources;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("configResources", m.config_resources);
  }
  friend bool operator==(const ListConfigResourcesResponse&, const ListConfigResourcesResponse&) = default;
};

}  // namespace leat
