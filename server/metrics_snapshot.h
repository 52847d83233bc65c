// metrics_snapshot.h: the broker's figures at one moment, copied by the loop for the admin HTTP listener; immutable
// once it has left the loop. Plain data: metrics_page.h makes text of it, on another thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/partition_log.h"
#include "core/log/tail_cache.h"
#include "core/quota/client_quotas.h"
#include "net/transport/tcp_server.h"
#include "server/metrics.h"

namespace leat {

struct MetricsSnapshot {
  struct Api {  // one that was asked for at least once
    std::string_view name;
    uint64_t requests = 0;
    Log2Histogram times;
  };
  struct ApiError {
    std::string_view api;
    std::string error;  // Kafka's name
    uint64_t count = 0;
  };
  struct Lanes {
    std::string_view log_kind;  // client: topics; internal: the metadata journal
    LaneMetrics done;
    size_t queued_bytes = 0;
    int jobs = 0;  // in flight
  };
  struct PartitionFigures {
    std::string topic;
    int32_t partition = 0;
    int64_t size_bytes = 0;
    LogOffsets offsets;
  };
  struct GroupFigures {  // of one partition that a group has committed an offset of
    std::string group;
    std::string topic;
    int32_t partition = 0;
    int64_t committed = -1;
    int64_t lag = -1;  // -1: there is no such partition
  };
  struct Totals {  // over all partitions
    size_t topics = 0;
    size_t partitions = 0;
    size_t offline = 0;   // their logs could not be opened
    size_t unlisted = 0;  // beyond leat.metrics.partitions.max: not among `partitions`
    size_t segments = 0;
    size_t producer_ids = 0;
    int64_t log_bytes = 0;
  };
  struct Directory {
    std::string path;
    bool online = true;
    bool below_reserve = false;
    std::optional<int64_t> free_bytes;
  };
  struct Fetches {
    size_t parked = 0;
    size_t sessions = 0;
    size_t session_partitions = 0;
    uint64_t sessions_evicted = 0;
  };
  struct Cache {
    TailCache::Counters counters;
    size_t bytes = 0;
    size_t bytes_max = 0;
  };
  struct Budgets {
    size_t append_bytes = 0;
    size_t append_waiting = 0;  // Produce requests
    size_t response_bytes = 0;
  };

  std::string version;
  Nanos uptime{0};
  int64_t taken_at_ms = 0;  // wall time
  bool ready = false;

  std::vector<Api> apis;
  std::vector<ApiError> errors;
  uint64_t requests_refused = 0;
  ClientQuotas::ThrottledByKey throttled;
  size_t request_bytes_in_flight = 0;
  size_t connections = 0;
  TransportCounters transport;
  std::vector<Lanes> lanes;
  Fetches fetches;
  Cache cache;
  Budgets budgets;
  std::array<size_t, kWorkQueueCount> worker_jobs{};  // by WorkQueue
  Log2Histogram loop_lag;
  std::optional<Directory> directory;  // absent until it is open
  Totals totals;
  std::vector<PartitionFigures> partitions;
  size_t groups = 0;
  std::vector<GroupFigures> group_offsets;  // leat.metrics.partitions.max at most
};

}  // namespace leat
