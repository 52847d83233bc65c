// partition_queue.cpp: see partition_queue.h.
#include "client/producer/partition_queue.h"

#include <algorithm>

#include "core/base/check.h"

namespace leat::client::detail {
namespace {

// Brokers know a batch that comes again by the last five of its producer (Kafka's ProducerStateEntry): of those behind
// one without an answer, no more may be stored than leave it among them.
constexpr size_t kBatchesRemembered = 5;

// Of the record that comes `record_count` records later; they wrap to 0.
int32_t sequence_after(int32_t sequence, int32_t record_count) noexcept {
  return static_cast<int32_t>((uint32_t(sequence) + uint32_t(record_count)) & INT32_MAX);
}

}  // namespace

BatchSlot& PartitionQueue::seal() {
  ENSURE(open && open->record_count() > 0);
  guess = {.size_bytes = open->size_bytes(), .record_count = open->record_count()};
  open_is_due = false;
  BatchSlot slot;
  slot.batch_id = open->id();
  slot.record_count = open->record_count();
  slot.state = SlotState::kPacking;
  slot.batch = std::move(open);
  slots_.push_back(std::move(slot));
  return slots_.back();
}

BatchSlot* PartitionQueue::next_to_send(Nanos now, bool idempotent) noexcept {
  if (new_epoch_wanted_ || now < retry_at) return nullptr;
  const bool goes_alone = recovering_ || in_flight_node_ != leader || (idempotent && !known_to_broker_);
  if (in_flight_ > 0 && goes_alone) return nullptr;
  const size_t reach = idempotent ? std::min(slots_.size(), kBatchesRemembered) : slots_.size();
  for (size_t i = 0; i < reach; ++i) {
    switch (slots_[i].state) {
      case SlotState::kReady:
        return &slots_[i];
      case SlotState::kPacking:
        return nullptr;  // those behind it wait for it
      case SlotState::kInFlight:
      case SlotState::kAbandoned:
      case SlotState::kDone:
        break;
    }
  }
  return nullptr;
}

void PartitionQueue::on_sent(BatchSlot& slot, int32_t node, bool idempotent) noexcept {
  ENSURE(slot.state == SlotState::kReady);
  recovering_ = false;
  slot.state = SlotState::kInFlight;
  ++slot.attempts;
  ++in_flight_;
  in_flight_node_ = node;
  if (!idempotent || slot.base_sequence != kNoSequence) return;
  slot.base_sequence = next_sequence_;
  slot.stamped = false;
  next_sequence_ = sequence_after(next_sequence_, slot.record_count);
}

BatchSlot* PartitionQueue::find(uint64_t batch_id) noexcept {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].batch_id == batch_id) return &slots_[i];
  }
  return nullptr;
}

BatchSlot* PartitionQueue::find_expiring(uint64_t batch_id) noexcept {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].batch && slots_[i].batch->expires_with == batch_id) return &slots_[i];
  }
  return nullptr;
}

bool PartitionQueue::is_first(const BatchSlot& slot) noexcept {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].batch_id == slot.batch_id) return true;
    if (slots_[i].state != SlotState::kDone) return false;
  }
  return false;
}

Verdict PartitionQueue::judge(const BatchSlot& slot, ErrorCode code, bool idempotent) noexcept {
  switch (code) {
    case ErrorCode::kNone:
    case ErrorCode::kDuplicateSequenceNumber:  // stored by an earlier attempt, so long ago that its offset is forgotten
      return Verdict::kDelivered;
    case ErrorCode::kOutOfOrderSequenceNumber:
    case ErrorCode::kUnknownProducerId:
    case ErrorCode::kInvalidProducerEpoch:
    case ErrorCode::kInvalidProducerIdMapping:
      if (!idempotent) return Verdict::kFail;
      return is_first(slot) ? Verdict::kNewEpoch : Verdict::kRetry;
    default:
      return leat::is_retriable(code) ? Verdict::kRetry : Verdict::kFail;
  }
}

void PartitionQueue::on_returned(BatchSlot& slot, SlotState state) noexcept {
  ENSURE(slot.state == SlotState::kInFlight || slot.state == SlotState::kAbandoned);
  ENSURE(in_flight_ > 0);
  --in_flight_;
  slot.state = state;
  if (state == SlotState::kReady) recovering_ = true;
  drop_done();
}

// Those behind it keep their numbers: as many records as before stand before them.
void PartitionQueue::replace(BatchSlot& slot, std::vector<BatchSlot> parts) {
  ENSURE(slot.state == SlotState::kInFlight && in_flight_ > 0 && !parts.empty());
  --in_flight_;
  recovering_ = true;
  int32_t sequence = slot.base_sequence;
  for (BatchSlot& part : parts) {
    part.base_sequence = sequence;
    if (sequence != kNoSequence) sequence = sequence_after(sequence, part.record_count);
  }
  size_t place = 0;
  while (slots_[place].batch_id != slot.batch_id) ++place;
  for (size_t added = 1; added < parts.size(); ++added) slots_.push_back({});
  for (size_t i = slots_.size() - 1; i >= place + parts.size(); --i)
    slots_[i] = std::move(slots_[i - parts.size() + 1]);
  for (size_t i = 0; i < parts.size(); ++i) slots_[place + i] = std::move(parts[i]);
}

void PartitionQueue::reset_sequences(const ProducerIdentity& next) noexcept {
  ENSURE(in_flight_ == 0);
  identity = next;
  new_epoch_wanted_ = false;
  known_to_broker_ = false;
  next_sequence_ = 0;
  for (size_t i = 0; i < slots_.size(); ++i) slots_[i].base_sequence = kNoSequence;
}

void PartitionQueue::drop_done() noexcept {
  while (!slots_.empty() && slots_.front().state == SlotState::kDone) slots_.pop_front();
}

}  // namespace leat::client::detail
