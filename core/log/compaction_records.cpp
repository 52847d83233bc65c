// compaction_records.cpp: records one by one, after a look at all of them.
#include "core/log/compaction_records.h"

#include <fmt/format.h>

namespace leat {

Result<CompactionRecords> CompactionRecords::open(const BatchView& batch, int64_t unpacked_bytes_max) {
  TRY(records, BatchRecords::open(batch, unpacked_bytes_max));
  CompactionRecords opened(std::move(records));
  TRY(opened.look_through());
  return opened;
}

Result<void> CompactionRecords::look_through() {
  int32_t previous = -1;
  int32_t count = 0;
  while (true) {
    TRY(record, records_.next());
    if (!record) break;
    const bool rises = record->offset_delta > previous && record->offset_delta <= batch().last_offset_delta();
    if (!rises) offsets_ = Offsets::kCounted;
    previous = record->offset_delta;
    unpacked_bytes_ += static_cast<int64_t>(record->encoded.size());
    ++count;
  }
  rewind();
  if (offsets_ == Offsets::kAsStored || count - 1 <= batch().last_offset_delta()) return {};
  return fail(Errc::kInvalidRecord,
              fmt::format("batch at offset {}: {} records have {} offsets", batch().base_offset().v, count,
                          int64_t{batch().last_offset_delta()} + 1));
}

void CompactionRecords::rewind() noexcept {
  records_.rewind();
  index_ = 0;
}

Result<std::optional<CompactionRecords::Item>> CompactionRecords::next() {
  TRY(record, records_.next());
  if (!record) return std::optional<Item>();
  const int32_t index = index_++;
  const int32_t delta = offsets_ == Offsets::kAsStored ? record->offset_delta : index;
  return std::optional(Item{.record = *record, .offset_delta = delta, .offset = batch().base_offset() + delta});
}

}  // namespace leat
