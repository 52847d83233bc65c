// group_log.h: one partition of `__consumer_offsets` as GroupShard sees it: durable appends, and reading it again.
// PartitionGroupLog is the real one; it looks its partition up for each call, for the topic may be deleted meanwhile.
// Of the records that were read in one go under one key only the last is given, as compaction would leave it: a log of
// many commits to few partitions is walked by a worker, and little of it reaches the loop.
// Thread: the loop; reading and decoding run on workers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/strong.h"
#include "core/base/topic_partition.h"
#include "core/base/uuid.h"
#include "core/coordinator/group/group_record.h"
#include "core/log/partition_log.h"
#include "core/record/batch.h"
#include "core/record/batch_builder.h"
#include "net/loop/scheduler.h"
#include "net/loop/task.h"

namespace leat {

class PartitionTable;

// A record of a transaction: it holds when the transaction is committed, and not before.
struct TransactionalGroupRecord {
  int64_t producer_id = kNoProducerId;
  GroupRecord record;
};
struct EndedTransaction {
  int64_t producer_id = kNoProducerId;
  bool is_committed = false;
};
using GroupLogEntry = std::variant<GroupRecord, TransactionalGroupRecord, EndedTransaction>;

struct GroupLogPiece {
  std::vector<GroupLogEntry> entries;
  Offset next = kNoOffset;  // read on from here
};

class GroupLog {
 public:
  virtual ~GroupLog() = default;
  virtual TopicPartition name() const = 0;
  // Why no append can succeed from now on; nullopt: nothing is known against it.
  virtual std::optional<Error> closed() const = 0;
  // What one step of a client's may come to, as Kafka has it: max.message.bytes of the topic.
  virtual size_t step_bytes_max() const = 0;
  // Durable when it returns, or not there at all.
  virtual Task<Result<void>> append(Slice batch, int32_t record_count, int64_t timestamp_ms) = 0;
  // Whether all that was appended before stands in the log, durable or not. What is appended now can then not come to
  // stand there without it: only its sync can fail yet, and after a failed sync the log takes nothing any more.
  virtual bool is_written() const = 0;

  struct Range {
    Offset begin{0};
    Offset end{0};
  };
  virtual Result<Range> range() const = 0;                    // what is durable
  virtual Task<Result<GroupLogPiece>> read(Range range) = 0;  // from its begin on, some way towards its end
};

class PartitionGroupLog final : public GroupLog {
 public:
  PartitionGroupLog(Scheduler& scheduler, PartitionTable& table, TopicPartition name, const Uuid& topic_id)
      : scheduler_(scheduler), table_(table), name_(std::move(name)), topic_id_(topic_id) {}
  TopicPartition name() const override { return name_; }
  std::optional<Error> closed() const override;
  size_t step_bytes_max() const override;
  Task<Result<void>> append(Slice batch, int32_t record_count, int64_t timestamp_ms) override;
  bool is_written() const override;
  Result<Range> range() const override;
  Task<Result<GroupLogPiece>> read(Range range) override;

 private:
  Scheduler& scheduler_;
  PartitionTable& table_;
  TopicPartition name_;
  Uuid topic_id_;
  size_t appends_out_ = 0;
  Offset written_end_{0};  // of the log, once the appends that are out are written: nobody else appends to it
};

struct GroupBatchOptions {
  int64_t timestamp_ms = kNoTimestamp;
  Codec codec = Codec::kNone;
};

// A batch that is being made: records in order, encoded as they come.
class GroupBatch {
 public:
  explicit GroupBatch(const GroupBatchOptions& options)
      : builder_({.codec = options.codec}), timestamp_ms_(options.timestamp_ms) {}

  Result<void> add(std::span<const GroupRecord> records);
  int32_t record_count() const noexcept { return builder_.record_count(); }
  size_t size_bytes() const noexcept { return builder_.size_bytes(); }  // before compression
  Result<Slice> finish() { return builder_.finish(); }                  // of one record at least

 private:
  BatchBuilder builder_;
  int64_t timestamp_ms_;
};

// One batch of records, in order.
Result<Slice> encode_group_batch(std::span<const GroupRecord> records, const GroupBatchOptions& options);
// Whole batches as they were read. Records of types that are not ours are left out. kCorrupt and kUnsupported name the
// offset. Any thread.
Result<GroupLogPiece> decode_group_batches(std::span<const Slice> pieces);

}  // namespace leat
