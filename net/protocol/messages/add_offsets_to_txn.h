// add_offsets_to_txn.h: AddOffsetsToTxn, API key 25, versions 0 to 4, flexible since 3: the offsets of a group join a
// transaction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct AddOffsetsToTxnRequest {
  static constexpr std::string_view kName = "AddOffsetsToTxnRequest";
  static constexpr Versions kVersions{.key = 25, .min = 0, .max = 4, .flexible_since = 3};

  std::string transactional_id;
  int64_t producer_id = 0;
  int16_t producer_epoch = 0;
  std::string group_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("transactionalId", m.transactional_id);
    v.field("producerId", m.producer_id);
    v.field("producerEpoch", m.producer_epoch);
    v.field("groupId", m.group_id);
  }
  friend bool operator==(const AddOffsetsToTxnRequest&, const AddOffsetsToTxnRequest&) = default;
};

struct AddOffsetsToTxnResponse {
  static constexpr std::string_view kName = "AddOffsetsToTxnResponse";
  static constexpr Versions kVersions{.key = 25, .min = 0, .max = 4, .flexible_since = 3};

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
  }
  friend bool operator==(const AddOffsetsToTxnResponse&, const AddOffsetsToTxnResponse&) = default;
};

}  // namespace leat
