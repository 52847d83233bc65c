// admin_desk_test.cpp: questions from another thread to a loop that answers, that does not, and that is about to end.
// With a broker behind it: test/conformance/cases_metrics.py.
#include "server/admin_desk.h"

#include <optional>
#include <thread>

#include "net/loop/uv_loop.h"
#include "test/support/catch.h"

namespace leat {
namespace {

AdminDesk::Parts parts_of(UvLoop& loop, Millis wait_max) {
  return {.scheduler = loop,
          .server = nullptr,
          .started_at = Nanos(0),
          .version = "1.2.3",
          .partitions_max = 10,
          .answer_within_max = wait_max,
          .metrics_within_max = wait_max};
}

constexpr Millis kLong{60'000};

Task<void> close_and_stop(AdminDesk* desk, UvLoop* loop) {
  (void)co_await desk->close();
  loop->stop();
}

TEST_CASE("admin desk: a loop that does not answer gives nothing, in time", "[admin]") {
  const SystemClock clock;
  UvLoop loop(clock, {});
  AdminDesk desk(parts_of(loop, Millis(5)));
  CHECK(desk.metrics() == nullptr);
  CHECK_FALSE(desk.readiness().has_value());
  loop.call_soon([&] { spawn(close_and_stop(&desk, &loop)); });
  loop.run();  // takes up what was asked, too late, and answers nobody
}

TEST_CASE("admin desk: what is asked from another thread, before there is a broker and after", "[admin]") {
  const SystemClock clock;
  UvLoop loop(clock, {});
  AdminDesk desk(parts_of(loop, kLong));
  std::thread running([&loop] { loop.run(); });

  std::optional<Readiness> readiness = desk.readiness();
  REQUIRE(readiness);
  CHECK_FALSE(readiness->ready);
  CHECK(readiness->reason == "starting");
  desk.probe_loop();
  const std::shared_ptr<const MetricsSnapshot> snapshot = desk.metrics();
  REQUIRE(snapshot != nullptr);
  CHECK(snapshot->version == "1.2.3");
  CHECK_FALSE(snapshot->ready);
  CHECK_FALSE(snapshot->directory.has_value());
  CHECK(snapshot->loop_lag.count() == 1);

  loop.post([&] { desk.set_state(AdminDesk::State::kStopping); });
  readiness = desk.readiness();
  REQUIRE(readiness);
  CHECK(readiness->reason == "stopping");

  loop.post([&] { spawn(close_and_stop(&desk, &loop)); });
  running.join();
  CHECK(desk.metrics() == nullptr);  // at once, not after a minute
  CHECK_FALSE(desk.readiness().has_value());
}

}  // namespace
}  // namespace leat
