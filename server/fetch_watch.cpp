// fetch_watch.cpp: the ready list and the parking of fetch_watch.h.
#include "server/fetch_watch.h"

#include "core/base/check.h"

namespace leat {

void FetchEntry::on_partition_event(const PartitionEvent& event) noexcept { owner_.on_event(*this, event); }

FetchEntry& FetchWatch::put(FetchKey key, const FetchPosition& position) {
  std::unique_ptr<FetchEntry>& entry = entries_[key];
  if (entry == nullptr) entry = std::make_unique<FetchEntry>(*this, std::move(key));
  entry->position = position;
  set_ready(*entry);
  return *entry;
}

void FetchWatch::remove(const FetchKey& key) noexcept {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  set_quiet(*found->second);
  entries_.erase(found);
}

void FetchWatch::set_ready(FetchEntry& entry) noexcept {
  if (entry.ready_) return;
  entry.ready_ = true;
  entry.previous_ = last_;
  entry.next_ = nullptr;
  (last_ != nullptr ? last_->next_ : first_) = &entry;
  last_ = &entry;
}

void FetchWatch::set_quiet(FetchEntry& entry) noexcept {
  if (!entry.ready_) return;
  entry.ready_ = false;
  (entry.previous_ != nullptr ? entry.previous_->next_ : first_) = entry.next_;
  (entry.next_ != nullptr ? entry.next_->previous_ : last_) = entry.previous_;
  entry.previous_ = nullptr;
  entry.next_ = nullptr;
}

void FetchWatch::move_to_end(FetchEntry& entry) noexcept {
  set_quiet(entry);
  set_ready(entry);
}

// Entries that were quiet under one isolation level may have bytes under the other.
void FetchWatch::set_isolation(IsolationLevel isolation) noexcept {
  if (isolation == isolation_) return;
  isolation_ = isolation;
  for (auto& [key, entry] : entries_) set_ready(*entry);
}

void FetchWatch::begin_look() noexcept {
  visible_bytes_ = 0;
  urgent_ = false;
}

Event::Wait FetchWatch::park(Event& event, int64_t bytes_wanted, Millis wait_max) noexcept {
  ENSURE(parked_ == nullptr);
  parked_ = &event;
  bytes_wanted_ = bytes_wanted;
  if (urgent_ || interrupted_ || visible_bytes_ >= bytes_wanted) event.set();
  return event.wait_for(wait_max);
}

void FetchWatch::interrupt() noexcept {
  interrupted_ = true;
  if (parked_ != nullptr) parked_->set();
}

void FetchWatch::on_event(FetchEntry& entry, const PartitionEvent& event) noexcept {
  set_ready(entry);
  switch (event.change) {
    case PartitionChange::kHighWatermark:
      if (isolation_ == IsolationLevel::kReadUncommitted) visible_bytes_ += event.visible_bytes;
      break;
    case PartitionChange::kLastStable:
      if (isolation_ == IsolationLevel::kReadCommitted) visible_bytes_ += event.visible_bytes;
      break;
    case PartitionChange::kLogStart:
    case PartitionChange::kGone:
      urgent_ = true;
      break;
  }
  if (parked_ != nullptr && (urgent_ || visible_bytes_ >= bytes_wanted_)) parked_->set();
}

}  // namespace leat
