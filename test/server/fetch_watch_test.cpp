// fetch_watch_test.cpp: ready entries and parking: no wake-up is lost, none is for nothing.
#include "server/fetch_watch.h"

#include "net/loop/task.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

using namespace leat;

namespace {

FetchKey key(int32_t partition) { return {.topic_id = {}, .topic = "t", .partition = partition}; }

std::vector<int32_t> ready(FetchWatch& watch) {
  std::vector<int32_t> partitions;
  for (FetchEntry* entry = watch.first_ready(); entry != nullptr; entry = watch.next_ready(*entry)) {
    partitions.push_back(entry->key.partition);
  }
  return partitions;
}

Task<void> park(ManualScheduler* scheduler, FetchWatch* watch, int64_t bytes_wanted, int* woken, Woken* how) {
  Event event(*scheduler);
  *how = co_await watch->park(event, bytes_wanted, Millis(500));
  watch->end_park();
  ++*woken;
}

struct Fixture {
  ManualScheduler scheduler;
  std::vector<WaiterList> partitions{3};
  FetchWatch watch{IsolationLevel::kReadUncommitted};
  int woken = 0;
  Woken how = Woken::kCancelled;

  Fixture() {
    for (int32_t i = 0; i < 3; ++i) {
      FetchEntry& entry = watch.put(key(i), {});
      partitions[static_cast<size_t>(i)].add(entry);
      watch.set_quiet(entry);
    }
    watch.begin_look();
  }
  void park_for(int64_t bytes) { spawn(park(&scheduler, &watch, bytes, &woken, &how)); }
  void visible(int partition, int64_t bytes) {
    partitions[static_cast<size_t>(partition)].notify({PartitionChange::kHighWatermark, bytes});
    scheduler.run_until_idle();
  }
};

}  // namespace

TEST_CASE("fetch watch: an event makes its entry ready, once", "[server][fetch]") {
  Fixture f;
  f.visible(2, 10);
  f.visible(0, 10);
  f.visible(2, 10);
  CHECK(ready(f.watch) == std::vector<int32_t>{2, 0});
  f.watch.move_to_end(*f.watch.first_ready());
  CHECK(ready(f.watch) == std::vector<int32_t>{0, 2});
}

TEST_CASE("fetch watch: an event between the look and the parking ends the wait at once", "[server][fetch]") {
  Fixture f;
  f.visible(1, 10);
  f.park_for(1);
  f.scheduler.run_until_idle();
  CHECK(f.woken == 1);
  CHECK(f.how == Woken::kSet);
}

TEST_CASE("fetch watch: fewer bytes than wanted do not wake, a timer does", "[server][fetch]") {
  Fixture f;
  f.park_for(100);
  f.visible(0, 40);
  f.visible(1, 40);
  CHECK(f.woken == 0);
  SECTION("enough") {
    f.visible(2, 20);
    CHECK(f.how == Woken::kSet);
  }
  SECTION("time is over") {
    f.scheduler.advance(Millis(500));
    CHECK(f.how == Woken::kTimedOut);
  }
  CHECK(f.woken == 1);
}

TEST_CASE("fetch watch: the last stable offset wakes read_committed only", "[server][fetch]") {
  Fixture f;
  f.watch.set_isolation(IsolationLevel::kReadCommitted);
  f.park_for(1);
  f.visible(0, 1000);
  CHECK(f.woken == 0);
  f.partitions[0].notify({PartitionChange::kLastStable, 10});
  f.scheduler.run_until_idle();
  CHECK(f.woken == 1);
}

TEST_CASE("fetch watch: deleted records and deleted partitions wake whatever is wanted", "[server][fetch]") {
  const PartitionChange change = GENERATE(PartitionChange::kLogStart, PartitionChange::kGone);
  Fixture f;
  f.park_for(1'000'000);
  f.partitions[1].notify({change, 0});
  f.scheduler.run_until_idle();
  CHECK(f.woken == 1);
  CHECK(ready(f.watch) == std::vector<int32_t>{1});
}

TEST_CASE("fetch watch: a removed entry hears nothing and frees its place", "[server][fetch]") {
  Fixture f;
  f.watch.remove(key(1));
  CHECK(f.partitions[1].empty());
  f.visible(1, 10);
  CHECK(ready(f.watch).empty());
  CHECK(f.watch.size() == 2);
  f.watch.remove(key(9));  // never there
}

TEST_CASE("fetch watch: a hundred watches on one partition all wake", "[server][fetch]") {
  ManualScheduler scheduler;
  WaiterList partition;
  std::vector<std::unique_ptr<FetchWatch>> watches;
  int woken = 0;
  Woken how = Woken::kCancelled;
  for (int i = 0; i < 100; ++i) {
    watches.push_back(std::make_unique<FetchWatch>(IsolationLevel::kReadUncommitted));
    partition.add(watches.back()->put(key(0), {}));
    watches.back()->begin_look();
    spawn(park(&scheduler, watches.back().get(), 1, &woken, &how));
  }
  partition.notify({PartitionChange::kHighWatermark, 1});
  CHECK(woken == 0);  // never inside the stack of whoever wakes
  scheduler.run_until_idle();
  CHECK(woken == 100);
}
