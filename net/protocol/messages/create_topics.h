// create_topics.h: CreateTopics, API key 19, versions 2 to 7, flexible since 5: new topics.
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

struct CreateTopicsRequest {
  static constexpr std::string_view kName = "CreateTopicsRequest";
  static constexpr Versions kVersions{.key = 19, .min = 2, .max = 7, .flexible_since = 5};

  struct CreatableReplicaAssignment {
    int32_t partition_index = 0;
    std::vector<int32_t> broker_ids;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("brokerIds", m.broker_ids);
    }
    friend bool operator==(const CreatableReplicaAssignment&, const CreatableReplicaAssignment&) = default;
  };

  struct CreatableTopicConfig {
    std::string name;
    std::optional<std::string> value = "";

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("value", m.value, {}, kEmpty);
    }
    friend bool operator==(const CreatableTopicConfig&, const CreatableTopicConfig&) = default;
  };

  struct CreatableTopic {
    std::string name;
    int32_t num_partitions = 0;
    int16_t replication_factor = 0;
    std::vector<CreatableReplicaAssignment> assignments;
    std::vector<CreatableTopicConfig> configs;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("numPartitions", m.num_partitions);
      v.field("replicationFactor", m.replication_factor);
      v.field("assignments", m.assignments);
      v.field("configs", m.configs);
    }
    friend bool operator==(const CreatableTopic&, const CreatableTopic&) = default;
  };

  std::vector<CreatableTopic> topics;
  int32_t timeout_ms = 60000;
  bool validate_only = false;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("topics", m.topics);
    v.field("timeoutMs", m.timeout_ms, {}, 60000);
    v.field("validateOnly", m.validate_only);
  }
  friend bool operator==(const CreateTopicsRequest&, const CreateTopicsRequest&) = default;
};

struct CreateTopicsResponse {
  static constexpr std::string_view kName = "CreateTopicsResponse";
  static constexpr Versions kVersions{.key = 19, .min = 2, .max = 7, .flexible_since = 5};

  struct CreatableTopicConfigs {
    std::string name;
    std::optional<std::string> value = "";
    bool read_only = false;
    int8_t config_source = -1;
    bool is_sensitive = false;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("value", m.value, {}, kEmpty);
      v.field("readOnly", m.read_only);
      v.field("configSource", m.config_source, {}, -1);
      v.field("isSensitive", m.is_sensitive);
    }
    friend bool operator==(const CreatableTopicConfigs&, const CreatableTopicConfigs&) = default;
  };

  struct CreatableTopicResult {
    std::string name;
    Uuid topic_id;
    ErrorCode error_code = ErrorCode::kNone;
    std::optional<std::string> error_message;
    ErrorCode topic_config_error_code = ErrorCode::kNone;
    int32_t num_partitions = -1;
    int16_t replication_factor = -1;
    std::optional<std::vector<CreatableTopicConfigs>> configs = std::vector<CreatableTopicConfigs>{};

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("topicId", m.topic_id, {.since = 7, .ignorable = true});
      v.field("errorCode", m.error_code);
      v.field("errorMessage", m.error_message);
      v.field("numPartitions", m.num_partitions, {.since = 5, .ignorable = true}, -1);
      v.field("replicationFactor", m.replication_factor, {.since = 5, .ignorable = true}, -1);
      v.field("configs", m.configs, {.since = 5, .ignorable = true}, kEmpty);
    }
    template <class Self, class Visitor>
    static void visit_tags(Self& m, Visitor& v) {
      v.tagged(0, "topicConfigErrorCode", m.topic_config_error_code, {.since = 5, .ignorable = true});
    }
    friend bool operator==(const CreatableTopicResult&, const CreatableTopicResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<CreatableTopicResult> topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("topics", m.topics);
  }
  friend bool operator==(const CreateTopicsResponse&, const CreateTopicsResponse&) = default;
};

}  // namespace leat
