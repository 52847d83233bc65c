// offset_delete.h: OffsetDelete, API key 47, version 0: committed offsets of a group removed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct OffsetDeleteRequest {
  static constexpr std::string_view kName = "OffsetDeleteRequest";
  static constexpr Versions kVersions{.key = 47, .min = 0, .max = 0};

  struct OffsetDeleteRequestPartition {
    int32_t partition_index = 0;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
    }
    friend bool operator==(const OffsetDeleteRequestPartition&, const OffsetDeleteRequestPartition&) = default;
  };

  struct OffsetDeleteRequestTopic {
    std::string name;
    std::vector<OffsetDeleteRequestPartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const OffsetDeleteRequestTopic&, const OffsetDeleteRequestTopic&) = default;
  };

  std::string group_id;
  std::vector<OffsetDeleteRequestTopic> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("topics", m.topics);
  }
  friend bool operator==(const OffsetDeleteRequest&, const OffsetDeleteRequest&) = default;
};

struct OffsetDeleteResponse {
  static constexpr std::string_view kName = "OffsetDeleteResponse";
  static constexpr Versions kVersions{.key = 47, .min = 0, .max = 0};

  struct OffsetDeleteResponsePartition {
    int32_t partition_index = 0;
    ErrorCode error_code = ErrorCode::kNone;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("errorCode", m.error_code);
    }
    friend bool operator==(const OffsetDeleteResponsePartition&, const OffsetDeleteResponsePartition&) = default;
  };

  struct OffsetDeleteResponseTopic {
    std::string name;
    std::vector<OffsetDeleteResponsePartition> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const OffsetDeleteResponseTopic&, const OffsetDeleteResponseTopic&) = default;
  };

  ErrorCode error_code = ErrorCode::kNone;
  int32_t throttle_time_ms = 0;
  std::vector<OffsetDeleteResponseTopic> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("errorCode", m.error_code);
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("topics", m.topics);
  }
  friend bool operator==(const OffsetDeleteResponse&, const OffsetDeleteResponse&) = default;
};

}  // namespace leat
