// assignor_test.cpp: what holds of every assignment (each partition once, only subscribed members, evenness,
// stickiness, determinism), over random groups from seeds, and single cases as Kafka's documents have them.
#include "core/coordinator/group/assignor.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/base/random.h"
#include "test/support/catch.h"

namespace leat {
namespace {

Uuid topic(int number) {
  Uuid id;
  id.bytes[14] = static_cast<uint8_t>(number >> 8);
  id.bytes[15] = static_cast<uint8_t>(number);
  return id;
}

// Members in the order of their ids while there are fewer than 10,000.
std::string member_name(size_t number) { return "m" + std::to_string(10'000 + number); }

PartitionsByTopic owns(std::vector<std::pair<int, std::vector<int32_t>>> partitions) {
  PartitionsByTopic result;
  for (auto& [number, list] : partitions) result.emplace(topic(number), std::move(list));
  return result;
}

int64_t count(const PartitionsByTopic& partitions) {
  int64_t result = 0;
  for (const auto& [id, list] : partitions) result += static_cast<int64_t>(list.size());
  return result;
}

// A group that lives through rebalances: each starts from the target of the one before.
class TestGroup {
 public:
  void set_topic(int number, int32_t partition_count) { topics_[topic(number)] = partition_count; }
  void remove_topic(int number) {
    topics_.erase(topic(number));
    for (auto& [id, member] : members_) std::erase(member.topics, topic(number));
  }
  void add(const std::string& id, std::vector<int> numbers, PartitionsByTopic current = {}) {
    AssignorMember& member = members_[id];
    member.id = id;
    member.current = std::move(current);
    subscribe(id, std::move(numbers));
  }
  void add_static(const std::string& id, std::string instance_id, std::vector<int> numbers) {
    add(id, std::move(numbers));
    members_[id].instance_id = std::move(instance_id);
  }
  void subscribe(const std::string& id, std::vector<int> numbers) {
    std::sort(numbers.begin(), numbers.end());
    std::vector<Uuid>& topics = members_[id].topics;
    topics.clear();
    for (const int number : numbers) {
      if (topics_.contains(topic(number))) topics.push_back(topic(number));
    }
  }
  void remove(const std::string& id) { members_.erase(id); }
  size_t size() const { return members_.size(); }
  const AssignorMember& member(const std::string& id) const { return members_.at(id); }
  std::string some_member(SeededRandom& random) const {
    return std::next(members_.begin(), static_cast<std::ptrdiff_t>(random.below(members_.size())))->first;
  }

  AssignorInput input() const {
    AssignorInput result;
    for (const auto& [id, member] : members_) {
      result.members.push_back(member);
      for (const Uuid& subscribed : member.topics) result.topics[subscribed] = topics_.at(subscribed);
    }
    return result;
  }
  Assignment rebalance(Assignor assignor) {
    Assignment assignment = assignor(input());
    for (auto& [id, member] : members_) member.current = assignment[id];
    return assignment;
  }

 private:
  std::map<std::string, AssignorMember> members_;
  std::map<Uuid, int32_t> topics_;
};

using Owners = std::map<std::pair<Uuid, int32_t>, std::string>;

Owners owners(const Assignment& assignment) {
  Owners result;
  for (const auto& [id, partitions] : assignment) {
    for (const auto& [topic_id, list] : partitions) {
      for (const int32_t partition : list) result.emplace(std::pair(topic_id, partition), id);
    }
  }
  return result;
}

Owners owners_before(const AssignorInput& input) {
  Assignment before;
  for (const AssignorMember& member : input.members) before[member.id] = member.current;
  return owners(before);
}

// Partitions that were one member's and are another's.
int64_t moves(const Owners& before, const Owners& after) {
  int64_t result = 0;
  for (const auto& [partition, owner] : before) {
    const auto now = after.find(partition);
    if (now != after.end() && now->second != owner) ++result;
  }
  return result;
}

// What each assignment owes, however it came about; "" when all is well.
std::string fault(const AssignorInput& input, const Assignment& assignment) {
  if (assignment.size() != input.members.size()) return "an entry for each member, and for nobody else";
  int64_t dealt = 0;
  for (const AssignorMember& member : input.members) {
    const auto entry = assignment.find(member.id);
    if (entry == assignment.end()) return member.id + " has no entry";
    for (const auto& [topic_id, list] : entry->second) {
      if (!std::binary_search(member.topics.begin(), member.topics.end(), topic_id))
        return member.id + " is not subscribed";
      if (list.empty()) return member.id + " has an empty list";
      if (!std::is_sorted(list.begin(), list.end())) return member.id + " has an unsorted list";
      if (list.front() < 0 || list.back() >= input.topics.at(topic_id)) return member.id + " has what is not there";
    }
    dealt += count(entry->second);
  }
  int64_t there = 0;
  for (const auto& [topic_id, partition_count] : input.topics) there += partition_count;
  const auto distinct = static_cast<int64_t>(owners(assignment).size());
  if (distinct != dealt) return "a partition has two owners";
  return dealt == there ? "" : "a partition has no owner";
}

std::pair<int64_t, int64_t> least_and_most(const Assignment& assignment) {
  std::pair<int64_t, int64_t> result(INT64_MAX, 0);
  for (const auto& [id, partitions] : assignment) {
    result.first = std::min(result.first, count(partitions));
    result.second = std::max(result.second, count(partitions));
  }
  return result;
}

// Whether no partition, and no chain of partitions each of which pushes out the next, can go from a member to one that
// owns at least two fewer. By definition from each member anew: slow, and nothing like how it is found.
bool is_most_even(const AssignorInput& input, const Assignment& assignment) {
  std::map<Uuid, std::vector<const AssignorMember*>> subscribers;
  for (const AssignorMember& member : input.members) {
    for (const Uuid& topic_id : member.topics) subscribers[topic_id].push_back(&member);
  }
  for (const AssignorMember& giver : input.members) {
    const int64_t load = count(assignment.at(giver.id));
    std::set<std::string> reached = {giver.id};
    std::vector<std::string> queue = {giver.id};
    while (!queue.empty()) {
      const std::string id = queue.back();
      queue.pop_back();
      for (const auto& [topic_id, list] : assignment.at(id)) {
        for (const AssignorMember* taker : subscribers[topic_id]) {
          if (!reached.insert(taker->id).second) continue;
          if (count(assignment.at(taker->id)) + 2 <= load) return false;
          queue.push_back(taker->id);
        }
      }
    }
  }
  return true;
}

// The same for single partitions only; fast enough for large groups.
bool has_no_better_move(const AssignorInput& input, const Assignment& assignment) {
  std::map<Uuid, int64_t> most_owned, least_subscribed;
  for (const AssignorMember& member : input.members) {
    const PartitionsByTopic& owned = assignment.at(member.id);
    const int64_t load = count(owned);
    for (const auto& [topic_id, list] : owned) most_owned[topic_id] = std::max(most_owned[topic_id], load);
    for (const Uuid& topic_id : member.topics) {
      const auto [least, is_first] = least_subscribed.try_emplace(topic_id, load);
      least->second = std::min(least->second, load);
    }
  }
  return std::all_of(most_owned.begin(), most_owned.end(),
                     [&](const auto& most) { return most.second < least_subscribed.at(most.first) + 2; });
}

// Of what members had and may keep: as much as any even assignment leaves in place, when all are subscribed alike.
int64_t most_that_can_stay(const AssignorInput& input) {
  int64_t total = 0;
  for (const auto& [topic_id, partition_count] : input.topics) total += partition_count;
  const auto member_count = static_cast<int64_t>(input.members.size());
  const int64_t least = total / member_count;
  int64_t longer_count = total % member_count;
  int64_t stay = 0;
  for (const AssignorMember& member : input.members) {
    int64_t usable = 0;
    for (const auto& [topic_id, list] : member.current) {
      const auto there = input.topics.find(topic_id);
      if (there == input.topics.end()) continue;
      usable += std::count_if(list.begin(), list.end(), [&](int32_t p) { return p < there->second; });
    }
    const bool is_longer = usable > least && longer_count > 0;
    if (is_longer) --longer_count;
    stay += std::min(usable, is_longer ? least + 1 : least);
  }
  return stay;
}

int64_t staying(const AssignorInput& input, const Assignment& assignment) {
  const Owners after = owners(assignment);
  int64_t result = 0;
  for (const auto& [partition, owner] : owners_before(input)) {
    const auto now = after.find(partition);
    if (now != after.end() && now->second == owner) ++result;
  }
  return result;
}

std::vector<int> up_to(int number) {
  std::vector<int> result;
  for (int i = 1; i <= number; ++i) result.push_back(i);
  return result;
}

std::vector<int> some_of(SeededRandom& random, int number) {
  std::vector<int> result;
  for (int i = 1; i <= number; ++i) {
    if (random.one_in(2)) result.push_back(i);
  }
  return result;
}

TEST_CASE("assignor: by name", "[group][assignor]") {
  CHECK((find_assignor("uniform") == &assign_uniform));
  CHECK((find_assignor("range") == &assign_range));
  CHECK((find_assignor("Range") == nullptr));
  CHECK((find_assignor("") == nullptr));
  CHECK(assign_uniform({}).empty());
  CHECK(assign_range({}).empty());
}

TEST_CASE("range: consecutive ranges, the longer ones first", "[group][assignor]") {
  TestGroup group;
  group.set_topic(1, 3);
  group.set_topic(3, 2);
  group.add("A", {1, 3});
  group.add("B", {1, 3});
  Assignment two = group.rebalance(assign_range);
  CHECK(two["A"] == owns({{1, {0, 1}}, {3, {0}}}));
  CHECK(two["B"] == owns({{1, {2}}, {3, {1}}}));
  group.add("C", {1, 3});
  Assignment three = group.rebalance(assign_range);
  CHECK(three["A"] == owns({{1, {0}}, {3, {0}}}));
  CHECK(three["B"] == owns({{1, {1}}, {3, {1}}}));
  CHECK(three["C"] == owns({{1, {2}}}));
  group.add("D", {1, 3});
  CHECK(group.rebalance(assign_range)["D"].empty());
}

TEST_CASE("range: only subscribers count", "[group][assignor]") {
  TestGroup group;
  group.set_topic(1, 3);
  group.set_topic(2, 3);
  group.set_topic(3, 2);
  group.add("A", {1, 2});
  group.add("B", {3});
  group.add("C", {2, 3});
  group.add("D", {});
  Assignment made = group.rebalance(assign_range);
  CHECK(made["A"] == owns({{1, {0, 1, 2}}, {2, {0, 1}}}));
  CHECK(made["B"] == owns({{3, {0}}}));
  CHECK(made["C"] == owns({{2, {2}}, {3, {1}}}));
  CHECK(made["D"].empty());
}

TEST_CASE("range: a static member keeps its place under another member id", "[group][assignor]") {
  TestGroup group;
  group.set_topic(1, 5);
  group.add_static("A", "instance-a", {1});
  group.add("B", {1});
  group.add_static("C", "instance-c", {1});
  Assignment before = group.rebalance(assign_range);
  CHECK(before["A"] == owns({{1, {0, 1}}}));
  CHECK(before["C"] == owns({{1, {2, 3}}}));
  CHECK(before["B"] == owns({{1, {4}}}));
  group.remove("A");
  group.add_static("Z", "instance-a", {1});
  Assignment after = group.rebalance(assign_range);
  CHECK(after["Z"] == before["A"]);
  CHECK(after["C"] == before["C"]);
  CHECK(after["B"] == before["B"]);
}

TEST_CASE("range: topics alike are dealt alike, whatever was owned before", "[group][assignor]") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    SeededRandom random(seed);
    TestGroup group;
    const auto partition_count = static_cast<int32_t>(1 + random.below(20));
    group.set_topic(1, partition_count);
    group.set_topic(2, partition_count);
    group.set_topic(3, static_cast<int32_t>(1 + random.below(20)));
    const size_t member_count = 1 + random.below(12);
    for (size_t i = 0; i < member_count; ++i) {
      std::vector<int> topics = random.one_in(4) ? std::vector<int>{} : std::vector<int>{1, 2};
      if (topics.empty() || random.one_in(3)) topics.push_back(3);
      if (random.one_in(3)) {
        group.add_static(member_name(random.below(10'000)), "i" + std::to_string(i), topics);
      } else {
        group.add(member_name(i), topics, owns({{1, {0}}, {2, {static_cast<int32_t>(random.below(20))}}}));
      }
    }
    const AssignorInput input = group.input();
    const Assignment made = assign_range(input);
    REQUIRE(fault(input, made) == "");
    for (const auto& [id, owned] : made) {
      const auto first = owned.find(topic(1));
      const auto second = owned.find(topic(2));
      REQUIRE((first == owned.end()) == (second == owned.end()));
      if (first != owned.end()) REQUIRE(first->second == second->second);
      for (const auto& [topic_id, list] : owned) {
        REQUIRE(list.back() - list.front() + 1 == static_cast<int32_t>(list.size()));
      }
    }
    REQUIRE(assign_range(input) == made);
  }
}

TEST_CASE("uniform: dealt in turn", "[group][assignor]") {
  TestGroup group;
  group.set_topic(1, 3);
  group.set_topic(3, 2);
  group.add("A", {1, 3});
  group.add("B", {1, 3});
  Assignment two = group.rebalance(assign_uniform);
  CHECK(two["A"] == owns({{1, {0, 2}}, {3, {1}}}));
  CHECK(two["B"] == owns({{1, {1}}, {3, {0}}}));
  group.add("C", {1, 3});
  Assignment three = group.rebalance(assign_uniform);
  CHECK(three["A"] == owns({{1, {0}}, {3, {1}}}));
  CHECK(three["B"] == two["B"]);
  CHECK(three["C"] == owns({{1, {2}}}));
}

TEST_CASE("uniform: without subscriptions, and with more members than partitions", "[group][assignor]") {
  TestGroup group;
  group.set_topic(1, 2);
  group.add("A", {});
  CHECK(group.rebalance(assign_uniform)["A"].empty());
  group.add("B", {1});
  group.add("C", {1});
  group.add("D", {1});
  Assignment made = group.rebalance(assign_uniform);
  CHECK(made.size() == 4);
  CHECK(made["B"] == owns({{1, {0}}}));
  CHECK(made["C"] == owns({{1, {1}}}));
  CHECK(made["A"].empty());
  CHECK(made["D"].empty());
}

TEST_CASE("uniform: what is no more to be had is not kept", "[group][assignor]") {
  TestGroup group;
  group.set_topic(1, 4);
  group.set_topic(2, 2);
  group.set_topic(3, 3);
  // Of A's: a partition and a topic that are gone, and one it is not subscribed to. B claims what A has.
  group.add("A", {1, 2}, owns({{1, {0, 1, 9}}, {3, {0}}, {7, {0, 1}}}));
  group.add("B", {1, 2, 3}, owns({{1, {1, 2}}, {2, {0, 1}}}));
  const AssignorInput input = group.input();
  Assignment made = assign_uniform(input);
  CHECK(fault(input, made) == "");
  CHECK(is_most_even(input, made));
  CHECK(made["A"] == owns({{1, {0, 1, 2, 3}}}));
  CHECK(made["B"] == owns({{2, {0, 1}}, {3, {0, 1, 2}}}));
}

TEST_CASE("uniform: an uneven assignment is mended with few moves", "[group][assignor]") {
  TestGroup group;
  group.set_topic(1, 6);
  group.set_topic(2, 4);
  group.set_topic(3, 4);
  group.add("A", {1}, owns({{1, {0, 1, 2}}}));
  group.add("B", {1, 2}, owns({{1, {3}}, {2, {0}}}));
  group.add("C", {1, 2, 3}, owns({{1, {4, 5}}, {2, {1, 2, 3}}, {3, {0, 1, 2, 3}}}));
  const AssignorInput input = group.input();
  Assignment made = assign_uniform(input);
  CHECK(fault(input, made) == "");
  CHECK(count(made["A"]) == 4);
  CHECK(count(made["B"]) == 5);
  CHECK(count(made["C"]) == 5);
  CHECK(moves(owners_before(input), owners(made)) == 4);
}

TEST_CASE("uniform: two moves through a third member", "[group][assignor]") {
  TestGroup group;
  group.set_topic(1, 3);
  group.set_topic(2, 3);
  group.add("A", {1}, owns({{1, {0, 1, 2}}}));
  group.add("B", {1, 2}, owns({{2, {0, 1}}}));
  group.add("C", {2}, owns({{2, {2}}}));
  const AssignorInput input = group.input();
  Assignment made = assign_uniform(input);
  CHECK(made["A"] == owns({{1, {0, 1}}}));
  CHECK(made["B"] == owns({{1, {2}}, {2, {0}}}));
  CHECK(made["C"] == owns({{2, {1, 2}}}));
}

TEST_CASE("uniform: a new member gets some of each topic", "[group][assignor]") {
  TestGroup group;
  group.set_topic(1, 6);
  group.set_topic(2, 6);
  group.add("A", {1, 2});
  group.add("B", {1, 2});
  group.rebalance(assign_uniform);
  group.add("C", {1, 2});
  Assignment made = group.rebalance(assign_uniform);
  for (const auto& [id, owned] : made) {
    CHECK(owned.at(topic(1)).size() == 2);
    CHECK(owned.at(topic(2)).size() == 2);
  }
}

// One more step of a random history in which all are subscribed to all.
void change_alike(TestGroup& group, SeededRandom& random, size_t& joined, int& topic_count) {
  switch (random.below(6)) {
    case 0:
    case 1:
      group.add(member_name(random.one_in(2) ? joined : 5'000 - joined), up_to(topic_count));
      ++joined;
      break;
    case 2:
    case 3:
      if (group.size() > 1) group.remove(group.some_member(random));
      break;
    case 4:
      if (topic_count < 8) ++topic_count;
      group.set_topic(topic_count, static_cast<int32_t>(random.below(30)) + 1);
      break;
    case 5:
      if (topic_count > 1) group.remove_topic(topic_count--);
      break;
  }
  const AssignorInput members = group.input();
  for (const AssignorMember& member : members.members) group.subscribe(member.id, up_to(topic_count));
}

TEST_CASE("uniform: subscribed alike, counts differ by one at most and no partition moves needlessly",
          "[group][assignor]") {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SeededRandom random(seed);
    TestGroup group;
    int topic_count = 1;
    size_t joined = 1;
    group.set_topic(1, static_cast<int32_t>(random.below(30)) + 1);
    group.add(member_name(0), {1});
    for (int step = 0; step < 40; ++step) {
      INFO("seed " << seed << ", step " << step);
      change_alike(group, random, joined, topic_count);
      const AssignorInput input = group.input();
      const Assignment made = group.rebalance(assign_uniform);
      REQUIRE(fault(input, made) == "");
      const auto [least, most] = least_and_most(made);
      REQUIRE(most - least <= 1);
      REQUIRE(staying(input, made) == most_that_can_stay(input));
      REQUIRE(assign_uniform(input) == made);
      REQUIRE(assign_uniform(group.input()) == made);  // nothing has changed: nothing moves
    }
  }
}

TEST_CASE("uniform: subscribed alike, a joining member takes no more than its part, a leaving one only frees its own",
          "[group][assignor]") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    SeededRandom random(seed);
    TestGroup group;
    const int topic_count = 1 + static_cast<int>(random.below(5));
    for (int i = 1; i <= topic_count; ++i) group.set_topic(i, static_cast<int32_t>(random.below(40)) + 1);
    const size_t member_count = 1 + random.below(15);
    for (size_t i = 0; i < member_count; ++i) group.add(member_name(2 * i), up_to(topic_count));
    const Owners settled = owners(group.rebalance(assign_uniform));

    const std::string newcomer = member_name(2 * random.below(member_count) + 1);
    group.add(newcomer, up_to(topic_count));
    Assignment joined = group.rebalance(assign_uniform);
    const auto members = static_cast<int64_t>(group.size());
    const int64_t part = (static_cast<int64_t>(settled.size()) + members - 1) / members;
    REQUIRE(moves(settled, owners(joined)) == count(joined[newcomer]));
    REQUIRE(count(joined[newcomer]) <= part);

    const std::string leaver = group.some_member(random);
    const int64_t freed = count(joined[leaver]);
    group.remove(leaver);
    REQUIRE(moves(owners(joined), owners(group.rebalance(assign_uniform))) == freed);
  }
}

TEST_CASE("uniform: subscribed differently, nothing could be more even, and what is even stays", "[group][assignor]") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SeededRandom random(seed);
    TestGroup group;
    const int topic_count = 1 + static_cast<int>(random.below(7));
    for (int i = 1; i <= topic_count; ++i) group.set_topic(i, static_cast<int32_t>(random.below(16)) + 1);
    const size_t member_count = 1 + random.below(10);
    for (size_t i = 0; i < member_count; ++i) group.add(member_name(i), some_of(random, topic_count));
    for (size_t step = 0; step < 12; ++step) {
      INFO("seed " << seed << ", step " << step);
      const AssignorInput input = group.input();
      const Assignment made = group.rebalance(assign_uniform);
      REQUIRE(fault(input, made) == "");
      REQUIRE(is_most_even(input, made));
      REQUIRE(has_no_better_move(input, made));
      REQUIRE(assign_uniform(input) == made);
      REQUIRE(assign_uniform(group.input()) == made);

      if (random.one_in(3)) group.add(member_name(100 + step), some_of(random, topic_count));
      if (random.one_in(3) && group.size() > 1) group.remove(group.some_member(random));
      if (random.one_in(3)) group.subscribe(group.some_member(random), some_of(random, topic_count));
      const int grown = 1 + static_cast<int>(random.below(static_cast<uint64_t>(topic_count)));
      if (random.one_in(4)) group.set_topic(grown, static_cast<int32_t>(random.below(24)) + 1);
    }
  }
}

constexpr size_t kManyMembers = 1'000;
constexpr int kManyTopics = 100;
constexpr int32_t kPartitionsEach = 100;

TestGroup many_topics() {
  TestGroup group;
  for (int i = 1; i <= kManyTopics; ++i) group.set_topic(i, kPartitionsEach);
  return group;
}

TEST_CASE("assignors: 1,000 members, 10,000 partitions, subscribed alike", "[group][assignor]") {
  TestGroup group = many_topics();
  for (size_t i = 0; i < kManyMembers; ++i) group.add(member_name(i), up_to(kManyTopics));
  AssignorInput input = group.input();
  REQUIRE(fault(input, assign_range(input)) == "");
  const Assignment settled = group.rebalance(assign_uniform);
  REQUIRE(fault(input, settled) == "");
  REQUIRE(least_and_most(settled) == std::pair<int64_t, int64_t>(10, 10));
  group.remove(member_name(500));
  group.add(member_name(kManyMembers), up_to(kManyTopics));
  const Assignment replaced = group.rebalance(assign_uniform);
  REQUIRE(moves(owners(settled), owners(replaced)) == 10);
}

TEST_CASE("assignors: 1,000 members, 10,000 partitions, each subscribed differently", "[group][assignor]") {
  SeededRandom random(7);
  TestGroup group = many_topics();
  for (size_t i = 0; i < kManyMembers; ++i) {
    std::set<int> numbers = {1 + static_cast<int>(i) % kManyTopics};  // so that each topic has a subscriber
    while (numbers.size() < 10) numbers.insert(1 + static_cast<int>(random.below(kManyTopics)));
    group.add(member_name(i), std::vector<int>(numbers.begin(), numbers.end()));
  }
  AssignorInput input = group.input();
  REQUIRE(fault(input, assign_range(input)) == "");
  const Assignment settled = group.rebalance(assign_uniform);
  REQUIRE(fault(input, settled) == "");
  REQUIRE(has_no_better_move(input, settled));
  REQUIRE(assign_uniform(group.input()) == settled);

  // Half of them leave at once, and come back.
  std::vector<AssignorMember> gone;
  for (size_t i = 0; i < kManyMembers; i += 2) gone.push_back(group.member(member_name(i)));
  for (const AssignorMember& member : gone) group.remove(member.id);
  input = group.input();
  const Assignment halved = group.rebalance(assign_uniform);
  REQUIRE(fault(input, halved) == "");
  REQUIRE(has_no_better_move(input, halved));
  for (const AssignorMember& member : gone) {
    std::vector<int> numbers;
    for (const Uuid& id : member.topics) numbers.push_back(id.bytes[15]);
    group.add(member.id, numbers);
  }
  input = group.input();
  const Assignment whole = group.rebalance(assign_uniform);
  REQUIRE(fault(input, whole) == "");
  REQUIRE(has_no_better_move(input, whole));
  REQUIRE(moves(owners(halved), owners(whole)) < 10'000 * 6 / 10);
}

}  // namespace
}  // namespace leat
