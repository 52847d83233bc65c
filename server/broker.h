// broker.h: what a handler needs of the running broker, in one place: its parts by reference, nothing global.
// RunningBroker (running_broker.h) owns the parts, starts and ends them. Thread: the loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/topic_partition.h"
#include "core/quota/client_quotas.h"
#include "core/storage/file_system.h"
#include "net/loop/scheduler.h"
#include "server/append_group.h"
#include "server/byte_budget.h"
#include "server/fetch_session.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/partition_table.h"

namespace leat {

class Settings;
class GroupCoordinator;
class MetadataStore;
class LogDirectory;
class PartitionFolders;
class TailCache;

struct AdvertisedAddress {
  std::string host;
  int32_t port = 0;
};

struct Broker {
  // Bytes of Produce requests that may be queued or being written; the connections of those who come later are not
  // read.
  static constexpr size_t kAppendBudgetBytes = size_t{256} << 20;
  // Bytes of Fetch responses that may be unsent before new ones get smaller, and how small they get at the least.
  static constexpr size_t kResponseBudgetBytes = size_t{256} << 20;
  static constexpr int64_t kResponseBytesFloor = 256 << 10;

  Broker(Scheduler& of, FileSystem& on, Random& with, const Settings& by, PartitionTable& table)
      : scheduler(of), files(on), random(with), settings(by), partitions(&table) {}
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  Scheduler& scheduler;
  FileSystem& files;
  Random& random;
  const Settings& settings;

  int32_t node_id = 1;
  std::string cluster_id;
  std::map<std::string, AdvertisedAddress, std::less<>>
      advertised;  // by listener name; filled when listeners are bound

  PartitionTable* partitions;
  MetadataStore* metadata = nullptr;
  GroupCoordinator* groups = nullptr;
  LogDirectory* directory = nullptr;
  PartitionFolders* folders = nullptr;
  const Partition* metadata_journal = nullptr;  // __leat_metadata-0, which is in no table
  const TailCache* tail_cache = nullptr;
  LaneStarter* journal_lanes = nullptr;  // of the metadata journal; those of the topics are the table's
  RequestMetrics request_metrics;
  ClientQuotas quotas;
  FetchSessions fetch_sessions{scheduler.clock(), random, {}};
  AppendDeadlines append_deadlines{scheduler};
  ByteBudget append_budget{scheduler, kAppendBudgetBytes};
  ByteBudget response_budget{scheduler, kResponseBudgetBytes};  // Fetch responses that are read and not sent yet
  RateLimitedLog damage_log{scheduler.clock(), 5, Millis(60'000)};
  int64_t fetch_bytes_max = 55 << 20;  // fetch.max.bytes: of one response, whatever the client asks for

  // A reader sees no more than a code, and tries again and again. `wanted`: "offset 17".
  void note_unreadable(const TopicPartition& name, std::string_view wanted, const Error& error) {
    const bool is_damage = error.code == Errc::kCorrupt || error.code == Errc::kCorruptBatch || error.code == Errc::kIo;
    if (is_damage) damage_log.error("{}: damaged: {} cannot be read: {}", name, wanted, error.context);
  }

  // What one Fetch response may hold now: the more is unsent (slow readers), the less, down to a floor with which
  // everybody gets on. So n slow readers pin the budget and n floors, not n times the client's own limit.
  int64_t response_bytes_allowed() const noexcept {
    const auto share = static_cast<int64_t>(response_budget.bytes_free() / 4);
    return std::min(fetch_bytes_max, std::max(share, kResponseBytesFloor));
  }
};

}  // namespace leat
