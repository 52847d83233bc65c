// get_telemetry_subscriptions.h: GetTelemetrySubscriptions, API key 71, version 0, flexible: which client metrics the
// broker wants (KIP-714).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/uuid.h"
#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct GetTelemetrySubscriptionsRequest {
  static constexpr std::string_view kName = "GetTelemetrySubscriptionsRequest";
  static constexpr Versions kVersions{.key = 71, .min = 0, .max = 0, .flexible_since = 0};

  Uuid client_instance_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("clientInstanceId", m.client_instance_id);
  }
  friend bool operator==(const GetTelemetrySubscriptionsRequest&, const GetTelemetrySubscriptionsRequest&) = default;
};

struct GetTelemetrySubscriptionsResponse {
  static constexpr std::string_view kName = "GetTelemetrySubscriptionsResponse";
  static constexpr Versions kVersions{.key = 71, .min = 0, .max = 0, .flexible_since = 0};

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  Uuid client_instance_id;
  int32_t subscription_id = 0;
  std::vector<int8_t> accepted_compression_types;
  int32_t push_interval_ms = 0;
  int32_t telemetry_max_bytes = 0;
  bool delta_temporality = false;
  std::vector<std::string> requested_metrics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("clientInstanceId", m.client_instance_id);
    v.field("subscriptionId", m.subscription_id);
    v.field("acceptedCompressionTypes", m.accepted_compression_types);
    v.field("pushIntervalMs", m.push_interval_ms);
    v.field("telemetryMaxBytes", m.telemetry_max_bytes);
    v.field("deltaTemporality", m.delta_temporality);
    v.field("requestedMetrics", m.requested_metrics);
  }
  friend bool operator==(const GetTelemetrySubscriptionsResponse&, const GetTelemetrySubscriptionsResponse&) = default;
};

}  // namespace leat
