// api_versions.h: ApiVersions, API key 18, versions 0 to 5, flexible since 3: which APIs and versions a broker speaks.
// The response header is version 0 always.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct ApiVersionsRequest {
  static constexpr std::string_view kName = "ApiVersionsRequest";
  static constexpr Versions kVersions{.key = 18, .min = 0, .max = 5, .flexible_since = 3};

  std::string client_software_name;
  std::string client_software_version;
  std::optional<std::string> cluster_id;
  int32_t node_id = -1;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("clientSoftwareName", m.client_software_name, {.since = 3, .ignorable = true});
    v.field("clientSoftwareVersion", m.client_software_version, {.since = 3, .ignorable = true});
    v.field("clusterId", m.cluster_id, {.since = 5, .ignorable = true});
    v.field("nodeId", m.node_id, {.since = 5, .ignorable = true}, -1);
  }
  friend bool operator==(const ApiVersionsRequest&, const ApiVersionsRequest&) = default;
};

struct ApiVersionsResponse {
  static constexpr std::string_view kName = "ApiVersionsResponse";
  static constexpr Versions kVersions{.key = 18, .min = 0, .max = 5, .flexible_since = 3};

  struct ApiVersion {
    int16_t api_key = 0;
    int16_t min_version = 0;
    int16_t max_version = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("apiKey", m.api_key);
      v.field("minVersion", m.min_version);
      v.field("maxVersion", m.max_version);
    }
    friend bool operator==(const ApiVersion&, const ApiVersion&) = default;
  };

  struct SupportedFeatureKey {
    std::string name;
    int16_t min_version = 0;
    int16_t max_version = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("minVersion", m.min_version);
      v.field("maxVersion", m.max_version);
    }
    friend bool operator==(const SupportedFeatureKey&, const SupportedFeatureKey&) = default;
  };

  struct FinalizedFeatureKey {
    std::string name;
    int16_t max_version_level = 0;
    int16_t min_version_level = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("maxVersionLevel", m.max_version_level);
      v.field("minVersionLevel", m.min_version_level);
    }
    friend bool operator==(const FinalizedFeatureKey&, const FinalizedFeatureKey&) = default;
  };

  ErrorCode error_code = ErrorCode::kNone;
  std::vector<ApiVersion> api_keys;
  int32_t throttle_time_ms = 0;
  std::vector<SupportedFeatureKey> supported_features;
  int64_t finalized_features_epoch = -1;
  std::vector<FinalizedFeatureKey> finalized_features;
  bool zk_migration_ready = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("errorCode", m.error_code);
    v.field("apiKeys", m.api_keys);
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 1, .ignorable = true});
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "supportedFeatures", m.supported_features, {.since = 3, .ignorable = true});
    v.tagged(1, "finalizedFeaturesEpoch", m.finalized_features_epoch, {.since = 3, .ignorable = true}, -1);
    v.tagged(2, "finalizedFeatures", m.finalized_features, {.since = 3, .ignorable = true});
    v.tagged(3, "zkMigrationReady", m.zk_migration_ready, {.since = 3, .ignorable = true});
  }
  friend bool operator==(const ApiVersionsResponse&, const ApiVersionsResponse&) = default;
};

}  // namespace leat
