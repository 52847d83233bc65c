// deliveries.cpp: see deliveries.h.
#include "cli/deliveries.h"

#include <utility>

namespace leat::cli {

// The records of a batch are told one behind the other, from its first on.
void Deliveries::note(const client::DeliveryReport& report) {
  const std::lock_guard held(mutex_);
  if (!report.ok()) {
    if (!error_) error_ = *report.error;
    failed_ = true;
    return;
  }
  if (batches_.empty() || report.batch_index == 0) {
    batches_.push_back({.partition = report.partition, .base_offset = report.offset, .record_count = 0});
  }
  ++batches_.back().record_count;
  Tally& tally = tallies_[report.partition];
  ++tally.record_count;
  if (tally.first_offset < 0) tally.first_offset = report.offset;
  if (report.offset >= 0) tally.last_offset = report.offset;
}

client::Error Deliveries::first_error() const {
  const std::lock_guard held(mutex_);
  return *error_;
}

std::map<int32_t, Deliveries::Tally> Deliveries::tallies() const {
  const std::lock_guard held(mutex_);
  return tallies_;
}

std::vector<Deliveries::Batch> Deliveries::take_batches(Settled settled) {
  const std::lock_guard held(mutex_);
  std::vector<Batch> taken = std::exchange(batches_, {});
  if (settled == Settled::kNo && !taken.empty()) {
    batches_.push_back(taken.back());
    taken.pop_back();
  }
  return taken;
}

size_t Deliveries::batch_count() const {
  const std::lock_guard held(mutex_);
  return batches_.size();
}

}  // namespace leat::cli
