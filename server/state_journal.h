// state_journal.h: how a state machine over a log makes its steps durable. Whoever decides applies its records at once
// and writes them here; before the loop polls they leave in one append with all that came in the same turn. While an
// append is being written, and longer if the owner wants one at a time, what comes gathers for the next one; an append
// that merely waits to be durable holds nobody up when the owner lets appends overlap (may_overlap). What depends on
// records (an answer, an effect) waits here, and is told when all that was written before it is durable. When an append
// fails, those under way behind it are awaited, the state is made anew from the log, and all who wait are told that
// what they did is lost: they decided on a state that never came to be.
// Invariants: appends begin in the order of the records; waiters are told in the order in which they came, none before
// all appends up to its own are durable. Thread: the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/result.h"
#include "core/base/ring_queue.h"
#include "net/loop/event.h"
#include "net/loop/scheduler.h"
#include "net/loop/task.h"

namespace leat {

template <class Record, class Waiter>
class StateJournal {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // Durable when it returns. Up to its first wait it sees the state that these records made, and no more.
    virtual Task<Result<void>> append(std::vector<Record> records) = 0;
    // Whether the next append may begin while earlier ones are not durable yet. Only when nothing but a sync can fail
    // for those any more, and fails for all that come behind, too: records may not stand in the log without what they
    // were decided on.
    virtual bool may_overlap() const noexcept { return false; }
    // The state is what the log holds. Until it returns nothing is decided, so nothing is written. No append is under
    // way.
    virtual Task<void> rebuild() = 0;
    virtual void on_durable(Waiter waiter) = 0;
    virtual void on_lost(Waiter waiter, const Error& why) = 0;
  };

  StateJournal(Scheduler& scheduler, Owner& owner) noexcept : scheduler_(scheduler), owner_(owner) {}
  ~StateJournal() { ENSURE(is_quiet(), "an append is under way"); }
  StateJournal(const StateJournal&) = delete;
  StateJournal& operator=(const StateJournal&) = delete;

  // A record that was applied.
  void write(Record record) {
    pending_.push_back(std::move(record));
    flush_soon();
  }
  // For all that was written up to now; told at once, in here, when that is durable already.
  void wait(Waiter waiter) {
    if (!pending_.empty()) {
      waiting_.push_back(std::move(waiter));
    } else if (!flights_.empty()) {
      flights_.back().waiters.push_back(std::move(waiter));
    } else {
      owner_.on_durable(std::move(waiter));
    }
  }
  // Until nothing is pending or on its way.
  Task<void> drained() {
    while (!is_quiet()) {
      if (quiet_ == nullptr) quiet_ = std::make_shared<Event>(scheduler_);
      const std::shared_ptr<Event> quiet = quiet_;
      const Woken woken = co_await quiet->wait();
      (void)woken;  // whatever woke us, we look again
    }
  }

 private:
  // An append, from its begin until it and all before it have ended.
  struct Flight {
    std::vector<Waiter> waiters;
    bool has_ended = false;
    std::optional<Error> failure = std::nullopt;
  };

  bool is_quiet() const noexcept { return pending_.empty() && flights_.empty() && !flush_is_due_ && !is_losing_; }
  void quiet_maybe() {
    if (quiet_ != nullptr && is_quiet()) std::exchange(quiet_, nullptr)->set();
  }

  void flush_soon() {
    if (std::exchange(flush_is_due_, true)) return;
    scheduler_.before_poll([this] { flush(); });
  }
  // What must wait goes when an append has ended, or with whoever writes next.
  void flush() {
    flush_is_due_ = false;
    const bool may_begin = !is_losing_ && (flights_.empty() || owner_.may_overlap());
    if (may_begin && !pending_.empty()) {
      flights_.push_back(Flight{.waiters = std::exchange(waiting_, {})});
      ++flying_count_;
      spawn(fly(first_flight_number_ + flights_.size() - 1, std::exchange(pending_, {})));
    }
    quiet_maybe();
  }

  Task<void> fly(uint64_t number, std::vector<Record> records) {
    Task<Result<void>> appending = owner_.append(std::move(records));
    Result<void> appended = co_await appending;
    land(number, std::move(appended));
  }

  void land(uint64_t number, Result<void> appended) {
    --flying_count_;
    Flight& landed = flights_[static_cast<size_t>(number - first_flight_number_)];
    landed.has_ended = true;
    if (!appended) {
      landed.failure = std::move(appended).error();
      is_losing_ = true;
    }
    while (!flights_.empty() && flights_.front().has_ended && !flights_.front().failure) {
      std::vector<Waiter> told = std::move(flights_.front().waiters);
      flights_.pop_front();
      ++first_flight_number_;
      for (Waiter& waiter : told) owner_.on_durable(std::move(waiter));
    }
    if (is_losing_) {
      if (flying_count_ == 0) spawn(lose());
    } else if (!pending_.empty()) {
      flush_soon();
    }
    quiet_maybe();
  }

  // The first of the flights has failed; what came behind it is lost however it ended.
  Task<void> lose() {
    const Error why = *flights_.front().failure;
    std::vector<Waiter> askers;
    const auto take = [&askers](std::vector<Waiter>& from) {
      askers.insert(askers.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
      from.clear();
    };
    for (; !flights_.empty(); flights_.pop_front(), ++first_flight_number_) take(flights_.front().waiters);
    take(waiting_);
    pending_.clear();
    Task<void> rebuilding = owner_.rebuild();
    co_await rebuilding;
    is_losing_ = false;
    for (Waiter& asker : askers) owner_.on_lost(std::move(asker), why);
    if (!pending_.empty()) flush_soon();
    quiet_maybe();
  }

  Scheduler& scheduler_;
  Owner& owner_;
  std::vector<Record> pending_;  // applied, not yet on their way
  std::vector<Waiter> waiting_;  // for pending_
  RingQueue<Flight> flights_;    // oldest first
  uint64_t first_flight_number_ = 0;
  size_t flying_count_ = 0;  // of flights_: those that have not ended
  bool flush_is_due_ = false;
  bool is_losing_ = false;        // from the first failure until the state is there again
  std::shared_ptr<Event> quiet_;  // set when nothing is pending or under way; null: nobody waits for that
};

}  // namespace leat
