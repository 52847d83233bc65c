// append_lane_test.cpp: order, grouping, reports, refusals and failures of the append lane, on a fake log and a manual
// scheduler.
#include "server/append_lane.h"

#include <string>

#include "core/record/batch_builder.h"
#include "test/server/fake_partition_log.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

using namespace leat;
using leat::test::FakePartitionLog;

namespace {

Slice batch_of(std::string_view value, int records = 1, Codec codec = Codec::kNone) {
  BatchOptions options;
  options.codec = codec;
  BatchBuilder builder(options);
  for (int i = 0; i < records; ++i) builder.append(text_record("key", value, 1'700'000'000'000));
  Result<Slice> batch = builder.finish();
  REQUIRE(batch.has_value());
  return *batch;
}

Slice large_batch(char fill) { return batch_of(std::string(kValidateInlineBytesMax + 1, fill)); }

Slice broken_large_batch() {
  Slice batch = large_batch('x');
  batch.unpublished()[batch.size() - 1] ^= 0xff;  // the CRC no longer matches
  return batch;
}

class CountingWatch final : public PartitionWatch {
 public:
  void on_partition_event(const PartitionEvent& event) noexcept override {
    if (event.change == PartitionChange::kHighWatermark) {
      ++high_watermarks;
      visible_bytes += event.visible_bytes;
    }
  }
  int high_watermarks = 0;
  int64_t visible_bytes = 0;
};

struct Fixture {
  explicit Fixture(FlushPolicy flush = FlushPolicy::kCommit, JobMode mode = JobMode::kOnDemand,
                   LaneOptions options = {})
      : scheduler(mode),
        starter(scheduler),
        log({"topic", 0}, flush),
        lane(scheduler, starter, log, waiters, options) {}
  ~Fixture() {
    waiters.notify({PartitionChange::kGone, 0});
    scheduler.run_until_idle();
    scheduler.run_jobs();
  }

  std::shared_ptr<AppendGroup> submit(Slice records, Acks acks = Acks::kAll) {
    auto group = std::make_shared<AppendGroup>(scheduler, 1, acks);
    ValidationRules rules;
    rules.message_bytes_max = 2 << 20;  // a large batch is one of more than the default
    lane.submit(std::move(records), rules, group, 0);
    return group;
  }

  ManualScheduler scheduler;
  LaneStarter starter;
  FakePartitionLog log;
  WaiterList waiters;
  AppendLane lane;
};

bool done(const std::shared_ptr<AppendGroup>& group) { return group->outcomes[0].finished; }

// What workers post comes when the test says so: a job's done() may be taken up before it.
class LatePosts final : public Scheduler {
 public:
  explicit LatePosts(ManualScheduler& inner) noexcept : inner_(inner) {}
  const Clock& clock() const noexcept override { return inner_.clock(); }
  Timers& timers() noexcept override { return inner_.timers(); }
  Workers& workers() noexcept override { return inner_.workers(); }
  void resume_soon(std::coroutine_handle<> coroutine) override { inner_.resume_soon(coroutine); }
  void call_soon(std::function<void()> action) override { inner_.call_soon(std::move(action)); }
  void before_poll(std::function<void()> action) override { inner_.before_poll(std::move(action)); }
  void post(std::function<void()> action) override { posted.push_back(std::move(action)); }

  std::vector<std::function<void()>> posted;

 private:
  ManualScheduler& inner_;
};

}  // namespace

TEST_CASE("append lane: requests of one turn form one job, in order of arrival", "[server][lane]") {
  Fixture f;
  const auto first = f.submit(batch_of("a"));
  const auto second = f.submit(batch_of("b", 3));
  const auto third = f.submit(batch_of("c"));
  f.scheduler.run_until_idle();
  REQUIRE(f.scheduler.jobs_waiting() == 1);
  f.scheduler.run_jobs();
  CHECK(f.log.groups == std::vector<size_t>{3});
  CHECK(first->outcomes[0].base_offset == Offset(0));
  CHECK(second->outcomes[0].base_offset == Offset(1));
  CHECK(third->outcomes[0].base_offset == Offset(4));
  CHECK(f.lane.queued_bytes() == 0);
  CHECK(f.lane.idle());
}

TEST_CASE("append lane: what arrives while a job is out goes into the next, one job at a time", "[server][lane]") {
  Fixture f;
  const auto first = f.submit(batch_of("a"));
  f.scheduler.run_until_idle();
  const auto second = f.submit(batch_of("b"));
  const auto third = f.submit(batch_of("c"));
  f.scheduler.run_until_idle();
  CHECK(f.scheduler.jobs_waiting() == 1);
  REQUIRE(f.scheduler.run_job());
  CHECK(done(first));
  CHECK_FALSE(done(second));
  f.scheduler.run_jobs();
  CHECK(f.log.groups == std::vector<size_t>{1, 2});
  CHECK(done(third));
}

