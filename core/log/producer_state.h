// producer_state.h: what a partition remembers of idempotent producers: epoch, the last five batches, the time of the
// last. It decides whether a batch is the next one, a duplicate of one of those five, or out of order, by Kafka's
// rules:
//   unknown producer: any sequence · new epoch: sequence 0 · old epoch: kInvalidProducerEpoch
//   same epoch: the last sequence + 1, and 0 after 2^31-1 · one of the last five batches again: duplicate, first offset
// A write is in doubt until it is on disk: changes made between begin() and commit() are undone by roll_back().
// Memory: some 150 bytes a producer id until it expires, producer.id.expiration.ms after its last append by the
// broker's clock (Kafka takes the record's timestamp, which clients set). Thread: the loop, or recovery before the loop
// has it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/base/strong.h"
#include "core/record/batch.h"

namespace leat {

struct ProducerBatch {
  int32_t last_sequence = kNoSequence;
  int32_t offset_delta = 0;
  Offset last_offset = kNoOffset;

  int32_t first_sequence() const noexcept;  // wraps at 0
  Offset first_offset() const noexcept { return last_offset - offset_delta; }
};

class ProducerEntry {
 public:
  static constexpr size_t kBatchesKept = 5;

  int16_t epoch = kNoProducerEpoch;
  int32_t coordinator_epoch = -1;
  int64_t last_append_ms = kNoTimestamp;
  Offset transaction_start = kNoOffset;

  size_t batch_count() const noexcept { return batch_count_; }
  const ProducerBatch& last_batch() const noexcept { return batches_[batch_count_ - 1]; }
  int32_t last_sequence() const noexcept { return batch_count_ == 0 ? kNoSequence : last_batch().last_sequence; }
  void add_batch(const ProducerBatch& batch) noexcept;  // forgets the oldest
  void clear_batches() noexcept { batch_count_ = 0; }
  const ProducerBatch* find(int32_t first_sequence, int32_t last_sequence) const noexcept;

 private:
  std::array<ProducerBatch, kBatchesKept> batches_;
  uint8_t batch_count_ = 0;
};

class ProducerState {
 public:
  struct Verdict {
    std::optional<Error> error;
    std::optional<Offset> duplicate_of;  // first offset of the earlier append
  };
  // Of a batch from a client. Control batches and batches without a producer id are always right.
  Verdict check(const BatchView& batch) const;
  // The batch is part of the log at `base_offset`; its own base offset and max timestamp are not looked at.
  void add(const BatchView& batch, Offset base_offset, int64_t now_ms);

  void begin();  // from here changes can be undone
  void commit() noexcept;
  void roll_back();
  // Each producer as it was before what is in doubt.
  template <class Visit>
  void for_each_settled(Visit visit) const {
    const std::unordered_map<int64_t, const Undo*> in_doubt = first_undo();
    for (const auto& [producer_id, entry] : entries_) {
      const auto undo = in_doubt.find(producer_id);
      if (undo == in_doubt.end()) {
        visit(producer_id, entry);
      } else if (undo->second->before) {
        visit(producer_id, *undo->second->before);
      }
    }
  }

  void expire(int64_t now_ms, int64_t expiration_ms);
  size_t size() const noexcept { return entries_.size(); }
  const std::unordered_map<int64_t, ProducerEntry>& entries() const noexcept { return entries_; }
  void put(int64_t producer_id, const ProducerEntry& entry) { entries_[producer_id] = entry; }

 private:
  enum class Phase : uint8_t { kSettled, kInDoubt };
  struct Undo {
    int64_t producer_id;
    std::optional<ProducerEntry> before;
  };
  std::unordered_map<int64_t, const Undo*> first_undo() const;
  void add_control(const BatchView& batch, ProducerEntry& entry) const;

  std::unordered_map<int64_t, ProducerEntry> entries_;
  std::vector<Undo> undo_;
  Phase phase_ = Phase::kSettled;
};

// Sequences run from 0 to 2^31-1 and begin again.
int32_t sequence_plus(int32_t sequence, int32_t count) noexcept;

}  // namespace leat
