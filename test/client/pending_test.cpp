// pending_test.cpp: an answer on its way is taken once, in any of the three ways, whichever comes first.
#include <leat/pending.h>
#include <leat/task.h>

#include <string>
#include <thread>

#include "client/loop_executor.h"
#include "net/loop/loop_thread.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

namespace leat::test {
namespace {

using client::Cause;
using client::Pending;
using client::Task;
using client::detail::LoopExecutor;
using client::detail::PendingState;
using State = PendingState<std::string>;

client::detail::DetachedTask take(Pending<std::string> pending, std::string* into) {
  client::Result<std::string> answer = co_await pending;
  *into = answer ? *answer : answer.error().message();
}

}  // namespace

TEST_CASE("pending: a coroutine, before and after the answer", "[client]") {
  ManualScheduler scheduler;
  auto executor = std::make_shared<LoopExecutor>(scheduler, [] { return true; });
  auto early = std::make_shared<State>(executor);
  std::string got;
  take(Pending<std::string>(early), &got);
  early->complete(std::string("one"));
  CHECK(got.empty());  // never inside the call
  scheduler.run_until_idle();
  CHECK(got == "one");
  auto late = std::make_shared<State>(executor);
  late->complete(client::Error(Cause::kClosed, "over"));
  late->complete(std::string("too late"));
  take(Pending<std::string>(late), &got);
  CHECK(got == "over");
}

TEST_CASE("pending: a callback, before and after the answer", "[client]") {
  ManualScheduler scheduler;
  auto executor = std::make_shared<LoopExecutor>(scheduler, [] { return true; });
  int calls = 0;
  for (const bool answer_first : {true, false}) {
    auto state = std::make_shared<State>(executor);
    if (answer_first) state->complete(std::string("x"));
    Pending<std::string>(state).then([&calls](client::Result<std::string> answer) {
      REQUIRE(answer);
      ++calls;
    });
    if (!answer_first) state->complete(std::string("x"));
    const int before = calls;
    scheduler.run_until_idle();
    CHECK(calls == before + 1);
  }
}

TEST_CASE("pending: nobody takes the answer", "[client]") {
  ManualScheduler scheduler;
  auto executor = std::make_shared<LoopExecutor>(scheduler, [] { return true; });
  auto state = std::make_shared<State>(executor);
  { const Pending<std::string> dropped(state); }
  state->complete(std::string("x"));
  scheduler.run_until_idle();
  CHECK(state->is_done());
}

TEST_CASE("pending: when the loop is gone things run where they are given", "[client]") {
  ManualScheduler scheduler;
  auto executor = std::make_shared<LoopExecutor>(scheduler, [] { return true; });
  auto state = std::make_shared<State>(executor);
  std::string got;
  take(Pending<std::string>(state), &got);
  executor->detach();
  state->complete(std::string("x"));
  CHECK(got == "x");
}

TEST_CASE("pending: a thread waits for what the loop's thread answers", "[client]") {
  const SystemClock clock;
  LoopThread loop(clock, {});
  auto executor = std::make_shared<LoopExecutor>(loop.loop(), [&loop] { return loop.is_current(); });
  for (int i = 0; i < 100; ++i) {
    auto state = std::make_shared<State>(executor);
    executor->call_soon([state] { state->complete(std::string("x")); });
    CHECK(*Pending<std::string>(state).wait() == "x");
  }
  bool in_loop = false;
  client::detail::run_in_loop(*executor, [&] { in_loop = loop.is_current(); });
  CHECK(in_loop);
}

}  // namespace leat::test
