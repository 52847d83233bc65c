// delete_topics.h: DeleteTopics, API key 20, versions 1 to 6, flexible since 4: topics removed, by name or by id.
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

struct DeleteTopicsRequest {
  static constexpr std::string_view kName = "DeleteTopicsRequest";
  static constexpr Versions kVersions{.key = 20, .min = 1, .max = 6, .flexible_since = 4};

  struct DeleteTopicState {
    std::optional<std::string> name;
    Uuid topic_id;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("topicId", m.topic_id);
    }
    friend bool operator==(const DeleteTopicState&, const DeleteTopicState&) = default;
  };

  std::vector<DeleteTopicState> topics;
  std::vector<std::string> topic_names;
  int32_t timeout_ms = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics, {.since = 6});
    v.field("topicNames", m.topic_names, {.until = 5, .ignorable = true});
    v.field("timeoutMs", m.timeout_ms);
  }
  friend bool operator==(const DeleteTopicsRequest&, const DeleteTopicsRequest&) = default;
};

struct DeleteTopicsResponse {
  static constexpr std::string_view kName = "DeleteTopicsResponse";
  static constexpr Versions kVersions{.key = 20, .min = 1, .max = 6, .flexible_since = 4};

  struct DeletableTopicResult {
    std::optional<std::string> name = "";
    Uuid topic_id;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name, {.null_since = 6}, kEmpty);
      v.field("topicId", m.topic_id, {.since = 6, .ignorable = true});
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message, {.since = 5, .ignorable = true});
    }
    friend bool operator==(const DeletableTopicResult&, const DeletableTopicResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<DeletableTopicResult> responses;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("responses", m.responses);
  }
  friend bool operator==(const DeleteTopicsResponse&, const DeleteTopicsResponse&) = default;
};

}  // namespace leat
