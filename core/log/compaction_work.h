// compaction_work.h: one piece of compaction as a worker does it: files of a pass that was given up are removed; then
// one of: a look at what dates tombstones of an older segment have, a step of a pass, the names for a segment that a
// pass made. Thread: made and finished on the loop, executed by a worker on nothing but its own fields.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/log/compaction.h"
#include "core/log/segment_read.h"

namespace leat {

class CompactionWork final : public Maintenance {
 public:
  CompactionWork(FileSystem& files, std::string directory) : files_(files), directory_(std::move(directory)) {}
  void execute() noexcept override;
  bool has_work() const noexcept { return !removals.empty() || survey || swap || pass != nullptr; }

  struct Survey {
    std::shared_ptr<Segment> segment;  // for the loop
    SegmentSnapshot snapshot;
    Offset end;                              // what lies at or above it is dirty, and gets its dates from a pass
    int64_t delete_horizon_ms = kNoHorizon;  // found
  };

  int64_t now_ms = 0;  // when it was made
  std::vector<std::string> removals;
  std::optional<Survey> survey;
  std::optional<SegmentSwap> swap;
  std::shared_ptr<CompactionPass> pass;
  bool sync_failed = false;

 private:
  Result<void> run();
  Result<void> look(Survey& asked);

  FileSystem& files_;
  std::string directory_;
};

}  // namespace leat
