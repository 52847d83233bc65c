// log_model.h: what clients gave to a partition and what they may expect of it: the oracle of the power-loss
// simulation. Every batch that was ever handed to the log is a candidate at the offset it got. What a reader finds has
// to be candidates, whole, in their places, without gaps; and below the durable end exactly those which the log said it
// had. Clients are idempotent producers with one batch in flight, which they repeat until it is answered, or plain
// ones, which forget it when it fails.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/random.h"
#include "core/log/partition_log.h"

namespace leat {

struct SubmittedBatch {
  Slice bytes;  // as the client made it: nobody patches this copy
  int32_t record_count = 0;
  std::vector<int64_t> timestamps_ms;
  int64_t producer_id = kNoProducerId;
  int16_t producer_epoch = kNoProducerEpoch;
  int32_t base_sequence = kNoSequence;
};
using SubmittedPtr = std::shared_ptr<const SubmittedBatch>;

class SimulatedClient {
 public:
  explicit SimulatedClient(int64_t producer_id) noexcept : producer_id_(producer_id) {}

  // The unanswered batch again, or a new one.
  SubmittedPtr next_batch(Random& random, int64_t now_ms);
  void on_answered();  // appended, or found to be a duplicate
  void on_failed();    // nobody knows whether it was appended
  void on_out_of_order();
  bool is_idempotent() const noexcept { return producer_id_ != kNoProducerId; }

 private:
  const int64_t producer_id_;
  int16_t epoch_ = 0;
  int32_t next_sequence_ = 0;
  SubmittedPtr unanswered_;
};

// A fresh copy of a batch as an input of an append.
AppendInput append_input(const SubmittedBatch& batch);

// The log as one reader sees it, by base offset.
using LogContent = std::map<int64_t, SubmittedPtr>;

class LogModel {
 public:
  void submitted(int64_t base_offset, const SubmittedPtr& batch) { candidates_[base_offset].push_back(batch); }
  // Batches at and above an offset are gone for good.
  void forget_from(int64_t offset) { candidates_.erase(candidates_.lower_bound(offset), candidates_.end()); }
  // The candidate that stands at the front of `bytes`, which begin at `offset`.
  SubmittedPtr identify(int64_t offset, ByteView bytes) const;

 private:
  std::map<int64_t, std::vector<SubmittedPtr>> candidates_;
};

// Where in `content` the batch stands.
std::optional<int64_t> find_in(const LogContent& content, const SubmittedBatch& batch);

}  // namespace leat
