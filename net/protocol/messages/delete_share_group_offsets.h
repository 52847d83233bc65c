// delete_share_group_offsets.h: DeleteShareGroupOffsets, API key 92, version 0, flexible: start offsets of a share
// group removed.
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

struct DeleteShareGroupOffsetsRequest {
  static constexpr std::string_view kName = "DeleteShareGroupOffsetsRequest";
  static constexpr Versions kVersions{.key = 92, .min = 0, .max = 0, .flexible_since = 0};

  struct DeleteShareGroupOffsetsRequestTopic {
    std::string topic_name;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicName", m.topic_name);
    }
    friend bool operator==(const DeleteShareGroupOffsetsRequestTopic&,
                           const DeleteShareGroupOffsetsRequestTopic&) = default;
  };

  std::string group_id;
  std::vector<DeleteShareGroupOffsetsRequestTopic> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("groupId", m.group_id);
    v.field("topics", m.topics);
  }
  friend bool operator==(const DeleteShareGroupOffsetsRequest&, const DeleteShareGroupOffsetsRequest&) = default;
};

struct DeleteShareGroupOffsetsResponse {
  static constexpr std::string_view kName = "DeleteShareGroupOffsetsResponse";
  static constexpr Versions kVersions{.key = 92, .min = 0, .max = 0, .flexible_since = 0};

  struct DeleteShareGroupOffsetsResponseTopic {
    std::string topic_name;
    Uuid topic_id;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topicName", m.topic_name);
      v.field("topicId", m.topic_id);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
    }
    friend bool operator==(const DeleteShareGroupOffsetsResponseTopic&,
                           const DeleteShareGroupOffsetsResponseTopic&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::optional<std::string> error_message;
  std::vector<DeleteShareGroupOffsetsResponseTopic> responses;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("errorMessage", m.error_message);
    v.field("responses", m.responses);
  }
  friend bool operator==(const DeleteShareGroupOffsetsResponse&, const DeleteShareGroupOffsetsResponse&) = default;
};

}  // namespace leat
