// partition_log_impl.h: the PartitionLog of files. Split by what happens to it: partition_log_impl.cpp opens and
// answers, partition_log_append.cpp appends, partition_log_read.cpp reads, partition_log_upkeep.cpp keeps it in order,
// partition_log_compaction.cpp compacts it.
// Invariants: segments_ is never empty, in order of base offset, the last one is active; at most one append that is not
// written, and one upkeep, are out; producers_ holds changes in doubt exactly while an append that placed something is
// not yet written.
// Thread: the loop.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/log/append_operation.h"
#include "core/log/compaction_work.h"
#include "core/log/partition_log.h"
#include "core/log/producer_state.h"
#include "core/log/recovery.h"
#include "core/log/retention.h"
#include "core/log/segment_audit.h"
#include "core/log/segment_read.h"
#include "core/log/tail_cache.h"
#include "core/log/time_lookup.h"
#include "core/log/upkeep_work.h"

namespace leat {

class PartitionLogImpl final : public PartitionLog {
 public:
  PartitionLogImpl(const Open& open, RecoveredLog recovered);
  ~PartitionLogImpl() override;

  const TopicPartition& name() const noexcept override { return name_; }
  const Uuid& topic_id() const noexcept override { return topic_id_; }
  const LogOffsets& offsets() const noexcept override { return offsets_; }
  Offset recovery_point() const noexcept override { return recovery_point_; }
  Offset durable_log_start() const noexcept override { return std::min(offsets_.log_start, durable_end_); }
  int32_t leader_epoch() const noexcept override { return leader_epoch_; }
  std::optional<int32_t> unused_epoch() const noexcept override {
    return epoch_file_ == RecoveredLog::EpochFile::kCurrent ? std::nullopt : std::optional(leader_epoch_);
  }
  int64_t size_bytes() const noexcept override { return size_bytes_; }
  size_t segment_count() const noexcept override { return segments_.size(); }
  const LogConfig& config() const noexcept override { return config_; }
  void set_config(const LogConfig& config) override;
  void use_tail_cache(TailCache& cache) override;
  const DirectoryHealth& health() const noexcept override { return *health_; }

  std::unique_ptr<LogAppend> begin_append(std::vector<AppendInput>& inputs, int64_t now_ms) override;
  void on_written(LogAppend& append) override;
  void on_synced(LogAppend& append) override;

  Result<ReadPlan> plan_read(Offset from, const ReadLimits& limits) override;
  void note_read_end(const ReadEnd& end) override;
  std::unique_ptr<TimeLookup> plan_lookup_by_time(int64_t timestamp_ms) override;
  std::unique_ptr<TimeLookup> plan_lookup_max_timestamp() override;
  EpochEndOffset end_offset_for(int32_t leader_epoch) const noexcept override;
  std::vector<ProducerSummary> producers() const override;
  size_t producer_count() const noexcept override { return producers_.size(); }

  Result<void> advance_log_start(Offset to) override;
  std::unique_ptr<Maintenance> begin_retention(int64_t now_ms) override;
  std::unique_ptr<Maintenance> begin_checkpoint(int64_t now_ms) override;
  std::unique_ptr<Maintenance> begin_flush(int64_t now_ms) override;
  std::unique_ptr<Maintenance> begin_compaction(int64_t now_ms, const CompactionLimits& limits) override;
  bool may_compact() const noexcept override {
    return config_.compact || compaction_.swap || !compaction_.leftovers.empty();
  }
  Offset cleaned_offset() const noexcept override { return cleaned_; }
  bool may_be_compacted() const noexcept override { return may_be_compacted_; }
  std::unique_ptr<Maintenance> begin_audit(int64_t bytes_max) override;
  bool may_audit() const noexcept override { return audit_ != nullptr || audit_is_due_; }
  void finish(Maintenance& work) override;
  std::unique_ptr<Maintenance> begin_close() override;

 private:
  enum class Placed : uint8_t { kYes, kNotPlaced, kMustRoll };
  struct Compaction {  // what is under way
    std::shared_ptr<CompactionPass> pass;
    // A segment of the pass that stands in segments_ already, and in whose names its files do not lie yet: they get
    // them when nobody reads by those names any more.
    std::optional<SegmentSwap> swap;
    std::shared_ptr<Segment> swapped_in;
    std::vector<std::shared_ptr<const SegmentLease>> leases;  // of those in whose place it stands
    std::vector<std::string> leftovers;                       // files of a pass that was given up
    std::optional<int64_t> failed_at_ms;                      // the last try; the next one waits
    bool is_barred = false;                                   // there is something that cannot be read
    Offset blocked_at = kNoOffset;                            // where the first transaction's segment begins
  };
  struct Doomed {  // files renamed, to be removed when readers have had time to finish
    int64_t due_ms;
    std::vector<std::string> paths;
  };

