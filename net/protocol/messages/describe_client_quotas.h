// describe_client_quotas.h: DescribeClientQuotas, API key 48, versions 0 to 1, flexible since 1: quotas that match a
// filter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DescribeClientQuotasRequest {
  static constexpr std::string_view kName = "DescribeClientQuotasRequest";
  static constexpr Versions kVersions{.key = 48, .min = 0, .max = 1, .flexible_since = 1};

  struct ComponentData {
    std::string entity_type;
    int8_t match_type = 0;
    std::optional<std::string> match = "";

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("entityType", m.entity_type);
      v.field("matchType", m.match_type);
      v.field("match", m.match, {}, kEmpty);
    }
    friend bool operator==(const ComponentData&, const ComponentData&) = default;
  };

  std::vector<ComponentData> components;
  bool strict = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("components", m.components);
    v.field("strict", m.strict);
  }
  friend bool operator==(const DescribeClientQuotasRequest&, const DescribeClientQuotasRequest&) = default;
};

struct DescribeClientQuotasResponse {
  static constexpr std::string_view kName = "DescribeClientQuotasResponse";
  static constexpr Versions kVersions{.key = 48, .min = 0, .max = 1, .flexible_since = 1};

  struct EntityData {
    std::string entity_type;
    std::optional<std::string> entity_name = "";

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("entityType", m.entity_type);
      v.field("entityName", m.entity_name, {}, kEmpty);
    }
    friend bool operator==(const EntityData&, const EntityData&) = default;
  };

  struct ValueData {
    std::string key;
    double value = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("key", m.key);
      v.field("value", m.value);
    }
    friend bool operator==(const ValueData&, const ValueData&) = default;
  };

  struct EntryData {
    std::vector<EntityData> entity;
    std::vector<ValueData> values;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("entity", m.entity);
      v.field("values", m.values);
    }
    friend bool operator==(const EntryData&, const EntryData&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::optional<std::vector<EntryData>> entries = std::vector<EntryData>{};

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("entries", m.entries, {}, kEmpty);
  }
  friend bool operator==(const DescribeClientQuotasResponse&, const DescribeClientQuotasResponse&) = default;
};

}  // namespace leat
