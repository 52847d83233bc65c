// segment_walk.h: the walk over a segment that believes no byte of it: each batch's CRC is computed, its offsets must
// lie above those before it and below the segment's bound, its leader epoch must not fall. What does not hold is a
// fault, and whoever walks decides: recovery may cut the log there; or the walk steps over it to the next batch that is
// certainly good. One judgement for all, so that a start of leatd, `leat log verify` and `leat log repair` agree about
// what is damage and where it ends. Reads only; memory does not grow with the file. Thread: a worker's.
#pragma once

#include <optional>
#include <string>

#include "core/log/batch_scanner.h"
#include "core/log/recovery_rules.h"
#include "core/log/segment.h"

namespace leat {

class SegmentWalk {
 public:
  struct Range {
    Position begin;      // where a batch should begin
    int64_t end = 0;     // of the bytes that count
    Offset next_offset;  // no batch is below it
    Offset bound;        // no offset reaches it
    // Below it bytes are durable: there a leader epoch, which stands outside the CRC, is not held against a batch.
    Offset point{INT64_MAX};
    int32_t epoch = kNoLeaderEpoch;  // of the batch before
    // No offset behind a gap reaches it. For who will not believe that the next segment is right where this one goes on
    // without a gap: then the two overlap.
    Offset gap_bound{INT64_MAX};
  };
  struct Fault {
    Position position;
    RecoveryInput input;  // but for valid_follows, which nobody has looked for yet
    std::string what;     // expected and found
  };
  enum class Step : uint8_t { kBatch, kFault, kEnd };

  SegmentWalk(File& file, const Range& range);

  // Errors are those of the disk.
  Result<Step> next();
  const ScannedBatch& batch() const noexcept { return *batch_; }  // after kBatch; its bytes until the next call
  const Fault& fault() const noexcept { return *fault_; }         // after kFault

  // What stands at a fault, up to the next batch that is good, or to the end.
  struct Damage {
    Position begin;
    int64_t size_bytes = 0;
    // Of a batch whose records are damaged while its length and offsets can be believed: its offsets are taken.
    std::optional<BatchPlace> batch = std::nullopt;
    bool goes_on = false;  // no good batch has been found yet: the next step is a fault that belongs to this one
  };
  // After kFault; the walk goes on behind it. At most so many bytes are searched at once.
  Result<Damage> step_over(int64_t searched_bytes_max = INT64_MAX);

 private:
  Step stop(Position at, const RecoveryInput& input, std::string what);
  std::optional<std::string> disorder_of(const BatchView& batch) const;
  Damage take(const BatchPlace& place);

  File& file_;
  Range range_;  // what is still to come
  BatchScanner scanner_;
  std::optional<ScannedBatch> batch_;
  std::optional<Fault> fault_;
  std::optional<BatchPlace> place_;  // of the batch at the fault, when its offsets are in order
};

}  // namespace leat
