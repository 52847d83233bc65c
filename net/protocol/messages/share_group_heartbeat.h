// share_group_heartbeat.h: ShareGroupHeartbeat, API key 76, version 1, flexible: the one call of members of share
// groups (KIP-932).
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

struct ShareGroupHeartbeatRequest {
  static constexpr std::string_view kName = "ShareGroupHeartbeatRequest";
  static constexpr Versions kVersions{.key = 76, .min = 1, .max = 1, .flexible_since = 0};

  std::string group_id;
  std::string member_id;
  int32_t member_epoch = 0;
  std::optional<std::string> rack_id;
  std::optional<std::vector<std::string>> subscribed_topic_names;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("memberId", m.member_id);
    v.field("memberEpoch", m.member_epoch);
    v.field("rackId", m.rack_id);
    v.field("subscribedTopicNames", m.subscribed_topic_names);
  }
  friend bool operator==(const ShareGroupHeartbeatRequest&, const ShareGroupHeartbeatRequest&) = default;
};

struct ShareGroupHeartbeatResponse {
  static constexpr std::string_view kName = "ShareGroupHeartbeatResponse";
  static constexpr Versions kVersions{.key = 76, .min = 1, .max = 1, .flexible_since = 0};

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
  friend bool operator==(const ShareGroupHeartbeatResponse&, const ShareGroupHeartbeatResponse&) = default;
};

}  // namespace leat
