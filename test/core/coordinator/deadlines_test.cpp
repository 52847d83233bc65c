// deadlines_test.cpp: named points in time: one a key, the earliest first.
#include "core/coordinator/group/deadlines.h"

#include <string>
#include <vector>

#include "core/base/random.h"
#include "test/support/catch.h"

namespace leat {
namespace {

DeadlineKey session(std::string group, std::string member) {
  return {std::move(group), DeadlineKind::kSession, std::move(member)};
}

TEST_CASE("deadlines: none is due before its time", "[coordinator][deadlines]") {
  Deadlines deadlines;
  CHECK_FALSE(deadlines.next_ms().has_value());
  CHECK_FALSE(deadlines.take_due(INT64_MAX).has_value());
  deadlines.set(session("g", "m"), 10);
  CHECK(deadlines.next_ms() == 10);
  CHECK_FALSE(deadlines.take_due(9).has_value());
  CHECK(deadlines.is_set(session("g", "m")));
  CHECK(deadlines.take_due(10) == session("g", "m"));
  CHECK(deadlines.size() == 0);
  CHECK_FALSE(deadlines.next_ms().has_value());
}

TEST_CASE("deadlines: setting one again moves it, both ways", "[coordinator][deadlines]") {
  Deadlines deadlines;
  deadlines.set(session("g", "m"), 10);
  deadlines.set(session("g", "m"), 30);
  CHECK(deadlines.size() == 1);
  CHECK_FALSE(deadlines.take_due(29).has_value());
  deadlines.set(session("g", "m"), 5);
  CHECK(deadlines.next_ms() == 5);
  CHECK(deadlines.take_due(5) == session("g", "m"));
  CHECK_FALSE(deadlines.take_due(INT64_MAX).has_value());
}

TEST_CASE("deadlines: equal times go by key", "[coordinator][deadlines]") {
  Deadlines deadlines;
  deadlines.set(session("b", "m"), 10);
  deadlines.set(session("a", "n"), 10);
  deadlines.set(session("a", "m"), 10);
  deadlines.set({"a", DeadlineKind::kRebalance, ""}, 10);
  deadlines.set(session("z", "z"), 1);
  CHECK(deadlines.take_due(10) == session("z", "z"));
  CHECK(deadlines.take_due(10) == session("a", "m"));
  CHECK(deadlines.take_due(10) == session("a", "n"));
  CHECK(deadlines.take_due(10) == DeadlineKey{"a", DeadlineKind::kRebalance, ""});
  CHECK(deadlines.take_due(10) == session("b", "m"));
}

TEST_CASE("deadlines: cancelling takes one, or all of a group", "[coordinator][deadlines]") {
  Deadlines deadlines;
  deadlines.cancel(session("g", "m"));  // none: nothing happens
  deadlines.set(session("g", "m"), 1);
  deadlines.set(session("g", "n"), 2);
  deadlines.set({"g", DeadlineKind::kOffsetExpiry, ""}, 3);
  deadlines.set(session("ga", "m"), 4);
  deadlines.set(session("f", "m"), 5);
  deadlines.cancel(session("g", "m"));
  CHECK_FALSE(deadlines.is_set(session("g", "m")));
  CHECK(deadlines.next_ms() == 2);
  deadlines.cancel_all_of("g");
  CHECK(deadlines.size() == 2);
  CHECK(deadlines.take_due(INT64_MAX) == session("ga", "m"));
  CHECK(deadlines.take_due(INT64_MAX) == session("f", "m"));
  deadlines.cancel_all_of("g");
}

// Against the plainest possible model.
TEST_CASE("deadlines: any history gives the least of those that stand", "[coordinator][deadlines]") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SeededRandom random(seed);
    Deadlines deadlines;
    std::map<DeadlineKey, int64_t> model;
    for (int step = 0; step < 500; ++step) {
      const DeadlineKey key = session(std::string(1, static_cast<char>('a' + random.below(3))),
                                      std::string(1, static_cast<char>('m' + random.below(4))));
      const auto time = static_cast<int64_t>(random.below(50));
      switch (random.below(6)) {
        case 0:
          deadlines.cancel(key);
          model.erase(key);
          break;
        case 1:
          deadlines.cancel_all_of(key.group_id);
          std::erase_if(model, [&](const auto& one) { return one.first.group_id == key.group_id; });
          break;
        case 2:
          if (const auto due = deadlines.take_due(time)) {
            REQUIRE(model.contains(*due));
            REQUIRE(model[*due] <= time);
            for (const auto& [other, at] : model) REQUIRE(at >= model[*due]);
            model.erase(*due);
          } else {
            for (const auto& [other, at] : model) REQUIRE(at > time);
          }
          break;
        default:
          deadlines.set(key, time);
          model[key] = time;
      }
      REQUIRE(deadlines.size() == model.size());
    }
  }
}

}  // namespace
}  // namespace leat
