// consumer_group_describe.h: ConsumerGroupDescribe, API key 69, versions 0 to 1, flexible: consumer groups (KIP-848)
// with members and assignments.
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

struct ConsumerGroupDescribeRequest {
  static constexpr std::string_view kName = "ConsumerGroupDescribeRequest";
  static constexpr Versions kVersions{.key = 69, .min = 0, .max = 1, .flexible_since = 0};

  std::vector<std::string> group_ids;
  bool include_authorized_operations = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupIds", m.group_ids);
    v.field("includeAuthorizedOperations", m.include_authorized_operations);
  }
  friend bool operator==(const ConsumerGroupDescribeRequest&, const ConsumerGroupDescribeRequest&) = default;
};

struct ConsumerGroupDescribeResponse {
  static constexpr std::string_view kName = "ConsumerGroupDescribeResponse";
  static constexpr Versions kVersions{.key = 69, .min = 0, .max = 1, .flexible_since = 0};

  struct TopicPartitions {
    Uuid topic_id;
    std::string topic_name;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicId", m.topic_id);
      v.field("topicName", m.topic_name);
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

  struct Member {
    std::string member_id;
    std::optional<std::string> instance_id;
    std::optional<std::string> rack_id;
    int32_t member_epoch = 0;
    std::string client_id;
    std::string client_host;
    std::vector<std::string> subscribed_topic_names;
    std::optional<std::string> subscribed_topic_regex;
    Assignment assignment;
    Assignment target_assignment;
    int8_t member_type = -1;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("memberId", m.member_id);
      v.field("instanceId", m.instance_id);
      v.field("rackId", m.rack_id);
      v.field("memberEpoch", m.member_epoch);
      v.field("clientId", m.client_id);
      v.field("clientHost", m.client_host);
      v.field("subscribedTopicNames", m.subscribed_topic_names);
      v.field("subscribedTopicRegex", m.subscribed_topic_regex);
      v.field("assignment", m.assignment);
      v.field("targetAssignment", m.target_assignment);
      v.field("memberType", m.member_type, {.since = 1, .ignorable = true}, -1);
    }
    friend bool operator==(const Member&, const Member&) = default;
  };

  struct DescribedGroup {
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    std::string group_id;
    std::string group_state;
    int32_t group_epoch = 0;
    int32_t assignment_epoch = 0;
    std::string assignor_name;
    std::vector<Member> members;
    int32_t authorized_operations = INT32_MIN;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("groupId", m.group_id);
      v.field("groupState", m.group_state);
      v.field("groupEpoch", m.group_epoch);
      v.field("assignmentEpoch", m.assignment_epoch);
      v.field("assignorName", m.assignor_name);
      v.field("members", m.members);
      v.field("authorizedOperations", m.authorized_operations, {}, INT32_MIN);
    }
    friend bool operator==(const DescribedGroup&, const DescribedGroup&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<DescribedGroup> groups;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("groups", m.groups);
  }
  friend bool operator==(const ConsumerGroupDescribeResponse&, const ConsumerGroupDescribeResponse&) = default;
};

}  // namespace leat
