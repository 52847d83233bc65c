// push_telemetry.h: PushTelemetry, API key 72, version 0, flexible: client metrics (KIP-714).
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/uuid.h"
#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct PushTelemetryRequest {
  static constexpr std::string_view kName = "PushTelemetryRequest";
  static constexpr Versions kVersions{.key = 72, .min = 0, .max = 0, .flexible_since = 0};

  Uuid client_instance_id;
  int32_t subscription_id = 0;
  bool terminating = false;
  int8_t compression_type = 0;
  Bytes metrics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("clientInstanceId", m.client_instance_id);
    v.field("subscriptionId", m.subscription_id);
    v.field("terminating", m.terminating);
    v.field("compressionType", m.compression_type);
    v.field("metrics", m.metrics);
  }
  friend bool operator==(const PushTelemetryRequest&, const PushTelemetryRequest&) = default;
};

struct PushTelemetryResponse {
  static constexpr std::string_view kName = "PushTelemetryResponse";
  static constexpr Versions kVersions{.key = 72, .min = 0, .max = 0, .flexible_since = 0};

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
  }
  friend bool operator==(const PushTelemetryResponse&, const PushTelemetryResponse&) = default;
};

}  // namespace leat
