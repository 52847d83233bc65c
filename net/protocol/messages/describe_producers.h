// describe_producers.h: DescribeProducers, API key 61, version 0, flexible: producers with state in partitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DescribeProducersRequest {
  static constexpr std::string_view kName = "DescribeProducersRequest";
  static constexpr Versions kVersions{.key = 61, .min = 0, .max = 0, .flexible_since = 0};

  struct TopicRequest {
    std::string name;
    std::vector<int32_t> partition_indexes;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitionIndexes", m.partition_indexes);
    }
    friend bool operator==(const TopicRequest&, const TopicRequest&) = default;
  };

  std::vector<TopicRequest> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics);
  }
  friend bool operator==(const DescribeProducersRequest&, const DescribeProducersRequest&) = default;
};

struct DescribeProducersResponse {
  static constexpr std::string_view kName = "DescribeProducersResponse";
  static constexpr Versions kVersions{.key = 61, .min = 0, .max = 0, .flexible_since = 0};

  struct ProducerState {
    int64_t producer_id = 0;
    int32_t producer_epoch = 0;
    int32_t last_sequence = -1;
    int64_t last_timestamp = -1;
    int32_t coordinator_epoch = 0;
    int64_t current_txn_start_offset = -1;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("producerId", m.producer_id);
      v.field("producerEpoch", m.producer_epoch);
      v.field("lastSequence", m.last_sequence, {}, -1);
      v.field("lastTimestamp", m.last_timestamp, {}, -1);
      v.field("coordinatorEpoch", m.coordinator_epoch);
      v.field("currentTxnStartOffset", m.current_txn_start_offset, {}, -1);
    }
    friend bool operator==(const ProducerState&, const ProducerState&) = default;
  };

  struct PartitionResponse {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    std::vector<ProducerState> active_producers;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("activeProducers", m.active_producers);
    }
    friend bool operator==(const PartitionResponse&, const PartitionResponse&) = default;
  };

  struct TopicResponse {
    std::string name;
    std::vector<PartitionResponse> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TopicResponse&, const TopicResponse&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<TopicResponse> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("topics", m.topics);
  }
  friend bool operator==(const DescribeProducersResponse&, const DescribeProducersResponse&) = default;
};

}  // namespace leat
