// append_group.cpp: outcomes on their way to the asker, and the coarse timer that gives up on them.
#include "server/append_group.h"

#include "core/base/check.h"

namespace leat {

AppendGroup::~AppendGroup() {
  if (deadlines_ != nullptr) deadlines_->remove(*this);
}

void AppendGroup::finish(uint32_t index, AppendOutcome outcome) {
  ENSURE(index < outcomes.size() && unfinished_ > 0, "outcome {} of {}", index, outcomes.size());
  ENSURE(!outcomes[index].finished, "outcome {} came twice", index);
  --unfinished_;
  if (expired_) return;
  outcomes[index] = std::move(outcome);
  outcomes[index].finished = true;
  if (unfinished_ == 0) wake();
}

void AppendGroup::expire() {
  if (over()) return;
  expired_ = true;
  wake();
}

void AppendGroup::wake() {
  if (deadlines_ != nullptr) deadlines_->remove(*this);
  if (waiter_) scheduler_.resume_soon(std::exchange(waiter_, nullptr));
}

AppendDeadlines::~AppendDeadlines() {
  while (first_ != nullptr) remove(*first_);
  scheduler_.timers().cancel(timer_);
}

void AppendDeadlines::add(AppendGroup& group, Millis timeout) {
  ENSURE(group.deadlines_ == nullptr);
  if (group.over()) return;
  group.deadlines_ = this;
  group.deadline_ = scheduler_.clock().monotonic() + timeout;
  group.previous_ = nullptr;
  group.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &group;
  first_ = &group;
  if (timer_ == kNoTimer) timer_ = scheduler_.timers().start(kSweepEvery, [this] { sweep(); });
}

void AppendDeadlines::remove(AppendGroup& group) noexcept {
  if (group.previous_ != nullptr) group.previous_->next_ = group.next_;
  if (group.next_ != nullptr) group.next_->previous_ = group.previous_;
  if (first_ == &group) first_ = group.next_;
  group.deadlines_ = nullptr;
  group.previous_ = nullptr;
  group.next_ = nullptr;
}

void AppendDeadlines::sweep() {
  timer_ = kNoTimer;
  const Nanos now = scheduler_.clock().monotonic();
  for (AppendGroup* group = first_; group != nullptr;) {
    AppendGroup* next = group->next_;  // expire() takes the group off the list
    if (group->deadline_ <= now) group->expire();
    group = next;
  }
  if (first_ != nullptr) timer_ = scheduler_.timers().start(kSweepEvery, [this] { sweep(); });
}

}  // namespace leat
