// time_lookup.h: from a timestamp to an offset, exact to the record, whatever the codec (ListOffsets by time and -3).
// The time index leads near, batch headers nearer, and only the one batch that has the record is unpacked, within a
// limit. Nothing below the log start or at or above the high watermark counts. Thread: made on the loop, executed by a
// worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/log/partition_log.h"
#include "core/log/segment_read.h"

namespace leat {

struct TimeLookupSegment {
  SegmentSnapshot snapshot;  // position: where the walk for the wanted time begins, when the index is in memory
  int64_t max_timestamp_ms = kNoTimestamp;
  Offset max_timestamp_offset = kNoOffset;  // last offset of the batch that reached it
  bool max_is_unchecked = false;            // Segment::max_timestamp_unchecked
  std::optional<Position> max_position;     // where to begin for that batch; nullopt: the index file knows
};

struct TimeLookupPlan {
  FileSystem& files;
  std::string directory;
  std::vector<TimeLookupSegment> segments;
  Offset log_start{0};
  Offset high_watermark{0};
};

// The first record at or after `timestamp_ms`; none gives nullopt.
std::unique_ptr<TimeLookup> make_lookup_by_time(TimeLookupPlan plan, int64_t timestamp_ms);
// The first record with the greatest timestamp of all.
std::unique_ptr<TimeLookup> make_lookup_of_max(TimeLookupPlan plan);

}  // namespace leat
