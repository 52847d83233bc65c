// running_broker.h: the broker as a whole: start, upkeep, shutdown. Start: log directory opened and locked, metadata
// journal replayed, all partitions recovered in parallel on workers; the groups' log is read while requests are taken
// already. Shutdown, when the caller has closed the listeners: the parked are answered, queued appends finished, every
// log synced and checkpointed, the clean-shutdown mark written. Thread: the loop.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/log/log_directory.h"
#include "net/loop/task.h"
#include "server/broker.h"

namespace leat {

class GroupCoordinator;
class TailCache;
class Upkeep;
class PartitionFolders;
class PartitionJournal;

// Whether folders whose topic the metadata does not know are taken in as they are, or left alone with a warning.
enum class Adopt : uint8_t { kNo, kYes };

class RunningBroker {
 public:
  struct Parts {
    Scheduler& scheduler;
    FileSystem& files;
    Random& random;
    const Settings& settings;
    Adopt adopt = Adopt::kNo;
  };
  // One clear line on failure: which directory or file, what, and what to do. The parts outlive the broker.
  static Task<Result<std::unique_ptr<RunningBroker>>> start(Parts parts);
  ~RunningBroker();
  RunningBroker(const RunningBroker&) = delete;
  RunningBroker& operator=(const RunningBroker&) = delete;

  Broker& broker() noexcept { return *broker_; }
  // Parked fetches are answered and no later one parks: call it before waiting for the requests under way. Those who
  // are parked in groups are sent away by shut_down().
  void stop_waiting() noexcept { broker_->fetch_sessions.shut_down(); }
  // Once, after the last request was answered. The error is the first of several: what could be saved is saved, and
  // without the clean-shutdown mark the next start checks everything.
  Task<Result<void>> shut_down();

 private:
  explicit RunningBroker(const Parts& parts);
  Task<Result<void>> start_up();
  Task<void> abandon();
  Result<void> open_directory();
  Result<OnLoss> look_for_journal(const std::string& folder) const;
  Task<Result<void>> open_journal();
  void make_broker();
  Task<Result<void>> start_metadata();
  void start_groups();
  Task<Result<void>> take_in_strangers(std::vector<PartitionFolder> folders);
  Task<Result<void>> adopt(std::string topic, std::vector<PartitionFolder> folders);
  Task<Result<void>> close_files();

  Parts parts_;
  std::unique_ptr<TailCache> tail_cache_;
  std::unique_ptr<LogDirectory> directory_;
  InlineWrites inline_writes_;
  LaneStarter lane_starter_;
  std::unique_ptr<PartitionTable> table_;
  std::unique_ptr<PartitionFolders> folders_;
  std::unique_ptr<Broker> broker_;
  std::unique_ptr<Partition> journal_partition_;
  std::unique_ptr<PartitionJournal> journal_;
  std::unique_ptr<MetadataStore> metadata_;
  std::set<std::string, std::less<>> left_alone_;  // topics that have folders and are not known
  std::unique_ptr<GroupCoordinator> groups_;
  std::unique_ptr<Upkeep> upkeep_;
};

}  // namespace leat
