// sound_walk.h: walks batch headers past damage. Headers are believed while they agree with each other; where they do
// not, CRCs decide which of them lies, and the walk goes on at the next batch that is certainly good. So one flipped
// bit in a length or an offset hides its own batch and no other. For cold reads, index rebuild and state replay.
// Thread: a worker's.
#pragma once

#include <optional>
#include <string>

#include "core/log/batch_scanner.h"

namespace leat {

class SoundWalk {
 public:
  struct Range {
    Position begin;
    int64_t end;
    Offset offset_min;  // no batch is below it
    Offset bound;       // no offset reaches it
  };
  struct Damage {
    Position position;
    std::string what;
  };

  SoundWalk(File& file, const Range& range)
      : file_(file),
        range_(range),
        scanner_(file, range.begin, range.end, BatchScanner::Depth::kHeaders),
        next_offset_(range.offset_min) {}

  // The next good batch; nullopt at the end. damage() says what lies directly before it, or before the end.
  Result<std::optional<ScannedBatch>> next();
  const std::optional<Damage>& damage() const noexcept { return damage_; }
  // Whether the CRC of the batch that next() gave last holds. When it does not, the walk goes on right behind its
  // begin, for its length and offsets may lie too.
  Result<bool> last_holds();

 private:
  struct Previous {
    Position position;
    int64_t size_bytes;
    Offset base_offset;
    uint32_t crc;
  };
  enum class Found : uint8_t { kYes, kNo };
  Result<Found> search_behind(Position damaged, Offset offset_min, std::string what);
  Result<bool> previous_lies();

  File& file_;
  Range range_;
  BatchScanner scanner_;
  Offset next_offset_;
  std::optional<Previous> previous_;  // not yet known to be good
  std::optional<Damage> damage_;
  std::optional<Damage> damage_ahead_;  // found by last_holds()
};

// An index entry leads to a batch that does not begin behind the offset wanted. One that leads elsewhere has rotted:
// believed, it would hide good records. Gives range.begin when it leads there, else the begin of the file.
Result<Position> checked_begin(File& file, const SoundWalk::Range& range, Offset wanted);

}  // namespace leat