TEST_CASE("append lane: a large batch is validated by a worker and keeps its place", "[server][lane]") {
  Fixture f;
  const auto large = f.submit(large_batch('x'));
  const auto small = f.submit(batch_of("after"));
  f.scheduler.run_until_idle();
  REQUIRE(f.scheduler.jobs_waiting() == 1);  // the validation: the small one may not overtake
  CHECK(f.log.groups.empty());
  f.scheduler.run_jobs();
  CHECK(large->outcomes[0].base_offset == Offset(0));
  CHECK(small->outcomes[0].base_offset == Offset(1));
}

TEST_CASE("append lane: a refused batch holds up nobody behind it", "[server][lane]") {
  Fixture f;
  const auto broken = f.submit(broken_large_batch());
  const auto good = f.submit(batch_of("good"));
  f.scheduler.run_until_idle();
  f.scheduler.run_jobs();
  REQUIRE(broken->outcomes[0].error.has_value());
  CHECK(broken->outcomes[0].error->code == Errc::kCorruptBatch);
  CHECK(good->outcomes[0].base_offset == Offset(0));
  CHECK(f.lane.queued_bytes() == 0);
}

TEST_CASE("append lane: a small refused batch is answered at once", "[server][lane]") {
  Fixture f;
  const auto nothing = f.submit(Slice::copy_of(as_bytes("nonsense")));
  CHECK(done(nothing));
  CHECK(nothing->outcomes[0].error.has_value());
  CHECK(f.lane.idle());
}

TEST_CASE("append lane: a small compressed batch that swells goes to a worker", "[server][lane]") {
  Fixture f;
  const Slice swelling = batch_of(std::string(1 << 20, 'z'), 1, Codec::kZstd);
  REQUIRE(swelling.size() <= kValidateInlineCompressedBytesMax);
  const auto group = f.submit(swelling);
  f.scheduler.run_until_idle();
  CHECK(f.log.groups.empty());
  CHECK(f.scheduler.jobs_waiting() == 1);
  f.scheduler.run_jobs();
  CHECK_FALSE(group->outcomes[0].error.has_value());
}

TEST_CASE("append lane: acks=1 is answered when written, acks=all when durable", "[server][lane]") {
  Fixture f(FlushPolicy::kCommit);
  CountingWatch watch;
  f.waiters.add(watch);
  const auto one = f.submit(batch_of("a"), Acks::kLeader);
  const auto all = f.submit(batch_of("b"), Acks::kAll);
  f.scheduler.run_until_idle();
  f.scheduler.run_jobs();
  CHECK(done(one));
  CHECK(done(all));
  CHECK(f.log.offsets().high_watermark == Offset(2));
  CHECK(watch.high_watermarks == 1);
  CHECK(watch.visible_bytes == static_cast<int64_t>(batch_of("a").size() + batch_of("b").size()));
}

TEST_CASE("append lane: what a worker posted may come when the lane is gone", "[server][lane]") {
  ManualScheduler inner(JobMode::kOnDemand);
  LatePosts scheduler(inner);
  LaneStarter starter(scheduler);
  FakePartitionLog log({"topic", 0}, FlushPolicy::kCommit);
  WaiterList waiters;
  auto lane = std::make_unique<AppendLane>(scheduler, starter, log, waiters, LaneOptions{});
  const auto group = std::make_shared<AppendGroup>(scheduler, 1, Acks::kLeader);
  lane->submit(batch_of("a"), ValidationRules{}, group, 0);
  inner.run_until_idle();
  inner.run_jobs();
  REQUIRE(scheduler.posted.size() == 1);  // that it is written
  CHECK(done(group));
  CHECK(lane->idle());
  lane.reset();
  for (const auto& action : scheduler.posted) action();
  CHECK(log.offsets().high_watermark == Offset(1));
}

TEST_CASE("append lane: a failed write answers all of its job, and later slots go on", "[server][lane]") {
  Fixture f;
  f.log.fault = FakePartitionLog::Fault::kWriteFails;
  const auto one = f.submit(batch_of("a"), Acks::kLeader);
  const auto all = f.submit(batch_of("b"), Acks::kAll);
  f.scheduler.run_until_idle();
  const auto later = f.submit(batch_of("c"));
  f.scheduler.run_jobs();
  CHECK(one->outcomes[0].error->code == Errc::kNoSpace);
  CHECK(all->outcomes[0].error->code == Errc::kNoSpace);
  CHECK_FALSE(later->outcomes[0].error.has_value());
  CHECK(later->outcomes[0].base_offset == Offset(0));
}

