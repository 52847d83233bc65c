// create_partitions.h: CreatePartitions, API key 37, versions 0 to 3, flexible since 2: more partitions for topics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct CreatePartitionsRequest {
  static constexpr std::string_view kName = "CreatePartitionsRequest";
  static constexpr Versions kVersions{.key = 37, .min = 0, .max = 3, .flexible_since = 2};

  struct CreatePartitionsAssignment {
    std::vector<int32_t> broker_ids;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("brokerIds", m.broker_ids);
    }
    friend bool operator==(const CreatePartitionsAssignment&, const CreatePartitionsAssignment&) = default;
  };

  struct CreatePartitionsTopic {
    std::string name;
    int32_t count = 0;
    std::optional<std::vector<CreatePartitionsAssignment>> assignments = std::vector<CreatePartitionsAssignment>{};

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("count", m.count);
      v.field("assignments", m.assignments, {}, kEmpty);
    }
    friend bool operator==(const CreatePartitionsTopic&, const CreatePartitionsTopic&) = default;
  };

  std::vector<CreatePartitionsTopic> topics;
  int32_t timeout_ms = 0;
  bool validate_only = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics);
    v.field("timeoutMs", m.timeout_ms);
    v.field("validateOnly", m.validate_only);
  }
  friend bool operator==(const CreatePartitionsRequest&, const CreatePartitionsRequest&) = default;
};

struct CreatePartitionsResponse {
  static constexpr std::string_view kName = "CreatePartitionsResponse";
  static constexpr Versions kVersions{.key = 37, .min = 0, .max = 3, .flexible_since = 2};

  struct CreatePartitionsTopicResult {
    std::string name;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
    }
    friend bool operator==(const CreatePartitionsTopicResult&, const CreatePartitionsTopicResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<CreatePartitionsTopicResult> results;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("results", m.results);
  }
  friend bool operator==(const CreatePartitionsResponse&, const CreatePartitionsResponse&) = default;
};

}  // namespace leat
