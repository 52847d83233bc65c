// segment_walk.cpp: judging batches, and where the next good one is.
#include "core/log/segment_walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/log/batch_search.h"

namespace leat {

SegmentWalk::SegmentWalk(File& file, const Range& range)
    : file_(file), range_(range), scanner_(file, range.begin, range.end, BatchScanner::Depth::kWhole) {}

SegmentWalk::Step SegmentWalk::stop(Position at, const RecoveryInput& input, std::string what) {
  fault_ = Fault{.position = at, .input = input, .what = std::move(what)};
  return Step::kFault;
}

Result<SegmentWalk::Step> SegmentWalk::next() {
  place_.reset();
  RecoveryInput input{.complete = false,
                      .crc_ok = false,
                      .in_order = false,
                      .below_point = range_.next_offset < range_.point,
                      .valid_follows = false};
  const Position at = scanner_.position();
  TRY(scanned, scanner_.next());
  if (!scanned && scanner_.stop() == BatchScanner::Stop::kEnd) return Step::kEnd;
  if (!scanned) return stop(at, input, scanner_.stop_reason());
  TRY(crc_ok, scanner_.crc_matches(*scanned));
  const Offset base_offset = scanned->batch.base_offset();
  std::optional<std::string> disorder = disorder_of(scanned->batch);
  if (crc_ok && !disorder && base_offset > range_.next_offset) {
    TRY(contradicted, scanner_.next_begins_in(range_.next_offset, scanned->batch.next_offset(), at));
    if (contradicted) disorder = fmt::format("base offset {}: the batch behind it has a lower one", base_offset);
    TRY(again, scanner_.next());  // the buffer has moved on
    if (!again) return stop(at, input, scanner_.stop_reason());
    scanned = again;
  }
  input.complete = true;
  input.crc_ok = crc_ok;
  input.in_order = !disorder;
  const BatchView& batch = scanned->batch;
  if (crc_ok && !disorder) {
    range_.next_offset = batch.next_offset();
    range_.epoch = std::max(range_.epoch, batch.leader_epoch());
    batch_ = scanned;
    return Step::kBatch;
  }
  if (crc_ok) return stop(at, input, std::move(*disorder));
  if (!disorder) {
    place_ = BatchPlace{.position = at,
                        .size_bytes = batch.size_bytes(),
                        .base_offset = base_offset,
                        .last_offset = batch.last_offset(),
                        .max_timestamp_ms = kNoTimestamp};
  }
  return stop(at, input, fmt::format("batch at offset {}: the CRC is wrong", base_offset));
}

std::optional<std::string> SegmentWalk::disorder_of(const BatchView& batch) const {
  const Offset base_offset = batch.base_offset();
  if (base_offset < range_.next_offset) {
    return fmt::format("base offset {} where {} or more must be", base_offset, range_.next_offset);
  }
  const Offset bound = base_offset > range_.next_offset ? std::min(range_.bound, range_.gap_bound) : range_.bound;
  if (batch.last_offset() >= bound) {
    return fmt::format("offsets {} to {} where all must be below {}", base_offset, batch.last_offset(), bound);
  }
  // An epoch stands outside the CRC: one flipped bit in durable bytes must not put all that follows in the wrong.
  const bool epoch_counts = range_.next_offset >= range_.point;
  if (epoch_counts && batch.leader_epoch() < range_.epoch) {
    return fmt::format("leader epoch {} at offset {} where {} or more must be", batch.leader_epoch(), base_offset,
                       range_.epoch);
  }
  return std::nullopt;
}

Result<SegmentWalk::Damage> SegmentWalk::step_over(int64_t searched_bytes_max) {
  const Position at = fault_->position;
  const bool is_bounded = searched_bytes_max < range_.end - at.v;
  const Position begins_below = is_bounded ? at + 1 + searched_bytes_max : Position(range_.end);
  if (place_) {
    // Its length is right if the next batch follows just there. Then its offsets are taken, whatever its records are.
    TRY(following, scanner_.next());
    if (following && following->batch.base_offset() == place_->last_offset + 1) return take(*place_);
  }
  TRY(search, find_valid_batch(file_, {.begin = at + 1,
                                       .end = range_.end,
                                       .offset_min = range_.next_offset,
                                       .offset_limit = std::min(range_.bound, range_.gap_bound),
                                       .begins_below = begins_below}));
  if (search.found) {
    scanner_.seek(search.found->position);
    return Damage{.begin = at, .size_bytes = search.found->position - at};
  }
  if (is_bounded && begins_below.v < range_.end) {
    scanner_.seek(begins_below);
    return Damage{.begin = at, .size_bytes = begins_below - at, .goes_on = true};
  }
  const bool ends_the_segment = place_ && at.v + place_->size_bytes == range_.end;
  if (ends_the_segment) return take(*place_);
  scanner_.seek(Position(range_.end));
  return Damage{.begin = at, .size_bytes = range_.end - at.v};
}

SegmentWalk::Damage SegmentWalk::take(const BatchPlace& place) {
  range_.next_offset = place.last_offset + 1;
  scanner_.seek(place.position + place.size_bytes);
  return {.begin = place.position, .size_bytes = place.size_bytes, .batch = place};
}

}  // namespace leat
