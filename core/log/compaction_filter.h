// compaction_filter.h: what compaction keeps of one batch, as Apache Kafka's cleaner decides it (tombstones: KIP-534):
//   a record stays when it lies at or above the end of the pass; or when it has a key, of which the map knows no later
//   record, and it is no tombstone whose time has passed.
// The time of a tombstone begins with the pass that finds it first and takes earlier records of its key away; it is
// kept in the header of its batch: bit 6 of the attributes, and its end in the base timestamp's place. A batch that
// keeps all its records, and needs no such date, stays byte for byte; else it is made anew with the same offsets,
// sequences, timestamps and codec. A batch that keeps none goes, unless it is its producer's last, or the log's: then
// its header stays. From the one the producer's sequence is learnt when the log is read again; the other carries
// readers to the log end, on the way to which they would else wait for a record.
// Place for transactions (Leat 5): filter() alone decides over batches that belong to one, and a pass ends before them
// (CompactionPass::map_batch), so that they stay as they are. Pure; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/log/compaction_map.h"
#include "core/log/compaction_range.h"
#include "core/log/compaction_records.h"
#include "core/record/batch.h"

namespace leat {

// A producer that is remembered, and up to which offset the batch goes from which its sequence is to be learnt.
struct ProducerToKeep {
  int64_t producer_id = kNoProducerId;
  Offset last_offset = kNoOffset;  // kNoOffset: any, for it is not known which
};

struct FilterRules {
  Offset first_dirty{0};  // the map has the keys of records from here
  Offset end{0};          // to here; what lies behind stays as it is
  int64_t now_ms = 0;
  int64_t delete_retention_ms = 0;
  int64_t decompressed_bytes_max = 0;
  Offset log_end = kNoOffset;  // of a log that has nothing behind the pass: the batch that ends here is its last
  std::vector<ProducerToKeep> producers;  // by id
};

struct FilteredBatch {
  enum class Fate : uint8_t { kStays, kAnew, kGoes };
  Fate fate = Fate::kStays;
  Slice bytes = {};  // kAnew
  int64_t records_gone = 0;
  int64_t delete_horizon_ms = kNoHorizon;  // of the tombstones that stay
  int64_t unpacked_bytes = 0;              // that were looked through
};

// The entry of a producer; null when it is not remembered.
ProducerToKeep* find_producer(std::vector<ProducerToKeep>& producers, int64_t producer_id) noexcept;
const ProducerToKeep* find_producer(const std::vector<ProducerToKeep>& producers, int64_t producer_id) noexcept;

class BatchFilter {
 public:
  // The map outlives the filter, and is complete.
  BatchFilter(const CompactionMap& map, FilterRules rules) : map_(map), rules_(std::move(rules)) {}

  // A whole batch whose CRC holds. kLimit, kCorruptBatch, kInvalidRecord: it cannot be looked into.
  Result<FilteredBatch> filter(const BatchView& batch) const;

 private:
  struct Census {
    int64_t staying = 0;
    int64_t going = 0;
    bool has_tombstone = false;      // among those that stay
    bool has_new_tombstone = false;  // without a date
  };
  bool stays(const BatchView& batch, const CompactionRecords::Item& item) const noexcept;
  Result<Census> count(CompactionRecords& records) const;
  Result<Slice> rebuild(CompactionRecords& records, std::optional<int64_t> delete_horizon_ms) const;
  int64_t new_date() const noexcept;
  bool keeps_header(const BatchView& batch) const noexcept;
  FilteredBatch without_records(const BatchView& batch, int64_t records_gone) const;

  const CompactionMap& map_;
  FilterRules rules_;
};

}  // namespace leat
