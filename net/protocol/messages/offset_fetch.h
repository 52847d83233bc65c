// offset_fetch.h: OffsetFetch, API key 9, versions 1 to 10, flexible since 6: what a group has committed.
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

struct OffsetFetchRequest {
  static constexpr std::string_view kName = "OffsetFetchRequest";
  static constexpr Versions kVersions{.key = 9, .min = 1, .max = 10, .flexible_since = 6};

  struct OffsetFetchRequestTopic {
    std::string name;
    std::vector<int32_t> partition_indexes;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitionIndexes", m.partition_indexes);
    }
    friend bool operator==(const OffsetFetchRequestTopic&, const OffsetFetchRequestTopic&) = default;
  };

  struct OffsetFetchRequestTopics {
    std::string name;
    Uuid topic_id;
    std::vector<int32_t> partition_indexes;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name, {.until = 9, .ignorable = true});
      v.field("topicId", m.topic_id, {.since = 10, .ignorable = true});
      v.field("partitionIndexes", m.partition_indexes);
    }
    friend bool operator==(const OffsetFetchRequestTopics&, const OffsetFetchRequestTopics&) = default;
  };

  struct OffsetFetchRequestGroup {
    std::string group_id;
    std::optional<std::string> member_id;
    int32_t member_epoch = -1;
    std::optional<std::vector<OffsetFetchRequestTopics>> topics = std::vector<OffsetFetchRequestTopics>{};

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("groupId", m.group_id);
      v.field("memberId", m.member_id, {.since = 9, .ignorable = true});
      v.field("memberEpoch", m.member_epoch, {.since = 9, .ignorable = true}, -1);
      v.field("topics", m.topics, {}, kEmpty);
    }
    friend bool operator==(const OffsetFetchRequestGroup&, const OffsetFetchRequestGroup&) = default;
  };

  std::string group_id;
  std::optional<std::vector<OffsetFetchRequestTopic>> topics = std::vector<OffsetFetchRequestTopic>{};
  std::vector<OffsetFetchRequestGroup> groups;
  bool require_stable = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id, {.until = 7});
    v.field("topics", m.topics, {.until = 7, .null_since = 2}, kEmpty);
    v.field("groups", m.groups, {.since = 8});
    v.field("requireStable", m.require_stable, {.since = 7});
  }
  friend bool operator==(const OffsetFetchRequest&, const OffsetFetchRequest&) = default;
};

struct OffsetFetchResponse {
  static constexpr std::string_view kName = "OffsetFetchResponse";
  static constexpr Versions kVersions{.key = 9, .min = 1, .max = 10, .flexible_since = 6};

  struct OffsetFetchResponsePartition {
    int32_t partition_index = 0;
    int64_t committed_offset = 0;
    int32_t committed_leader_epoch = -1;
    std::optional<std::string> metadata = "";
    ErrorCode error_code = ErrorCode::kNone;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("committedOffset", m.committed_offset);
      v.field("committedLeaderEpoch", m.committed_leader_epoch, {.since = 5, .ignorable = true}, -1);
      v.field("metadata", m.metadata, {}, kEmpty);
      v.field("errorCode", m.error_code);
    }
    friend bool operator==(const OffsetFetchResponsePartition&, const OffsetFetchResponsePartition&) = default;
  };

  struct OffsetFetchResponseTopic {
    std::string name;
    std::vector<OffsetFetchResponsePartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const OffsetFetchResponseTopic&, const OffsetFetchResponseTopic&) = default;
  };

  struct OffsetFetchResponsePartitions {
    int32_t partition_index = 0;
    int64_t committed_offset = 0;
    int32_t committed_leader_epoch = -1;
    std::optional<std::string> metadata = "";
    ErrorCode error_code = ErrorCode::kNone;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("committedOffset", m.committed_offset);
      v.field("committedLeaderEpoch", m.committed_leader_epoch, {}, -1);
      v.field("metadata", m.metadata, {}, kEmpty);
      v.field("errorCode", m.error_code);
    }
    friend bool operator==(const OffsetFetchResponsePartitions&, const OffsetFetchResponsePartitions&) = default;
  };

  struct OffsetFetchResponseTopics {
    std::string name;
    Uuid topic_id;
    std::vector<OffsetFetchResponsePartitions> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name, {.until = 9, .ignorable = true});
      v.field("topicId", m.topic_id, {.since = 10, .ignorable = true});
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const OffsetFetchResponseTopics&, const OffsetFetchResponseTopics&) = default;
  };

  struct OffsetFetchResponseGroup {
    std::string group_id;
    std::vector<OffsetFetchResponseTopics> topics;
    ErrorCode error_code = ErrorCode::kNone;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("groupId", m.group_id);
      v.field("topics", m.topics);
      v.field("errorCode", m.error_code);
    }
    friend bool operator==(const OffsetFetchResponseGroup&, const OffsetFetchResponseGroup&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<OffsetFetchResponseTopic> topics;
  ErrorCode error_code = ErrorCode::kNone;
  std::vector<OffsetFetchResponseGroup> groups;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms, {.since = 3, .ignorable = true});
    v.field("topics", m.topics, {.until = 7});
    v.field("errorCode", m.error_code, {.since = 2, .until = 7, .ignorable = true});
    v.field("groups", m.groups, {.since = 8});
  }
  friend bool operator==(const OffsetFetchResponse&, const OffsetFetchResponse&) = default;
};

}  // namespace leat
