// partition_log.h: the log of one partition: segments, indexes, producer state, leader epochs, and the four offsets.
// Invariant, held by one setter: log start <= last stable <= high watermark <= log end; the high watermark never passes
// what the flush policy has made durable. Thread: the loop owns the object and never does I/O through it. Work on files
// is carved off as an operation (LogAppend, SegmentRead, TimeLookup, Maintenance): made here, execute()d by a worker on
// nothing but its own fields, given back here. Bytes below the log end captured in an operation never change, so reads
// need no lock; a reader holds its segment by shared_ptr, also when retention has removed it meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/piece.h"
#include "core/base/result.h"
#include "core/base/strong.h"
#include "core/base/topic_partition.h"
#include "core/base/uuid.h"
#include "core/log/leader_epoch_cache.h"
#include "core/record/validator.h"
#include "core/storage/file_system.h"

namespace leat {

enum class FlushPolicy : uint8_t { kNone, kCommit, kFull };

// The state of a log directory, shared by its partitions; owned and changed on the loop.
struct DirectoryHealth {
  std::optional<Error> offline;  // set once, by the first failed sync or failed cut; only a restart clears it
  bool below_reserve =
      false;  // client appends are refused with kNoSpace; internal logs go on (deletes and commits work)
};

enum class LogKind : uint8_t {
  kClient,    // topics of users: refused below the disk reserve
  kInternal,  // __consumer_offsets ...: may use the reserve
  kJournal,   // __leat_metadata, likewise; no client reads it, so that its leader epoch need not rise
};

// Effective settings of one topic, by Kafka's names.
struct LogConfig {
  int64_t segment_bytes = int64_t{1} << 30;
  int64_t segment_ms = int64_t{7} * 24 * 3600 * 1000;
  int64_t segment_jitter_ms = 0;
  int64_t segment_index_bytes = 10 << 20;
  int64_t index_interval_bytes = 4096;
  int64_t retention_bytes = -1;
  int64_t retention_ms = int64_t{7} * 24 * 3600 * 1000;
  int64_t file_delete_delay_ms = 60'000;
  bool delete_old = true;  // cleanup.policy contains delete
  bool compact = false;    // cleanup.policy contains compact
  bool preallocate = false;
  int64_t room_ahead_bytes = 0;  // kept allocated behind the end, so that small appends go on when the disk is full
  FlushPolicy flush = FlushPolicy::kCommit;
  int64_t flush_messages = INT64_MAX;  // background syncs under kNone
  int64_t flush_ms = INT64_MAX;
  int64_t timestamp_after_ms_max = INT64_MAX;  // retention does not trust timestamps beyond it
  TimestampType timestamp_type = TimestampType::kCreateTime;
  // Compaction.
  double min_cleanable_dirty_ratio = 0.5;
  int64_t min_compaction_lag_ms = 0;
  int64_t max_compaction_lag_ms = INT64_MAX;
  int64_t delete_retention_ms = int64_t{24} * 3600 * 1000;
  int64_t decompressed_bytes_max = int64_t{128} << 20;  // of one batch that is looked into
  int64_t producer_id_expiration_ms = int64_t{24} * 3600 * 1000;
};

// flush.messages=1 asks for commit in Kafka's words.
inline FlushPolicy effective_flush_policy(const LogConfig& config) noexcept {
  return config.flush == FlushPolicy::kNone && config.flush_messages == 1 ? FlushPolicy::kCommit : config.flush;
}

inline SyncKind sync_kind_of(const LogConfig& config) noexcept {
  return effective_flush_policy(config) == FlushPolicy::kFull ? SyncKind::kFull : SyncKind::kData;
}

struct LogOffsets {
  Offset log_start{0};
  Offset last_stable{0};
  Offset high_watermark{0};
  Offset log_end{0};
};

struct BatchOutcome {
  std::optional<Error> error = std::nullopt;  // kOutOfOrderSequence, kInvalidProducerEpoch, kIo, kNoSpace, kOffline ...
  Offset base_offset = kNoOffset;
  int64_t append_time_ms = kNoTimestamp;  // set when the topic stamps on append
  bool duplicate = false;                 // an earlier append has it; base_offset is that one's
};

struct AppendInput {
  ValidBatch batch;
  int64_t verification_guard = 0;  // later: transactions
};

// One write of a lane.
class LogAppend {
 public:
  virtual ~LogAppend() = default;
  virtual void
  write() noexcept = 0;  // worker (or the loop, when small): roll if due, one pwritev; cut back when it fails
  virtual void sync() noexcept = 0;  // worker: as the policy says; only after a write that succeeded
  virtual bool needs_sync() const noexcept = 0;
  // After the sync of a later append of the same file: this one fared alike.
  virtual void share_sync_of(const LogAppend& later) noexcept = 0;
  // True when write() is one write to a file that is open, and sync() one sync of that file: nothing to make, open,
  // replace or sync besides. Such appends may be written one after the other while the first still waits for its sync,
  // and one sync will do for all.
  virtual bool is_plain() const noexcept = 0;
  virtual size_t size_bytes() const noexcept = 0;
  virtual uint64_t record_count() const noexcept = 0;
  virtual bool failed() const noexcept = 0;

