// gate_test.cpp: close waits for all holds and lets nobody in.
#include "net/loop/gate.h"

#include <optional>

#include "net/loop/task.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

namespace leat {
namespace {

Task<void> close_gate(Gate& gate, bool& closed) {
  (void)co_await gate.close();
  closed = true;
}

TEST_CASE("gate: close waits until the last hold is gone", "[loop]") {
  ManualScheduler scheduler;
  Gate gate(scheduler);
  std::optional<Gate::Hold> first = gate.try_enter();
  std::optional<Gate::Hold> second = gate.try_enter();
  REQUIRE(gate.count() == 2);
  bool closed = false;
  spawn(close_gate(gate, closed));
  REQUIRE_FALSE(gate.try_enter());
  first.reset();
  scheduler.run_until_idle();
  REQUIRE_FALSE(closed);
  std::optional<Gate::Hold> moved = std::move(second);
  second.reset();
  scheduler.run_until_idle();
  REQUIRE_FALSE(closed);
  moved.reset();
  scheduler.run_until_idle();
  REQUIRE(closed);
}

TEST_CASE("gate: closing an empty gate does not wait, again is fine", "[loop]") {
  ManualScheduler scheduler;
  Gate gate(scheduler);
  for (int i = 0; i < 2; ++i) {
    bool closed = false;
    spawn(close_gate(gate, closed));
    REQUIRE(closed);
  }
}

}  // namespace
}  // namespace leat
