// range_assignment_test.cpp: who gets which range, and that every partition has one owner.
#include "client/range_assignment.h"

#include <algorithm>
#include <set>

#include "core/base/random.h"
#include "test/support/catch.h"

using namespace leat;

namespace {

RangeMember member(std::string id, std::vector<std::string> topics = {"orders"},
                   std::optional<std::string> instance_id = std::nullopt) {
  return {.member_id = std::move(id), .instance_id = std::move(instance_id), .topics = std::move(topics)};
}

using Partitions = std::vector<int32_t>;

}  // namespace

TEST_CASE("range: consecutive ranges, the first members get one more", "[client]") {
  RangeAssignment assigned = assign_by_range({member("c"), member("a"), member("b")}, {{"orders", 8}});
  CHECK(assigned["a"]["orders"] == Partitions{0, 1, 2});
  CHECK(assigned["b"]["orders"] == Partitions{3, 4, 5});
  CHECK(assigned["c"]["orders"] == Partitions{6, 7});
}

TEST_CASE("range: each topic begins anew, and goes to those who subscribe to it", "[client]") {
  const RangeAssignment assigned = assign_by_range({member("a", {"orders"}), member("b", {"orders", "prices"})},
                                                   {{"orders", 1}, {"prices", 1}, {"nobody's", 4}});
  CHECK(assigned.at("a") == std::map<std::string, Partitions>{{"orders", {0}}});
  CHECK(assigned.at("b") == std::map<std::string, Partitions>{{"prices", {0}}});
}

TEST_CASE("range: members that get nothing have an entry", "[client]") {
  const RangeAssignment assigned =
      assign_by_range({member("a"), member("b"), member("c", {"unknown"})}, {{"orders", 1}});
  CHECK(assigned.size() == 3);
  CHECK(assigned.at("b").empty());
  CHECK(assigned.at("c").empty());
  CHECK(assign_by_range({}, {{"orders", 3}}).empty());
}

TEST_CASE("range: static members stand first, by instance id, whatever their member ids", "[client]") {
  const std::vector<std::string> topics = {"orders"};
  RangeAssignment assigned =
      assign_by_range({member("a"), member("z", topics, "one"), member("y", topics, "two")}, {{"orders", 3}});
  CHECK(assigned["z"]["orders"] == Partitions{0});
  CHECK(assigned["y"]["orders"] == Partitions{1});
  CHECK(assigned["a"]["orders"] == Partitions{2});
}

TEST_CASE("range: any members and topics: every partition has one owner, who subscribes; counts differ by one",
          "[client]") {
  SeededRandom random(7);
  for (int round = 0; round < 500; ++round) {
    std::map<std::string, int32_t> topics;
    for (uint64_t i = random.below(4); i > 0; --i) {
      topics["t" + std::to_string(i)] = static_cast<int32_t>(random.below(9));
    }
    std::vector<RangeMember> members;
    for (uint64_t i = random.below(6); i > 0; --i) {
      members.push_back(member("m" + std::to_string(i), {}));
      for (const auto& [topic, count] : topics) {
        if (!random.one_in(3)) members.back().topics.push_back(topic);
      }
    }
    const RangeAssignment assigned = assign_by_range(members, topics);
    for (const auto& [topic, count] : topics) {
      std::set<int32_t> owned;
      size_t least = SIZE_MAX;
      size_t most = 0;
      for (const RangeMember& one : members) {
        const auto found = assigned.at(one.member_id).find(topic);
        const Partitions mine = found == assigned.at(one.member_id).end() ? Partitions() : found->second;
        for (const int32_t partition : mine) CHECK(owned.insert(partition).second);
        const bool subscribed = std::find(one.topics.begin(), one.topics.end(), topic) != one.topics.end();
        CHECK((subscribed || mine.empty()));
        if (!subscribed) continue;
        least = std::min(least, mine.size());
        most = std::max(most, mine.size());
      }
      CHECK((least == SIZE_MAX || owned.size() == static_cast<size_t>(count)));
      CHECK((least == SIZE_MAX || most - least <= 1));
    }
  }
}
