// assignors_test.cpp: every partition goes to exactly one subscriber, shares are even, and sticky ones stay.
#include "client/consumer/assignors.h"

#include <set>

#include "core/base/random.h"
#include "test/support/catch.h"

namespace leat::client::detail {
namespace {

AssignedMember member(const std::string& id, std::vector<std::string> topics, std::vector<TopicPartition> owned = {}) {
  return {.member_id = id, .instance_id = {}, .topics = std::move(topics), .owned = std::move(owned), .generation = 1};
}

size_t total(const Shares& shares) {
  std::set<TopicPartition> all;
  size_t count = 0;
  for (const auto& [id, share] : shares) {
    all.insert(share.begin(), share.end());
    count += share.size();
  }
  CHECK(all.size() == count);
  return count;
}

}  // namespace

TEST_CASE("assignors: names", "[client][assignor]") {
  CHECK(assignor_name(ClassicAssignor::kCooperativeSticky) == "cooperative-sticky");
  CHECK(assignor_named("roundrobin") == ClassicAssignor::kRoundRobin);
  CHECK(!assignor_named("sticky"));
}

TEST_CASE("assignors: round robin goes on from topic to topic", "[client][assignor]") {
  const Shares shares =
      share_out(ClassicAssignor::kRoundRobin, {member("b", {"s", "t"}), member("a", {"s", "t"})}, {{"s", 3}, {"t", 3}});
  CHECK(shares.at("a") == std::vector<TopicPartition>{{"s", 0}, {"s", 2}, {"t", 1}});
  CHECK(shares.at("b") == std::vector<TopicPartition>{{"s", 1}, {"t", 0}, {"t", 2}});
}

TEST_CASE("assignors: range gives each topic in ranges, nothing of unknown ones", "[client][assignor]") {
  const Shares shares =
      share_out(ClassicAssignor::kRange, {member("a", {"s", "x"}), member("b", {"s"}), member("c", {})}, {{"s", 3}});
  CHECK(shares.at("a") == std::vector<TopicPartition>{{"s", 0}, {"s", 1}});
  CHECK(shares.at("b") == std::vector<TopicPartition>{{"s", 2}});
  CHECK(shares.at("c").empty());
}

TEST_CASE("assignors: sticky hands over in two steps", "[client][assignor]") {
  const std::vector<TopicPartition> all{{"s", 0}, {"s", 1}, {"s", 2}, {"s", 3}};
  const Shares first =
      share_out(ClassicAssignor::kCooperativeSticky, {member("a", {"s"}, all), member("b", {"s"})}, {{"s", 4}});
  CHECK(first.at("a") == std::vector<TopicPartition>{{"s", 0}, {"s", 1}});
  CHECK(first.at("b").empty());  // the other two are still a's
  const Shares second = share_out(ClassicAssignor::kCooperativeSticky,
                                  {member("a", {"s"}, first.at("a")), member("b", {"s"})}, {{"s", 4}});
  CHECK(second.at("a") == first.at("a"));
  CHECK(second.at("b") == std::vector<TopicPartition>{{"s", 2}, {"s", 3}});
}

TEST_CASE("assignors: of two claims the newer generation's counts", "[client][assignor]") {
  AssignedMember old = member("a", {"s"}, {{"s", 0}, {"s", 1}});
  AssignedMember fresh = member("b", {"s"}, {{"s", 0}});
  fresh.generation = 2;
  const Shares shares = share_out(ClassicAssignor::kCooperativeSticky, {old, fresh}, {{"s", 2}});
  CHECK(shares.at("b") == std::vector<TopicPartition>{{"s", 0}});
  CHECK(shares.at("a") == std::vector<TopicPartition>{{"s", 1}});
}

TEST_CASE("assignors: from any state they settle, evenly, on everything", "[client][assignor]") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    SeededRandom random(seed);
    std::map<std::string, int32_t> counts;
    size_t partition_count = 0;
    for (uint64_t t = 0; t <= random.below(3); ++t) {
      const auto count = static_cast<int32_t>(1 + random.below(9));
      counts["t" + std::to_string(t)] = count;
      partition_count += static_cast<size_t>(count);
    }
    std::vector<std::string> topics;
    for (const auto& [topic, count] : counts) topics.push_back(topic);
    std::vector<AssignedMember> members;
    for (uint64_t m = 0; m <= random.below(5); ++m) members.push_back(member("m" + std::to_string(m), topics));
    for (const auto& [topic, count] : counts) {
      for (int32_t i = 0; i < count; ++i) {
        if (random.one_in(3)) continue;
        members[random.below(members.size())].owned.push_back({.topic = topic, .partition = i});
      }
    }
    Shares shares;
    for (int round = 0; round < 2; ++round) {
      shares = share_out(ClassicAssignor::kCooperativeSticky, members, counts);
      for (AssignedMember& one : members) one.owned = shares.at(one.member_id);
    }
    CHECK(total(shares) == partition_count);
    for (const auto& [id, share] : shares) {
      CHECK(share.size() >= partition_count / members.size());
      CHECK(share.size() <= partition_count / members.size() + 1);
    }
    CHECK(share_out(ClassicAssignor::kCooperativeSticky, members, counts) == shares);
  }
}

}  // namespace leat::client::detail
