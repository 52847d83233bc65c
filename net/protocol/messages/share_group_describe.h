// share_group_describe.h: ShareGroupDescribe, API key 77, version 1, flexible: share groups with members and
// assignments.
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

struct ShareGroupDescribeRequest {
  static constexpr std::string_view kName = "ShareGroupDescribeRequest";
  static constexpr Versions kVersions{.key = 77, .min = 1, .max = 1, .flexible_since = 0};

  std::vector<std::string> group_ids;
  bool include_authorized_operations = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupIds", m.group_ids);
    v.field("includeAuthorizedOperations", m.include_authorized_operations);
  }
  friend bool operator==(const ShareGroupDescribeRequest&, const ShareGroupDescribeRequest&) = default;
};

struct ShareGroupDescribeResponse {
  static constexpr std::string_view kName = "ShareGroupDescribeResponse";
  static constexpr Versions kVersions{.key = 77, .min = 1, .max = 1, .flexible_since = 0};

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
    std::optional<std::string> rack_id;
    int32_t member_epoch = 0;
    std::string client_id;
    std::string client_host;
    std::vector<std::string> subscribed_topic_names;
    Assignment assignment;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("memberId", m.member_id);
      v.field("rackId", m.rack_id);
      v.field("memberEpoch", m.member_epoch);
      v.field("clientId", m.client_id);
      v.field("clientHost", m.client_host);
      v.field("subscribedTopicNames", m.subscribed_topic_names);
      v.field("assignment", m.assignment);
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
  friend bool operator==(const ShareGroupDescribeResponse&, const ShareGroupDescribeResponse&) = default;
};

}  // namespace leat
