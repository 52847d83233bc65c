// transaction_records.h: Records of `__transaction_state`. Keys and values have an int16 before them:
// core/codec/prefixed.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"

namespace leat {

struct TransactionLogKey {
  static constexpr std::string_view kName = "TransactionLogKey";
  static constexpr Versions kVersions{.key = 0, .min = 0, .max = 0};

  std::string transactional_id;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("transactionalId", m.transactional_id);
  }
  friend bool operator==(const TransactionLogKey&, const TransactionLogKey&) = default;
};

struct TransactionLogValue {
  static constexpr std::string_view kName = "TransactionLogValue";
  static constexpr Versions kVersions{.key = 0, .min = 0, .max = 1, .flexible_since = 1};

  struct PartitionsSchema {
    std::string topic;
    std::vector<int32_t> partition_ids;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topic", m.topic);
      v.field("partitionIds", m.partition_ids);
    }
    friend bool operator==(const PartitionsSchema&, const PartitionsSchema&) = default;
  };

  int64_t producer_id = 0;
  int64_t previous_producer_id = -1;
  int64_t next_producer_id = -1;
  int16_t producer_epoch = 0;
  int16_t next_producer_epoch = -1;
  int32_t transaction_timeout_ms = 0;
  int8_t transaction_status = 0;
  std::optional<std::vector<PartitionsSchema>> transaction_partitions = std::vector<PartitionsSchema>{};
  int64_t transaction_last_update_timestamp_ms = 0;
  int64_t transaction_start_timestamp_ms = 0;
  int16_t client_transaction_version = 0;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("producerId", m.producer_id);
    v.field("producerEpoch", m.producer_epoch);
    v.field("transactionTimeoutMs", m.transaction_timeout_ms);
    v.field("transactionStatus", m.transaction_status);
    v.field("transactionPartitions", m.transaction_partitions, {}, kEmpty);
    v.field("transactionLastUpdateTimestampMs", m.transaction_last_update_timestamp_ms);
    v.field("transactionStartTimestampMs", m.transaction_start_timestamp_ms);
  }
  template <class Self, class Visitor>
  static void visit_tags(Self& m, Visitor& v) {
    v.tagged(0, "previousProducerId", m.previous_producer_id, {.since = 1}, -1);
    v.tagged(1, "nextProducerId", m.next_producer_id, {.since = 1}, -1);
    v.tagged(2, "clientTransactionVersion", m.client_transaction_version, {.since = 1});
    v.tagged(3, "nextProducerEpoch", m.next_producer_epoch, {.since = 1}, -1);
  }
  friend bool operator==(const TransactionLogValue&, const TransactionLogValue&) = default;
};

}  // namespace leat
