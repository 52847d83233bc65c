// compaction_records.h: the records of a batch as compaction goes through them, more than once, with offsets that rise.
// What clients send uncompressed may have offset deltas in any order (Kafka takes it, and so do we): such records are
// counted from the front, for each record must have an offset of its own before one of them can be taken out.
// Pure; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/result.h"
#include "core/record/batch.h"
#include "core/record/record.h"

namespace leat {

class CompactionRecords {
 public:
  struct Item {
    RecordView record;
    int32_t offset_delta = 0;
    Offset offset;
  };
  // kLimit: more than `unpacked_bytes_max` come out. kCorruptBatch, kInvalidRecord: these are no records, or have more
  // offsets than the batch.
  static Result<CompactionRecords> open(const BatchView& batch, int64_t unpacked_bytes_max);

  Result<std::optional<Item>> next();
  void rewind() noexcept;
  const BatchView& batch() const noexcept { return records_.batch(); }
  int64_t timestamp_of(const Item& item) const noexcept { return records_.timestamp_of(item.record); }
  int64_t unpacked_bytes() const noexcept { return unpacked_bytes_; }

 private:
  enum class Offsets : uint8_t { kAsStored, kCounted };
  explicit CompactionRecords(BatchRecords records) noexcept : records_(std::move(records)) {}
  Result<void> look_through();

  BatchRecords records_;
  Offsets offsets_ = Offsets::kAsStored;
  int32_t index_ = 0;
  int64_t unpacked_bytes_ = 0;
};

}  // namespace leat
