// run_on_test.cpp: results, errors and cancellation of awaited work, in the seeded order of the manual scheduler.
#include "net/loop/run_on.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "net/loop/task.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

namespace leat {
namespace {

Task<void> double_on_worker(Scheduler& scheduler, int value, std::vector<int>& into) {
  auto work = [value] { return value * 2; };
  const Result<int> doubled = co_await run_on(scheduler, WorkQueue::kCpu, std::move(work));
  into.push_back(doubled ? *doubled : -1);
}

Task<void> fail_on_worker(Scheduler& scheduler, std::string& into) {
  auto work = []() -> Result<int> { return fail(Errc::kIo, "no disk"); };
  const Result<int> outcome = co_await run_on(scheduler, WorkQueue::kRead, std::move(work));
  into = outcome ? "fine" : outcome.error().context;
}

Task<void> move_only_on_worker(Scheduler& scheduler, std::unique_ptr<int> value, int& into) {
  auto work = [moved = std::move(value), &into] { into = *moved; };
  const Result<void> outcome = co_await run_on(scheduler, WorkQueue::kSync, std::move(work));
  if (!outcome) into = -1;
}

TEST_CASE("run_on: brings the callable's value, error or nothing", "[loop]") {
  ManualScheduler scheduler;
  std::vector<int> doubled;
  std::string failure;
  int moved = 0;
  spawn(double_on_worker(scheduler, 21, doubled));
  spawn(fail_on_worker(scheduler, failure));
  spawn(move_only_on_worker(scheduler, std::make_unique<int>(5), moved));
  scheduler.run_until_idle();
  REQUIRE(doubled == std::vector<int>{42});
  REQUIRE(failure == "no disk");
  REQUIRE(moved == 5);
}

TEST_CASE("run_on: work that a shutdown finds waiting comes back cancelled", "[loop]") {
  ManualScheduler scheduler(JobMode::kOnDemand);
  std::vector<int> doubled;
  spawn(double_on_worker(scheduler, 1, doubled));
  REQUIRE(scheduler.jobs_waiting() == 1);
  scheduler.cancel_jobs();
  scheduler.run_until_idle();
  REQUIRE(doubled == std::vector<int>{-1});
  spawn(double_on_worker(scheduler, 1, doubled));  // and so does later work
  scheduler.run_until_idle();
  REQUIRE(doubled == std::vector<int>{-1, -1});
}

std::vector<int> completion_order(uint64_t seed) {
  ManualScheduler scheduler(JobMode::kAutomatic, seed);
  std::vector<int> order;
  for (int i = 0; i < 8; ++i) spawn(double_on_worker(scheduler, i, order));
  scheduler.run_until_idle();
  return order;
}

TEST_CASE("manual scheduler: a seed replays its order, seeds differ", "[loop]") {
  std::set<std::vector<int>> orders;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    REQUIRE(completion_order(seed) == completion_order(seed));
    orders.insert(completion_order(seed));
  }
  REQUIRE(orders.size() > 5);
}

}  // namespace
}  // namespace leat
