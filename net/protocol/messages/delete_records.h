// delete_records.h: DeleteRecords, API key 21, versions 0 to 2, flexible since 2: the log start offset moved up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DeleteRecordsRequest {
  static constexpr std::string_view kName = "DeleteRecordsRequest";
  static constexpr Versions kVersions{.key = 21, .min = 0, .max = 2, .flexible_since = 2};

  struct DeleteRecordsPartition {
    int32_t partition_index = 0;
    int64_t offset = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("offset", m.offset);
    }
    friend bool operator==(const DeleteRecordsPartition&, const DeleteRecordsPartition&) = default;
  };

  struct DeleteRecordsTopic {
    std::string name;
    std::vector<DeleteRecordsPartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const DeleteRecordsTopic&, const DeleteRecordsTopic&) = default;
  };

  std::vector<DeleteRecordsTopic> topics;
  int32_t timeout_ms = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics);
    v.field("timeoutMs", m.timeout_ms);
  }
  friend bool operator==(const DeleteRecordsRequest&, const DeleteRecordsRequest&) = default;
};

struct DeleteRecordsResponse {
  static constexpr std::string_view kName = "DeleteRecordsResponse";
  static constexpr Versions kVersions{.key = 21, .min = 0, .max = 2, .flexible_since = 2};

  struct DeleteRecordsPartitionResult {
    int32_t partition_index = 0;
    int64_t low_watermark = 0;
    ErrorCode error_code = ErrorCode::kNone;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("lowWatermark", m.low_watermark);
      v.field("errorCode", m.error_code);
    }
    friend bool operator==(const DeleteRecordsPartitionResult&, const DeleteRecordsPartitionResult&) = default;
  };

  struct DeleteRecordsTopicResult {
    std::string name;
    std::vector<DeleteRecordsPartitionResult> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const DeleteRecordsTopicResult&, const DeleteRecordsTopicResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<DeleteRecordsTopicResult> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("topics", m.topics);
  }
  friend bool operator==(const DeleteRecordsResponse&, const DeleteRecordsResponse&) = default;
};

}  // namespace leat
