// event.cpp: see event.h.
#include "net/loop/event.h"

#include "core/base/check.h"

namespace leat {

Event::Wait::Wait(Event& event, std::optional<Millis> timeout) noexcept
    : event_(&event), scheduler_(event.scheduler_), timeout_(timeout) {}

Event::Wait::~Wait() {
  ENSURE(!scheduled_, "a coroutine's frame was destroyed while it stood in the ready queue");
  if (waiting_) {
    scheduler_.timers().cancel(timer_);
    event_->unlink(*this);
  }
}

// Asked now and not when the wait was made: the two may lie apart, with the event set between them.
bool Event::Wait::await_ready() noexcept {
  if (event_->outcome_) result_ = event_->outcome_;
  return result_.has_value();
}

void Event::Wait::await_suspend(std::coroutine_handle<> awaiter) {
  awaiter_ = awaiter;
  event_->link(*this);
  if (timeout_) timer_ = scheduler_.timers().start(*timeout_, [this] { wake(Woken::kTimedOut); });
}

Woken Event::Wait::await_resume() noexcept {
  scheduled_ = false;
  return *result_;
}

void Event::Wait::wake(Woken result) {
  event_->unlink(*this);
  event_ = nullptr;
  scheduler_.timers().cancel(timer_);
  result_ = result;
  scheduled_ = true;
  scheduler_.resume_soon(awaiter_);
}

void Event::set() { finish(Woken::kSet); }
void Event::cancel() { finish(Woken::kCancelled); }

void Event::finish(Woken outcome) {
  if (outcome_) return;
  outcome_ = outcome;
  while (first_ != nullptr) first_->wake(outcome);
}

size_t Event::waiting() const noexcept {
  size_t count = 0;
  for (const Wait* wait = first_; wait != nullptr; wait = wait->next_) ++count;
  return count;
}

void Event::link(Wait& wait) noexcept {
  wait.waiting_ = true;
  wait.previous_ = last_;
  (last_ != nullptr ? last_->next_ : first_) = &wait;
  last_ = &wait;
}

void Event::unlink(Wait& wait) noexcept {
  wait.waiting_ = false;
  (wait.previous_ != nullptr ? wait.previous_->next_ : first_) = wait.next_;
  (wait.next_ != nullptr ? wait.next_->previous_ : last_) = wait.previous_;
  wait.previous_ = nullptr;
  wait.next_ = nullptr;
}

}  // namespace leat
