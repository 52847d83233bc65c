// event_test.cpp: waking exactly once, through the ready queue, by whichever of set, timeout and cancel comes first.
#include "net/loop/event.h"

#include <memory>
#include <optional>
#include <vector>

#include "net/loop/task.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

namespace leat {
namespace {

Task<void> wait_and_note(Event& event, std::optional<Millis> timeout, std::vector<Woken>& woken) {
  const Woken result = timeout ? co_await event.wait_for(*timeout) : co_await event.wait();
  woken.push_back(result);
}

TEST_CASE("event: set wakes every waiter, not inside set", "[loop]") {
  ManualScheduler scheduler;
  Event event(scheduler);
  std::vector<Woken> woken;
  for (int i = 0; i < 3; ++i) spawn(wait_and_note(event, std::nullopt, woken));
  REQUIRE(event.waiting() == 3);
  event.set();
  REQUIRE(woken.empty());
  scheduler.run_until_idle();
  REQUIRE(woken == std::vector<Woken>(3, Woken::kSet));
  spawn(wait_and_note(event, Millis(1), woken));  // set before: no wait at all
  REQUIRE(woken.size() == 4);
  REQUIRE(scheduler.timer_count() == 0);
}

TEST_CASE("event: a timeout wakes once, a later set does not wake again", "[loop]") {
  ManualScheduler scheduler;
  Event event(scheduler);
  std::vector<Woken> woken;
  spawn(wait_and_note(event, Millis(10), woken));
  spawn(wait_and_note(event, Millis(20), woken));
  scheduler.advance(Millis(10));
  REQUIRE(woken == std::vector<Woken>{Woken::kTimedOut});
  event.set();
  scheduler.advance(Millis(100));
  REQUIRE(woken == std::vector<Woken>{Woken::kTimedOut, Woken::kSet});
}

TEST_CASE("event: set and timeout in the same instant wake once", "[loop]") {
  ManualScheduler scheduler;
  Event event(scheduler);
  std::vector<Woken> woken;
  spawn(wait_and_note(event, Millis(10), woken));
  scheduler.timers().start(Millis(10), [&event] { event.set(); });  // fires after the waiter's own timer
  scheduler.advance(Millis(10));
  REQUIRE(woken == std::vector<Woken>{Woken::kTimedOut});
}

TEST_CASE("event: destroying it cancels who waits", "[loop]") {
  ManualScheduler scheduler;
  auto event = std::make_unique<Event>(scheduler);
  std::vector<Woken> woken;
  spawn(wait_and_note(*event, Millis(10), woken));
  event.reset();
  scheduler.run_until_idle();
  REQUIRE(woken == std::vector<Woken>{Woken::kCancelled});
  REQUIRE(scheduler.timer_count() == 0);
}

Task<void> set_before_awaiting(Event& event, std::vector<Woken>& woken) {
  auto wait = event.wait();
  event.set();
  woken.push_back(co_await wait);
}

TEST_CASE("event: set between making the wait and awaiting it is not lost", "[loop]") {
  ManualScheduler scheduler;
  Event event(scheduler);
  std::vector<Woken> woken;
  spawn(set_before_awaiting(event, woken));
  REQUIRE(woken == std::vector<Woken>{Woken::kSet});
}

TEST_CASE("event: sleep_for wakes at its time", "[loop]") {
  ManualScheduler scheduler;
  bool awake = false;
  struct Sleeper {
    static Task<void> run(ManualScheduler& on, bool& flag) {
      co_await sleep_for(on, Millis(50));
      flag = true;
    }
  };
  spawn(Sleeper::run(scheduler, awake));
  scheduler.advance(Millis(49));
  REQUIRE_FALSE(awake);
  scheduler.advance(Millis(1));
  REQUIRE(awake);
}

Task<void> take_value(OneShot<std::unique_ptr<int>>& shot, int& into) {
  const Woken woken = co_await shot.wait();
  if (woken == Woken::kSet) into = *shot.value();
}

TEST_CASE("one shot: brings its value, the first one counts", "[loop]") {
  ManualScheduler scheduler;
  OneShot<std::unique_ptr<int>> shot(scheduler);
  int got = 0;
  spawn(take_value(shot, got));
  shot.set(std::make_unique<int>(7));
  shot.set(std::make_unique<int>(8));
  scheduler.run_until_idle();
  REQUIRE(got == 7);
}

}  // namespace
}  // namespace leat
