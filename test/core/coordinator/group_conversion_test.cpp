// group_conversion_test.cpp: groups that move between the protocols while members of both are there: up when the first
// member of the consumer protocol joins, down when the last one leaves; nobody loses a partition to two owners.
#include "core/coordinator/group/group_conversion.h"

#include <set>

#include "test/core/coordinator/group_machine_driver.h"
#include "test/support/catch.h"

namespace leat {
namespace {

constexpr int32_t kPartitions = 4;

// A classic client that gives up all before it joins again (eager), as its heartbeats tell it to.
struct ClassicClient {
  JoinGroupReply joined;
  std::vector<int32_t> owned;

  GroupErrc beat(MachineDriver& driver) { return driver.answer<GroupHeartbeatReply>(beat_of(joined)).error; }
  void follow(MachineDriver& driver) {
    if (beat(driver) != GroupErrc::kRebalanceInProgress) return;
    owned.clear();
    joined = driver.answer<JoinGroupReply>(join_of(joined.member_id));
    REQUIRE(joined.error == GroupErrc::kNone);
    const auto synced = driver.answer<SyncGroupReply>(sync_of(joined));
    if (synced.error == GroupErrc::kRebalanceInProgress) return;
    REQUIRE(synced.error == GroupErrc::kNone);
    owned = partitions_in(synced.assignment);
  }
};

struct ModernClient {
  std::string id;
  int32_t epoch = 0;
  std::vector<TopicPartitions> assigned;
  ConsumerHeartbeatReply last;

  GroupErrc join(MachineDriver& driver) { return take(driver.answer<ConsumerHeartbeatReply>(consumer_join(id))); }
  void follow(MachineDriver& driver) {
    ConsumerHeartbeat beat = consumer_beat(id, epoch);
    beat.owned_partitions = assigned;
    REQUIRE(take(driver.answer<ConsumerHeartbeatReply>(beat)) == GroupErrc::kNone);
  }
  GroupErrc leave(MachineDriver& driver) {
    return driver.answer<ConsumerHeartbeatReply>(consumer_beat(id, -1)).fault.code;
  }
  std::vector<int32_t> owned() const { return assigned.empty() ? std::vector<int32_t>() : assigned[0].partitions; }

