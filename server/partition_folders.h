// partition_folders.h: the partitions' folders in the log directory: made, opened, closed and removed by workers, a few
// at a time; and the checkpoints of all partitions, written by one writer at a time. What is open stands in
// PartitionTable. Thread: the loop.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/log/log_directory.h"
#include "core/log/tail_cache.h"
#include "net/loop/event.h"
#include "net/loop/gate.h"
#include "server/partition_table.h"
#include "server/topic_host.h"

namespace leat {

class PartitionFolders final : public TopicHost {
 public:
  struct Parts {
    Scheduler& scheduler;
    FileSystem& files;
    Random& random;
    LogDirectory& directory;
    TailCache& tail_cache;
    PartitionTable& table;
    size_t parallel_max = 2;  // num.recovery.threads.per.data.dir
  };
  explicit PartitionFolders(const Parts& parts);

  // A folder that is there already with the topic's id, or without one, is taken in as it is: --adopt.
  Task<Result<void>> add_partitions(TopicSpec topic, int32_t first, int32_t count) override;
  Task<Result<void>> open_topic(TopicSpec topic, int32_t count) override;
  Task<Result<void>> remove_topic(Uuid id, std::string name, int32_t partition_count) override;
  void set_settings(const Uuid& id, const TopicSettings& settings) override;

  // The log of one folder, made when it is missing; for partitions that are not in the table (the metadata journal).
  Task<Result<std::unique_ptr<PartitionLog>>> open_log(TopicPartition name, Uuid topic_id, LogConfig config,
                                                       LogKind kind, OnLoss on_loss);

  // Recovery points and log starts of all partitions; durable when it returns. Calls that come while one is being
  // written share the next.
  Task<Result<void>> save_checkpoints();

  // After DeleteRecords, before save_checkpoints(): which keeps a log start only as far as the log is durable.
  Task<Result<void>> sync_up_to_log_start(TopicPartition name);

  // Whether the directory knows that compaction may be over this log, durably: else a start could take its gaps for
  // those of lost segments. save_checkpoints() makes it so.
  bool compaction_is_noted(const TopicPartition& name) const { return saved_cleaned_.contains(name); }

  // Removes what earlier deletions left over, in the background, once all partitions are open: before that the
  // checkpoints cannot be written.
  void finish_deletions(std::vector<std::string> paths);
  void on_all_open();
  // No further ones are begun; wakes when those under way have ended. For a start that failed: close_all() does it too.
  Event::Wait stop_removals() noexcept { return removals_.close(); }
  // Shutdown: appends what is queued, closes every log (final sync and checkpoint of those that have something to
  // save, some side by side), waits for removals. A line tells how far it is when it takes long.
  Task<Result<void>> close_all();
  // `extra`: a partition outside the table that is checkpointed with the others.
  void set_extra(Partition* extra) noexcept { extra_ = extra; }
  Partition* extra() noexcept { return extra_; }

  // Closes one partition's log; no append may come any more.
  Task<Result<void>> close_partition(Partition* partition);

 private:
  enum class WhenThere : uint8_t { kRecover, kAdopt };
  struct Opening;  // of a range of a topic's partitions
  Task<Result<void>> open_range(TopicSpec topic, int32_t first, int32_t count, WhenThere when_there);
  Task<void> open_next(std::shared_ptr<Opening> opening);
  Task<Result<std::unique_ptr<PartitionLog>>> open_folder(PartitionLog::Open open, WhenThere when_there,
                                                          OnLoss on_loss);
  Task<void> remove_folder(std::string path, Gate::Hold hold);
  struct Checkpoints {
    OffsetCheckpoint recovery_points;
    OffsetCheckpoint log_starts;
    OffsetCheckpoint cleaned;
    EpochCheckpoint unused_epochs;
  };
  static void collect(const Partition& partition, Checkpoints& checkpoints);
  void keep(const TopicPartition& name, Checkpoints& checkpoints) const;
  struct Closing;  // of all partitions
  Task<void> close_next(std::shared_ptr<Closing> closing);
  Task<Result<void>> write_checkpoints();

  Parts parts_;
  Partition* extra_ = nullptr;
  Gate removals_;
  bool all_are_open_ = false;
  std::vector<std::string> removals_due_;  // until then
  std::shared_ptr<Event> saving_;          // the write that is under way
  std::shared_ptr<Event> saving_next_;
  std::optional<Error> saved_error_;
  OffsetCheckpoint saved_cleaned_;  // as the files have it
  EpochCheckpoint saved_epochs_;
};

}  // namespace leat
