// waiters.cpp: the intrusive list behind waiters.h.
#include "server/waiters.h"

#include "core/base/check.h"

namespace leat {

void PartitionWatch::stop_watching() noexcept {
  if (list_ != nullptr) list_->remove(*this);
}

WaiterList::~WaiterList() {
  while (first_ != nullptr) remove(*first_);
}

void WaiterList::add(PartitionWatch& watch) noexcept {
  ENSURE(watch.list_ == nullptr);
  watch.list_ = this;
  watch.previous_ = nullptr;
  watch.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &watch;
  first_ = &watch;
}

void WaiterList::remove(PartitionWatch& watch) noexcept {
  ENSURE(watch.list_ == this);
  if (watch.previous_ != nullptr) watch.previous_->next_ = watch.next_;
  if (watch.next_ != nullptr) watch.next_->previous_ = watch.previous_;
  if (first_ == &watch) first_ = watch.next_;
  watch.list_ = nullptr;
  watch.previous_ = nullptr;
  watch.next_ = nullptr;
}

void WaiterList::notify(const PartitionEvent& event) noexcept {
  for (PartitionWatch* watch = first_; watch != nullptr;) {
    PartitionWatch* next = watch->next_;  // before the call: the watch may leave the list
    if (event.change == PartitionChange::kGone) remove(*watch);
    watch->on_partition_event(event);
    watch = next;
  }
}

}  // namespace leat
