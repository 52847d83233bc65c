// partition_folders.cpp: see partition_folders.h.
#include "server/partition_folders.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/topic_partition.h"
#include "net/loop/run_on.h"
#include "server/log.h"

namespace leat {

namespace {

constexpr size_t kSyncedTogetherMax = 16;  // folders that are made, and logs that are closed, side by side
constexpr Millis kTellEvery{2000};         // of a stop that takes long

struct OpenedLog {
  std::unique_ptr<PartitionLog> log;
  RecoveryReport report;
};

enum class Foreign : uint8_t { kNo, kYes };

// On a worker. A folder of another topic id is refused by recover(), and not touched.
Result<OpenedLog> open_or_create(const PartitionLog::Open& open, RecoveryHints hints, Foreign foreign) {
  OpenedLog opened;
  const Result<FileInfo> there = open.files.stat(open.directory);
  if (!there && there.error().code != Errc::kNotFound) return fail(there.error());
  hints.foreign = foreign == Foreign::kYes;
  // A new folder may bear the name of one that went with its topic: what the checkpoints say is not about it.
  const bool is_lost = !there && foreign == Foreign::kNo && hints.recovery_point > Offset(0);
  if (!there) {
    TRY(created, PartitionLog::create(open));
    opened.log = std::move(created);
    if (!is_lost) return opened;
    opened.log.reset();
    hints.log_start = hints.recovery_point;  // nothing is left before: readers begin there
  }
  TRY(recovered, PartitionLog::recover(open, hints, opened.report));
  opened.log = std::move(recovered);
  if (is_lost) {
    // Its offsets are not given out a second time: the log goes on where it was known to be.
    opened.report.damaged.push_back(fmt::format("{}: the folder is missing, with all records below offset {}",
                                                open.directory, hints.recovery_point.v));
  }
  return opened;
}

void log_report(const TopicPartition& name, const RecoveryReport& report) {
  for (const std::string& line : report.damaged) log_error("{}: damaged: {}", name, line);
  for (const std::string& line : report.doubts) log_warn("{}: {}", name, line);
  for (const std::string& line : report.notes) log_info("{}: {}", name, line);
  if (report.cut_bytes > 0) log_warn("{}: cut a torn tail of {} bytes after an unclean stop", name, report.cut_bytes);
  if (report.saved_aside_bytes > 0) {
    log_error("{}: {} bytes behind a damaged place hold valid batches; they were saved beside the log", name,
              report.saved_aside_bytes);
  }
  if (report.indexes_rebuilt > 0) log_info("{}: rebuilt {} indexes", name, report.indexes_rebuilt);
  if (report.scanned_bytes > 0) log_debug("{}: scanned {} bytes", name, report.scanned_bytes);
}

struct Burial {
  TopicPartition name;
  Uuid id;
  bool name_is_free = false;  // no live topic has it
  uint64_t seed = 0;
};

// On a worker: the folder's new path, or nothing when there is no such folder of that topic. partition.metadata is
// written without a sync when a folder is made: after a loss of power it may be empty, and then the name has to tell.
Result<std::optional<std::string>> bury(FileSystem& files, const LogDirectory& directory, const Burial& burial) {
  const std::string folder = directory.folder_of(burial.name);
  const Result<FileInfo> there = files.stat(folder);
  if (!there && there.error().code == Errc::kNotFound) return std::nullopt;
  if (!there) return fail(there.error());
  const Result<Uuid> found = read_topic_id(files, folder);
  const bool is_unreadable = !found && found.error().code == Errc::kCorrupt;
  if (!found && !(is_unreadable && burial.name_is_free)) return fail(found.error());
  if (found && *found != burial.id) return std::nullopt;
  SeededRandom random(burial.seed);
  Result<std::string> path = directory.begin_deletion(burial.name, random);
  if (path) return std::move(*path);
  if (path.error().code != Errc::kNoSpace) return fail(path.error());
  // Not even for a longer name is there room. The topic is gone from the metadata, which remembers its id until this is
  // done; its id stands in the file that goes last.
  TRY(remove_tree(files, folder));
  return std::nullopt;
}

}  // namespace

struct PartitionFolders::Opening {
  Opening(Scheduler& scheduler, TopicSpec of, WhenThere when)
      : topic(std::move(of)), when_there(when), finished(scheduler) {}
  TopicSpec topic;
  WhenThere when_there;
  int32_t next = 0;
  int32_t end = 0;
  size_t running = 0;
  std::optional<Error> first_error;
  Event finished;
};

PartitionFolders::PartitionFolders(const Parts& parts)
    : parts_(parts),
      removals_(parts.scheduler),
      saved_cleaned_(parts.directory.checkpoints().cleaned),
      saved_epochs_(parts.directory.checkpoints().unused_epochs) {}

Task<Result<void>> PartitionFolders::add_partitions(TopicSpec topic, int32_t first, int32_t count) {
  return open_range(std::move(topic), first, count, WhenThere::kAdopt);
}

Task<Result<void>> PartitionFolders::open_topic(TopicSpec topic, int32_t count) {
  return open_range(std::move(topic), 0, count, WhenThere::kRecover);
}

void PartitionFolders::set_settings(const Uuid& id, const TopicSettings& settings) {
  parts_.table.set_settings(id, settings);
}

Task<Result<void>> PartitionFolders::open_range(TopicSpec topic, int32_t first, int32_t count, WhenThere when_there) {
  if (count <= 0) co_return Result<void>();
  const auto opening = std::make_shared<Opening>(parts_.scheduler, std::move(topic), when_there);
  opening->next = first;
  opening->end = first + count;
  // New folders wait for syncs of theirs, which go together; recovery is work for as many cores as it may have.
  const size_t parallel_max =
      when_there == WhenThere::kAdopt ? std::max(parts_.parallel_max, kSyncedTogetherMax) : parts_.parallel_max;
  const size_t parallel = std::min(parallel_max, static_cast<size_t>(count));
  opening->running = parallel;
  for (size_t i = 0; i < parallel; ++i) spawn(open_next(opening));
  (void)co_await opening->finished.wait();
  if (opening->first_error) co_return fail(*opening->first_error);
  co_return Result<void>();
}

Task<void> PartitionFolders::open_next(std::shared_ptr<Opening> opening) {
  while (opening->next < opening->end) {
    const int32_t index = opening->next++;
    if (parts_.table.find(opening->topic.name, index) != nullptr) continue;  // a retry after a part of it failed
    PartitionLog::Open open{.files = parts_.files,
                            .directory = {},
                            .name = {opening->topic.name, index},
                            .topic_id = opening->topic.id,
                            .config = opening->topic.settings.log,
                            .tail_cache = nullptr,
                            .health = &parts_.directory.health(),
                            .kind = is_internal_topic(opening->topic.name) ? LogKind::kInternal : LogKind::kClient,
                            .now_ms = parts_.scheduler.clock().wall_ms()};
    Result<std::unique_ptr<PartitionLog>> log =
        co_await open_folder(std::move(open), opening->when_there, OnLoss::kGoOn);
    if (!log) {
      log_error("{}-{} cannot be opened: {}", opening->topic.name, index, log.error().context);
      if (!opening->first_error) opening->first_error = log.error();
    }
    const bool is_there = parts_.table.is_unopened(opening->topic.name, index);
    if (log || !is_there) parts_.table.add(opening->topic, index, log ? std::move(*log) : nullptr);
  }
  if (--opening->running == 0) opening->finished.set();
}

Task<Result<std::unique_ptr<PartitionLog>>> PartitionFolders::open_log(TopicPartition name, Uuid topic_id,
                                                                       LogConfig config, LogKind kind, OnLoss on_loss) {
  PartitionLog::Open open{.files = parts_.files,
                          .directory = {},
                          .name = std::move(name),
                          .topic_id = topic_id,
                          .config = config,
                          .tail_cache = nullptr,
                          .health = &parts_.directory.health(),
                          .kind = kind,
                          .now_ms = parts_.scheduler.clock().wall_ms()};
  return open_folder(std::move(open), WhenThere::kRecover, on_loss);
}

Task<Result<std::unique_ptr<PartitionLog>>> PartitionFolders::open_folder(PartitionLog::Open open, WhenThere when_there,
                                                                          OnLoss on_loss) {
  const TopicPartition name = open.name;
  open.directory = parts_.directory.folder_of(name);
  RecoveryHints hints = parts_.directory.hints_for(name);
  hints.on_loss = on_loss;
  const Foreign foreign = when_there == WhenThere::kAdopt ? Foreign::kYes : Foreign::kNo;
  auto work = [open = std::move(open), hints, foreign] { return open_or_create(open, hints, foreign); };
  Result<OpenedLog> opened = co_await run_on(parts_.scheduler, WorkQueue::kSync, std::move(work));
  if (!opened) co_return fail(opened.error());
  log_report(name, opened->report);
  opened->log->use_tail_cache(parts_.tail_cache);
  co_return std::move(opened->log);
}

Task<Result<void>> PartitionFolders::remove_topic(Uuid id, std::string name, int32_t partition_count) {
  Event quiet(parts_.scheduler);
  std::unique_ptr<PartitionTable::Topic> topic;
  const auto on_quiet = [&quiet, &topic](std::unique_ptr<PartitionTable::Topic> gone) {
    topic = std::move(gone);
    quiet.set();
  };
  if (parts_.table.forget(id, on_quiet)) {
    (void)co_await quiet.wait();
    topic.reset();  // the logs let go of their files
  }
  for (int32_t index = 0; index < partition_count; ++index) {
    Burial burial;
    burial.name = {name, index};
    burial.id = id;
    burial.name_is_free = parts_.table.find_topic(name) == nullptr;
    burial.seed = parts_.random.next();
    auto work = [this, burial] { return bury(parts_.files, parts_.directory, burial); };
    Result<std::optional<std::string>> buried = co_await run_on(parts_.scheduler, WorkQueue::kSync, std::move(work));
    if (!buried) co_return fail(buried.error());
    if (*buried) finish_deletions({**buried});
  }
  co_return Result<void>();
}

void PartitionFolders::finish_deletions(std::vector<std::string> paths) {
  for (std::string& path : paths) {
    if (!all_are_open_) {
      removals_due_.push_back(std::move(path));
      continue;
    }
    std::optional<Gate::Hold> hold = removals_.try_enter();
    if (!hold) return;  // shutting down: the next start goes on
    spawn(remove_folder(std::move(path), std::move(*hold)));
  }
}

void PartitionFolders::on_all_open() {
  all_are_open_ = true;
  finish_deletions(std::exchange(removals_due_, {}));
}

// The checkpoints forget a partition before its folder is gone: one that they name and that is nowhere was lost. A full
// disk, on which they cannot be written, must not keep the folder.
Task<void> PartitionFolders::remove_folder(std::string path, Gate::Hold hold) {
  const Gate::Hold held = std::move(hold);
  const Result<void> forgotten = co_await save_checkpoints();
  if (!forgotten)
    log_debug("cannot write checkpoints: {}; {} is removed all the same", forgotten.error().context, path);
  auto work = [this, path] { return parts_.directory.finish_deletion(path); };
  const Result<void> removed = co_await run_on(parts_.scheduler, WorkQueue::kCpu, std::move(work));
  if (!removed) log_warn("cannot remove {}: {}; the next start tries again", path, removed.error().context);
}

void PartitionFolders::collect(const Partition& partition, Checkpoints& checkpoints) {
  checkpoints.recovery_points[partition.name()] = partition.log().recovery_point();
  const Offset log_start = partition.log().durable_log_start();
  if (log_start > Offset(0)) checkpoints.log_starts[partition.name()] = log_start;
  const Offset cleaned = partition.log().cleaned_offset();
  if (partition.log().may_be_compacted()) checkpoints.cleaned[partition.name()] = cleaned;
  if (const std::optional<int32_t> epoch = partition.log().unused_epoch()) {
    checkpoints.unused_epochs[partition.name()] = *epoch;
  }
}

namespace {

template <class Checkpoint>
void keep_entry(const Checkpoint& from, const TopicPartition& name, Checkpoint& to) {
  if (const auto found = from.find(name); found != from.end()) to[name] = found->second;
}

}  // namespace

// Of a log that could not be opened this time: the next start shall not take it for one that begins and ends elsewhere.
void PartitionFolders::keep(const TopicPartition& name, Checkpoints& checkpoints) const {
  const DirectoryCheckpoints& found = parts_.directory.checkpoints();
  keep_entry(found.recovery_points, name, checkpoints.recovery_points);
  keep_entry(found.log_starts, name, checkpoints.log_starts);
  keep_entry(found.cleaned, name, checkpoints.cleaned);
  keep_entry(found.unused_epochs, name, checkpoints.unused_epochs);
}

// Most brokers have nothing to say of compaction and of epochs: those files are written when they have changed.
Task<Result<void>> PartitionFolders::write_checkpoints() {
  Checkpoints checkpoints;
  for (const auto& [name, topic] : parts_.table.topics()) {
    for (size_t index = 0; index < topic->partitions.size(); ++index) {
      if (topic->partitions[index] != nullptr) {
        collect(*topic->partitions[index], checkpoints);
      } else {
        keep({name, static_cast<int32_t>(index)}, checkpoints);
      }
    }
  }
  if (extra_ != nullptr) collect(*extra_, checkpoints);
  const bool cleaned_changed = checkpoints.cleaned != saved_cleaned_;
  const bool epochs_changed = checkpoints.unused_epochs != saved_epochs_;
  OffsetCheckpoint cleaned = checkpoints.cleaned;
  EpochCheckpoint epochs = checkpoints.unused_epochs;
  auto work = [this, checkpoints = std::move(checkpoints), cleaned_changed, epochs_changed]() -> Result<void> {
    const LogDirectory& directory = parts_.directory;
    if (epochs_changed) TRY(directory.write_unused_epochs(checkpoints.unused_epochs));
    TRY(directory.write_checkpoints(checkpoints.recovery_points, checkpoints.log_starts));
    return cleaned_changed ? directory.write_cleaned(checkpoints.cleaned) : Result<void>();
  };
  Result<void> written = co_await run_on(parts_.scheduler, WorkQueue::kSync, std::move(work));
  if (written) {
    saved_cleaned_ = std::move(cleaned);
    saved_epochs_ = std::move(epochs);
  }
  co_return written;
}

Task<Result<void>> PartitionFolders::save_checkpoints() {
  if (saving_ != nullptr) {
    // What is being written may be older than what the caller wants saved: the next one has it.
    const std::shared_ptr<Event> before = saving_;
    if (saving_next_ == nullptr) {
      saving_next_ = std::make_shared<Event>(parts_.scheduler);
      const std::shared_ptr<Event> mine = saving_next_;
      (void)co_await before->wait();
      saving_next_ = nullptr;
      const Result<void> saved = co_await save_checkpoints();
      mine->set();
      co_return saved;
    }
    const std::shared_ptr<Event> next = saving_next_;
    (void)co_await next->wait();
    if (saved_error_) co_return fail(*saved_error_);
    co_return Result<void>();
  }
  saving_ = std::make_shared<Event>(parts_.scheduler);
  Result<void> written = co_await write_checkpoints();
  saved_error_ = written ? std::nullopt : std::optional<Error>(written.error());
  std::exchange(saving_, nullptr)->set();
  co_return written;
}

// Under the policy none: else a loss of power could leave a log that ends before its own start.
Task<Result<void>> PartitionFolders::sync_up_to_log_start(TopicPartition name) {
  constexpr int kTriesMax = 1000;
  for (int tries = 0; tries < kTriesMax; ++tries) {
    Partition* partition = parts_.table.find(name.topic, name.partition);
    if (partition == nullptr) co_return fail(Errc::kNotFound, fmt::format("{} was deleted", name));
    if (partition->log().durable_log_start() == partition->offsets().log_start) co_return Result<void>();
    Event finished(parts_.scheduler);
    std::optional<Error> error;
    const auto on_finished = [&finished, &error](Partition::UpkeepReport report) {
      error = std::move(report.error);
      finished.set();
    };
    const int64_t now_ms = parts_.scheduler.clock().wall_ms();
    const Partition::Started started = partition->start_upkeep(Partition::Upkeep::kCheckpoint, now_ms, on_finished);
    if (started == Partition::Started::kNothingDue) {
      const std::optional<Error>& offline = parts_.directory.health().offline;
      co_return fail(offline ? *offline : Error(Errc::kIo, fmt::format("{} cannot be synced", name)));
    }
    if (started == Partition::Started::kBusy) {
      co_await sleep_for(parts_.scheduler, Millis(5));
      continue;
    }
    (void)co_await finished.wait();
    if (error) co_return fail(*error);
  }
  co_return fail(Errc::kCancelled, fmt::format("{} is busy", name));
}

Task<Result<void>> PartitionFolders::close_partition(Partition* partition) {
  Event quiet(parts_.scheduler);
  partition->drain([&quiet] { quiet.set(); });
  (void)co_await quiet.wait();
  const std::shared_ptr<Maintenance> closing(partition->log().begin_close());
  if (closing == nullptr) co_return Result<void>();
  auto work = [closing] { closing->execute(); };
  Result<void> done = co_await run_on(parts_.scheduler, WorkQueue::kSync, std::move(work));
  if (!done) co_return done;
  partition->log().finish(*closing);
  if (closing->error) co_return fail(*closing->error);
  co_return Result<void>();
}

struct PartitionFolders::Closing {
  explicit Closing(Scheduler& scheduler) : finished(scheduler) {}
  std::vector<Partition*> partitions;
  size_t next = 0;
  size_t closed_count = 0;
  size_t running = 0;
  std::optional<Error> first_error;
  Event finished;
};

// What must be written before a stop waits for syncs, which go together.
Task<Result<void>> PartitionFolders::close_all() {
  const auto closing = std::make_shared<Closing>(parts_.scheduler);
  for (const auto& [name, topic] : parts_.table.topics()) {
    for (const std::unique_ptr<Partition>& partition : topic->partitions) {
      if (partition != nullptr) closing->partitions.push_back(partition.get());  // nobody creates or deletes any more
    }
  }
  const size_t count = closing->partitions.size();
  closing->running = std::min(kSyncedTogetherMax, count);
  if (count == 0) closing->finished.set();
  for (size_t i = closing->running; i > 0; --i) spawn(close_next(closing));
  while (true) {
    const Woken woken = co_await closing->finished.wait_for(kTellEvery);
    if (woken != Woken::kTimedOut) break;
    log_info("stopping: {} of {} partitions are closed", closing->closed_count, count);
  }
  (void)co_await removals_.close();
  if (closing->first_error) co_return fail(*closing->first_error);
  co_return Result<void>();
}

Task<void> PartitionFolders::close_next(std::shared_ptr<Closing> closing) {
  while (closing->next < closing->partitions.size()) {
    Partition* partition = closing->partitions[closing->next++];
    const Result<void> closed = co_await close_partition(partition);
    ++closing->closed_count;
    if (closed) continue;
    log_error("{}: {}", partition->name(), closed.error().context);
    if (!closing->first_error) closing->first_error = closed.error();
  }
  if (--closing->running == 0) closing->finished.set();
}

}  // namespace leat
