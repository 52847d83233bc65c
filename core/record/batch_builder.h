// batch_builder.h: makes one record batch: for clients, for internal logs, for transaction markers, and when a batch
// must be repacked with another codec. Records are encoded as they are appended; finish() compresses, fills the header
// and the CRC. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/record/batch.h"
#include "core/record/record.h"

namespace leat {

struct NewRecord {
  std::optional<ByteView> key = {};
  std::optional<ByteView> value = {};
  int64_t timestamp_ms = kNoTimestamp;
  std::span<const HeaderView> headers = {};
};

enum class BatchKind : uint8_t { kData, kTransactional, kControl, kTransactionalControl };

struct BatchOptions {
  Codec codec = Codec::kNone;
  std::optional<int> compression_level = std::nullopt;  // nullopt: the codec's default
  Offset base_offset{0};
  int32_t leader_epoch = kNoLeaderEpoch;
  TimestampType timestamp_type = TimestampType::kCreateTime;
  int64_t append_time_ms = kNoTimestamp;  // the max timestamp under LogAppendTime
  int64_t producer_id = kNoProducerId;
  int16_t producer_epoch = kNoProducerEpoch;
  int32_t base_sequence = kNoSequence;
  BatchKind kind = BatchKind::kData;
  // Of a batch that compaction makes anew (KIP-534): when its tombstones may go. Takes the base timestamp's place.
  std::optional<int64_t> delete_horizon_ms = std::nullopt;
  // Of the batch in whose place it stands, whose last records are gone; nullopt: that of the last record.
  std::optional<int32_t> last_offset_delta = std::nullopt;
};

class BatchBuilder {
 public:
  explicit BatchBuilder(const BatchOptions& options = {});

  void append(const NewRecord& record) { append_at(next_offset_delta_, record); }
  // At a delta of the caller's, not below the last one's: for batches with holes.
  void append_at(int32_t offset_delta, const NewRecord& record);
  // A record of another batch, its headers copied as they stand.
  void append_copy(const RecordView& record, int64_t timestamp_ms) {
    append_copy_at(next_offset_delta_, record, timestamp_ms);
  }
  void append_copy_at(int32_t offset_delta, const RecordView& record, int64_t timestamp_ms);

  int32_t record_count() const noexcept { return record_count_; }
  size_t size_bytes() const noexcept { return size_; }              // of the batch if finished now without compression
  static size_t record_size_max(const NewRecord& record) noexcept;  // append() adds no more than this

  // The batch; the builder is spent. CHECKs that there is a record (see empty_batch for none). Fails when a codec fails
  // or the batch passes 2 GiB.
  Result<Slice> finish();

 private:
  // A record without its headers, encoded; gives where they go. `headers_size` counts them without their number.
  uint8_t* put_record(int32_t offset_delta, const NewRecord& record, int32_t header_count, size_t headers_size);
  uint8_t* make_room(size_t size);
  void write_header(MutableByteView batch) const noexcept;

  BatchOptions options_;
  BlockRef block_;
  size_t size_ = kBatchHeaderBytes;  // header and records so far
  int64_t base_timestamp_ms_ = kNoTimestamp;
  int64_t max_timestamp_ms_ = kNoTimestamp;
  int32_t next_offset_delta_ = 0;
  int32_t record_count_ = 0;
};

// What is left of a batch whose records are all gone: its header, which still says what offsets and sequences it had.
Slice empty_batch(const BatchView& original);

enum class MarkerType : int16_t { kAbort = 0, kCommit = 1 };

// The control batch that ends a transaction.
struct EndMarker {
  MarkerType type = MarkerType::kCommit;
  int64_t producer_id = kNoProducerId;
  int16_t producer_epoch = kNoProducerEpoch;
  int32_t coordinator_epoch = 0;
  int64_t timestamp_ms = kNoTimestamp;
};
Slice end_marker_batch(const EndMarker& marker);
// The type of a control record by its key; nullopt when the key is no control key. Other types (leader change 2, ...)
// are returned as they are.
std::optional<int16_t> control_record_type(const RecordView& record) noexcept;

// A record of two texts.
inline NewRecord text_record(std::string_view key, std::string_view value, int64_t timestamp_ms) noexcept {
  return {.key = as_bytes(key), .value = as_bytes(value), .timestamp_ms = timestamp_ms};
}

}  // namespace leat
