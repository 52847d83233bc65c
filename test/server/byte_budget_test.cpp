// byte_budget_test.cpp: the order in which a budget is given out.
#include "server/byte_budget.h"

#include <optional>
#include <vector>

#include "net/loop/task.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

using namespace leat;

namespace {
Task<void> hold(ByteBudget* budget, size_t bytes, int name, std::vector<int>* order,
                std::vector<std::optional<ByteBudget::Grant>>* held) {
  ByteBudget::Grant grant = co_await budget->acquire(bytes);
  order->push_back(name);
  (*held)[static_cast<size_t>(name)].emplace(std::move(grant));
}
}  // namespace

TEST_CASE("byte budget: granted in order of asking; a small claim does not overtake a large one", "[server][budget]") {
  ManualScheduler scheduler;
  ByteBudget budget(scheduler, 100);
  std::vector<int> order;
  std::vector<std::optional<ByteBudget::Grant>> held(4);
  spawn(hold(&budget, 60, 0, &order, &held));
  spawn(hold(&budget, 60, 1, &order, &held));
  spawn(hold(&budget, 10, 2, &order, &held));
  scheduler.run_until_idle();
  CHECK(order == std::vector<int>{0});
  CHECK(budget.waiting() == 2);
  held[0].reset();
  scheduler.run_until_idle();
  CHECK(order == std::vector<int>{0, 1, 2});
  CHECK(budget.bytes_used() == 70);
}

TEST_CASE("byte budget: a claim above the whole budget is granted when it is alone", "[server][budget]") {
  ManualScheduler scheduler;
  ByteBudget budget(scheduler, 100);
  std::vector<int> order;
  std::vector<std::optional<ByteBudget::Grant>> held(4);
  spawn(hold(&budget, 1, 0, &order, &held));
  spawn(hold(&budget, 1000, 1, &order, &held));
  spawn(hold(&budget, 1, 2, &order, &held));
  scheduler.run_until_idle();
  CHECK(order == std::vector<int>{0});
  held[0].reset();
  scheduler.run_until_idle();
  CHECK(order == std::vector<int>{0, 1});
  CHECK(budget.bytes_free() == 0);
  held[1].reset();
  scheduler.run_until_idle();
  CHECK(order == std::vector<int>{0, 1, 2});
}
