// describe_transactions.h: DescribeTransactions, API key 65, version 0, flexible: transactions by transactional id.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct DescribeTransactionsRequest {
  static constexpr std::string_view kName = "DescribeTransactionsRequest";
  static constexpr Versions kVersions{.key = 65, .min = 0, .max = 0, .flexible_since = 0};

  std::vector<std::string> transactional_ids;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("transactionalIds", m.transactional_ids);
  }
  friend bool operator==(const DescribeTransactionsRequest&, const DescribeTransactionsRequest&) = default;
};

struct DescribeTransactionsResponse {
  static constexpr std::string_view kName = "DescribeTransactionsResponse";
  static constexpr Versions kVersions{.key = 65, .min = 0, .max = 0, .flexible_since = 0};

  struct TopicData {
    std::string topic;
    std::vector<int32_t> partitions;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("topic", m.topic);
      v.field("partitions", m.partitions);
    }
    friend bool operator==(const TopicData&, const TopicData&) = default;
  };

  struct TransactionState {
    ErrorCode error_code = ErrorCode::kNone;
    std::string transactional_id;
    std::string transaction_state;
    int32_t transaction_timeout_ms = 0;
    int64_t transaction_start_time_ms = 0;
    int64_t producer_id = 0;
    int16_t producer_epoch = 0;
    std::vector<TopicData> topics;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("errorCode", m.error_code);
      v.field("transactionalId", m.transactional_id);
      v.field("transactionState", m.transaction_state);
      v.field("transactionTimeoutMs", m.transaction_timeout_ms);
      v.field("transactionStartTimeMs", m.transaction_start_time_ms);
      v.field("producerId", m.producer_id);
      v.field("producerEpoch", m.producer_epoch);
      v.field("topics", m.topics);
    }
    friend bool operator==(const TransactionState&, const TransactionState&) = default;
  };

  int32_t throttle_time_ms = 0;
  std::vector<TransactionState> transaction_states;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("transactionStates", m.transaction_states);
  }
  friend bool operator==(const DescribeTransactionsResponse&, const DescribeTransactionsResponse&) = default;
};

}  // namespace leat
