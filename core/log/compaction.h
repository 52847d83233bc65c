// compaction.h: one pass of compaction over a log, in steps of bounded size, each done by a worker:
//   1. mapping: the keys of the dirty records go into a map, with the last offset of each;
//   2. copying: segment by segment, from the oldest on, neighbours that have become small together, what the filter
//      keeps is written into a new segment, which the log then puts in the place of the old ones; a segment that would
//      stay as it is is not written.
// The map may be full before all that is dirty is in it: then the pass ends there, and the next one begins. A pass also
// ends before the first segment that has a transaction (Leat 5 will know which of them were aborted). Damage ends it
// with kCorrupt: what cannot be read could hold a record that a tombstone deletes, so that nothing may be dropped then.
// It sees files by handles of its own, and no Segment of the log: segments may leave the log meanwhile.
// Thread: one at a time, a worker in step(), the loop between steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/log/batch_scanner.h"
#include "core/log/cleaned_segment.h"
#include "core/log/compaction_filter.h"
#include "core/log/compaction_map.h"
#include "core/log/compaction_range.h"
#include "core/log/partition_log.h"

namespace leat {

class CompactionPass {
 public:
  struct Plan {
    FileSystem& files;
    std::string directory;
    SyncKind kind;
    Uuid secret;  // of the map's hash
    LogConfig config;
    CompactionLimits limits;
    CompactionRange range;
    std::vector<std::shared_ptr<Segment>> segments;  // those that the range names, oldest first; for the loop
    std::vector<CompactionSegment> facts;            // of each
    int64_t now_ms;
    Offset log_end = kNoOffset;  // when nothing stands behind them: readers must be able to come there
    // Of each that is remembered: where its last batch ends, when that is durable. Else kNoOffset: a crash may take the
    // last one away, so that the sequence is to be learnt from the last one that the pass sees.
    std::vector<ProducerToKeep> producers;
  };
  enum class State : uint8_t {
    kAtWork,
    kSegmentReady,  // the loop takes the replacement
    kFinished,
  };

  explicit CompactionPass(Plan plan);
  ~CompactionPass();
  CompactionPass(const CompactionPass&) = delete;
  CompactionPass& operator=(const CompactionPass&) = delete;

  // Until the step's bytes are used, a segment is ready, or the pass is at its end. After an error it is over.
  Result<void> step();
  State state() const noexcept { return state_; }
  bool sync_failed() const noexcept { return sync_failed_; }

  // Between steps.
  struct Replacement {
    size_t first = 0;  // of the plan's segments,
    size_t count = 0;
    std::shared_ptr<Segment> segment = nullptr;  // in their place
  };
  Replacement take_replacement();
  struct Unchanged {
    size_t segment;  // of the plan's
    int64_t delete_horizon_ms;
  };
  std::vector<Unchanged> take_unchanged() { return std::exchange(unchanged_, {}); }
  const std::shared_ptr<Segment>& segment(size_t index) const { return plan_.segments[index]; }
  Offset front() const noexcept { return plan_.facts.front().base_offset; }
  // The log is clean up to here when the pass is finished.
  Offset end() const noexcept { return end_; }
  bool met_transaction() const noexcept { return barrier_ != SIZE_MAX; }
  // What a pass that is given up leaves in the folder.
  std::vector<std::string> leftovers() const;
  std::string summary() const;

 private:
  enum class Phase : uint8_t { kMapping, kCopying };
  struct Walk;  // over the batches of one segment
  struct Group {
    size_t first = 0;
    size_t count = 0;
    size_t at = 0;                           // the segment that is being read
    std::unique_ptr<CleanedSegment> output;  // null: nothing has changed so far
    int64_t delete_horizon_ms = kNoHorizon;
    int64_t records_gone = 0;
    int64_t bytes_before = 0;
  };

  Result<void> map_one();
  Result<void> map_batch(const BatchView& batch);
  void note_producer(const BatchView& batch);
  void begin_copying();
  Result<void> copy_one();
  Result<void> begin_group();
  Result<void> begin_output();
  Result<void> copy_batch(const BatchView& batch);
  Result<void> end_group();
  Result<std::optional<BatchView>> next_batch(size_t segment);
  std::string path_of(size_t segment) const;

  Plan plan_;
  State state_ = State::kAtWork;
  Phase phase_ = Phase::kMapping;
  bool is_begun_ = false;
  Offset end_;
  int64_t left_bytes_ = 0;     // of the step
  size_t at_ = 0;              // the segment that is mapped, or the first of the next group
  size_t copied_end_ = 0;      // of the segments that are copied
  size_t barrier_ = SIZE_MAX;  // the segment of the first transaction: not copied
  std::unique_ptr<Walk> walk_;
  std::unordered_map<int64_t, Offset> last_seen_;  // of producers whose last batch may be lost
  CompactionMap map_;
  std::optional<BatchFilter> filter_;
  std::optional<Group> group_;
  std::optional<Replacement> replacement_;
  std::vector<Unchanged> unchanged_;
  bool sync_failed_ = false;
  int64_t records_gone_ = 0;
  int64_t bytes_before_ = 0;
  int64_t bytes_after_ = 0;
};

}  // namespace leat
