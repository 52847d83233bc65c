// produce.h: Produce, API key 0, versions 3 to 13, flexible since 9: record batches into partitions. Versions 0 to 2
// are advertised for old librdkafka, and refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/uuid.h"
#include "core/codec/records.h"
#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct ProduceRequest {
  static constexpr std::string_view kName = "ProduceRequest";
  static constexpr Versions kVersions{.key = 0, .min = 3, .max = 13, .flexible_since = 9};

  struct PartitionProduceData {
    int32_t index = 0;
    std::optional<Records> records;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("index", m.index);
      v.field("records", m.records);
    }
    friend bool operator==(const PartitionProduceData&, const PartitionProduceData&) = default;
  };

  struct TopicProduceData {
    std::string name;
    Uuid topic_id;
    std::vector<PartitionProduceData> partition_data;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name, {.until = 12, .ignorable = true});
      v.field("topicId", m.topic_id, {.since = 13, .ignorable = true});
      v.field("partitionData", m.partition_data);
    }
    friend bool operator==(const TopicProduceData&, const TopicProduceData&) = default;
  };

  std::optional<std::string> transactional_id;
  int16_t acks = 0;
  int32_t timeout_ms = 0;
  std::vector<TopicProduceData> topic_data;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("transactionalId", m.transactional_id);
    v.field("acks", m.acks);
    v.field("timeoutMs", m.timeout_ms);
    v.field("topicData", m.topic_data);
  }
  friend bool operator==(const ProduceRequest&, const ProduceRequest&) = default;
};

struct ProduceResponse {
  static constexpr std::string_view kName = "ProduceResponse";
  static constexpr Versions kVersions{.key = 0, .min = 3, .max = 13, .flexible_since = 9};

  struct BatchIndexAndErrorMessage {
    int32_t batch_index = 0;
    std::optional<std::string> batch_index_error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("batchIndex", m.batch_index);
      v.field("batchIndexErrorMessage", m.batch_index_error_message);
    }
    friend bool operator==(const BatchIndexAndErrorMessage&, const BatchIndexAndErrorMessage&) = default;
  };

  struct LeaderIdAndEpoch {
    int32_t leader_id = -1;
    int32_t leader_epoch = -1;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("leaderId", m.leader_id, {}, -1);
      v.field("leaderEpoch", m.leader_epoch, {}, -1);
    }
    friend bool operator==(const LeaderIdAndEpoch&, const LeaderIdAndEpoch&) = default;
  };

  struct PartitionProduceResponse {
    int32_t index = 0;
    ErrorCode error_code = ErrorCode::kNone;
    int64_t base_offset = 0;
    int64_t log_append_time_ms = -1;
    int64_t log_start_offset = -1;
    std::vector<BatchIndexAndErrorMessage> record_errors;
    std::optional<std::string> error_message;
    LeaderIdAndEpoch current_leader;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("index", m.index);
      v.field("errorCode", m.error_code);
      v.field("baseOffset", m.base_offset);
      v.field("logAppendTimeMs", m.log_append_time_ms, {}, -1);
      v.field("logStartOffset", m.log_start_offset, {.since = 5, .ignorable = true}, -1);
      v.field("recordErrors", m.record_errors, {.since = 8, .ignorable = true});
      v.field("errorMessage", m.error_message, {.since = 8, .ignorable = true});
    }
    template <class Self, class Visitor>
    static void visit_tags(Self& m, Visitor& v) {
      v.tagged(0, "currentLeader", m.current_leader, {.since = 10});
    }
    friend bool operator==(const PartitionProduceResponse&, const PartitionProduceResponse&) = default;
  };

  struct TopicProduceResponse {
    std::string name;
    Uuid topic_id;
    std::vector<PartitionProduceResponse> partition_responses;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name, {.until = 12, .ignorable = true});
      v.field("topicId", m.topic_id, {.since = 13, .ignorable = true});
      v.field("partitionResponses", m.partition_responses);
    }
    friend bool operator==(const TopicProduceResponse&, const TopicProduceResponse&) = default;
  };

  struct NodeEndpoint {
    int32_t node_id = 0;
    std::string host;
    int32_t port = 0;
    std::optional<std::string> rack;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("nodeId", m.node_id);
      v.field("host", m.host);
      v.field("port", m.port);
      v.field("rack", m.rack);
    }
    friend bool operator==(const NodeEndpoint&, const NodeEndpoint&) = default;
  };

  std::vector<TopicProduceResponse> responses;
  int32_t throttle_time_ms = 0;
  std::vector<NodeEndpoint> node_endpoints;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("responses", m.responses);
    v.field("throttleTimeMs", m.throttle_time_ms);
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "nodeEndpoints", m.node_endpoints, {.since = 10});
  }
  friend bool operator==(const ProduceResponse&, const ProduceResponse&) = default;
};

}  // namespace leat
