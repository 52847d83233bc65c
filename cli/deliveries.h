// deliveries.h: what became of the records of leat produce: told record by record in the client's thread, kept batch by
// batch and summed up by partition, taken in the command's. Thread: two, under one lock.
#pragma once

#include <leat/delivery.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace leat::cli {

class Deliveries {
 public:
  struct Batch {
    int32_t partition = 0;
    int64_t base_offset = -1;  // -1 without acks
    int64_t record_count = 0;
  };
  struct Tally {  // of a partition
    int64_t record_count = 0;
    int64_t first_offset = -1;
    int64_t last_offset = -1;
  };

  // For one record; this outlives it.
  client::DeliveryCallback callback() noexcept {
    return [this](const client::DeliveryReport& report) { note(report); };
  }
  bool has_failed() const noexcept { return failed_; }
  client::Error first_error() const;  // when it has
  std::map<int32_t, Tally> tallies() const;

  // kYes: every record has been told. kNo: the last batch may still grow, and stays.
  enum class Settled : uint8_t { kNo, kYes };
  std::vector<Batch> take_batches(Settled settled);
  void drop_batches(Settled settled) { (void)take_batches(settled); }
  size_t batch_count() const;

 private:
  void note(const client::DeliveryReport& report);

  mutable std::mutex mutex_;
  std::vector<Batch> batches_;  // delivered, in the order of their reports
  std::map<int32_t, Tally> tallies_;
  std::optional<client::Error> error_;
  std::atomic<bool> failed_{false};
};

}  // namespace leat::cli
