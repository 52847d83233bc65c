// add_partitions_to_txn.h: AddPartitionsToTxn, API key 24, versions 0 to 5, flexible since 3: partitions join a
// transaction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct AddPartitionsToTxnRequest {
  static constexpr std::string_view kName = "AddPartitionsToTxnRequest";
  static constexpr Versions kVersions{.key = 24, .min = 0, .max = 5, .flexible_since = 3};

  struct AddPartitionsToTxnTopic {
    std::string name;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const AddPartitionsToTxnTopic&, const AddPartitionsToTxnTopic&) = default;
  };

  struct AddPartitionsToTxnTransaction {
    std::string transactional_id;
    int64_t producer_id = 0;
    int16_t producer_epoch = 0;
    bool verify_only = false;
    std::vector<AddPartitionsToTxnTopic> topics;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("transactionalId", m.transactional_id);
      v.field("producerId", m.producer_id);
      v.field("producerEpoch", m.producer_epoch);
      v.field("verifyOnly", m.verify_only);
      v.field("topics", m.topics);
    }
    friend bool operator==(const AddPartitionsToTxnTransaction&, const AddPartitionsToTxnTransaction&) = default;
  };

  std::vector<AddPartitionsToTxnTransaction> transactions;
  std::string v3_and_below_transactional_id;
  int64_t v3_and_below_producer_id = 0;
  int16_t v3_and_below_producer_epoch = 0;
  std::vector<AddPartitionsToTxnTopic> v3_and_below_topics;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("transactions", m.transactions, {.since = 4});
    v.field("v3AndBelowTransactionalId", m.v3_and_below_transactional_id, {.until = 3});
    v.field("v3AndBelowProducerId", m.v3_and_below_producer_id, {.until = 3});
    v.field("v3AndBelowProducerEpoch", m.v3_and_below_producer_epoch, {.until = 3});
    v.field("v3AndBelowTopics", m.v3_and_below_topics, {.until = 3});
  }
  friend bool operator==(const AddPartitionsToTxnRequest&, const AddPartitionsToTxnRequest&) = default;
};

struct AddPartitionsToTxnResponse {
  static constexpr std::string_view kName = "AddPartitionsToTxnResponse";
  static constexpr Versions kVersions{.key = 24, .min = 0, .max = 5, .flexible_since = 3};

  struct AddPartitionsToTxnPartitionResult {
    int32_t partition_index = 0;
    ErrorCode partition_error_code = ErrorCode::kNone;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("partitionIndex", m.partition_index);
      v.field("partitionErrorCode", m.partition_error_code);
    }
    friend bool operator==(const AddPartitionsToTxnPartitionResult&,
                           const AddPartitionsToTxnPartitionResult&) = default;
  };

  struct AddPartitionsToTxnTopicResult {
    std::string name;
    std::vector<AddPartitionsToTxnPartitionResult> results_by_partition;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("name", m.name);
      v.field("resultsByPartition", m.results_by_partition);
    }
    friend bool operator==(const AddPartitionsToTxnTopicResult&, const AddPartitionsToTxnTopicResult&) = default;
  };

  struct AddPartitionsToTxnResult {
    std::string transactional_id;
    std::vector<AddPartitionsToTxnTopicResult> topic_results;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("transactionalId", m.transactional_id);
      v.field("topicResults", m.topic_results);
    }
    friend bool operator==(const AddPartitionsToTxnResult&, const AddPartitionsToTxnResult&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::vector<AddPartitionsToTxnResult> results_by_transaction;
  std::vector<AddPartitionsToTxnTopicResult> results_by_topic_v3_and_below;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code, {.since = 4, .ignorable = true});
    v.field("resultsByTransaction", m.results_by_transaction, {.since = 4});
    v.field("resultsByTopicV3AndBelow", m.results_by_topic_v3_and_below, {.until = 3});
  }
  friend bool operator==(const AddPartitionsToTxnResponse&, const AddPartitionsToTxnResponse&) = default;
};

}  // namespace leat
