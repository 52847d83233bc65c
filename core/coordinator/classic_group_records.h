// classic_group_records.h: Records of `__consumer_offsets`, types 0 to 2: committed offsets of every kind of group, and
// classic groups. Keys and values have an int16 before them: core/codec/prefixed.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/uuid.h"
#include "core/codec/schema.h"

namespace leat {

struct LegacyOffsetCommitKey {
  static constexpr std::string_view kName = "LegacyOffsetCommitKey";
  static constexpr Versions kVersions{.key = 0, .min = 0, .max = 0};

  std::string group;
  std::string topic;
  int32_t partition = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("group", m.group);
    v.field("topic", m.topic);
    v.field("partition", m.partition);
  }
  friend bool operator==(const LegacyOffsetCommitKey&, const LegacyOffsetCommitKey&) = default;
};

struct LegacyOffsetCommitValue {
  static constexpr std::string_view kName = "LegacyOffsetCommitValue";
  static constexpr Versions kVersions{.key = 0, .min = 0, .max = 0};

  int64_t offset = 0;
  std::string metadata;
  int64_t commit_timestamp = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("offset", m.offset);
    v.field("metadata", m.metadata);
    v.field("commitTimestamp", m.commit_timestamp);
  }
  friend bool operator==(const LegacyOffsetCommitValue&, const LegacyOffsetCommitValue&) = default;
};

struct OffsetCommitKey {
  static constexpr std::string_view kName = "OffsetCommitKey";
  static constexpr Versions kVersions{.key = 1, .min = 0, .max = 0};

  std::string group;
  std::string topic;
  int32_t partition = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("group", m.group);
    v.field("topic", m.topic);
    v.field("partition", m.partition);
  }
  friend bool operator==(const OffsetCommitKey&, const OffsetCommitKey&) = default;
};

struct OffsetCommitValue {
  static constexpr std::string_view kName = "OffsetCommitValue";
  static constexpr Versions kVersions{.key = 1, .min = 0, .max = 4, .flexible_since = 4};

  int64_t offset = 0;
  int32_t leader_epoch = -1;
  std::string metadata;
  int64_t commit_timestamp = 0;
  int64_t expire_timestamp = -1;
  Uuid topic_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("offset", m.offset);
    v.field("leaderEpoch", m.leader_epoch, {.since = 3, .ignorable = true}, -1);
    v.field("metadata", m.metadata);
    v.field("commitTimestamp", m.commit_timestamp);
    v.field("expireTimestamp", m.expire_timestamp, {.since = 1, .until = 1, .ignorable = true}, -1);
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "topicId", m.topic_id, {.since = 4, .ignorable = true});
  }
  friend bool operator==(const OffsetCommitValue&, const OffsetCommitValue&) = default;
};

struct GroupMetadataKey {
  static constexpr std::string_view kName = "GroupMetadataKey";
  static constexpr Versions kVersions{.key = 2, .min = 0, .max = 0};

  std::string group;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("group", m.group);
  }
  friend bool operator==(const GroupMetadataKey&, const GroupMetadataKey&) = default;
};

struct GroupMetadataValue {
  static constexpr std::string_view kName = "GroupMetadataValue";
  static constexpr Versions kVersions{.key = 2, .min = 0, .max = 4, .flexible_since = 4};

  struct MemberMetadata {
    std::string member_id;
    std::optional<std::string> group_instance_id;
    std::string client_id;
    std::string client_host;
    int32_t rebalance_timeout = -1;
    int32_t session_timeout = 0;
    Bytes subscription;
    Bytes assignment;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("memberId", m.member_id);
      v.field("groupInstanceId", m.group_instance_id, {.since = 3, .ignorable = true});
      v.field("clientId", m.client_id);
      v.field("clientHost", m.client_host);
      v.field("rebalanceTimeout", m.rebalance_timeout, {.since = 1, .ignorable = true}, -1);
      v.field("sessionTimeout", m.session_timeout);
      v.field("subscription", m.subscription);
      v.field("assignment", m.assignment);
    }
    friend bool operator==(const MemberMetadata&, const MemberMetadata&) = default;
  };

  std::string protocol_type;
  int32_t generation = 0;
  std::optional<std::string> protocol = "";
  std::optional<std::string> leader = "";
  int64_t current_state_timestamp = -1;
  std::vector<MemberMetadata> members;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("protocolType", m.protocol_type);
    v.field("generation", m.generation);
    v.field("protocol", m.protocol, {}, kEmpty);
    v.field("leader", m.leader, {}, kEmpty);
    v.field("currentStateTimestamp", m.current_state_timestamp, {.since = 2, .ignorable = true}, -1);
    v.field("members", m.members);
  }
  friend bool operator==(const GroupMetadataValue&, const GroupMetadataValue&) = default;
};

}  // namespace leat
