// state_journal_test.cpp: one append for each turn of the loop, one at a time or side by side as the owner says;
// waiters told in order, and all of them lost when one fails.
#include "server/state_journal.h"

#include <memory>
#include <string>
#include <vector>

#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

namespace leat {
namespace {

using Journal = StateJournal<int, std::string>;

class Owner final : public Journal::Owner {
 public:
  struct Append {
    explicit Append(Scheduler& scheduler) : ended(scheduler) {}
    std::vector<int> records;
    Event ended;
    bool fails = false;
  };

  explicit Owner(Scheduler& scheduler) : scheduler_(scheduler) {}

  Task<Result<void>> append(std::vector<int> records) override {
    auto mine = std::make_shared<Append>(scheduler_);
    mine->records = std::move(records);
    appends.push_back(mine);
    ++out_count;
    const Woken woken = co_await mine->ended.wait();
    (void)woken;
    --out_count;
    if (mine->fails) co_return fail(Errc::kNoSpace, "full");
    co_return Result<void>{};
  }
  bool may_overlap() const noexcept override { return overlaps; }
  Task<void> rebuild() override {
    CHECK(out_count == 0);
    told.emplace_back("rebuilt");
    if (holds_rebuild) {
      rebuilding = std::make_shared<Event>(scheduler_);
      const std::shared_ptr<Event> ended = rebuilding;
      const Woken woken = co_await ended->wait();
      (void)woken;
    }
    co_return;
  }
  void on_durable(std::string waiter) override { told.push_back("durable " + waiter); }
  void on_lost(std::string waiter, const Error& why) override { told.push_back("lost " + waiter + ", " + why.context); }

  std::vector<int> records_of(size_t which) const { return appends.at(which)->records; }

  std::vector<std::shared_ptr<Append>> appends;
  std::vector<std::string> told;
  std::shared_ptr<Event> rebuilding;
  int out_count = 0;
  bool overlaps = false;
  bool holds_rebuild = false;

 private:
  Scheduler& scheduler_;
};

struct Fixture {
  ManualScheduler scheduler;
  Owner owner{scheduler};
  Journal journal{scheduler, owner};

  void write(int record, const std::string& waiter) {
    journal.write(record);
    journal.wait(waiter);
  }
  // In a turn of its own.
  void write_turn(int record, const std::string& waiter) {
    write(record, waiter);
    scheduler.run_until_idle();
  }
  void end(size_t which, bool fails = false) {
    owner.appends.at(which)->fails = fails;
    owner.appends.at(which)->ended.set();
    scheduler.run_until_idle();
  }
};

using Told = std::vector<std::string>;
using Records = std::vector<int>;

Task<void> drain(Journal& journal, bool& is_drained) {
  Task<void> draining = journal.drained();
  co_await draining;
  is_drained = true;
}

TEST_CASE("state journal: what is written in one turn leaves in one append, what comes meanwhile in the next",
          "[server]") {
  Fixture f;
  f.journal.wait("early");
  CHECK(f.owner.told == Told{"durable early"});
  f.write(1, "a");
  f.write_turn(2, "b");
  f.journal.wait("c");  // for what is under way
  f.write_turn(3, "d");
  REQUIRE(f.owner.appends.size() == 1);
  CHECK(f.owner.records_of(0) == Records{1, 2});
  f.end(0);
  CHECK(f.owner.told == Told{"durable early", "durable a", "durable b", "durable c"});
  REQUIRE(f.owner.appends.size() == 2);
  f.end(1);
  CHECK(f.owner.told.back() == "durable d");
  bool is_drained = false;
  spawn(drain(f.journal, is_drained));
  f.scheduler.run_until_idle();
  CHECK(is_drained);
}

TEST_CASE("state journal: appends that may overlap do, and who waits is told in order", "[server]") {
  Fixture f;
  f.owner.overlaps = true;
  f.write_turn(1, "a");
  f.write_turn(2, "b");
  f.journal.wait("c");
  f.owner.overlaps = false;  // the third is not written at once: what comes gathers behind the second
  f.write_turn(3, "d");
  f.write_turn(4, "e");
  REQUIRE(f.owner.appends.size() == 2);
  CHECK(f.owner.records_of(1) == Records{2});
  f.end(1);  // before the first: its waiters hear of it later
  CHECK(f.owner.told.empty());
  REQUIRE(f.owner.appends.size() == 2);
  f.end(0);
  CHECK(f.owner.told == Told{"durable a", "durable b", "durable c"});
  REQUIRE(f.owner.appends.size() == 3);
  CHECK(f.owner.records_of(2) == Records{3, 4});
  bool is_drained = false;
  spawn(drain(f.journal, is_drained));
  f.scheduler.run_until_idle();
  CHECK_FALSE(is_drained);
  f.end(2);
  CHECK(f.owner.told == Told{"durable a", "durable b", "durable c", "durable d", "durable e"});
  CHECK(is_drained);
}

TEST_CASE("state journal: a failed append loses all that was decided on it", "[server]") {
  Fixture f;
  f.write_turn(1, "a");
  f.write_turn(2, "b");
  f.end(0, true);
  CHECK(f.owner.told == Told{"rebuilt", "lost a, full", "lost b, full"});
  CHECK(f.owner.appends.size() == 1);
  f.write_turn(3, "c");
  f.end(1);
  CHECK(f.owner.records_of(1) == Records{3});
  CHECK(f.owner.told.back() == "durable c");
}

TEST_CASE("state journal: of appends side by side those behind a failed one are awaited, and lost", "[server]") {
  for (const bool first_ends_first : {true, false}) {
    INFO("the first ends first: " << first_ends_first);
    Fixture f;
    f.owner.overlaps = true;
    for (int record = 1; record <= 3; ++record) f.write_turn(record, std::string(1, static_cast<char>('a' + record)));
    REQUIRE(f.owner.appends.size() == 3);
    f.end(0);
    CHECK(f.owner.told == Told{"durable b"});
    f.end(first_ends_first ? 1 : 2, first_ends_first);
    f.owner.overlaps = false;
    f.write_turn(4, "e");  // on a state that is not to be
    CHECK(f.owner.told == Told{"durable b"});
    f.end(first_ends_first ? 2 : 1, !first_ends_first);
    CHECK(f.owner.told == Told{"durable b", "rebuilt", "lost c, full", "lost d, full", "lost e, full"});
    const size_t appends = f.owner.appends.size();
    f.write_turn(5, "f");
    f.end(appends);
    CHECK(f.owner.told.back() == "durable f");
  }
}

TEST_CASE("state journal: what is written while the state is made anew goes when that is done", "[server]") {
  Fixture f;
  f.owner.holds_rebuild = true;
  f.write_turn(1, "a");
  f.end(0, true);
  bool is_drained = false;
  spawn(drain(f.journal, is_drained));
  f.write_turn(2, "b");  // as the machine does at its load
  CHECK(f.owner.appends.size() == 1);
  f.owner.rebuilding->set();
  f.scheduler.run_until_idle();
  CHECK(f.owner.told == Told{"rebuilt", "lost a, full"});
  REQUIRE(f.owner.appends.size() == 2);
  CHECK_FALSE(is_drained);
  f.end(1);
  CHECK(f.owner.told.back() == "durable b");
  CHECK(is_drained);
}

}  // namespace
}  // namespace leat
