// alter_client_quotas.h: AlterClientQuotas, API key 49, versions 0 to 1, flexible since 1: quotas set and removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct AlterClientQuotasRequest {
  static constexpr std::string_view kName = "AlterClientQuotasRequest";
  static constexpr Versions kVersions{.key = 49, .min = 0, .max = 1, .flexible_since = 1};

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

  struct OpData {
    std::string key;
    double value = 0;
    bool remove = false;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("key", m.key);
      v.field("value", m.value);
      v.field("remove", m.remove);
    }
    friend bool operator==(const OpData&, const OpData&) = default;
  };

  struct EntryData {
    std::vector<EntityData> entity;
    std::vector<OpData> ops;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("entity", m.entity);
      v.field("ops", m.ops);
    }
    friend bool operator==(const EntryData&, const EntryData&) = default;
  };

  std::vector<EntryData> entries;
  bool validate_only = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("entries", m.entries);
    v.field("validateOnly", m.validate_only);
  }
  friend bool operator==(const AlterClientQuotasRequest&, const AlterClientQuotasRequest&) = default;
};

struct AlterClientQuotasResponse {
  static constexpr std::string_view kName = "AlterClientQuotasResponse";
  static constexpr Versions kVersions{.key = 49, .min = 0, .max = 1, .flexible_since = 1};

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

  struct EntryData {
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    std::vector<EntityData> entity;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("entity", m.entity);
    }
    friend bool operator==(const EntryData&, const EntryData&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<EntryData> entries;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("entries", m.entries);
  }
  friend bool operator==(const AlterClientQuotasResponse&, const AlterClientQuotasResponse&) = default;
};

}  // namespace leat