 private:
  GroupErrc take(ConsumerHeartbeatReply reply) {
    last = std::move(reply);
    if (last.fault.code == GroupErrc::kNone) {
      epoch = last.member_epoch;
      if (last.assignment) assigned = *last.assignment;
    }
    return last.fault.code;
  }
};

void add_owned(std::set<int32_t>& all, const std::vector<int32_t>& owned) {
  for (const int32_t partition : owned) {
    INFO("partition " << partition);
    CHECK(all.insert(partition).second);
  }
}

// Everybody follows until it has settled; no partition has two owners meanwhile, and each has one in the end.
void follow_all(MachineDriver& driver, std::vector<ClassicClient*> classic, std::vector<ModernClient*> modern) {
  std::set<int32_t> all;
  for (int round = 0; round < 10; ++round) {
    for (ClassicClient* client : classic) client->follow(driver);
    for (ModernClient* client : modern) client->follow(driver);
    all.clear();
    for (const ClassicClient* client : classic) add_owned(all, client->owned);
    for (const ModernClient* client : modern) add_owned(all, client->owned());
  }
  CHECK(all.size() == kPartitions);
}

// Two classic members, of which the first is the leader.
std::pair<ClassicClient, ClassicClient> classic_pair(MachineDriver& driver) {
  const JoinGroupReply first = stable_leader(driver);
  const Ticket second_joins = driver.ask(join_of(""));
  CHECK(driver.answer<GroupHeartbeatReply>(beat_of(first)).error == GroupErrc::kRebalanceInProgress);
  const Ticket first_joins = driver.ask(join_of(first.member_id));
  std::pair<ClassicClient, ClassicClient> both;
  both.first.joined = driver.take<JoinGroupReply>(first_joins);
  both.second.joined = driver.take<JoinGroupReply>(second_joins);
  both.first.owned = {0, 1};
  both.second.owned = {2, 3};
  const Ticket second_syncs = driver.ask(sync_of(both.second.joined));
  REQUIRE(both.first.joined.leader == both.first.joined.member_id);
  driver.answer<SyncGroupReply>(
      sync_of(both.first.joined, {{both.first.joined.member_id, assignment_of("t", both.first.owned)},
                                  {both.second.joined.member_id, assignment_of("t", both.second.owned)}}));
  CHECK(driver.take<SyncGroupReply>(second_syncs).error == GroupErrc::kNone);
  return both;
}

std::optional<GroupMetadataValue> recorded(MachineDriver& driver) {
  for (const GroupRecord& record : driver.machine().snapshot()) {
    if (const auto* classic = std::get_if<ClassicGroupRecord>(&record)) return classic->value;
  }
  return std::nullopt;
}

// --- up -------------------------------------------------------------------------------------------------------------

TEST_CASE("group conversion: up, with members of both protocols online", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  auto [first, second] = classic_pair(driver);
  driver.answer<CommitOffsetsReply>(commit_of(first.joined, {offset_of("t", 0, 5)}));
  ModernClient modern{.id = "modern", .epoch = 0, .assigned = {}, .last = {}};
  CHECK(modern.join(driver) == GroupErrc::kNone);
  CHECK(driver.listed("g")->type == "consumer");
  CHECK(modern.epoch > first.joined.generation);
  // Nothing is taken from those who have it.
  CHECK(modern.owned().empty());
  CHECK(first.beat(driver) == GroupErrc::kRebalanceInProgress);
  CHECK(second.beat(driver) == GroupErrc::kRebalanceInProgress);
  driver.crash();
  follow_all(driver, {&first, &second}, {&modern});
  CHECK_FALSE(first.owned.empty());
  CHECK_FALSE(second.owned.empty());
  CHECK_FALSE(modern.owned().empty());
  CHECK(driver.listed("g")->state == "Stable");
  // Classic members commit with the generation that they were told.
  driver.answer<CommitOffsetsReply>(commit_of(second.joined, {offset_of("t", 3, 6)}));
  CHECK(committed(driver, "g", "t", 0) == 5);
  CHECK(committed(driver, "g", "t", 3) == 6);
  const auto described = driver.answer<DescribeConsumerGroupReply>(DescribeConsumerGroup{"g"});
  REQUIRE(described.members.size() == 3);
  for (const DescribedConsumerMember& member : described.members) {
    CHECK(member.is_classic == (member.member_id != "modern"));
  }
  driver.crash();
  driver.check_compacted();
}

TEST_CASE("group conversion: all of it stands in one step, in Kafka's order", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  const auto both = classic_pair(driver);
  driver.answer<ConsumerHeartbeatReply>(consumer_join("modern"));
  const std::vector<GroupRecord>& step = driver.log.back();
  REQUIRE(step.size() > 9);
  CHECK_FALSE(std::get<ClassicGroupRecord>(step[0]).value.has_value());
  const std::vector<size_t> kinds = {1, 3, 3, 2, 5, 5, 4, 6, 6};  // as they stand in GroupRecord
  for (size_t i = 0; i < kinds.size(); ++i) CHECK(step[i].index() == kinds[i]);
  const auto& member = std::get<ConsumerMemberRecord>(step[1]);
  REQUIRE(member.value.has_value());
  CHECK(member.value->rebalance_timeout_ms == kTestRebalanceMs);
  CHECK(member.value->subscribed_topic_names == std::vector<std::string>{"t"});
  REQUIRE(member.value->classic_member_metadata.has_value());
  CHECK(member.value->classic_member_metadata->session_timeout_ms == kTestSessionMs);
  CHECK(member.value->classic_member_metadata->supported_protocols.size() == 2);
  CHECK(std::get<ConsumerGroupRecord>(step[3]).value->epoch == both.first.joined.generation);
  CHECK(std::get<CurrentMemberRecord>(step[7]).value->member_epoch == both.first.joined.generation);
}

TEST_CASE("group conversion: whoever is parked is told to join again", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  stable_leader(driver);
  const Ticket parked = driver.ask(join_of(""));
  CHECK_FALSE(driver.is_answered(parked));
  CHECK(driver.answer<ConsumerHeartbeatReply>(consumer_join("modern")).fault.code == GroupErrc::kNone);
  REQUIRE(driver.is_answered(parked));
  const auto told = driver.take<JoinGroupReply>(parked);
  CHECK(told.error == GroupErrc::kRebalanceInProgress);
  const auto again = driver.answer<JoinGroupReply>(join_of(told.member_id));
  CHECK(again.error == GroupErrc::kNone);
}

TEST_CASE("group conversion: classic members keep their own session timeouts", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  const JoinGroupReply leader = stable_leader(driver);
  const auto joined = driver.answer<ConsumerHeartbeatReply>(consumer_join("modern"));
  driver.advance(kTestSessionMs - 1);
  CHECK(driver.answer<DescribeConsumerGroupReply>(DescribeConsumerGroup{"g"}).members.size() == 2);
  driver.answer<ConsumerHeartbeatReply>(consumer_beat("modern", joined.member_epoch));
  driver.advance(1);
  const auto described = driver.answer<DescribeConsumerGroupReply>(DescribeConsumerGroup{"g"});
  REQUIRE(described.members.size() == 1);
  CHECK(described.members[0].member_id == "modern");
  CHECK(driver.answer<GroupHeartbeatReply>(beat_of(leader)).error == GroupErrc::kUnknownMemberId);
}

void check_refused(MachineDriver& driver, const std::string& words, GroupErrc code = GroupErrc::kGroupIdNotFound) {
  const std::vector<GroupRecord> before = driver.machine().snapshot();
  const size_t record_count = driver.record_count();
  const auto reply = driver.answer<ConsumerHeartbeatReply>(consumer_join("modern"));
  CHECK(reply.fault.code == code);
  CHECK(reply.fault.message == words);
  CHECK(driver.machine().snapshot() == before);
  CHECK(driver.record_count() == record_count);
  CHECK(driver.listed("g")->type == "classic");
}

TEST_CASE("group conversion: not up: what the policy forbids", "[coordinator][conversion]") {
  for (const MigrationPolicy policy : {MigrationPolicy::kDisabled, MigrationPolicy::kDowngrade}) {
    MachineDriver driver;
    driver.catalog.add("t", kPartitions);
    driver.rules.migration_policy = policy;
    const JoinGroupReply leader = stable_leader(driver);
    check_refused(driver, "Cannot upgrade classic group g to consumer group because online upgrade is disabled.");
    CHECK(driver.answer<ConsumerHeartbeatReply>(consumer_beat("m", 1)).fault.message ==
          "Group g is not a consumer group.");
    CHECK(driver.answer<GroupHeartbeatReply>(beat_of(leader)).error == GroupErrc::kNone);
  }
}

TEST_CASE("group conversion: not up: groups that are none of consumers", "[coordinator][conversion]") {
  MachineDriver driver;
  JoinGroup join = join_of("");
  join.protocol_type = "connect";
  driver.ask(join);
  check_refused(driver,
                "Cannot upgrade classic group g to consumer group because the group does not use the consumer embedded "
                "protocol.");
}

TEST_CASE("group conversion: not up: too many members", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  const auto both = classic_pair(driver);
  driver.rules.consumer_max_size = 1;
  check_refused(driver,
                "Cannot upgrade classic group g to consumer group because the group size exceeds the consumer group "
                "maximum size.");
  driver.rules.consumer_max_size = 2;  // no room for the one that would join
  check_refused(driver, "The consumer group has reached its maximum capacity of 2 members.",
                GroupErrc::kGroupMaxSizeReached);
}

TEST_CASE("group conversion: not up: what the members say is not understood", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  driver.ask(join_of("", Bytes{0, 1, 0}));
  check_refused(driver,
                "Cannot upgrade classic group g to consumer group because the embedded consumer protocol is "
                "malformed.");
}

TEST_CASE("group conversion: not up: an assignor's own data would be lost", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  const Ticket joining = driver.ask(join_of(""));
  driver.advance(driver.rules.initial_rebalance_delay_ms);
  const auto joined = driver.take<JoinGroupReply>(joining);
  ConsumerProtocolAssignment assignment;
  assignment.user_data = Bytes{1};
  driver.answer<SyncGroupReply>(sync_of(joined, {{joined.member_id, *encode_value(assignment, int16_t{1})}}));
  check_refused(driver,
                "Cannot upgrade classic group g to consumer group because an unsupported custom assignor is in use. "
                "Please refer to the documentation or switch to a default assignor before re-attempting the upgrade.");
}

TEST_CASE("group conversion: partitions that two classic members think they own", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  const JoinGroupReply first = stable_leader(driver);
  const Ticket second_joins = driver.ask(join_of(""));
  const Ticket first_joins = driver.ask(join_of(first.member_id));
  const auto leader = driver.take<JoinGroupReply>(first_joins);
  const auto other = driver.take<JoinGroupReply>(second_joins);
  driver.answer<SyncGroupReply>(sync_of(
      leader, {{leader.member_id, assignment_of("t", {0, 1, 9})}, {other.member_id, assignment_of("t", {1, 2, -1})}}));
  CHECK(driver.answer<ConsumerHeartbeatReply>(consumer_join("modern")).fault.code == GroupErrc::kNone);
  const auto described = driver.answer<DescribeConsumerGroupReply>(DescribeConsumerGroup{"g"});
  std::set<int32_t> all;
  for (const DescribedConsumerMember& member : described.members) {
    for (const TopicPartitions& topic : member.assignment) add_owned(all, topic.partitions);
  }
  for (const int32_t partition : {0, 1, 2}) CHECK(all.contains(partition));
  CHECK_FALSE(all.contains(9));
}

// --- down -----------------------------------------------------------------------------------------------------------

TEST_CASE("group conversion: down when the last member of the consumer protocol leaves", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  auto [first, second] = classic_pair(driver);
  ModernClient modern{.id = "modern", .epoch = 0, .assigned = {}, .last = {}};
  CHECK(modern.join(driver) == GroupErrc::kNone);
  follow_all(driver, {&first, &second}, {&modern});
  driver.answer<CommitOffsetsReply>(commit_of(first.joined, {offset_of("t", first.owned[0], 5)}));
  CHECK(modern.leave(driver) == GroupErrc::kNone);
  REQUIRE(driver.listed("g").has_value());
  CHECK(driver.listed("g")->type == "classic");
  CHECK(driver.listed("g")->protocol_type == "consumer");
  CHECK(committed(driver, "g", "t", first.owned[0]) == 5);
  const auto record = recorded(driver);
  REQUIRE(record.has_value());
  REQUIRE(record->members.size() == 2);
  for (const GroupMetadataValue::MemberMetadata& member : record->members) {
    CHECK(member.session_timeout == kTestSessionMs);
    CHECK(member.rebalance_timeout == kTestRebalanceMs);
    CHECK(member.subscription == subscription_to({"t"}));
    CHECK_FALSE(partitions_in(member.assignment).empty());
  }
  // In one step: all that ends the consumer group before the record that makes the classic one.
  CHECK(std::get_if<ClassicGroupRecord>(&driver.log.back().back()) != nullptr);
  // They are told of a rebalance in the generation that they know, and may commit what they give up.
  CHECK(first.beat(driver) == GroupErrc::kRebalanceInProgress);
  CHECK(second.beat(driver) == GroupErrc::kRebalanceInProgress);
  const auto late = driver.answer<CommitOffsetsReply>(commit_of(second.joined, {offset_of("t", second.owned[0], 6)}));
  CHECK(late.error == GroupErrc::kNone);
  const Ticket first_joins = driver.ask(join_of(first.joined.member_id));
  const Ticket second_joins = driver.ask(join_of(second.joined.member_id));
  const auto first_joined = driver.take<JoinGroupReply>(first_joins);
  const auto second_joined = driver.take<JoinGroupReply>(second_joins);
  CHECK(first_joined.error == GroupErrc::kNone);
  CHECK(first_joined.generation == first.joined.generation + 1);
  CHECK(second_joined.generation == first_joined.generation);
  driver.crash();
  driver.check_compacted();
}

TEST_CASE("group conversion: down and a crash at once: the members come back", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  auto [first, second] = classic_pair(driver);
  ModernClient modern{.id = "modern", .epoch = 0, .assigned = {}, .last = {}};
  CHECK(modern.join(driver) == GroupErrc::kNone);
  follow_all(driver, {&first, &second}, {&modern});
  CHECK(modern.leave(driver) == GroupErrc::kNone);
  driver.crash();
  CHECK(driver.listed("g")->type == "classic");
  // Nobody has the partitions of the one that left until all have joined again; nobody is fenced for it.
  CHECK(first.beat(driver) == GroupErrc::kRebalanceInProgress);
  CHECK(second.beat(driver) == GroupErrc::kRebalanceInProgress);
  const auto late = driver.answer<CommitOffsetsReply>(commit_of(second.joined, {offset_of("t", second.owned[0], 6)}));
  CHECK(late.error == GroupErrc::kNone);
  const Ticket first_joins = driver.ask(join_of(first.joined.member_id));
  const Ticket second_joins = driver.ask(join_of(second.joined.member_id));
  CHECK(driver.take<JoinGroupReply>(first_joins).generation == first.joined.generation + 1);
  CHECK(driver.take<JoinGroupReply>(second_joins).error == GroupErrc::kNone);
  driver.crash();
  driver.advance(kTestSessionMs);
  CHECK(driver.listed("g")->state == "Empty");
}

TEST_CASE("group conversion: down and up again before anybody joins: each keeps what it holds",
          "[coordinator][conversion]") {
  for (const bool has_crashed : {false, true}) {
    INFO("with a crash in between: " << has_crashed);
    MachineDriver driver;
    driver.catalog.add("t", kPartitions);
    ClassicClient classic;
    classic.joined = stable_leader(driver);
    classic.owned = {0, 1, 2, 3};
    ModernClient modern{.id = "modern", .epoch = 0, .assigned = {}, .last = {}};
    CHECK(modern.join(driver) == GroupErrc::kNone);  // the target takes partitions from the classic one
    CHECK(modern.leave(driver) == GroupErrc::kNone);
    const auto record = recorded(driver);
    REQUIRE(record.has_value());
    CHECK(partitions_in(record->members.at(0).assignment) == classic.owned);
    if (has_crashed) driver.crash();
    ModernClient next{.id = "next", .epoch = 0, .assigned = {}, .last = {}};
    CHECK(next.join(driver) == GroupErrc::kNone);
    CHECK(next.owned().empty());
    CHECK(classic.beat(driver) == GroupErrc::kRebalanceInProgress);
    follow_all(driver, {&classic}, {&next});
    CHECK_FALSE(classic.owned.empty());
    CHECK_FALSE(next.owned().empty());
  }
}

TEST_CASE("group conversion: down while a member still gives up: it holds that, too", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  ClassicClient classic;
  classic.joined = stable_leader(driver);
  ModernClient modern{.id = "modern", .epoch = 0, .assigned = {}, .last = {}};
  CHECK(modern.join(driver) == GroupErrc::kNone);
  ConsumerProtocolSubscription subscription;  // a cooperative one: it gives up after it has joined
  subscription.topics = {"t"};
  subscription.owned_partitions.push_back({"t", {0, 1, 2, 3}});
  const Bytes metadata = *encode_value(subscription, int16_t{1});
  classic.joined = driver.answer<JoinGroupReply>(join_of(classic.joined.member_id, metadata));
  CHECK(partitions_in(driver.answer<SyncGroupReply>(sync_of(classic.joined)).assignment).size() < kPartitions);
  CHECK(modern.leave(driver) == GroupErrc::kNone);
  const auto record = recorded(driver);
  REQUIRE(record.has_value());
  CHECK(partitions_in(record->members.at(0).assignment) == std::vector<int32_t>{0, 1, 2, 3});
}

TEST_CASE("group conversion: down also when the last one is lost", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  ClassicClient classic;
  classic.joined = stable_leader(driver);
  ModernClient modern{.id = "modern", .epoch = 0, .assigned = {}, .last = {}};
  CHECK(modern.join(driver) == GroupErrc::kNone);
  follow_all(driver, {&classic}, {&modern});
  for (int i = 0; i < 3; ++i) {
    driver.advance(15'000);
    (void)classic.beat(driver);
  }
  CHECK(driver.listed("g")->type == "classic");
}

TEST_CASE("group conversion: not down: by the policy, by size, or while one is left", "[coordinator][conversion]") {
  const auto type_after_leave = [](const GroupRules& rules) {
    MachineDriver driver;
    driver.catalog.add("t", kPartitions);
    const auto both = classic_pair(driver);
    ModernClient modern{.id = "modern", .epoch = 0, .assigned = {}, .last = {}};
    REQUIRE(modern.join(driver) == GroupErrc::kNone);
    driver.rules = rules;
    REQUIRE(modern.leave(driver) == GroupErrc::kNone);
    return driver.listed("g")->type;
  };
  GroupRules rules;
  CHECK(type_after_leave(rules) == "classic");
  rules.migration_policy = MigrationPolicy::kUpgrade;
  CHECK(type_after_leave(rules) == "consumer");
  rules.migration_policy = MigrationPolicy::kDowngrade;
  CHECK(type_after_leave(rules) == "classic");
  rules.max_size = 1;
  CHECK(type_after_leave(rules) == "consumer");
}

// --- empty groups ---------------------------------------------------------------------------------------------------

TEST_CASE("group conversion: an empty classic group gives way, its commits stay", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  driver.rules.migration_policy = MigrationPolicy::kDisabled;
  const JoinGroupReply leader = stable_leader(driver);
  driver.answer<CommitOffsetsReply>(commit_of(leader, {offset_of("t", 0, 5)}));
  driver.answer<LeaveGroupReply>(leave_of(leader));
  CHECK(driver.answer<ConsumerHeartbeatReply>(consumer_join("modern")).fault.code == GroupErrc::kNone);
  CHECK(driver.listed("g")->type == "consumer");
  CHECK(committed(driver, "g") == 5);
  CHECK_FALSE(recorded(driver).has_value());
  driver.crash();
  driver.check_compacted();
}

TEST_CASE("group conversion: an empty consumer group gives way, its commits stay", "[coordinator][conversion]") {
  MachineDriver driver;
  driver.catalog.add("t", kPartitions);
  driver.rules.migration_policy = MigrationPolicy::kDisabled;
  const auto joined = driver.answer<ConsumerHeartbeatReply>(consumer_join("modern"));
  CommitOffsets commit = commit_of("g", {offset_of("t", 0, 5)});
  commit.member_id = "modern";
  commit.generation_or_epoch = joined.member_epoch;
  driver.answer<CommitOffsetsReply>(commit);
  driver.answer<ConsumerHeartbeatReply>(consumer_beat("modern", -1));
  CHECK(driver.answer<JoinGroupReply>(join_of("stranger")).error == GroupErrc::kUnknownMemberId);
  CHECK(driver.listed("g")->type == "consumer");
  stable_leader(driver);
  CHECK(driver.listed("g")->type == "classic");
  CHECK(committed(driver, "g") == 5);
  driver.crash();
  CHECK(driver.listed("g")->state == "Stable");
  driver.check_compacted();
}

}  // namespace
}  // namespace leat
