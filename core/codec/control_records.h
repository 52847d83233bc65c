// control_records.h: keys and values of control records, which end transactions in a partition, and the entry of a
// transaction index. Each with its version before it: core/codec/prefixed.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/codec/schema.h"

namespace leat {

struct EndTxnMarker {
  static constexpr std::string_view kName = "EndTxnMarker";
  static constexpr Versions kVersions{.min = 0, .max = 0};

  int32_t coordinator_epoch = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("coordinatorEpoch", m.coordinator_epoch);
  }
  friend bool operator==(const EndTxnMarker&, const EndTxnMarker&) = default;
};

struct ControlRecordTypeSchema {
  static constexpr std::string_view kName = "ControlRecordTypeSchema";
  static constexpr Versions kVersions{.min = 0, .max = 0};

  int16_t type = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("type", m.type);
  }
  friend bool operator==(const ControlRecordTypeSchema&, const ControlRecordTypeSchema&) = default;
};

struct AbortedTxn {
  static constexpr std::string_view kName = "AbortedTxn";
  static constexpr Versions kVersions{.min = 0, .max = 0};

  int64_t producer_id = 0;
  int64_t first_offset = 0;
  int64_t last_offset = 0;
  int64_t last_stable_offset = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("producerId", m.producer_id);
    v.field("firstOffset", m.first_offset);
    v.field("lastOffset", m.last_offset);
    v.field("lastStableOffset", m.last_stable_offset);
  }
  friend bool operator==(const AbortedTxn&, const AbortedTxn&) = default;
};

}  // namespace leat
