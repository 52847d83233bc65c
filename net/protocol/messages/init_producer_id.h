// init_producer_id.h: InitProducerId, API key 22, versions 0 to 5, flexible since 2: a producer id and epoch; with a
// transactional id it fences the predecessor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct InitProducerIdRequest {
  static constexpr std::string_view kName = "InitProducerIdRequest";
  static constexpr Versions kVersions{.key = 22, .min = 0, .max = 5, .flexible_since = 2};

  std::optional<std::string> transactional_id = "";
  int32_t transaction_timeout_ms = 0;
  int64_t producer_id = -1;
  int16_t producer_epoch = -1;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("transactionalId", m.transactional_id, {}, kEmpty);
    v.field("transactionTimeoutMs", m.transaction_timeout_ms);
    v.field("producerId", m.producer_id, {.since = 3}, -1);
    v.field("producerEpoch", m.producer_epoch, {.since = 3}, -1);
  }
  friend bool operator==(const InitProducerIdRequest&, const InitProducerIdRequest&) = default;
};

struct InitProducerIdResponse {
  static constexpr std::string_view kName = "InitProducerIdResponse";
  static constexpr Versions kVersions{.key = 22, .min = 0, .max = 5, .flexible_since = 2};

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  int64_t producer_id = -1;
  int16_t producer_epoch = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("producerId", m.producer_id, {}, -1);
    v.field("producerEpoch", m.producer_epoch);
  }
  friend bool operator==(const InitProducerIdResponse&, const InitProducerIdResponse&) = default;
};

}  // namespace leat