  std::vector<BatchOutcome> outcomes;  // one for each input taken, in order; final after on_written / on_synced
};

struct ReadLimits {
  int64_t bytes_max = 1 << 20;
  bool first_batch_whole = true;  // give the first batch even when it is larger than bytes_max
  Offset upper{INT64_MAX};        // nothing at or above it: high watermark, last stable offset or log end
};

// Where a read inside a segment stopped, for the reader that goes on there: see PartitionLog::note_read_end.
struct ReadEnd {
  Offset segment_base;
  Offset next_offset;
  Position position;
  std::shared_ptr<File> file;
  std::weak_ptr<const void> lease;  // tells the segment from another one of its name
};

// Whole batches only; adjacent pieces may come from different blocks. Empty when nothing lies between from and upper.
struct FetchedBatches {
  std::vector<Slice> pieces;
  int64_t size_bytes = 0;
  std::optional<ReadEnd> end = std::nullopt;  // of a read from files
};

// The same, left where they are: for a socket to take from the files.
struct StoredBatches {
  std::vector<StoredRange> ranges;
  int64_t size_bytes = 0;
  std::optional<ReadEnd> end = std::nullopt;
};

// A read from files: from, limits and positions are fixed when it is made.
class SegmentRead {
 public:
  virtual ~SegmentRead() = default;
  // On the loop: where the bytes are, when there are many, in large batches, and all in the page cache; at most
  // `room_bytes`. nullopt: execute_cached() or a worker must do it.
  virtual std::optional<StoredBatches> locate_cached(int64_t /*room_bytes*/) { return std::nullopt; }
  virtual Result<FetchedBatches> execute() = 0;  // worker
  // The same on the loop, when it takes neither a wait for the disk nor long; nullopt: a worker must do it.
  virtual std::optional<FetchedBatches> execute_cached() { return std::nullopt; }
};

struct ReadPlan {  // exactly one of the two
  std::optional<FetchedBatches> cached;
  std::unique_ptr<SegmentRead> read;
};

Result<FetchedBatches> execute(ReadPlan plan);  // worker

struct TimestampOffset {
  Offset offset = kNoOffset;
  int64_t timestamp_ms = kNoTimestamp;
  int32_t leader_epoch = kNoLeaderEpoch;
};

class TimeLookup {
 public:
  virtual ~TimeLookup() = default;
  virtual Result<std::optional<TimestampOffset>> execute() = 0;  // worker: unpacks batches, within a limit
};

// Work in the background on one log: syncs, checkpoints of producer state and indexes, deletion of segments.
class Maintenance {
 public:
  virtual ~Maintenance() = default;
  virtual void execute() noexcept = 0;  // worker

