// describe_quorum.h: DescribeQuorum, API key 55, versions 0 to 2, flexible: the state of the metadata quorum.
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

struct DescribeQuorumRequest {
  static constexpr std::string_view kName = "DescribeQuorumRequest";
  static constexpr Versions kVersions{.key = 55, .min = 0, .max = 2, .flexible_since = 0};

  struct PartitionData {
    int32_t partition_index = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
    }
    friend bool operator==(const PartitionData&, const PartitionData&) = default;
  };

  struct TopicData {
    std::string topic_name;
    std::vector<PartitionData> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicName", m.topic_name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TopicData&, const TopicData&) = default;
  };

  std::vector<TopicData> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics);
  }
  friend bool operator==(const DescribeQuorumRequest&, const DescribeQuorumRequest&) = default;
};

struct DescribeQuorumResponse {
  static constexpr std::string_view kName = "DescribeQuorumResponse";
  static constexpr Versions kVersions{.key = 55, .min = 0, .max = 2, .flexible_since = 0};

  struct ReplicaState {
    int32_t replica_id = 0;
    Uuid replica_directory_id;
    int64_t log_end_offset = 0;
    int64_t last_fetch_timestamp = -1;
    int64_t last_caught_up_timestamp = -1;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("replicaId", m.replica_id);
      v.field("replicaDirectoryId", m.replica_directory_id, {.since = 2});
      v.field("logEndOffset", m.log_end_offset);
      v.field("lastFetchTimestamp", m.last_fetch_timestamp, {.since = 1, .ignorable = true}, -1);
      v.field("lastCaughtUpTimestamp", m.last_caught_up_timestamp, {.since = 1, .ignorable = true}, -1);
    }
    friend bool operator==(const ReplicaState&, const ReplicaState&) = default;
  };

  struct PartitionData {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    int32_t leader_id = 0;
    int32_t leader_epoch = 0;
    int64_t high_watermark = 0;
    std::vector<ReplicaState> current_voters;
    std::vector<ReplicaState> observers;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message, {.since = 2, .ignorable = true});
      v.field("leaderId", m.leader_id);
      v.field("leaderEpoch", m.leader_epoch);
      v.field("highWatermark", m.high_watermark);
      v.field("currentVoters", m.current_voters);
      v.field("observers", m.observers);
    }
    friend bool operator==(const PartitionData&, const PartitionData&) = default;
  };

  struct TopicData {
    std::string topic_name;
    std::vector<PartitionData> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicName", m.topic_name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TopicData&, const TopicData&) = default;
  };

  struct Listener {
    std::string name;
    std::string host;
    uint16_t port = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("host", m.host);
      v.field("port", m.port);
    }
    friend bool operator==(const Listener&, const Listener&) = default;
  };

  struct Node {
    int32_t node_id = 0;
    std::vector<Listener> listeners;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("nodeId", m.node_id);
      v.field("listeners", m.listeners);
    }
    friend bool operator==(const Node&, const Node&) = default;
  };

  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::vector<TopicData> topics;
  std::vector<Node> nodes;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message, {.since = 2, .ignorable = true});
    v.field("topics", m.topics);
    v.field("nodes", m.nodes, {.since = 2});
  }
  friend bool operator==(const DescribeQuorumResponse&, const DescribeQuorumResponse&) = default;
};

}  // namespace leat
