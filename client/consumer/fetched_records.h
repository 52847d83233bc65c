// fetched_records.h: what a broker answered for one partition, made ready for reading: batches cut out, checked,
// unpacked, without control batches, aborted transactions and what lies before the position. The records stay where
// they arrived; a part of a chunk is one batch's worth of them, every record of it parsed once already, so that reading
// need not fail. Memory: chunks charge a PrefetchBudget until the last Records that holds them is gone, in any thread.
// Pure but for that; read_chunk may run on a worker.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <leat/consumer.h>

#include "core/base/bytes.h"
#include "core/record/batch.h"
#include "net/protocol/messages/fetch.h"

namespace leat::client::detail {

// Bytes that were fetched and not given back yet. Thread: any.
class PrefetchBudget {
 public:
  // `on_room` is called, in whichever thread, when the bytes fall below the bound again.
  PrefetchBudget(size_t bytes_max, std::function<void()> on_room)
      : bytes_max_(bytes_max), on_room_(std::move(on_room)) {}
  void take(size_t bytes) noexcept { bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  void give_back(size_t bytes) {
    const size_t before = bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    if (before >= bytes_max_ && before - bytes < bytes_max_) on_room_();
  }
  size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  size_t room() const noexcept {
    const size_t used = bytes();
    return used < bytes_max_ ? bytes_max_ - used : 0;
  }

 private:
  const size_t bytes_max_;
  const std::function<void()> on_room_;
  std::atomic<size_t> bytes_{0};
};

struct BatchPart {
  const uint8_t* begin;  // the first record to be read
  const uint8_t* end;
  std::string_view topic;
  int64_t base_offset;
  int64_t base_timestamp;  // under kLogAppendTime that of all records
  int64_t next_offset;     // behind the batch
  int32_t partition;
  int32_t leader_epoch;
  int32_t count;  // of records from `begin` on, above 0
  TimestampType timestamp_type;
};

// What read_chunk is to do.
struct ChunkOrder {
  std::shared_ptr<const std::string> topic;
  int32_t partition = 0;
  Slice records;         // as fetched; may end in the middle of a batch
  int64_t position = 0;  // records before it are left out
  IsolationLevel isolation = IsolationLevel::kReadUncommitted;
  CrcCheck check_crcs = CrcCheck::kYes;
  int64_t unpacked_bytes_max = 0;
  std::vector<FetchResponse::AbortedTransaction> aborted = {};
};

class FetchedChunk {
 public:
  explicit FetchedChunk(ChunkOrder order) : order_(std::move(order)), next_offset_(order_.position) {}
  ~FetchedChunk() {
    if (budget_) budget_->give_back(charged_bytes_);
  }
  FetchedChunk(const FetchedChunk&) = delete;
  FetchedChunk& operator=(const FetchedChunk&) = delete;

  // Once. Parts up to the first damage, which is error().
  void read();
  void charge(std::shared_ptr<PrefetchBudget> budget);  // once: what was fetched
  void charge_unpacked();                               // once, after read()

  const std::vector<BatchPart>& parts() const noexcept { return parts_; }
  int64_t next_offset() const noexcept { return next_offset_; }  // behind what was read, left out or not
  int32_t leader_epoch() const noexcept { return leader_epoch_; }
  const std::optional<Error>& error() const noexcept { return error_; }
  size_t size_bytes() const noexcept { return order_.records.size() + unpacked_bytes_; }

 private:
  class Aborted;
  bool read_batch(const BatchView& batch);
  bool check_records(const BatchView& batch, ByteView records);
  bool damaged(const BatchView& batch, std::string_view what);

  ChunkOrder order_;
  std::vector<BatchPart> parts_;
  std::vector<Slice> unpacked_;
  size_t unpacked_bytes_ = 0;
  int64_t next_offset_;
  int32_t leader_epoch_ = -1;
  std::optional<Error> error_;
  std::shared_ptr<PrefetchBudget> budget_;
  size_t charged_bytes_ = 0;
};

// The offset behind the last whole batch, for the next fetch, before anything is checked; `position` where there is
// none. `compressed_bytes` gives what is to be unpacked.
struct ChunkOutline {
  int64_t next_offset = 0;
  size_t whole_bytes = 0;
  size_t compressed_bytes = 0;
};
ChunkOutline outline(ByteView records, int64_t position) noexcept;

class FetchedRecords {
 public:
  void add(std::shared_ptr<const FetchedChunk> chunk, size_t first_part, size_t part_count);
  const std::vector<BatchPart>& parts() const noexcept { return parts_; }
  size_t count() const noexcept { return count_; }

 private:
  std::vector<std::shared_ptr<const FetchedChunk>> chunks_;
  std::vector<BatchPart> parts_;
  size_t count_ = 0;
};

}  // namespace leat::client::detail
