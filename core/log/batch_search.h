// batch_search.h: finds the next valid batch among bytes that are not one: to tell a torn tail from damage in the
// middle, and to read on behind damage. A candidate has magic 2 in the right place, a header that can be, an offset in
// the given range, and a CRC that holds. Pure reading; a worker's.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/storage/file_system.h"

namespace leat {

struct BatchSearch {
  Position begin;
  int64_t end;                       // of the bytes looked at
  Offset offset_min;                 // the least base offset that counts
  Offset offset_limit;               // last offsets are below it
  Position begins_below{INT64_MAX};  // only what begins before it is looked for
};

struct FoundBatch {
  Position position;
  Offset base_offset;
  Offset next_offset;
  int64_t size_bytes;
};

// Bytes may be made to look like many large batches, each of which costs a CRC. Beyond a budget in proportion to the
// bytes the search gives up, which is told: the careful conclusion is then that something valid may be there.
struct SearchResult {
  std::optional<FoundBatch> found;
  bool gave_up = false;
};
Result<SearchResult> find_valid_batch(File& file, const BatchSearch& search);

}  // namespace leat
