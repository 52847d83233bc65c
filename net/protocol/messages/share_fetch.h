// share_fetch.h: ShareFetch, API key 78, versions 1 to 2, flexible: records acquired by a member of a share group,
// earlier ones acknowledged.
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

struct ShareFetchRequest {
  static constexpr std::string_view kName = "ShareFetchRequest";
  static constexpr Versions kVersions{.key = 78, .min = 1, .max = 2, .flexible_since = 0};

  struct AcknowledgementBatch {
    int64_t first_offset = 0;
    int64_t last_offset = 0;
    std::vector<int8_t> acknowledge_types;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("firstOffset", m.first_offset);
      v.field("lastOffset", m.last_offset);
      v.field("acknowledgeTypes", m.acknowledge_types);
    }
    friend bool operator==(const AcknowledgementBatch&, const AcknowledgementBatch&) = default;
  };

  struct FetchPartition {
    int32_t partition_index = 0;
    std::vector<AcknowledgementBatch> acknowledgement_batches;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("acknowledgementBatches", m.acknowledgement_batches);
    }
    friend bool operator==(const FetchPartition&, const FetchPartition&) = default;
  };

  struct FetchTopic {
    Uuid topic_id;
    std::vector<FetchPartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const FetchTopic&, const FetchTopic&) = default;
  };

  struct ForgottenTopic {
    Uuid topic_id;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const ForgottenTopic&, const ForgottenTopic&) = default;
  };

  std::optional<std::string> group_id;
  std::optional<std::string> member_id = "";
  int32_t share_session_epoch = 0;
  int32_t max_wait_ms = 0;
  int32_t min_bytes = 0;
  int32_t max_bytes = INT32_MAX;
  int32_t max_records = 0;
  int32_t batch_size = 0;
  int8_t share_acquire_mode = 0;
  bool is_renew_ack = false;
  std::vector<FetchTopic> topics;
  std::vector<ForgottenTopic> forgotten_topics_data;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id, {}, kEmpty);
    v.field("shareSessionEpoch", m.share_session_epoch);
    v.field("maxWaitMs", m.max_wait_ms);
    v.field("minBytes", m.min_bytes);
    v.field("maxBytes", m.max_bytes, {}, INT32_MAX);
    v.field("maxRecords", m.max_records);
    v.field("batchSize", m.batch_size);
    v.field("shareAcquireMode", m.share_acquire_mode, {.since = 2, .ignorable = true});
    v.field("isRenewAck", m.is_renew_ack, {.since = 2});
    v.field("topics", m.topics);
    v.field("forgottenTopicsData", m.forgotten_topics_data);
  }
  friend bool operator==(const ShareFetchRequest&, const ShareFetchRequest&) = default;
};

struct ShareFetchResponse {
  static constexpr std::string_view kName = "ShareFetchResponse";
  static constexpr Versions kVersions{.key = 78, .min = 1, .max = 2, .flexible_since = 0};

  struct LeaderIdAndEpoch {
    int32_t leader_id = 0;
    int32_t leader_epoch = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("leaderId", m.leader_id);
      v.field("leaderEpoch", m.leader_epoch);
    }
    friend bool operator==(const LeaderIdAndEpoch&, const LeaderIdAndEpoch&) = default;
  };

  struct AcquiredRecords {
    int64_t first_offset = 0;
    int64_t last_offset = 0;
    int16_t delivery_count = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("firstOffset", m.first_offset);
      v.field("lastOffset", m.last_offset);
      v.field("deliveryCount", m.delivery_count);
    }
    friend bool operator==(const AcquiredRecords&, const AcquiredRecords&) = default;
  };

  struct PartitionData {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    ErrorCode acknowledge_error_code = ErrorCode::kNone;
    std::optional<std::string> acknowledge_error_message;
    LeaderIdAndEpoch current_leader;
    Records records;
    std::vector<AcquiredRecords> acquired_records;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("acknowledgeErrorCode", m.acknowledge_error_code);
      v.field("acknowledgeErrorMessage", m.acknowledge_error_message);
      v.field("currentLeader", m.current_leader);
      v.field("records", m.records);
      v.field("acquiredRecords", m.acquired_records);
    }
    friend bool operator==(const PartitionData&, const PartitionData&) = default;
  };

  struct ShareFetchableTopicResponse {
    Uuid topic_id;
    std::vector<PartitionData> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const ShareFetchableTopicResponse&, const ShareFetchableTopicResponse&) = default;
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

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  int32_t acquisition_lock_timeout_ms = 0;
  std::vector<ShareFetchableTopicResponse> responses;
  std::vector<NodeEndpoint> node_endpoints;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("acquisitionLockTimeoutMs", m.acquisition_lock_timeout_ms);
    v.field("responses", m.responses);
    v.field("nodeEndpoints", m.node_endpoints);
  }
  friend bool operator==(const ShareFetchResponse&, const ShareFetchResponse&) = default;
};

}  // namespace leat
