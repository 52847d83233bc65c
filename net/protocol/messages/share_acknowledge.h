// share_acknowledge.h: ShareAcknowledge, API key 79, versions 1 to 2, flexible: records of a share group acknowledged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/uuid.h"
#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct ShareAcknowledgeRequest {
  static constexpr std::string_view kName = "ShareAcknowledgeRequest";
  static constexpr Versions kVersions{.key = 79, .min = 1, .max = 2, .flexible_since = 0};

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

  struct AcknowledgePartition {
    int32_t partition_index = 0;
    std::vector<AcknowledgementBatch> acknowledgement_batches;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("acknowledgementBatches", m.acknowledgement_batches);
    }
    friend bool operator==(const AcknowledgePartition&, const AcknowledgePartition&) = default;
  };

  struct AcknowledgeTopic {
    Uuid topic_id;
    std::vector<AcknowledgePartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const AcknowledgeTopic&, const AcknowledgeTopic&) = default;
  };

  std::optional<std::string> group_id;
  std::optional<std::string> member_id = "";
  int32_t share_session_epoch = 0;
  bool is_renew_ack = false;
  std::vector<AcknowledgeTopic> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id, {}, kEmpty);
    v.field("shareSessionEpoch", m.share_session_epoch);
    v.field("isRenewAck", m.is_renew_ack, {.since = 2});
    v.field("topics", m.topics);
  }
  friend bool operator==(const ShareAcknowledgeRequest&, const ShareAcknowledgeRequest&) = default;
};

struct ShareAcknowledgeResponse {
  static constexpr std::string_view kName = "ShareAcknowledgeResponse";
  static constexpr Versions kVersions{.key = 79, .min = 1, .max = 2, .flexible_since = 0};

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

  struct PartitionData {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    LeaderIdAndEpoch current_leader;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("currentLeader", m.current_leader);
    }
    friend bool operator==(const PartitionData&, const PartitionData&) = default;
  };

  struct ShareAcknowledgeTopicResponse {
    Uuid topic_id;
    std::vector<PartitionData> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const ShareAcknowledgeTopicResponse&, const ShareAcknowledgeTopicResponse&) = default;
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
  std::vector<ShareAcknowledgeTopicResponse> responses;
  std::vector<NodeEndpoint> node_endpoints;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("acquisitionLockTimeoutMs", m.acquisition_lock_timeout_ms, {.since = 2, .ignorable = true});
    v.field("responses", m.responses);
    v.field("nodeEndpoints", m.node_endpoints);
  }
  friend bool operator==(const ShareAcknowledgeResponse&, const ShareAcknowledgeResponse&) = default;
};

}  // namespace leat
