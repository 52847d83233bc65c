// describe_configs.h: DescribeConfigs, API key 32, versions 1 to 4, flexible since 4: effective settings with their
// sources and synonyms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DescribeConfigsRequest {
  static constexpr std::string_view kName = "DescribeConfigsRequest";
  static constexpr Versions kVersions{.key = 32, .min = 1, .max = 4, .flexible_since = 4};

  struct DescribeConfigsResource {
    int8_t resource_type = 0;
    std::string resource_name;
    std::optional<std::vector<std::string>> configuration_keys = std::vector<std::string>{};

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("resourceType", m.resource_type);
      v.field("resourceName", m.resource_name);
      v.field("configurationKeys", m.configuration_keys, {}, kEmpty);
    }
    friend bool operator==(const DescribeConfigsResource&, const DescribeConfigsResource&) = default;
  };

  std::vector<DescribeConfigsResource> resources;
  bool include_synonyms = false;
  bool include_documentation = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("resources", m.resources);
    v.field("includeSynonyms", m.include_synonyms);
    v.field("includeDocumentation", m.include_documentation, {.since = 3});
  }
  friend bool operator==(const DescribeConfigsRequest&, const DescribeConfigsRequest&) = default;
};

struct DescribeConfigsResponse {
  static constexpr std::string_view kName = "DescribeConfigsResponse";
  static constexpr Versions kVersions{.key = 32, .min = 1, .max = 4, .flexible_since = 4};

  struct DescribeConfigsSynonym {
    std::string name;
    std::optional<std::string> value = "";
    int8_t source = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("value", m.value, {}, kEmpty);
      v.field("source", m.source);
    }
    friend bool operator==(const DescribeConfigsSynonym&, const DescribeConfigsSynonym&) = default;
  };

  struct DescribeConfigsResourceResult {
    std::string name;
    std::optional<std::string> value = "";
    bool read_only = false;
    int8_t config_source = -1;
    bool is_sensitive = false;
    std::vector<DescribeConfigsSynonym> synonyms;
    int8_t config_type = 0;
    std::optional<std::string> documentation = "";

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("value", m.value, {}, kEmpty);
      v.field("readOnly", m.read_only);
      v.field("configSource", m.config_source, {}, -1);
      v.field("isSensitive", m.is_sensitive);
      v.field("synonyms", m.synonyms);
      v.field("configType", m.config_type, {.since = 3, .ignorable = true});
      v.field("documentation", m.documentation, {.since = 3, .ignorable = true}, kEmpty);
    }
    friend bool operator==(const DescribeConfigsResourceResult&, const DescribeConfigsResourceResult&) = default;
  };

  struct DescribeConfigsResult {
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    int8_t resource_type = 0;
    std::string resource_name;
    std::vector<DescribeConfigsResourceResult> configs;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("resourceType", m.resource_type);
      v.field("resourceName", m.resource_name);
      v.field("configs", m.configs);
    }
    friend bool operator==(const DescribeConfigsResult&, const DescribeConfigsResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<DescribeConfigsResult> results;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("results", m.results);
  }
  friend bool operator==(const DescribeConfigsResponse&, const DescribeConfigsResponse&) = default;
};

}  // namespace leat
