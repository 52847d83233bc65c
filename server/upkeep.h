// upkeep.h: what a broker does by itself: background syncs (flush.ms, flush.messages) and the indexing of rolled
// segments, checkpoints of recovery points, retention, compaction, the check of what was read, the watch on free disk
// space. There may be thousands of partitions, so nothing has a timer of its own: each kind of work walks all
// partitions, in slices that leave the loop room, with at most one job of that kind out at a time, so that appends
// never queue behind it. Compaction walks twice: the broker's own logs, which must stay small for a quick start, do not
// wait behind large topics.
// Thread: the loop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/log/log_directory.h"
#include "net/loop/event.h"
#include "net/loop/gate.h"
#include "net/loop/task.h"
#include "server/log.h"
#include "server/partition_folders.h"
#include "server/partition_table.h"

namespace leat {

struct UpkeepOptions {
  Millis flush_every{1000};
  Millis checkpoint_every{60'000};  // log.flush.offset.checkpoint.interval.ms
  Millis retention_every{300'000};  // log.retention.check.interval.ms
  Millis compaction_every{1000};
  Millis internal_compaction_every{250};  // of the broker's own logs
  Millis audit_every{1000};
  Millis disk_check_every{1000};
};

// The line of an operator's who wonders why producers are refused: at start, and when it comes to that.
void log_below_reserve(const LogDirectory& directory, int64_t free_bytes);

class Upkeep {
 public:
  // Partitions looked at before the loop gets a chance to poll: asking one costs some 100 ns.
  static constexpr size_t kSlice = 256;

  struct Parts {
    Scheduler& scheduler;
    PartitionTable& table;
    PartitionFolders& folders;
    LogDirectory& directory;
  };
  Upkeep(const Parts& parts, UpkeepOptions options);

  void start();
  Event::Wait stop();  // wakes when nothing of it is out any more

 private:
  Task<void> walk_forever(Gate::Hold hold, Partition::Upkeep kind, Millis every);
  Task<void> walk(Partition::Upkeep kind);
  enum class GoesOn : uint8_t { kNo, kYes };
  Task<GoesOn> visit(Partition* partition, Partition::Upkeep kind);
  Task<void> compact_forever(Gate::Hold hold, LogKind kind, Millis every);
  Task<void> compact_clients();
  Task<void> compact_internal();
  // Work on one partition that goes piece by piece, and how much room it leaves others. Behind a piece it rests so many
  // times as long as the piece took, within bounds; a stop ends the rest.
  struct Pieces {
    Partition::Upkeep kind;
    bool flushes_first;
    int rest_factor;
    Millis rest_min;
    Millis rest_max;
    bool rests_at_end;  // behind the last piece, too
  };
  static const Pieces kClientCompaction;
  static const Pieces kInternalCompaction;
  static const Pieces kAudit;
  Task<void> piece_by_piece(TopicPartition name, Pieces pieces);  // as long as there is one
  Task<void> compact(TopicPartition name, Pieces pieces);
  Task<void> audit_forever(Gate::Hold hold);
  // By name and index, looked up anew each time: topics come and go meanwhile.
  struct Place {
    std::string topic;
    int32_t index = -1;
  };
  // What stands behind `at`, which moves there; nullopt at the end. Null: its log could not be opened.
  std::optional<Partition*> next_partition(Place& at) const;
  Task<void> watch_disk(Gate::Hold hold);
  void on_appended(int64_t size_bytes);
  void on_space(int64_t free_bytes);

  Parts parts_;
  UpkeepOptions options_;
  int64_t free_bytes_ = INT64_MAX;  // at the last look, less what was appended since
  RateLimitedLog unnoted_log_;
  Event stop_;
  Gate gate_;
};

}  // namespace leat