TEST_CASE("append lane: after a failed sync nothing is acknowledged any more", "[server][lane]") {
  Fixture f;
  CountingWatch watch;
  f.waiters.add(watch);
  f.log.fault = FakePartitionLog::Fault::kSyncFails;
  const auto first = f.submit(batch_of("a"));
  f.scheduler.run_until_idle();
  const auto second = f.submit(batch_of("b"));
  f.scheduler.run_jobs();
  CHECK(first->outcomes[0].error->code == Errc::kOffline);
  CHECK(second->outcomes[0].error->code == Errc::kOffline);
  CHECK(f.log.offsets().high_watermark == Offset(0));
  CHECK(watch.high_watermarks == 0);
  CHECK(f.lane.idle());
}

TEST_CASE("append lane: a log that must roll takes a part, the rest follows", "[server][lane]") {
  Fixture f;
  f.log.batches_per_append = 2;
  std::vector<std::shared_ptr<AppendGroup>> groups;
  for (int i = 0; i < 5; ++i) groups.push_back(f.submit(batch_of("v")));
  f.scheduler.run_until_idle();
  f.scheduler.run_jobs();
  CHECK(f.log.groups == std::vector<size_t>{2, 2, 1});
  for (size_t i = 0; i < groups.size(); ++i)
    CHECK(groups[i]->outcomes[0].base_offset == Offset(static_cast<int64_t>(i)));
  CHECK(f.lane.queued_bytes() == 0);
}

TEST_CASE("append lane: closing answers what is queued, waits for what is out", "[server][lane]") {
  Fixture f;
  const auto flying = f.submit(batch_of("a"));
  f.scheduler.run_until_idle();
  const auto validating = f.submit(large_batch('y'));
  const auto queued = f.submit(batch_of("b"));
  int drained = 0;
  f.lane.close(Error(Errc::kNotFound, "deleted"), [&drained] { ++drained; });
  CHECK(queued->outcomes[0].error->code == Errc::kNotFound);
  CHECK(validating->outcomes[0].error->code == Errc::kNotFound);
  CHECK_FALSE(done(flying));
  f.scheduler.run_until_idle();
  CHECK(drained == 0);
  f.scheduler.run_jobs();
  CHECK(drained == 1);
  CHECK_FALSE(flying->outcomes[0].error.has_value());
  CHECK(f.submit(batch_of("late"))->outcomes[0].error->code == Errc::kNotFound);
}

TEST_CASE("append lane: draining appends what is queued first", "[server][lane]") {
  Fixture f;
  const auto queued = f.submit(large_batch('y'));
  int drained = 0;
  f.lane.drain(Error(Errc::kCancelled, "shutting down"), [&drained] { ++drained; });
  CHECK(f.submit(batch_of("late"))->outcomes[0].error->code == Errc::kCancelled);
  f.scheduler.run_until_idle();
  f.scheduler.run_jobs();
  CHECK(drained == 1);
  CHECK_FALSE(queued->outcomes[0].error.has_value());
}

TEST_CASE("append lane: a pool that shuts down cancels, and everybody hears of it", "[server][lane]") {
  Fixture f;
  const auto flying = f.submit(batch_of("a"));
  f.scheduler.run_until_idle();
  const auto queued = f.submit(batch_of("b"));
  f.scheduler.cancel_jobs();
  f.scheduler.run_until_idle();
  CHECK(flying->outcomes[0].error->code == Errc::kCancelled);
  CHECK(queued->outcomes[0].error->code == Errc::kCancelled);
}

TEST_CASE("append lane: small appends without a sync may be written on the loop", "[server][lane]") {
  const ManualClock clock;
  InlineWrites inline_writes(clock, 4096);
  Fixture f(FlushPolicy::kNone, JobMode::kOnDemand, LaneOptions{.inline_writes = &inline_writes});
  const auto group = f.submit(batch_of("a"));
  f.scheduler.run_until_idle();
  CHECK(f.scheduler.jobs_waiting() == 0);
  CHECK(done(group));
  CHECK(f.log.offsets().high_watermark == Offset(1));
  const auto large = f.submit(batch_of(std::string(8192, 'x')));
  f.scheduler.run_until_idle();
  CHECK_FALSE(done(large));
  f.scheduler.run_jobs();
  CHECK(done(large));
}

