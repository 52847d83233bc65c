// segment_audit.cpp: walking on.
#include "core/log/segment_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/log/file_names.h"

namespace leat {
namespace {

constexpr int kLinesMax = 5;  // of one segment

}  // namespace

SegmentAudit::Going SegmentAudit::step(int64_t bytes_max, std::vector<std::string>& damaged) {
  if (!has_left_log()) {
    std::vector<std::string> found;
    const Result<Going> going = walk_on(bytes_max, found);
    const bool is_gone = !going && going.error().code == Errc::kOffsetOutOfRange;  // retention took it
    if (!going && !is_gone) found.push_back(going.error().context);
    if (!has_left_log()) std::move(found.begin(), found.end(), std::back_inserter(damaged));
    if (going && *going == Going::kOn) return Going::kOn;
  }
  walk_.reset();
  file_.reset();  // here, not on the loop: the last to close a removed file waits for the disk
  segment_.file.reset();
  segment_.lease.reset();
  return Going::kOver;
}

bool SegmentAudit::has_left_log() const noexcept {
  const std::shared_ptr<const SegmentLease> lease = lease_.lock();
  return lease == nullptr || lease->is_over();
}

Result<SegmentAudit::Going> SegmentAudit::walk_on(int64_t bytes_max, std::vector<std::string>& damaged) {
  if (!walk_) {
    TRY(opened, open_segment(files_, directory_, segment_));
    file_ = std::move(opened);
    segment_.lease.reset();
    walk_.emplace(*file_, SegmentWalk::Range{.begin = Position(0),
                                             .end = segment_.size_bytes,
                                             .next_offset = segment_.base_offset,
                                             .bound = segment_.bound});
  }
  const Position end = reached_ + bytes_max;
  while (reached_ < end) {
    TRY(next, walk_->next());
    if (next == SegmentWalk::Step::kEnd) return Going::kOver;
    if (next == SegmentWalk::Step::kBatch) {
      reached_ = walk_->batch().position + walk_->batch().batch.size_bytes();
      next_offset_ = walk_->batch().batch.next_offset();
      continue;
    }
    const std::string what = walk_->fault().what;
    const bool is_known = damage_goes_on_at_ == walk_->fault().position;
    TRY(damage, walk_->step_over(bytes_max));
    reached_ = damage.begin + damage.size_bytes;
    damage_goes_on_at_ = damage.goes_on ? std::optional(reached_) : std::nullopt;
    if (!is_known && ++told_ <= kLinesMax) {
      const std::string path = segment_path(directory_, segment_.base_offset, kLogSuffix);
      damaged.push_back(fmt::format("{} at {}, offset {} on: {}{}", path, damage.begin, next_offset_, what,
                                    told_ == kLinesMax ? "; there may be more: leat log verify shows all" : ""));
    }
    if (damage.batch) next_offset_ = damage.batch->last_offset + 1;
  }
  return Going::kOn;
}

}  // namespace leat
