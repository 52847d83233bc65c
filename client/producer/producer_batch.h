// producer_batch.h: one batch of one partition, from its first record to the report of its outcome. Records are encoded
// as they come, straight into the block that is sent (uncompressed batches are never copied); who wants to know what
// becomes of a record is kept beside, 24 bytes each, and nothing at all when nobody in the batch does. pack()
// compresses; stamp() fills the header in, and again when a batch must go out under another producer epoch. Invariant:
// outcomes_ is empty or has an entry for each record, from the first one that has a callback. Thread: guarded by the
// producer's lock while open; afterwards whoever took it from its queue.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <leat/delivery.h>
#include <leat/record.h>

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/record/batch.h"

namespace leat::client::detail {

struct ProducerIdentity {
  int64_t producer_id = kNoProducerId;
  int16_t epoch = kNoProducerEpoch;

  bool is_set() const noexcept { return producer_id >= 0; }
  friend bool operator==(const ProducerIdentity&, const ProducerIdentity&) = default;
};

class ProducerBatch {
 public:
  struct Guess {  // of what it will hold; it grows beyond
    size_t size_bytes = 0;
    int32_t record_count = 0;
  };
  ProducerBatch(uint64_t id, Nanos opened_at, const Guess& guess);
  ProducerBatch(const ProducerBatch&) = delete;
  ProducerBatch& operator=(const ProducerBatch&) = delete;
  ~ProducerBatch() = default;

  uint64_t id() const noexcept { return id_; }
  Nanos opened_at() const noexcept { return opened_at_; }
  int32_t record_count() const noexcept { return record_count_; }
  size_t size_bytes() const noexcept { return size_; }                // uncompressed, with the header
  size_t packed_size_bytes() const noexcept { return packed_size_; }  // as sent
  // What its records weigh against the producer's memory bound.
  size_t charged_bytes() const noexcept { return charged_bytes_; }
  uint64_t generation = 0;  // for flush; see accumulator.h
  // Of the batch with whose time this one's is over: itself, or the one that it was split from.
  uint64_t expires_with = 0;

  // No record is larger than this when encoded.
  static size_t record_size_max(const ProducerRecord& record) noexcept;
  // The callback is empty afterwards.
  OutcomePlace append(const ProducerRecord& record, int64_t timestamp_ms, DeliveryCallback& on_delivery);
  // A record comes from another batch, with its callback: it was staged, or that one is split.
  void append_moved(const ProducerRecord& record, int64_t timestamp_ms, ProducerBatch& from, size_t index);

  // Of a batch that is neither packed nor sealed; holds on to the block.
  Slice records() const noexcept { return {block_, kBatchHeaderBytes, size_ - kBatchHeaderBytes}; }
  // The same of a packed batch, unpacked where it is compressed.
  leat::Result<Slice> unpacked_records() const;
  // `records` are this batch's, encoded; the record that is shown points into them.
  using VisitRecord = std::function<void(size_t index, const ProducerRecord& record, int64_t timestamp_ms)>;
  void visit(const Slice& records, std::string_view topic, const VisitRecord& on_record) const;

  // What is sent: packed once, then stamped. pack() may run on a worker, on `records()` of a sealed batch.
  static leat::Result<Slice> pack(Codec codec, std::optional<int> level, ByteView records);
  void set_packed(Codec codec, Slice packed);  // with room for the header in front
  void seal_unpacked();                        // sent as it is
  bool is_packed() const noexcept { return !packed_.empty(); }
  const Slice& stamp(const ProducerIdentity& identity, int32_t base_sequence);
  const Slice& packed() const noexcept { return packed_; }

  // Tells everybody once. `report` with the offset of the first record; -1 is unknown for all.
  void report(DeliveryReport report);
  void drop_callback(uint32_t index) noexcept {
    if (index < outcomes_.size()) outcomes_[index].drop();
  }

 private:
  uint8_t* make_room(size_t size_max) {
    if (!block_ || block_.capacity() - size_ < size_max) [[unlikely]]
      grow(size_max);
    return block_.data() + size_;
  }
  void grow(size_t size_max);
  void encode(const ProducerRecord& record, int64_t timestamp_ms);
  void keep(DeliveryCallback& on_delivery);

  const uint64_t id_;
  const Nanos opened_at_;
  BlockRef block_;
  size_t size_ = kBatchHeaderBytes;
  size_t packed_size_ = 0;
  Guess guess_;
  size_t charged_bytes_ = 0;
  int64_t base_timestamp_ms_ = kNoTimestamp;
  int64_t max_timestamp_ms_ = kNoTimestamp;
  int32_t record_count_ = 0;
  Codec codec_ = Codec::kNone;
  std::vector<DeliveryCallback> outcomes_;
  Slice packed_;
};

}  // namespace leat::client::detail
