// list_transactions.h: ListTransactions, API key 66, versions 0 to 2, flexible: all transactions of a coordinator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec/schema.h"
#include "net/protocol/error_code.h"

namespace leat {

struct ListTransactionsRequest {
  static constexpr std::string_view kName = "ListTransactionsRequest";
  static constexpr Versions kVersions{.key = 66, .min = 0, .max = 2, .flexible_since = 0};

  std::vector<std::string> state_filters;
  std::vector<int64_t> producer_id_filters;
  int64_t duration_filter = -1;
  std::optional<std::string> transactional_id_pattern;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("stateFilters", m.state_filters);
    v.field("producerIdFilters", m.producer_id_filters);
    v.field("durationFilter", m.duration_filter, {.since = 1}, -1);
    v.field("transactionalIdPattern", m.transactional_id_pattern, {.since = 2});
  }
  friend bool operator==(const ListTransactionsRequest&, const ListTransactionsRequest&) = default;
};

struct ListTransactionsResponse {
  static constexpr std::string_view kName = "ListTransactionsResponse";
  static constexpr Versions kVersions{.key = 66, .min = 0, .max = 2, .flexible_since = 0};

  struct TransactionState {
    std::string transactional_id;
    int64_t producer_id = 0;
    std::string transaction_state;

    template <class Self, class Visitor>
    static void visit(Self& m, Visitor& v) {
      v.field("transactionalId", m.transactional_id);
      v.field("producerId", m.producer_id);
      v.field("transactionState", m.transaction_state);
    }
    friend bool operator==(const TransactionState&, const TransactionState&) = default;
  };

  int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::kNone;
  std::vector<std::string> unknown_state_filters;
  std::vector<TransactionState> transaction_states;

  template <class Self, class Visitor>
  static void visit(Self& m, Visitor& v) {
    v.field("throttleTimeMs", m.throttle_time_ms);
    v.field("errorCode", m.error_code);
    v.field("unknownStateFilters", m.unknown_state_filters);
    v.field("transactionStates", m.transaction_states);
  }
  friend bool operator==(const ListTransactionsResponse&, const ListTransactionsResponse&) = default;
};

}  // namespace leat