  Segment& active() noexcept { return *segments_.back(); }
  std::string path_of(const Segment& segment, std::string_view suffix) const;
  void set_offsets(const LogOffsets& next);
  void go_offline(const Error& reason);

  std::optional<Error> refusal() const;
  Placed place(AppendOperation& append, AppendInput& input, Offset& next_offset, int64_t now_ms);
  RollReason roll_before(const AppendOperation& append, const ValidBatch& batch, Offset next_offset,
                         int64_t now_ms) noexcept;
  void prepare(AppendOperation& append);
  void roll();
  void fail_placed(AppendOperation& append, const Error& error);
  void fail_duplicates(AppendOperation& append, const Error& error);
  void keep_in_tail(const PlacedBatch& batch, const File& file);
  int64_t jitter_ms() const noexcept;

  size_t segment_index_of(Offset offset) const noexcept;
  SegmentSnapshot snapshot_of(size_t index) const;
  std::unique_ptr<FileSegmentRead> read_from_files(Offset from, const ReadLimits& limits);
  void close_unused_readings() noexcept;
  TimeLookupPlan lookup_plan(std::optional<int64_t> timestamp_ms) const;

  std::unique_ptr<UpkeepWork> make_work();
  void add_syncs(UpkeepWork& work);
  void add_index(UpkeepWork& work, const std::shared_ptr<Segment>& segment);
  std::unique_ptr<UpkeepWork> checkpoint_work();
  void remove_oldest(UpkeepWork& work, const std::vector<RetentionReason>& reasons, int64_t now_ms);
  void add_age_checks(UpkeepWork& work, const std::vector<RetentionReason>& reasons);
  std::vector<SegmentFacts> segment_facts() const;
  void note_distrusted(UpkeepWork& work, int64_t now_ms);
  void add_renames_due(UpkeepWork& work, int64_t now_ms);
  bool has_unwritten_sealed() const noexcept;

  std::vector<CompactionSegment> compaction_segments() const;
  void seal_for_lag(int64_t now_ms);
  enum class Surveyed : uint8_t { kAll, kNotYet };
  Surveyed add_survey(CompactionWork& work);
  void begin_pass(int64_t now_ms, const CompactionLimits& limits);
  void give_up_pass();
  void ask_for_audit(Segment& segment) noexcept;
  void finish_audit();
  void finish_compaction();
  void take_compaction_error(CompactionWork& work);
  void take_step(CompactionWork& work);
  void install(CompactionPass::Replacement replacement);
  void finish_swap();

  FileSystem& files_;
  const std::string directory_;
  const TopicPartition name_;
  const Uuid topic_id_;
  const LogKind kind_;
  LogConfig config_;
  LogConfig rolling_;  // config_, with when a segment ends by all rules
  DirectoryHealth own_health_;
  DirectoryHealth* health_;

  std::vector<std::shared_ptr<Segment>> segments_;
  LogOffsets offsets_;
  int64_t size_bytes_ = 0;
  Offset recovery_point_{0};
  Offset durable_end_{0};  // all below it survives a loss of power
  int32_t leader_epoch_ = 0;
  LeaderEpochCache epochs_;
  RecoveredLog::EpochFile epoch_file_;
  ProducerState producers_;
  std::unique_ptr<TailCache::Tail> tail_;
  bool has_readings_ = false;  // a segment may have one

  AppendOperation* append_out_ = nullptr;  // not written yet
  int unsynced_appends_ = 0;               // written, their sync not reported yet
  UpkeepWork* upkeep_out_ = nullptr;
  CompactionWork* compaction_out_ = nullptr;
  AuditWork* audit_out_ = nullptr;
  std::shared_ptr<SegmentAudit> audit_;  // the one under way
  bool audit_is_due_ = false;            // of a segment, perhaps
  Compaction compaction_;
  bool may_be_compacted_;
  Offset cleaned_{0};                         // durable, and nothing of it awaits a swap
  std::vector<Offset> snapshots_;             // on disk, ascending
  Offset checkpointed_{0};                    // indexes and a snapshot up to here are in files
  int64_t unsynced_since_ms_ = kNoTimestamp;  // when the oldest append that no sync covers was written; under kNone
  std::vector<Doomed> doomed_;
  std::vector<std::pair<std::string, std::string>> renames_due_;  // of retention that failed half way
};

}  // namespace leat