  std::vector<std::string> notes;    // lines for the server's log, once finished: deleted segments ...
  std::vector<std::string> damaged;  // the same, of bytes that have changed
  std::optional<Error> error;  // what failed, once finished; a failed sync has taken the directory offline as well
  bool goes_on = false;        // once finished: more of the same waits and may begin at once
};

// What one piece of compaction may take.
struct CompactionLimits {
  int64_t step_bytes_max = int64_t{4} << 20;  // read, or unpacked, by one Maintenance
  size_t map_bytes_max = size_t{64} << 20;    // of memory for the keys of one pass
};

struct ProducerSummary {  // for DescribeProducers
  int64_t producer_id;
  int16_t producer_epoch;
  int32_t last_sequence;
  int64_t last_timestamp_ms;
  int32_t coordinator_epoch;
  Offset transaction_start = kNoOffset;
};

class TailCache;

// Whether compaction may have been over a log: then gaps between its records say nothing.
enum class Compacted : uint8_t {
  kUnknown,  // a copy of a folder; a checkpoint that is damaged
  kNo,
  kMaybe,  // it has, or once had, the policy for it
};

// What becomes of a log whose records were durable, and are gone.
enum class OnLoss : uint8_t {
  kGoOn,    // it is told, and the rest is served
  kRefuse,  // it is not opened, nor changed: each record counts
};

// What the log directory knows of a partition when it is opened.
struct RecoveryHints {
  bool clean_shutdown = false;
  Offset recovery_point{0};
  bool point_is_unknown = false;  // its checkpoint is gone or damaged: what the folder shows was durable
  Offset log_start{0};
  Offset cleaned{0};                      // compaction has been over what lies below it
  int32_t leader_epoch = kNoLeaderEpoch;  // clients have seen it; the folder need not have a batch of it
  Compacted compacted = Compacted::kUnknown;
  bool log_start_is_exact = false;  // there the log began when it was closed; no segment has gone since
  bool foreign = false;             // --adopt: never cut; take what is there
  OnLoss on_loss = OnLoss::kGoOn;
};

struct RecoveryReport {
  int64_t scanned_bytes = 0;
  int64_t cut_bytes = 0;             // torn tail
  int64_t saved_aside_bytes = 0;     // cut, but held a later valid batch: kept in a side file
  std::vector<std::string> damaged;  // one line each: file, position, expected, found
  std::vector<std::string> doubts;   // what may be damage, and nobody can tell
  int indexes_rebuilt = 0;
  std::vector<std::string> notes;  // not damage: stray files left alone, finished deletions, rebuilt snapshots
};

class PartitionLog {
 public:
  struct Open {
    FileSystem& files;
    std::string directory;  // .../topic-partition
    TopicPartition name;
    Uuid topic_id;
    LogConfig config;
    TailCache* tail_cache = nullptr;    // shared by all partitions; may be null; outlives the log
    DirectoryHealth* health = nullptr;  // shared by the partitions of a log directory; null: the log keeps its own
    LogKind kind = LogKind::kClient;
    int64_t now_ms = 0;
  };
  static Result<std::unique_ptr<PartitionLog>> create(const Open& open);  // any thread; the folder must not exist
  // kCorrupt: records are gone, and hints.on_loss is kRefuse.
  static Result<std::unique_ptr<PartitionLog>> recover(const Open& open, const RecoveryHints& hints,
                                                       RecoveryReport& report);
  virtual ~PartitionLog() = default;

  virtual const TopicPartition& name() const noexcept = 0;
  virtual const Uuid& topic_id() const noexcept = 0;
  virtual const LogOffsets& offsets() const noexcept = 0;
  virtual Offset recovery_point() const noexcept = 0;
  // The log start as far as all below it is durable: what may be written down. After a loss of power the log must not
  // end before it.
  virtual Offset durable_log_start() const noexcept { return offsets().log_start; }
  virtual int32_t leader_epoch() const noexcept = 0;
  // The leader epoch as long as it has no batch, and so no place in the folder. Clients have seen it, so it may not
  // fall: the log directory keeps it.
  virtual std::optional<int32_t> unused_epoch() const noexcept { return std::nullopt; }
  virtual int64_t size_bytes() const noexcept = 0;
  virtual size_t segment_count() const noexcept = 0;
  virtual const LogConfig& config() const noexcept = 0;
  virtual void set_config(const LogConfig& config) = 0;
  virtual const DirectoryHealth& health() const noexcept = 0;
  // For a log that was opened by a worker: the cache is the loop's, so it is given here, on the loop.
  virtual void use_tail_cache(TailCache& /*cache*/) {}

