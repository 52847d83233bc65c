// end_txn.h: EndTxn, API key 26, versions 0 to 5, flexible since 3: commit or abort of a transaction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct EndTxnRequest {
  static constexpr std::string_view kName = "EndTxnRequest";
  static constexpr Versions kVersions{.key = 26, .min = 0, .max = 5, .flexible_since = 3};

  std::string transactional_id;
  int64_t producer_id = 0;
  int16_t producer_epoch = 0;
  bool committed = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("transactionalId", m.transactional_id);
    v.field("producerId", m.producer_id);
    v.field("producerEpoch", m.producer_epoch);
    v.field("committed", m.committed);
  }
  friend bool operator==(const EndTxnRequest&, const EndTxnRequest&) = default;
};

struct EndTxnResponse {
  static constexpr std::string_view kName = "EndTxnResponse";
  static constexpr Versions kVersions{.key = 26, .min = 0, .max = 5, .flexible_since = 3};

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  int64_t producer_id = -1;
  int16_t producer_epoch = -1;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("producerId", m.producer_id, {.since = 5, .ignorable = true}, -1);
    v.field("producerEpoch", m.producer_epoch, {.since = 5, .ignorable = true}, -1);
  }
  friend bool operator==(const EndTxnResponse&, const EndTxnResponse&) = default;
};

}  // namespace leat
