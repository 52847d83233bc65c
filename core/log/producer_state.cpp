// producer_state.cpp: Kafka's rules for sequences, and undoing what did not reach the disk.
#include "core/log/producer_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/record/record.h"

namespace leat {

int32_t sequence_plus(int32_t sequence, int32_t count) noexcept {
  return static_cast<int32_t>((int64_t{sequence} + count) & INT32_MAX);
}

int32_t ProducerBatch::first_sequence() const noexcept {
  return static_cast<int32_t>((int64_t{last_sequence} - offset_delta) & INT32_MAX);
}

void ProducerEntry::add_batch(const ProducerBatch& batch) noexcept {
  if (batch_count_ == kBatchesKept) {
    std::move(batches_.begin() + 1, batches_.end(), batches_.begin());
    --batch_count_;
  }
  batches_[batch_count_++] = batch;
}

const ProducerBatch* ProducerEntry::find(int32_t first_sequence, int32_t last_sequence) const noexcept {
  for (size_t i = 0; i < batch_count_; ++i) {
    if (batches_[i].last_sequence == last_sequence && batches_[i].first_sequence() == first_sequence)
      return &batches_[i];
  }
  return nullptr;
}

ProducerState::Verdict ProducerState::check(const BatchView& batch) const {
  if (!batch.has_producer_id() || batch.is_control()) return {};
  const auto found = entries_.find(batch.producer_id());
  // All that an unknown producer wrote may have been deleted, so it may go on with any sequence.
  if (found == entries_.end() || found->second.epoch == kNoProducerEpoch) return {};
  const ProducerEntry& entry = found->second;
  if (batch.producer_epoch() < entry.epoch) {
    return {.error = Error(Errc::kInvalidProducerEpoch,
                           fmt::format("producer id {}: epoch {} is older than {}", batch.producer_id(),
                                       batch.producer_epoch(), entry.epoch)),
            .duplicate_of = std::nullopt};
  }
  const int32_t sequence = batch.base_sequence();
  int32_t expected = 0;
  if (batch.producer_epoch() == entry.epoch) {
    if (const ProducerBatch* earlier = entry.find(sequence, batch.last_sequence())) {
      return {.error = std::nullopt, .duplicate_of = earlier->first_offset()};
    }
    // After a marker that raised the epoch there is no batch, and the first of the new epoch is 0.
    expected = entry.batch_count() == 0 ? 0 : sequence_plus(entry.last_sequence(), 1);
  }
  if (sequence == expected) return {};
  return {.error = Error(Errc::kOutOfOrderSequence,
                         fmt::format("producer id {} epoch {}: sequence {} where {} is next", batch.producer_id(),
                                     batch.producer_epoch(), sequence, expected)),
          .duplicate_of = std::nullopt};
}

void ProducerState::add(const BatchView& batch, Offset base_offset, int64_t now_ms) {
  if (!batch.has_producer_id()) return;
  const auto [place, is_new] = entries_.try_emplace(batch.producer_id());
  ProducerEntry& entry = place->second;
  if (phase_ == Phase::kInDoubt) {
    undo_.push_back({batch.producer_id(), is_new ? std::nullopt : std::optional<ProducerEntry>(entry)});
  }
  if (batch.producer_epoch() != entry.epoch) entry.clear_batches();
  entry.epoch = batch.producer_epoch();
  entry.last_append_ms = now_ms;
  if (batch.is_control()) {
    add_control(batch, entry);
    return;
  }
  entry.add_batch({.last_sequence = batch.last_sequence(),
                   .offset_delta = batch.last_offset_delta(),
                   .last_offset = base_offset + batch.last_offset_delta()});
  if (batch.is_transactional() && entry.transaction_start == kNoOffset) entry.transaction_start = base_offset;
}

// A marker ends the transaction. Its value is version:i16 coordinator_epoch:i32; other control records say nothing
// here.
void ProducerState::add_control(const BatchView& batch, ProducerEntry& entry) const {
  if (!batch.is_transactional()) return;
  entry.transaction_start = kNoOffset;
  RecordReader records(batch.records(), batch.record_count());
  const Result<std::optional<RecordView>> record = records.next();
  if (!record || !*record || !(*record)->value) return;
  Reader value(*(*record)->value);
  value.skip(sizeof(int16_t));
  const int32_t coordinator_epoch = value.i32();
  if (!value.failed()) entry.coordinator_epoch = coordinator_epoch;
}

void ProducerState::begin() {
  ENSURE(phase_ == Phase::kSettled);
  phase_ = Phase::kInDoubt;
}

void ProducerState::commit() noexcept {
  phase_ = Phase::kSettled;
  undo_.clear();
}

void ProducerState::roll_back() {
  for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) {
    if (undo->before) {
      entries_[undo->producer_id] = *undo->before;
    } else {
      entries_.erase(undo->producer_id);
    }
  }
  commit();
}

std::unordered_map<int64_t, const ProducerState::Undo*> ProducerState::first_undo() const {
  std::unordered_map<int64_t, const Undo*> first;
  for (const Undo& undo : undo_) first.try_emplace(undo.producer_id, &undo);
  return first;
}

void ProducerState::expire(int64_t now_ms, int64_t expiration_ms) {
  if (phase_ == Phase::kInDoubt) return;  // the next round will do
  std::erase_if(entries_, [now_ms, expiration_ms](const auto& item) {
    const ProducerEntry& entry = item.second;
    return entry.transaction_start == kNoOffset && now_ms - entry.last_append_ms >= expiration_ms;
  });
}

}  // namespace leat
