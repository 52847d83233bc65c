// write_txn_markers.h: WriteTxnMarkers, API key 27, versions 1 to 2, flexible: control batches that end a transaction
// in its partitions; between brokers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct WriteTxnMarkersRequest {
  static constexpr std::string_view kName = "WriteTxnMarkersRequest";
  static constexpr Versions kVersions{.key = 27, .min = 1, .max = 2, .flexible_since = 1};

  struct WritableTxnMarkerTopic {
    std::string name;
    std::vector<int32_t> partition_indexes;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitionIndexes", m.partition_indexes);
    }
    friend bool operator==(const WritableTxnMarkerTopic&, const WritableTxnMarkerTopic&) = default;
  };

  struct WritableTxnMarker {
    int64_t producer_id = 0;
    int16_t producer_epoch = 0;
    bool transaction_result = false;
    std::vector<WritableTxnMarkerTopic> topics;
    int32_t coordinator_epoch = 0;
    int8_t transaction_version = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("producerId", m.producer_id);
      v.field("producerEpoch", m.producer_epoch);
      v.field("transactionResult", m.transaction_result);
      v.field("topics", m.topics);
      v.field("coordinatorEpoch", m.coordinator_epoch);
      v.field("transactionVersion", m.transaction_version, {.since = 2, .ignorable = true});
    }
    friend bool operator==(const WritableTxnMarker&, const WritableTxnMarker&) = default;
  };

  std::vector<WritableTxnMarker> markers;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("markers", m.markers);
  }
  friend bool operator==(const WriteTxnMarkersRequest&, const WriteTxnMarkersRequest&) = default;
};

struct WriteTxnMarkersResponse {
  static constexpr std::string_view kName = "WriteTxnMarkersResponse";
  static constexpr Versions kVersions{.key = 27, .min = 1, .max = 2, .flexible_since = 1};

  struct WritableTxnMarkerPartitionResult {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
    }
    friend bool operator==(const WritableTxnMarkerPartitionResult&, const WritableTxnMarkerPartitionResult&) = default;
  };

  struct WritableTxnMarkerTopicResult {
    std::string name;
    std::vector<WritableTxnMarkerPartitionResult> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const WritableTxnMarkerTopicResult&, const WritableTxnMarkerTopicResult&) = default;
  };

  struct WritableTxnMarkerResult {
    int64_t producer_id = 0;
    std::vector<WritableTxnMarkerTopicResult> topics;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("producerId", m.producer_id);
      v.field("topics", m.topics);
    }
    friend bool operator==(const WritableTxnMarkerResult&, const WritableTxnMarkerResult&) = default;
  };

  std::vector<WritableTxnMarkerResult> markers;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("markers", m.markers);
  }
  friend bool operator==(const WriteTxnMarkersResponse&, const WriteTxnMarkersResponse&) = default;
};

}  // namespace leat