TEST_CASE("append lane: after a slow write on the loop workers write, until the bar is lifted", "[server][lane]") {
  ManualClock clock;
  InlineWrites inline_writes(clock, 4096);
  Fixture f(FlushPolicy::kNone, JobMode::kOnDemand, LaneOptions{.inline_writes = &inline_writes});
  f.log.on_write = [&f] { f.scheduler.manual_clock().advance(InlineWrites::kStall); };
  const auto slow = f.submit(batch_of("a"));
  f.scheduler.run_until_idle();
  CHECK(done(slow));
  const auto by_worker = f.submit(batch_of("b"));
  f.scheduler.run_until_idle();
  CHECK_FALSE(done(by_worker));
  f.scheduler.run_jobs();
  CHECK(done(by_worker));
  clock.advance(InlineWrites::kBarredMin);
  const auto by_loop = f.submit(batch_of("c"));
  f.scheduler.run_until_idle();
  CHECK(done(by_loop));
  CHECK(f.log.offsets().high_watermark == Offset(3));
}

namespace {
// A lane under commit that writes small appends on the loop.
struct PipelineFixture {
  ManualClock clock;
  InlineWrites inline_writes{clock, 4096};
  Fixture f{FlushPolicy::kCommit, JobMode::kOnDemand, LaneOptions{.inline_writes = &inline_writes}};

  std::shared_ptr<AppendGroup> submit(std::string_view text, Acks acks = Acks::kAll) {
    auto group = f.submit(batch_of(text), acks);
    f.scheduler.run_until_idle();
    return group;
  }
};
}  // namespace

TEST_CASE("append lane: small appends are written by the loop and synced by a worker", "[server][lane]") {
  PipelineFixture p;
  const auto one = p.submit("a", Acks::kLeader);
  const auto all = p.submit("b");
  CHECK(done(one));  // written
  CHECK_FALSE(done(all));
  CHECK(p.f.log.offsets().log_end == Offset(2));
  CHECK(p.f.log.offsets().high_watermark == Offset(0));
  CHECK(p.f.lane.queued_bytes() > 0);
  CHECK_FALSE(p.f.lane.idle());
  p.f.scheduler.run_jobs();
  CHECK(done(all));
  CHECK(p.f.log.offsets().high_watermark == Offset(2));
  CHECK(p.f.lane.queued_bytes() == 0);
  CHECK(p.f.lane.idle());
}

TEST_CASE("append lane: one sync covers all that was written before it began", "[server][lane]") {
  PipelineFixture p;
  CountingWatch watch;
  p.f.waiters.add(watch);
  std::vector<std::shared_ptr<AppendGroup>> groups;
  for (int i = 0; i < 5; ++i) groups.push_back(p.submit("x"));
  CHECK(p.f.log.groups == std::vector<size_t>{1, 1, 1, 1, 1});
  CHECK(p.f.scheduler.jobs_waiting() == 1);
  p.f.scheduler.run_jobs();
  CHECK(p.f.log.syncs == 1);
  CHECK(watch.high_watermarks == 1);
  for (int i = 0; i < 5; ++i) CHECK(groups[static_cast<size_t>(i)]->outcomes[0].base_offset == Offset(i));
}

TEST_CASE("append lane: an append that is not plain waits for the syncs before it", "[server][lane]") {
  PipelineFixture p;
  const auto first = p.submit("a");
  p.f.log.appends_are_plain = false;  // a roll, perhaps
  const auto second = p.submit("b");
  const auto third = p.submit("c");
  CHECK(p.f.log.offsets().log_end == Offset(1));  // not written yet
  CHECK(p.f.scheduler.jobs_waiting() == 1);
  p.f.scheduler.run_jobs();
  CHECK(done(first));
  CHECK(done(second));
  CHECK(done(third));
  CHECK(third->outcomes[0].base_offset == Offset(2));
  CHECK(p.f.lane.idle());
}

TEST_CASE("append lane: a failed sync fails all that it covered, and all behind it", "[server][lane]") {
  PipelineFixture p;
  const auto covered = p.submit("a");
  p.f.log.fault = FakePartitionLog::Fault::kSyncFails;
  const auto failing = p.submit("b");
  p.f.log.appends_are_plain = false;
  const auto held = p.submit("c");
  p.f.scheduler.run_jobs();
  CHECK(covered->outcomes[0].error->code == Errc::kOffline);
  CHECK(failing->outcomes[0].error->code == Errc::kOffline);
  CHECK(held->outcomes[0].error->code == Errc::kOffline);
  CHECK(p.f.log.offsets().high_watermark == Offset(0));
  CHECK(p.f.lane.idle());
}

