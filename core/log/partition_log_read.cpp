// partition_log_read.cpp: planning reads and lookups by time.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/log/file_names.h"
#include "core/log/partition_log_impl.h"

namespace leat {

Result<FetchedBatches> execute(ReadPlan plan) {
  if (plan.cached) return *std::move(plan.cached);
  return plan.read->execute();
}

size_t PartitionLogImpl::segment_index_of(Offset offset) const noexcept {
  const auto above = [](Offset wanted, const std::shared_ptr<Segment>& segment) {
    return wanted < segment->base_offset;
  };
  const auto found = std::upper_bound(segments_.begin(), segments_.end(), offset, above);
  return found == segments_.begin() ? 0 : static_cast<size_t>(found - segments_.begin()) - 1;
}

SegmentSnapshot PartitionLogImpl::snapshot_of(size_t index) const {
  const Segment& segment = *segments_[index];
  return {.base_offset = segment.base_offset,
          .bound = index + 1 < segments_.size() ? segments_[index + 1]->base_offset : offsets_.log_end,
          .size_bytes = segment.size_bytes,
          .file = segment.file,
          .position = std::nullopt,
          .lease = segment.lease};
}

Result<ReadPlan> PartitionLogImpl::plan_read(Offset from, const ReadLimits& limits) {
  if (from < offsets_.log_start || from > offsets_.log_end) {
    return fail(Errc::kOffsetOutOfRange, fmt::format("{}: offset {} is not in {} to {}", name_, from.v,
                                                     offsets_.log_start.v, offsets_.log_end.v));
  }
  ReadPlan plan;
  ReadLimits bounded = limits;
  bounded.upper = std::min(limits.upper, offsets_.log_end);
  if (from >= bounded.upper) {
    plan.cached.emplace();
    return plan;
  }
  if (tail_) plan.cached = tail_->read(from, bounded);
  if (!plan.cached) plan.read = read_from_files(from, bounded);
  return plan;
}

// Segments are added until they hold enough bytes, so that a read near the end of one goes on into the next.
std::unique_ptr<FileSegmentRead> PartitionLogImpl::read_from_files(Offset from, const ReadLimits& limits) {
  constexpr size_t kSegmentsMax = 4;
  FileSegmentRead::Plan plan{.files = files_, .directory = directory_, .segments = {}, .from = from, .limits = limits};
  int64_t bytes = 0;
  for (size_t i = segment_index_of(from); i < segments_.size() && segments_[i]->base_offset < limits.upper; ++i) {
    Segment& segment = *segments_[i];
    if (segment.size_bytes == 0) continue;
    SegmentSnapshot snapshot = snapshot_of(i);
    if (segment.index_home == Segment::IndexHome::kMemory) {
      snapshot.position = segment.index.lookup(from);
    } else {
      ask_for_audit(segment);
      if (segment.reading) snapshot.position = segment.reading->find(from);
      if (snapshot.position) snapshot.file = segment.reading->file;
    }
    // Of the first segment only what stands behind `from` counts, and the file's index may not say how much that is.
    if (!plan.segments.empty()) bytes += segment.size_bytes;
    plan.segments.push_back(std::move(snapshot));
    // Also for a reader that takes no bytes but a whole first batch: the first segment may have none behind `from`.
    if (plan.segments.size() == kSegmentsMax || bytes >= std::max<int64_t>(limits.bytes_max, 1)) break;
  }
  return std::make_unique<FileSegmentRead>(std::move(plan));
}

void PartitionLogImpl::note_read_end(const ReadEnd& end) {
  Segment& segment = *segments_[segment_index_of(end.segment_base)];
  const bool is_it = segment.base_offset == end.segment_base && segment.lease == end.lease.lock();
  if (!is_it || segment.index_home == Segment::IndexHome::kMemory) return;
  if (!segment.reading) segment.reading = std::make_unique<Segment::Reading>(end.file);
  segment.reading->put(end.next_offset, end.position);
  has_readings_ = true;
}

void PartitionLogImpl::ask_for_audit(Segment& segment) noexcept {
  if (segment.audit != Segment::Audit::kNotAsked) return;
  segment.audit = Segment::Audit::kDue;
  audit_is_due_ = true;
}

std::unique_ptr<Maintenance> PartitionLogImpl::begin_audit(int64_t bytes_max) {
  if (audit_out_ != nullptr) return nullptr;
  if (audit_ == nullptr) {
    const auto due = std::find_if(segments_.begin(), segments_.end(), [](const std::shared_ptr<Segment>& segment) {
      return segment->audit == Segment::Audit::kDue && !segment->awaits_swap;
    });
    audit_is_due_ = due != segments_.end();
    if (!audit_is_due_) return nullptr;
    (*due)->audit = Segment::Audit::kBegun;
    audit_ =
        std::make_shared<SegmentAudit>(files_, directory_, snapshot_of(static_cast<size_t>(due - segments_.begin())));
  }
  auto work = std::make_unique<AuditWork>(audit_, bytes_max);
  audit_out_ = work.get();
  return work;
}

void PartitionLogImpl::finish_audit() {
  AuditWork& work = *std::exchange(audit_out_, nullptr);
  if (work.is_over) audit_.reset();
  work.goes_on = audit_ != nullptr;
}

void PartitionLogImpl::close_unused_readings() noexcept {
  if (!has_readings_) return;
  has_readings_ = false;
  for (const std::shared_ptr<Segment>& segment : segments_) {
    if (segment->reading && !segment->reading->was_used()) segment->reading.reset();
    has_readings_ = has_readings_ || segment->reading;
  }
}

TimeLookupPlan PartitionLogImpl::lookup_plan(std::optional<int64_t> timestamp_ms) const {
  TimeLookupPlan plan{.files = files_,
                      .directory = directory_,
                      .segments = {},
                      .log_start = offsets_.log_start,
                      .high_watermark = offsets_.high_watermark};
  for (size_t i = segment_index_of(offsets_.log_start); i < segments_.size(); ++i) {
    const Segment& segment = *segments_[i];
    // What only an index says of the greatest timestamp does not keep anybody from looking.
    const bool may_match = segment.size_bytes > 0 && (!timestamp_ms || segment.max_timestamp_ms >= *timestamp_ms ||
                                                      segment.max_timestamp_unchecked);
    if (!may_match) continue;
    SegmentSnapshot snapshot = snapshot_of(i);
    if (segment.index_home == Segment::IndexHome::kMemory) {
      snapshot.position = timestamp_ms ? segment.index.lookup(segment.time_index.lookup(*timestamp_ms)) : Position(0);
    }
    std::optional<Position> max_position;
    if (segment.index_home == Segment::IndexHome::kMemory)
      max_position = segment.index.lookup(segment.max_timestamp_offset);
    plan.segments.push_back({.snapshot = std::move(snapshot),
                             .max_timestamp_ms = segment.max_timestamp_ms,
                             .max_timestamp_offset = segment.max_timestamp_offset,
                             .max_is_unchecked = segment.max_timestamp_unchecked,
                             .max_position = max_position});
  }
  return plan;
}

std::unique_ptr<TimeLookup> PartitionLogImpl::plan_lookup_by_time(int64_t timestamp_ms) {
  return make_lookup_by_time(lookup_plan(timestamp_ms), timestamp_ms);
}

std::unique_ptr<TimeLookup> PartitionLogImpl::plan_lookup_max_timestamp() {
  return make_lookup_of_max(lookup_plan(std::nullopt));
}

}  // namespace leat
