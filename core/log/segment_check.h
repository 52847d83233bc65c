// segment_check.h: everything that can be checked of one segment without opening its log: each batch's header, CRC and
// records, the order of offsets and epochs, and both indexes against the batches. Every byte of the file is in a good
// batch or in a damaged range; what is damage, and where it ends, SegmentWalk says, as for a start of leatd. Changes
// nothing, and may run beside a broker (what is being written then may look torn); memory does not grow with the file.
// For `leat log verify` and `leat log repair`. Thread: any one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/strong.h"
#include "core/storage/file_system.h"

namespace leat {

enum class DamageKind : uint8_t {
  kTornTail,  // the last bytes of a log, and nothing whole in them: a crash inside a write; a start cuts them off
  kCorrupt,   // anything else
};

struct DamagedRange {
  std::string path;
  Position begin;
  int64_t size_bytes = 0;
  std::string what;  // expected and found
  DamageKind kind = DamageKind::kCorrupt;
};

// Lines for people: the first of them, and how many there are.
class Findings {
 public:
  void add(std::string line);
  int64_t count() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  const std::vector<std::string>& first() const noexcept { return first_; }

 private:
  int64_t count_ = 0;
  std::vector<std::string> first_;
};

enum class SegmentPlace : uint8_t {
  kSealed,
  kLast,  // no later one of its log holds a byte
};

struct SegmentCheckOptions {
  Offset recovery_point{0};  // what lies below it was durable: damage there is no torn tail
  SegmentPlace place = SegmentPlace::kLast;
  Offset next_base{INT64_MAX};  // of the next segment
};

struct SegmentCheck {
  std::string path;
  Offset base_offset;
  Offset first_offset = kNoOffset;  // of the first good batch
  Offset next_offset;               // behind the last good batch
  int64_t size_bytes = 0;
  int64_t batch_count = 0;  // good ones
  int64_t record_count = 0;
  int64_t max_timestamp_ms = kNoTimestamp;
  int32_t last_epoch = kNoLeaderEpoch;  // the highest of a good batch
  bool begins_without_records = false;  // with a batch that stands for what is missing before it
  int64_t index_entry_count = 0;
  std::vector<DamagedRange> damaged;       // in order; between two of them stands a good batch
  Findings indexes;                        // what is wrong with .index and .timeindex
  Findings oddities;                       // of batches that are whole: nothing is done about them
  std::vector<std::string> missing_files;  // index files that a start makes anew; of the last segment they may be late

  bool is_corrupt() const noexcept;  // of the damaged ranges one is more than a torn tail
  bool is_damaged_at_end() const noexcept;
};

// Errors are those of the disk, and kInvalidArgument for a file that is no segment by its name.
Result<SegmentCheck> check_segment(FileSystem& files, const std::string& path, const SegmentCheckOptions& options);

// "position 81: 90 bytes are damaged (...)": a line about it, without the path.
std::string to_string(const DamagedRange& range);

}  // namespace leat