TEST_CASE("append lane: a failed write on the loop leaves the syncs before it alone", "[server][lane]") {
  PipelineFixture p;
  const auto first = p.submit("a");
  p.f.log.fault = FakePartitionLog::Fault::kWriteFails;
  const auto failing = p.submit("b");
  CHECK(failing->outcomes[0].error->code == Errc::kNoSpace);
  const auto third = p.submit("c");
  p.f.scheduler.run_jobs();
  CHECK_FALSE(first->outcomes[0].error.has_value());
  CHECK(third->outcomes[0].base_offset == Offset(1));
}

TEST_CASE("append lane: a shutdown cancels what waits for its sync", "[server][lane]") {
  PipelineFixture p;
  const auto written = p.submit("a");
  p.f.log.appends_are_plain = false;
  const auto held = p.submit("b");
  const auto queued = p.submit("c");
  p.f.scheduler.cancel_jobs();
  p.f.scheduler.run_until_idle();
  CHECK(written->outcomes[0].error->code == Errc::kCancelled);
  CHECK(held->outcomes[0].error->code == Errc::kCancelled);
  CHECK(queued->outcomes[0].error->code == Errc::kCancelled);
  CHECK(p.f.lane.queued_bytes() == 0);
}

TEST_CASE("append lane: draining waits for the syncs", "[server][lane]") {
  PipelineFixture p;
  const auto group = p.submit("a");
  bool drained = false;
  p.f.lane.drain(Error(Errc::kCancelled, "stop"), [&drained] { drained = true; });
  p.f.scheduler.run_until_idle();
  CHECK_FALSE(drained);
  p.f.scheduler.run_jobs();
  p.f.scheduler.run_until_idle();
  CHECK(done(group));
  CHECK(drained);
}

namespace {
Task<void> wait_for(std::shared_ptr<AppendGroup> group, int* woken) {
  co_await group->finished();
  ++*woken;
}
}  // namespace

TEST_CASE("append group: the asker is woken once, by the last outcome or by its deadline", "[server][lane]") {
  Fixture f;
  AppendDeadlines deadlines(f.scheduler);
  auto group = std::make_shared<AppendGroup>(f.scheduler, 2, Acks::kAll);
  f.lane.submit(batch_of("a"), ValidationRules{}, group, 0);
  f.lane.submit(batch_of("b"), ValidationRules{}, group, 1);
  deadlines.add(*group, Millis(1000));
  int woken = 0;
  spawn(wait_for(group, &woken));
  SECTION("by the last outcome") {
    f.scheduler.run_until_idle();
    CHECK(woken == 0);
    f.scheduler.run_jobs();
    f.scheduler.run_until_idle();
    CHECK(woken == 1);
    f.scheduler.advance(Millis(5000));
    CHECK(woken == 1);
    CHECK(f.scheduler.timer_count() == 0);  // nobody waits: the sweep does not run on
  }
  SECTION("by its deadline, when the disk hangs") {
    f.scheduler.advance(Millis(900));
    CHECK(woken == 0);
    f.scheduler.advance(Millis(500));
    CHECK(woken == 1);
    CHECK_FALSE(group->outcomes[0].finished);
    f.scheduler.run_jobs();  // the late outcome disturbs nobody
    CHECK_FALSE(group->outcomes[0].finished);
  }
}

TEST_CASE("append lane: six producers keep their own orders", "[server][lane]") {
  Fixture f(FlushPolicy::kCommit, JobMode::kOnDemand);
  SeededRandom random(7);
  struct Producer {
    std::vector<std::shared_ptr<AppendGroup>> sent;
  };
  std::vector<Producer> producers(6);
  for (int round = 0; round < 400; ++round) {
    Producer& producer = producers[random.below(producers.size())];
    producer.sent.push_back(
        f.submit(random.one_in(20) ? large_batch('l') : batch_of("v", 1 + static_cast<int>(random.below(4)))));
    if (random.one_in(3)) f.scheduler.run_until_idle();
    if (random.one_in(4)) (void)f.scheduler.run_job();
  }
  f.scheduler.run_until_idle();
  f.scheduler.run_jobs();
  std::vector<bool> seen(static_cast<size_t>(f.log.offsets().log_end.v), false);
  for (const Producer& producer : producers) {
    Offset last = kNoOffset;
    for (const auto& group : producer.sent) {
      REQUIRE(done(group));
      REQUIRE(group->outcomes[0].base_offset > last);
      last = group->outcomes[0].base_offset;
      REQUIRE_FALSE(seen[static_cast<size_t>(last.v)]);
      seen[static_cast<size_t>(last.v)] = true;
    }
  }
  CHECK(f.log.stored.size() == 400);
}
