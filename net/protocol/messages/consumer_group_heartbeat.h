// consumer_group_heartbeat.h: ConsumerGroupHeartbeat, API key 68, versions 0 to 1, flexible: the one call of members of
// consumer groups (KIP-848): joins, leaves, subscribes, is assigned.
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

struct ConsumerGroupHeartbeatRequest {
  static constexpr std::string_view kName = "ConsumerGroupHeartbeatRequest";
  static constexpr Versions kVersions{.key = 68, .min = 0, .max = 1, .flexible_since = 0};

  struct TopicPartitions {
    Uuid topic_id;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TopicPartitions&, const TopicPartitions&) = default;
  };

  std::string group_id;
  std::string member_id;
  int32_t member_epoch = 0;
  std::optional<std::string> instance_id;
  std::optional<std::string> rack_id;
  int32_t rebalance_timeout_ms = -1;
  std::optional<std::vector<std::string>> subscribed_topic_names;
  std::optional<std::string> subscribed_topic_regex;
  std::optional<std::string> server_assignor;
  std::optional<std::vector<TopicPartitions>> topic_partitions;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
    v.field("memberEpoch", m.member_epoch);
    v.field("instanceId", m.instance_id);
    v.field("rackId", m.rack_id);
    v.field("rebalanceTimeoutMs", m.rebalance_timeout_ms, {}, -1);
    v.field("subscribedTopicNames", m.subscribed_topic_names);
    v.field("subscribedTopicRegex", m.subscribed_topic_regex, {.since = 1});
    v.field("serverAssignor", m.server_assignor);
    v.field("topicPartitions", m.topic_partitions);
  }
  friend bool operator==(const ConsumerGroupHeartbeatRequest&, const ConsumerGroupHeartbeatRequest&) = default;
};

struct ConsumerGroupHeartbeatResponse {
  static constexpr std::string_view kName = "ConsumerGroupHeartbeatResponse";
  static constexpr Versions kVersions{.key = 68, .min = 0, .max = 1, .flexible_since = 0};

  struct TopicPartitions {
    Uuid topic_id;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TopicPartitions&, const TopicPartitions&) = default;
  };

  struct Assignment {
    std::vector<TopicPartitions> topic_partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicPartitions", m.topic_partitions);
    }
    friend bool operator==(const Assignment&, const Assignment&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::optional<std::string> member_id;
  int32_t member_epoch = 0;
  int32_t heartbeat_interval_ms = 0;
  std::optional<Assignment> assignment;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("memberId", m.member_id);
    v.field("memberEpoch", m.member_epoch);
    v.field("heartbeatIntervalMs", m.heartbeat_interval_ms);
    v.field("assignment", m.assignment);
  }
  friend bool operator==(const ConsumerGroupHeartbeatResponse&, const ConsumerGroupHeartbeatResponse&) = default;
};

}  // namespace leat
