// upkeep_work.h: work in the background on one log, as a list of steps that a worker takes in a fixed order: make the
// new active segment, sync data, write indexes, write the producer snapshot and the epochs, rename and remove. Each
// step may be absent. The order is what makes the recovery point true: it moves only when all steps before it
// succeeded. Thread: made and finished on the loop, executed by a worker on nothing but its own fields.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/log/index_files.h"
#include "core/log/partition_log.h"
#include "core/log/segment.h"
#include "core/log/segment_read.h"

namespace leat {

class UpkeepWork final : public Maintenance {
 public:
  UpkeepWork(FileSystem& files, std::string directory, SyncKind kind)
      : files_(files), directory_(std::move(directory)), kind_(kind) {}
  void execute() noexcept override;

  struct SyncStep {
    std::shared_ptr<Segment> segment;  // for the loop
    std::shared_ptr<File> file;        // null: by path
    std::string path;
    int64_t size_bytes = 0;  // durable afterwards
  };
  struct IndexStep {
    std::shared_ptr<Segment> segment;  // for the loop
    IndexWrite index;
    IndexWrite time_index;
    size_t index_entries = 0;  // in the files afterwards
    size_t time_entries = 0;
    IndexSync sync = IndexSync::kNo;
  };
  struct AgeCheckStep {
    std::shared_ptr<Segment> segment;  // for the loop
    SegmentSnapshot snapshot;
    int64_t max_timestamp_ms = kNoTimestamp;  // as the time index says; afterwards as the batches say
    Offset max_timestamp_offset = kNoOffset;
    bool failed = false;  // the batches cannot be read
  };
  struct SnapshotStep {
    Offset offset;
    std::vector<uint8_t> bytes;
    std::vector<Offset> superseded;  // to be removed
  };

  std::vector<AgeCheckStep> age_checks;
  std::optional<std::string> create_path;
  std::vector<SyncStep> syncs;
  std::vector<IndexStep> indexes;
  std::optional<SnapshotStep> snapshot;
  std::optional<std::string> epoch_text;
  std::vector<std::pair<std::string, std::string>> renames;
  std::vector<std::string> removals;
  enum class DirectorySync : uint8_t { kNotNeeded, kNeeded } directory_sync = DirectorySync::kNotNeeded;
  std::optional<Offset> recovery_point;  // when all went well
  bool sync_failed = false;

 private:
  Result<void> run();
  Result<void> check_age(AgeCheckStep& step);
  Result<void> sync_data();
  Result<void> write_snapshot();
  Result<void> rename_and_remove();
  Result<void> sync_directory();

  FileSystem& files_;
  std::string directory_;
  SyncKind kind_;
};

}  // namespace leat
