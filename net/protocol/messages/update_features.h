// update_features.h: UpdateFeatures, API key 57, versions 0 to 2, flexible: finalized feature levels changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct UpdateFeaturesRequest {
  static constexpr std::string_view kName = "UpdateFeaturesRequest";
  static constexpr Versions kVersions{.key = 57, .min = 0, .max = 2, .flexible_since = 0};

  struct FeatureUpdateKey {
    std::string feature;
    int16_t max_version_level = 0;
    bool allow_downgrade = false;
    int8_t upgrade_type = 1;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("feature", m.feature);
      v.field("maxVersionLevel", m.max_version_level);
      v.field("allowDowngrade", m.allow_downgrade, {.until = 0});
      v.field("upgradeType", m.upgrade_type, {.since = 1}, 1);
    }
    friend bool operator==(const FeatureUpdateKey&, const FeatureUpdateKey&) = default;
  };

  int32_t timeout_ms = 60000;
  std::vector<FeatureUpdateKey> feature_updates;
  bool validate_only = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("timeoutMs", m.timeout_ms, {}, 60000);
    v.field("featureUpdates", m.feature_updates);
    v.field("validateOnly", m.validate_only, {.since = 1});
  }
  friend bool operator==(const UpdateFeaturesRequest&, const UpdateFeaturesRequest&) = default;
};

struct UpdateFeaturesResponse {
  static constexpr std::string_view kName = "UpdateFeaturesResponse";
  static constexpr Versions kVersions{.key = 57, .min = 0, .max = 2, .flexible_since = 0};

  struct UpdatableFeatureResult {
    std::string feature;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("feature", m.feature);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
    }
    friend bool operator==(const UpdatableFeatureResult&, const UpdatableFeatureResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::vector<UpdatableFeatureResult> results;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("results", m.results, {.until = 1, .ignorable = true});
  }
  friend bool operator==(const UpdateFeaturesResponse&, const UpdateFeaturesResponse&) = default;
};

}  // namespace leat
