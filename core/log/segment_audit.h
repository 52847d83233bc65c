// segment_audit.h: the check of one sealed segment's bytes while the log is served, piece by piece: each batch's CRC is
// computed, as verify does it (segment_walk.h). Reads serve bytes as they are and leave the CRC to the client, so that
// a rotten record would show nowhere but there; what somebody reads is therefore checked once, in the background.
// Thread: a worker's, one piece after the other; made and dropped on the loop.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/log/partition_log.h"
#include "core/log/segment_read.h"
#include "core/log/segment_walk.h"

namespace leat {

class SegmentAudit {
 public:
  // `segment`: with its lease, which is given back once the file is open.
  SegmentAudit(FileSystem& files, std::string directory, SegmentSnapshot segment)
      : files_(files),
        directory_(std::move(directory)),
        segment_(std::move(segment)),
        lease_(segment_.lease),
        next_offset_(segment_.base_offset) {}

  enum class Going : uint8_t { kOn, kOver };
  // Some `bytes_max` more; where damage begins, on to the next good batch, if that is not further away.
  // `damaged`: a line for each place, "FILE at POSITION, offset N on: ...", a few of a segment; also where it cannot be
  // read. Over as well when the segment has left the log: held open, its file would keep the space that retention is
  // after, for as long as the check takes.
  Going step(int64_t bytes_max, std::vector<std::string>& damaged);

 private:
  // Errors are those of the disk; kOffsetOutOfRange: the file is gone.
  bool has_left_log() const noexcept;
  Result<Going> walk_on(int64_t bytes_max, std::vector<std::string>& damaged);

  FileSystem& files_;
  const std::string directory_;
  SegmentSnapshot segment_;
  const std::weak_ptr<const SegmentLease> lease_;
  std::shared_ptr<File> file_;
  std::optional<SegmentWalk> walk_;
  Position reached_{0};
  Offset next_offset_;                         // there, or above
  std::optional<Position> damage_goes_on_at_;  // what stands there belongs to damage that was told of
  int told_ = 0;
};

// One step of it, for a worker.
class AuditWork final : public Maintenance {
 public:
  AuditWork(std::shared_ptr<SegmentAudit> audit, int64_t bytes_max) : audit_(std::move(audit)), bytes_max_(bytes_max) {}
  void execute() noexcept override { is_over = audit_->step(bytes_max_, damaged) == SegmentAudit::Going::kOver; }

  bool is_over = false;  // once executed: there is no other step

 private:
  std::shared_ptr<SegmentAudit> audit_;
  int64_t bytes_max_;
};

}  // namespace leat
