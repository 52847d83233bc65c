// fetch.h: Fetch, API key 1, versions 4 to 18, flexible since 12: record batches out of partitions, with long poll and
// incremental sessions (KIP-227).
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

struct FetchRequest {
  static constexpr std::string_view kName = "FetchRequest";
  static constexpr Versions kVersions{.key = 1, .min = 4, .max = 18, .flexible_since = 12};

  struct ReplicaState {
    int32_t replica_id = -1;
    int64_t replica_epoch = -1;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("replicaId", m.replica_id, {}, -1);
      v.field("replicaEpoch", m.replica_epoch, {}, -1);
    }
    friend bool operator==(const ReplicaState&, const ReplicaState&) = default;
  };

  struct FetchPartition {
    int32_t partition = 0;
    int32_t current_leader_epoch = -1;
    int64_t fetch_offset = 0;
    int32_t last_fetched_epoch = -1;
    int64_t log_start_offset = -1;
    int32_t partition_max_bytes = 0;
    Uuid replica_directory_id;
    int64_t high_watermark = INT64_MAX;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partition", m.partition);
      v.field("currentLeaderEpoch", m.current_leader_epoch, {.since = 9, .ignorable = true}, -1);
      v.field("fetchOffset", m.fetch_offset);
      v.field("lastFetchedEpoch", m.last_fetched_epoch, {.since = 12}, -1);
      v.field("logStartOffset", m.log_start_offset, {.since = 5, .ignorable = true}, -1);
      v.field("partitionMaxBytes", m.partition_max_bytes);
    }
    template <class Self, class Visitor>
    static void visit_tags(Self& m, Visitor& v) {
      v.tagged(0, "replicaDirectoryId", m.replica_directory_id, {.since = 17, .ignorable = true});
      v.tagged(1, "highWatermark", m.high_watermark, {.since = 18, .ignorable = true}, INT64_MAX);
    }
    friend bool operator==(const FetchPartition&, const FetchPartition&) = default;
  };

  struct FetchTopic {
    std::string topic;
    Uuid topic_id;
    std::vector<FetchPartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topic", m.topic, {.until = 12, .ignorable = true});
      v.field("topicId", m.topic_id, {.since = 13, .ignorable = true});
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const FetchTopic&, const FetchTopic&) = default;
  };

  struct ForgottenTopic {
    std::string topic;
    Uuid topic_id;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topic", m.topic, {.until = 12, .ignorable = true});
      v.field("topicId", m.topic_id, {.since = 13, .ignorable = true});
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const ForgottenTopic&, const ForgottenTopic&) = default;
  };

  std::optional<std::string> cluster_id;
  int32_t replica_id = -1;
  ReplicaState replica_state;
  int32_t max_wait_ms = 0;
  int32_t min_bytes = 0;
  int32_t max_bytes = INT32_MAX;
  int8_t isolation_level = 0;
  int32_t session_id = 0;
  int32_t session_epoch = -1;
  std::vector<FetchTopic> topics;
  std::vector<ForgottenTopic> forgotten_topics_data;
  std::string rack_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("replicaId", m.replica_id, {.until = 14}, -1);
    v.field("maxWaitMs", m.max_wait_ms);
    v.field("minBytes", m.min_bytes);
    v.field("maxBytes", m.max_bytes, {}, INT32_MAX);
    v.field("isolationLevel", m.isolation_level);
    v.field("sessionId", m.session_id, {.since = 7, .ignorable = true});
    v.field("sessionEpoch", m.session_epoch, {.since = 7, .ignorable = true}, -1);
    v.field("topics", m.topics);
    v.field("forgottenTopicsData", m.forgotten_topics_data, {.since = 7});
    v.field("rackId", m.rack_id, {.since = 11, .ignorable = true});
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "clusterId", m.cluster_id, {.since = 12, .ignorable = true});
    v.tagged(1, "replicaState", m.replica_state, {.since = 15});
  }
  friend bool operator==(const FetchRequest&, const FetchRequest&) = default;
};

struct FetchResponse {
  static constexpr std::string_view kName = "FetchResponse";
  static constexpr Versions kVersions{.key = 1, .min = 4, .max = 18, .flexible_since = 12};

  struct EpochEndOffset {
    int32_t epoch = -1;
    int64_t end_offset = -1;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("epoch", m.epoch, {}, -1);
      v.field("endOffset", m.end_offset, {}, -1);
    }
    friend bool operator==(const EpochEndOffset&, const EpochEndOffset&) = default;
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

  struct SnapshotId {
    int64_t end_offset = -1;
    int32_t epoch = -1;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("endOffset", m.end_offset, {}, -1);
      v.field("epoch", m.epoch, {}, -1);
    }
    friend bool operator==(const SnapshotId&, const SnapshotId&) = default;
  };

  struct AbortedTransaction {
    int64_t producer_id = 0;
    int64_t first_offset = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("producerId", m.producer_id);
      v.field("firstOffset", m.first_offset);
    }
    friend bool operator==(const AbortedTransaction&, const AbortedTransaction&) = default;
  };

  struct PartitionData {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;
    int64_t high_watermark = 0;
    int64_t last_stable_offset = -1;
    int64_t log_start_offset = -1;
    EpochEndOffset diverging_epoch;
    LeaderIdAndEpoch current_leader;
    SnapshotId snapshot_id;
    std::optional<std::vector<AbortedTransaction>> aborted_transactions = std::vector<AbortedTransaction>{};
    int32_t preferred_read_replica = -1;
    std::optional<Records> records;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
      v.field("highWatermark", m.high_watermark);
      v.field("lastStableOffset", m.last_stable_offset, {}, -1);
      v.field("logStartOffset", m.log_start_offset, {.since = 5, .ignorable = true}, -1);
      v.field("abortedTransactions", m.aborted_transactions, {}, kEmpty);
      v.field("preferredReadReplica", m.preferred_read_replica, {.since = 11}, -1);
      v.field("records", m.records);
    }
    template <class Self, class Visitor>
    static void visit_tags(Self& m, Visitor& v) {
      v.tagged(0, "divergingEpoch", m.diverging_epoch, {.since = 12});
      v.tagged(1, "currentLeader", m.current_leader, {.since = 12});
      v.tagged(2, "snapshotId", m.snapshot_id, {.since = 12});
    }
    friend bool operator==(const PartitionData&, const PartitionData&) = default;
  };

  struct FetchableTopicResponse {
    std::string topic;
    Uuid topic_id;
    std::vector<PartitionData> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topic", m.topic, {.until = 12, .ignorable = true});
      v.field("topicId", m.topic_id, {.since = 13, .ignorable = true});
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const FetchableTopicResponse&, const FetchableTopicResponse&) = default;
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
  int32_t session_id = 0;
  std::vector<FetchableTopicResponse> responses;
  std::vector<NodeEndpoint> node_endpoints;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code, {.since = 7, .ignorable = true});
    v.field("sessionId", m.session_id, {.since = 7});
    v.field("responses", m.responses);
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "nodeEndpoints", m.node_endpoints, {.since = 16});
  }
  friend bool operator==(const FetchResponse&, const FetchResponse&) = default;
};

}  // namespace leat