  // Appends. At most one LogAppend is out that is not written yet; written ones may wait for their sync together, and
  // come to on_synced in order. begin_append takes a prefix of `inputs` (all of them unless the
  // segment must roll between two), checks sequences, patches base offsets and epoch, and erases what it took.
  virtual std::unique_ptr<LogAppend> begin_append(std::vector<AppendInput>& inputs, int64_t now_ms) = 0;
  virtual void on_written(LogAppend& append) = 0;  // log end moves, or sequences roll back; without a sync: durable too
  virtual void on_synced(LogAppend& append) = 0;   // high watermark moves, or the log goes offline

  // kOffsetOutOfRange below log start or above the log end. Sealed segments that are read are due for begin_audit.
  virtual Result<ReadPlan> plan_read(Offset from, const ReadLimits& limits) = 0;
  // Given back by whoever read: a sealed segment keeps neither its file open nor its index in memory, so that the next
  // read would need a worker again to find where the last one stopped.
  virtual void note_read_end(const ReadEnd& /*end*/) {}
  virtual std::unique_ptr<TimeLookup> plan_lookup_by_time(int64_t timestamp_ms) = 0;  // first record at or after it
  virtual std::unique_ptr<TimeLookup> plan_lookup_max_timestamp() = 0;                // ListOffsets -3
  virtual EpochEndOffset end_offset_for(int32_t leader_epoch) const noexcept = 0;     // KIP-320
  virtual std::vector<ProducerSummary> producers() const = 0;
  virtual size_t producer_count() const noexcept { return producers().size(); }

  // Upkeep. Each begin_* gives work for a worker or null when there is none, or while earlier upkeep of this log is
  // out; finish() takes it back on the loop. Upkeep and an append may be out together.
  virtual Result<void> advance_log_start(Offset to) = 0;  // DeleteRecords; above the high watermark kOffsetOutOfRange
  virtual std::unique_ptr<Maintenance> begin_retention(int64_t now_ms) = 0;
  virtual std::unique_ptr<Maintenance> begin_checkpoint(
      int64_t now_ms) = 0;  // sync, index, producer snapshot: recovery point moves
  // flush.messages or flush.ms due, or a rolled segment waits to be synced and indexed: cheap to ask, ask every second.
  virtual std::unique_ptr<Maintenance> begin_flush(int64_t now_ms) = 0;
  // Compaction, in small pieces: null when none is due, or while a piece is out. One of them may be out beside other
  // upkeep, for a pass takes long. Begins a pass when it is due by the topic's settings, and goes on with one.
  virtual std::unique_ptr<Maintenance> begin_compaction(int64_t /*now_ms*/, const CompactionLimits& /*limits*/) {
    return nullptr;
  }
  virtual bool may_compact() const noexcept { return false; }           // else begin_compaction() need not be asked
  virtual Offset cleaned_offset() const noexcept { return Offset(0); }  // compaction has been over what lies below it
  // Compaction may have been over it, or may come to it: noted by the directory before that begins, and for good.
  virtual bool may_be_compacted() const noexcept { return false; }
  // The check of sealed segments that somebody has read since the log was opened, each once, in small pieces: null when
  // none is due, or while a piece is out. One of them may be out beside other upkeep.
  virtual std::unique_ptr<Maintenance> begin_audit(int64_t /*bytes_max*/) { return nullptr; }
  virtual bool may_audit() const noexcept { return false; }  // else begin_audit() need not be asked
  virtual void finish(Maintenance& work) = 0;
  virtual std::unique_ptr<Maintenance> begin_close() = 0;  // final sync and checkpoint; no append may be out
};

}  // namespace leat
