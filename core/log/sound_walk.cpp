// sound_walk.cpp: deciding who lies.
#include "core/log/sound_walk.h"

#include <fmt/format.h>

#include <utility>

#include "core/log/batch_search.h"

namespace leat {

Result<SoundWalk::Found> SoundWalk::search_behind(Position damaged, Offset offset_min, std::string what) {
  if (!damage_) damage_ = Damage{damaged, std::move(what)};
  previous_.reset();
  next_offset_ = offset_min;
  TRY(result,
      find_valid_batch(
          file_, {.begin = damaged + 1, .end = range_.end, .offset_min = offset_min, .offset_limit = range_.bound}));
  if (!result.found) return Found::kNo;
  scanner_.seek(result.found->position);
  return Found::kYes;
}

// A wrong length leads the walk astray one batch later than where it is wrong.
Result<bool> SoundWalk::previous_lies() {
  if (!previous_) return false;
  constexpr auto kChecked = static_cast<int64_t>(kAttributesAt);
  TRY(crc, crc_of_range(file_, previous_->position + kChecked, previous_->size_bytes - kChecked));
  return crc != previous_->crc;
}

Result<bool> SoundWalk::last_holds() {
  TRY(lies, previous_lies());
  if (!lies) return true;
  const Previous liar = *previous_;
  damage_.reset();
  TRY(found, search_behind(liar.position, liar.base_offset,
                           fmt::format("batch at offset {}: CRC does not match", liar.base_offset.v)));
  if (found == Found::kNo) scanner_.seek(Position(range_.end));
  damage_ahead_ = std::exchange(damage_, std::nullopt);
  return false;
}

Result<std::optional<ScannedBatch>> SoundWalk::next() {
  damage_ = std::exchange(damage_ahead_, std::nullopt);
  while (true) {
    const Position at = scanner_.position();
    TRY(scanned, scanner_.next());
    if (!scanned && scanner_.stop() == BatchScanner::Stop::kEnd) return std::nullopt;
    const Offset base = scanned ? scanned->batch.base_offset() : kNoOffset;
    const bool is_sound = scanned && base >= next_offset_ && scanned->batch.last_offset() < range_.bound;
    if (is_sound && base == next_offset_) {
      previous_ = Previous{at, scanned->batch.size_bytes(), base, scanned->batch.crc()};
      next_offset_ = scanned->batch.next_offset();
      return scanned;
    }
    const Offset next_offset = is_sound ? scanned->batch.next_offset() : next_offset_;
    std::string what =
        scanned ? fmt::format("batch of offset {}: expected {} to {}", base.v, next_offset_.v, range_.bound.v)
                : scanner_.stop_reason();
    TRY(astray, previous_lies());
    Found found = Found::kYes;
    if (astray) {
      const Previous liar = *previous_;
      TRY(searched, search_behind(liar.position, liar.base_offset,
                                  fmt::format("batch at offset {}: CRC does not match", liar.base_offset.v)));
      found = searched;
    } else if (!is_sound) {
      TRY(searched, search_behind(at, next_offset_, std::move(what)));
      found = searched;
    } else {
      TRY(contradicted, scanner_.next_begins_in(next_offset_, next_offset, at));
      TRY(again, scanner_.next());
      if (!contradicted && again) {
        previous_ = Previous{at, again->batch.size_bytes(), base, again->batch.crc()};
        next_offset_ = next_offset;
        return again;
      }
      damage_ = Damage{at, std::move(what)};
      previous_.reset();
    }
    if (found == Found::kNo) {
      scanner_.seek(Position(range_.end));
      return std::nullopt;
    }
  }
}

Result<Position> checked_begin(File& file, const SoundWalk::Range& range, Offset wanted) {
  if (range.begin.v == 0) return range.begin;
  if (range.begin.v >= range.end) return Position(0);
  SoundWalk walk(file, range);
  TRY(scanned, walk.next());
  const bool is_right = scanned && scanned->position == range.begin && scanned->batch.base_offset() <= wanted;
  return is_right ? range.begin : Position(0);
}

}  // namespace leat
