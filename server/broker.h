// broker.h: what a handler needs of the running broker, in one place: its parts by reference or owned, nothing global.
// start_broker() makes it from settings; Broker::shutdown() ends it. Thread: the loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/base/random.h"
#include "core/base/uuid.h"
#include "core/storage/file_system.h"
#include "net/loop/scheduler.h"
#include "net/loop/task.h"
#include "server/append_group.h"
#include "server/byte_budget.h"
#include "server/partition_table.h"

namespace leat {

class Settings;
class MetadataStore;
class FetchSessions;
class LogDirectory;
class Upkeep;

struct AdvertisedAddress {
  std::string host;
  int32_t port = 0;
};

struct Broker {
  Scheduler& scheduler;
  FileSystem& files;
  Random& random;
  const Settings& settings;

  int32_t node_id = 1;
  std::string cluster_id;
  std::map<std::string, AdvertisedAddress, std::less<>>
      advertised;  // by listener name; filled when the listeners are bound

  std::unique_ptr<LogDirectory> directory;
  std::unique_ptr<PartitionTable> partitions;
  std::unique_ptr<MetadataStore> metadata;
  std::unique_ptr<FetchSessions> fetch_sessions;
  std::unique_ptr<Upkeep> upkeep;
  AppendDeadlines append_deadlines;
  ByteBudget append_budget;            // bytes of Produce requests that are queued or being written
  ByteBudget response_budget;          // bytes of Fetch responses that are read and not sent yet
  int64_t fetch_bytes_max = 55 << 20;  // fetch.max.bytes: of one response, whatever the client asks for

  Broker(Scheduler& scheduler, FileSystem& files, Random& random, const Settings& settings);
  ~Broker();
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  // What one Fetch response may hold now: the more is unsent (slow readers), the less, down to a floor with which
  // everybody gets on. So n slow readers pin the budget and n floors, not n times the client's own limit.
  int64_t response_bytes_allowed() const noexcept;

  // Stops timers, answers the parked, finishes what is queued, closes the logs, writes the clean-shutdown mark.
  // Connections are closed by the caller before and after.
  Task<Result<void>> shutdown();
};

// Opens the log directory (lock, format, ids), replays the metadata journal, recovers all partitions in parallel on
// workers.
Task<Result<std::unique_ptr<Broker>>> start_broker(Scheduler& scheduler, FileSystem& files, Random& random,
                                                   const Settings& settings);

}  // namespace leat
