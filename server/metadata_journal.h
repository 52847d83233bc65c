// metadata_journal.h: __leat_metadata-0 as MetadataStore sees it: durable appends, replay, and forgetting what a
// snapshot made superfluous. PartitionJournal is the real one, over a Partition and its lane. Thread: the loop; reads
// run on workers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/base/strong.h"
#include "core/log/partition_log.h"
#include "core/metadata/metadata_machine.h"
#include "net/loop/scheduler.h"
#include "net/loop/task.h"

namespace leat {

class Partition;
class Settings;

class MetadataJournal {
 public:
  virtual ~MetadataJournal() = default;
  // Durable when it returns; the offset of the first record.
  virtual Task<Result<Offset>> append(Slice batch, int32_t record_count, int64_t timestamp_ms) = 0;
  // The state that the durable records make.
  virtual Task<Result<MetadataMachine>> replay() = 0;
  virtual int64_t record_count() const = 0;  // that a replay would read
  // All live state stands at or after `offset`: what is before it may go.
  virtual void forget_before(Offset offset) = 0;
  // What room there is is for changes, which may give some back, and not for snapshots.
  virtual bool is_short_of_room() const { return false; }
};

class PartitionJournal final : public MetadataJournal {
 public:
  struct Parts {
    Scheduler& scheduler;
    Partition& partition;
    FileSystem& files;
    std::string folder;  // of the partition: named in what is said of its damage
  };
  explicit PartitionJournal(Parts parts) noexcept
      : scheduler_(parts.scheduler),
        partition_(parts.partition),
        files_(parts.files),
        folder_(std::move(parts.folder)) {}
  Task<Result<Offset>> append(Slice batch, int32_t record_count, int64_t timestamp_ms) override;
  Task<Result<MetadataMachine>> replay() override;
  int64_t record_count() const override;
  void forget_before(Offset offset) override;
  bool is_short_of_room() const override;

 private:
  Task<Result<FetchedBatches>> read_from(Offset from, Offset end);
  Task<Error> located(Offset offset, Error error);

  Scheduler& scheduler_;
  Partition& partition_;
  FileSystem& files_;
  const std::string folder_;
};

// How the journal's own log is kept: always durable (topics and producer ids must not come back wrong), small segments.
LogConfig metadata_journal_config(const Settings& settings);

// One batch of records, in order.
Result<Slice> encode_metadata_batch(std::span<const MetadataRecord> records, int64_t timestamp_ms);
// Decodes whole batches and applies their records. kCorrupt and kUnsupported name the offset.
Result<void> apply_metadata_batches(ByteView batches, MetadataMachine& machine);

// Of damage in the journal: with what it means and what to do. Other errors as they are.
Error with_journal_advice(Error error, std::string_view folder);

}  // namespace leat
