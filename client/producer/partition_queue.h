// partition_queue.h: the batches of one partition in the order of their records, from the open one to those in flight,
// and the rules that keep this order, and with idempotence each record exactly once, whatever the brokers answer.
// The rules: batches are sent in order, up to the requests in flight that the producer allows, to one broker at a time.
// Under idempotence the first one goes alone until it is stored: a broker that knows nothing of a producer takes any
// sequence for its first, so that of two in flight the second could be stored though the first was refused.
// And nothing is sent that is five batches or more behind one without an answer: a broker tells a batch that it has
// from one that it misses by its memory of the last five.
// When one comes back to be sent again, nothing is sent until all in flight have come back; then everything that is
// left goes out again, in order, with the sequence numbers that it had. OUT_OF_ORDER_SEQUENCE_NUMBER of a batch that
// waits for one before it is no news; of the first one it means that a gap is before it (a batch that was given up) or
// that the broker lost what it had: nothing from here on was stored, so all of it gets new sequences under a new epoch.
// A batch that is reported while in flight (its time is over) keeps its place until its request ends.
// One that was refused as too large gives its place, and its sequence numbers, to the batches that it is split into.
// Invariants: in_flight is the number of slots in flight, abandoned ones included; the first slot is not done. Pure;
// guarded by the producer's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/producer/producer_batch.h"
#include "core/base/ring_queue.h"
#include "net/protocol/error_code.h"

namespace leat::client::detail {

class PartitionQueue;

// Why records wait, for the outcome of those whose time is over meanwhile.
struct Trouble {
  std::string words;                                // none: nothing is known to be wrong
  std::optional<ErrorCode> refusal = std::nullopt;  // what a broker answered
};

struct TopicQueue {
  std::string name;
  std::vector<std::unique_ptr<PartitionQueue>> partitions;  // null until used
  int32_t partition_count = 0;                              // 0: not known yet
  int32_t sticky = kAnyPartition;
  bool wanted = false;                                 // its metadata have been asked for
  std::vector<std::unique_ptr<ProducerBatch>> staged;  // records without a partition, until the count is known
  std::optional<Nanos> unknown_since;
  Trouble trouble;  // what the metadata said last
};

enum class SlotState : uint8_t {
  kPacking,  // being compressed
  kReady,    // to be sent, perhaps again
  kInFlight,
  kAbandoned,  // in flight, and reported already
  kDone,
};

struct BatchSlot {
  std::unique_ptr<ProducerBatch> batch;  // none: reported
  uint64_t batch_id = 0;
  int32_t record_count = 0;
  int32_t base_sequence = kNoSequence;
  int32_t attempts = 0;
  SlotState state = SlotState::kDone;
  bool stamped = false;  // its header is that of base_sequence
};

enum class Verdict : uint8_t { kDelivered, kRetry, kNewEpoch, kFail };

class PartitionQueue {
 public:
  PartitionQueue(TopicQueue& of, int32_t number) noexcept : topic(of), index(number) {}
  PartitionQueue(const PartitionQueue&) = delete;
  PartitionQueue& operator=(const PartitionQueue&) = delete;

  TopicQueue& topic;
  const int32_t index;
  int32_t leader = -1;
  std::unique_ptr<ProducerBatch> open;
  bool open_is_due = false;
  ProducerBatch::Guess guess;    // from the last batch
  int32_t listed_node = -1;      // whose list of ready partitions it stands on
  uint64_t last_request = 0;     // that it was looked at for: see Accumulator::take_request
  bool waits_for_retry = false;  // stands on the list of those
  Nanos retry_at{0};
  Trouble trouble;  // why its batches are sent again
  ProducerIdentity identity;

  // The open batch goes to the end of the queue.
  BatchSlot& seal();
  // Null: nothing may be sent now.
  BatchSlot* next_to_send(Nanos now, bool idempotent) noexcept;
  // It goes to `node`; under idempotence it gets its sequence now, if it has none.
  void on_sent(BatchSlot& slot, int32_t node, bool idempotent) noexcept;

  BatchSlot* find(uint64_t batch_id) noexcept;
  // The first that has no outcome yet and whose time is over with this batch's.
  BatchSlot* find_expiring(uint64_t batch_id) noexcept;
  void note_stored() noexcept { known_to_broker_ = true; }  // under the identity that it has
  bool is_first(const BatchSlot& slot) noexcept;            // nothing before it is unresolved
  Verdict judge(const BatchSlot& slot, ErrorCode code, bool idempotent) noexcept;

  // The request that had it ended, and the slot is in its new state: kReady (to be sent again) or kDone.
  void on_returned(BatchSlot& slot, SlotState state) noexcept;
  // The same, of one that was not stored: `parts`, with its records in their order, take its place. The slot is gone.
  void replace(BatchSlot& slot, std::vector<BatchSlot> parts);
  void want_new_epoch() noexcept { new_epoch_wanted_ = true; }
  // All are back, and this partition is to go on under another identity: see reset_sequences.
  bool may_change_epoch() const noexcept { return new_epoch_wanted_ && in_flight_ == 0; }
  void reset_sequences(const ProducerIdentity& next) noexcept;
  void drop_done() noexcept;

  size_t slot_count() const noexcept { return slots_.size(); }
  BatchSlot& slot(size_t place) noexcept { return slots_[place]; }
  size_t in_flight() const noexcept { return in_flight_; }
  int32_t in_flight_node() const noexcept { return in_flight_node_; }
  bool is_idle() const noexcept { return !open && slots_.empty(); }

 private:
  RingQueue<BatchSlot> slots_;
  size_t in_flight_ = 0;
  int32_t in_flight_node_ = -1;
  bool recovering_ = false;  // one came back to be sent again: wait for all
  bool new_epoch_wanted_ = false;
  bool known_to_broker_ = false;  // a batch of this identity is stored: from here on a gap is seen
  int32_t next_sequence_ = 0;
};

}  // namespace leat::client::detail
