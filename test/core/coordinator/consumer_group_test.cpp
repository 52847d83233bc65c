// consumer_group_test.cpp: heartbeats of a consumer group, one rule at a time: who gets in, epochs and fencing, who is
// led where, and what the answer says. consumer_subscription_test.cpp has subscriptions and topics,
// consumer_membership_test.cpp who leaves, static members, commits and records.
#include "core/coordinator/group/consumer_group.h"

#include "test/core/coordinator/consumer_fixture.h"
#include "test/support/catch.h"

namespace leat {
namespace {

// --- joining --------------------------------------------------------------------------------------------------------

TEST_CASE("consumer group: the first member gets everything at once", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a{.member_id = "a", .topics = {"foo", "bar"}};
  const ConsumerHeartbeatReply reply = f.beat(a);
  CHECK(reply.member_id == "a");
  CHECK(reply.member_epoch == 2);
  CHECK(reply.heartbeat_interval_ms == 5'000);
  CHECK(a.owned.size() == 9);
  CHECK(f.state() == "Stable");
  CHECK(f.group().epoch() == 2);
  CHECK(f.group().target_epoch() == 2);
  f.check_replay();
}

TEST_CASE("consumer group: old clients are given a member id", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient nameless{.member_id = "", .topics = {"foo"}};
  ConsumerHeartbeat event = nameless.full();
  event.member_id_is_ours_to_make = true;
  const ConsumerHeartbeatReply first = f.send(event);
  const ConsumerHeartbeatReply second = f.send(event);
  CHECK(first.fault.code == GroupErrc::kNone);
  CHECK(Uuid::parse(first.member_id).has_value());
  CHECK(second.member_id != first.member_id);
  CHECK(f.group().members().size() == 2);
}

struct BadRequest {
  std::string message;
  void (*spoil)(ConsumerHeartbeat& event);
};

TEST_CASE("consumer group: requests that are wrong in themselves", "[group][consumer]") {
  const BadRequest bad[] = {
      {"MemberId can't be empty.", [](ConsumerHeartbeat& event) { event.member_id = " "; }},
      {"GroupId can't be empty.", [](ConsumerHeartbeat& event) { event.group_id = ""; }},
      {"InstanceId can't be empty.", [](ConsumerHeartbeat& event) { event.instance_id = "\t"; }},
      {"RackId can't be empty.", [](ConsumerHeartbeat& event) { event.rack_id = ""; }},
      {"RebalanceTimeoutMs must be provided in first request.",
       [](ConsumerHeartbeat& event) { event.rebalance_timeout_ms = -1; }},
      {"TopicPartitions must be empty when (re-)joining.",
       [](ConsumerHeartbeat& event) { event.owned_partitions.reset(); }},
      {"TopicPartitions must be empty when (re-)joining.",
       [](ConsumerHeartbeat& event) { event.owned_partitions->emplace_back(); }},
      {"Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.",
       [](ConsumerHeartbeat& event) { event.subscribed_topic_names.reset(); }},
      {"InstanceId can't be null.", [](ConsumerHeartbeat& event) { event.member_epoch = -2; }},
      {"MemberEpoch is invalid.", [](ConsumerHeartbeat& event) { event.member_epoch = -3; }},
  };
  ConsumerFixture f;
  for (const BadRequest& request : bad) {
    ConsumerHeartbeat event = ConsumerClient{.member_id = "a", .topics = {"foo"}}.full();
    request.spoil(event);
    const GroupFault fault = f.refused(event);
    CHECK(fault.code == GroupErrc::kInvalidRequest);
    CHECK(fault.message == request.message);
  }
  CHECK_FALSE(f.group().is_durable());
}

TEST_CASE("consumer group: an id of the coordinator's making may be empty in a join only", "[group][consumer]") {
  ConsumerFixture f;
  for (const int32_t epoch : {1, -1}) {
    ConsumerHeartbeat event = ConsumerClient{.member_id = "", .topics = {}}.bare(epoch);
    event.member_id_is_ours_to_make = true;
    CHECK(f.refused(event).message == "MemberId can't be empty.");
  }
}

TEST_CASE("consumer group: an assignor that the settings do not name", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a{.member_id = "a", .topics = {"foo"}};
  a.assignor = "sticky";
  const GroupFault fault = f.refused(a.full());
  CHECK(fault.code == GroupErrc::kUnsupportedAssignor);
  CHECK(fault.message == "ServerAssignor sticky is not supported. Supported assignors: uniform, range.");
}

TEST_CASE("consumer group: a full group takes nobody new", "[group][consumer]") {
  ConsumerFixture f;
  f.driver.rules.consumer_max_size = 2;
  auto [a, b] = f.stable_pair();
  const GroupFault fault = f.refused(ConsumerClient{.member_id = "c", .topics = {"foo"}}.full());
  CHECK(fault.code == GroupErrc::kGroupMaxSizeReached);
  CHECK(fault.message == "The consumer group has reached its maximum capacity of 2 members.");
  a.epoch = 0;
  a.owned.clear();
  f.beat(a);  // who is in may come again
}

TEST_CASE("consumer group: heartbeats of somebody who never joined", "[group][consumer]") {
  ConsumerFixture f;
  f.join("a");
  const GroupFault fault = f.refused(ConsumerClient{.member_id = "x", .topics = {}}.bare(1));
  CHECK(fault.code == GroupErrc::kUnknownMemberId);
  CHECK(fault.message == "Member x is not a member of group g.");
}

// --- being led ------------------------------------------------------------------------------------------------------

TEST_CASE("consumer group: a new member gets its share when the old one has let go", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  ConsumerClient b = f.join("b");
  CHECK(b.epoch == 3);
  CHECK(b.owned.empty());
  CHECK(f.member_state("b") == MemberState::kUnreleasedPartitions);
  CHECK(f.state() == "Reconciling");

  const PartitionSet before = a.owned;
  const ConsumerHeartbeatReply told = f.beat(a);
  CHECK(told.member_epoch == 2);
  REQUIRE(told.assignment.has_value());
  CHECK(flat(*told.assignment).size() == 3);
  CHECK(f.member_state("a") == MemberState::kUnrevokedPartitions);
  CHECK((held_by(f.current("a")) == before));

  CHECK_FALSE(f.beat(b).assignment.has_value());  // a may still be at work on them
  CHECK(f.beat(a).member_epoch == 3);
  const ConsumerHeartbeatReply given = f.beat(b);
  REQUIRE(given.assignment.has_value());
  CHECK(flat(*given.assignment).size() == 3);
  CHECK(f.state() == "Stable");
  f.check_replay();
}

TEST_CASE("consumer group: who says nothing of what it owns has let go of nothing", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  f.join("b");
  f.beat(a);
  const ConsumerHeartbeatReply reply = f.send(a.bare(2));
  CHECK(reply.fault.code == GroupErrc::kNone);
  CHECK(reply.member_epoch == 2);
  CHECK(f.member_state("a") == MemberState::kUnrevokedPartitions);
}

TEST_CASE("consumer group: the assignment is sent when it is news, or when the member says everything",
          "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = f.stable_pair();
  CHECK_FALSE(f.send(a.brief()).assignment.has_value());
  const ConsumerHeartbeatReply full = f.send(a.full());
  REQUIRE(full.assignment.has_value());
  CHECK((flat(*full.assignment) == a.owned));
  ConsumerHeartbeat almost = a.full();
  almost.owned_partitions.reset();
  CHECK_FALSE(f.send(almost).assignment.has_value());
}

TEST_CASE("consumer group: heartbeats with nothing new write nothing", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = f.stable_pair();
  const size_t record_count = f.driver.records.size();
  f.beat(a);
  f.send(b.full());
  ConsumerHeartbeat shuffled = b.full();
  shuffled.subscribed_topic_names = {"foo", "foo"};
  f.send(shuffled);
  CHECK(f.driver.records.size() == record_count);
}

TEST_CASE("consumer group: a member that waits writes nothing meanwhile", "[group][consumer]") {
  ConsumerFixture f;
  f.join("a");
  ConsumerClient b = f.join("b");
  const size_t record_count = f.driver.records.size();
  f.beat(b);
  f.beat(b);
  CHECK(f.driver.records.size() == record_count);
}

TEST_CASE("consumer group: nobody but those whose share changes gets a new target", "[group][consumer]") {
  ConsumerFixture f;
  std::vector<ConsumerClient> clients;
  for (const char* member_id : {"a", "b", "c"}) clients.push_back(f.join(member_id));
  f.settle({&clients[0], &clients[1], &clients[2]});
  const size_t record_count = f.driver.records.size();
  f.join("d", {"bar"});
  std::vector<std::string> targets;
  for (size_t i = record_count; i < f.driver.records.size(); ++i) {
    if (const auto* target = std::get_if<TargetMemberRecord>(&f.driver.records[i])) {
      targets.push_back(target->key.member_id);
    }
  }
  CHECK(targets == std::vector<std::string>{"d"});
}

// --- epochs ---------------------------------------------------------------------------------------------------------

TEST_CASE("consumer group: it is born with epoch 1, and the first that asks for something makes it 2",
          "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient idle = f.join("idle", {});
  CHECK(idle.epoch == 1);
  CHECK(f.group().target_epoch() == 1);
  CHECK(f.state() == "Stable");
  f.check_replay();
  CHECK(f.join("a").epoch == 2);
  CHECK(f.beat(idle).member_epoch == 2);
  f.check_replay();

  ConsumerFixture other;
  CHECK(other.join("a").epoch == 2);
  ConsumerFixture by_pattern;
  ConsumerClient b{.member_id = "b", .topics = {}};
  b.regex = "fo+";
  CHECK(by_pattern.beat(b).member_epoch == 2);
}

TEST_CASE("consumer group: an epoch from the future is fenced", "[group][consumer]") {
  ConsumerFixture f;
  const ConsumerClient a = f.join("a");
  const GroupFault fault = f.refused(a.bare(3));
  CHECK(fault.code == GroupErrc::kFencedMemberEpoch);
  CHECK(fault.message ==
        "The consumer group member has a greater member epoch (3) than the one known by the group coordinator (2). The "
        "member must abandon all its partitions and rejoin.");
}

TEST_CASE("consumer group: an old epoch is fenced", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  ConsumerClient b = f.join("b");
  ConsumerClient c = f.join("c");
  f.settle({&a, &b, &c});
  REQUIRE(a.epoch == 4);
  const GroupFault fault = f.refused(a.bare(2));
  CHECK(fault.code == GroupErrc::kFencedMemberEpoch);
  CHECK(fault.message.find("has a smaller member epoch (2) than the one known by the group coordinator (4)") !=
        std::string::npos);
}

TEST_CASE("consumer group: the epoch before is accepted from one that may have missed an answer", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = f.stable_pair();
  REQUIRE(f.current("a").previous_member_epoch == 2);
  ConsumerClient late = a;
  late.epoch = 2;
  const ConsumerHeartbeatReply reply = f.send(late.full());
  CHECK(reply.fault.code == GroupErrc::kNone);
  CHECK(reply.member_epoch == 3);
  CHECK(reply.assignment.has_value());

  CHECK(f.refused(late.bare(2)).code == GroupErrc::kFencedMemberEpoch);  // it does not say what it owns
  late.owned.insert(*b.owned.begin());
  CHECK(f.refused(late.full()).code == GroupErrc::kFencedMemberEpoch);
}

TEST_CASE("consumer group: epoch 0 begins anew, and finds what is assigned", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = f.stable_pair();
  const PartitionSet before = a.owned;
  a.epoch = 0;
  a.owned.clear();
  const ConsumerHeartbeatReply reply = f.beat(a);
  CHECK(reply.member_epoch == 3);
  CHECK((a.owned == before));
  CHECK(f.group().epoch() == 3);
}

TEST_CASE("consumer group: beginning anew is a revocation done", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  f.join("b");
  f.beat(a);
  REQUIRE(f.member_state("a") == MemberState::kUnrevokedPartitions);
  a.epoch = 0;
  a.owned.clear();
  CHECK(f.beat(a).member_epoch == 3);
  CHECK(a.owned.size() == 3);
}

TEST_CASE("consumer group: a member in a state of a later version has to begin anew", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  CurrentMemberRecord record{.key = {.group_id = "g", .member_id = "a"}, .value = to_record_value(f.current("a"))};
  record.value->state = 9;
  f.driver.step([&](GroupStep& step) { step.write(record); });
  REQUIRE(f.member_state("a") == MemberState::kUnknown);
  CHECK(f.refused(a.brief()).code == GroupErrc::kFencedMemberEpoch);
  CHECK(f.refused(a.bare(2)).message ==
        "The consumer group member is in a unknown state. The member must abandon all its partitions and rejoin.");
  a.epoch = 0;
  a.owned.clear();
  f.beat(a);
  CHECK(f.member_state("a") == MemberState::kStable);
  CHECK(a.owned.size() == 6);
}

// --- states ---------------------------------------------------------------------------------------------------------

TEST_CASE("consumer group: the states by their names", "[group][consumer]") {
  ConsumerFixture f;
  CHECK(f.state() == "Empty");
  auto [a, b] = f.stable_pair();
  CHECK(f.state() == "Stable");
  f.send(b.bare(-1));
  CHECK(f.state() == "Assigning");  // the target is made for who asks next
  f.beat(a);
  CHECK(f.state() == "Stable");
  CHECK(a.owned.size() == 6);
  f.send(a.bare(-1));
  CHECK(f.state() == "Empty");
}

TEST_CASE("consumer group: describe shows members, epochs and both assignments", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a", {"foo", "bar"});
  ConsumerClient b{.member_id = "b", .topics = {"bar"}};
  b.instance_id = "i";
  f.beat(b);
  f.driver.catalog.remove("foo");
  const DescribeConsumerGroupReply reply = f.group().describe(f.driver.catalog, f.driver.rules);
  CHECK(reply.fault.code == GroupErrc::kNone);
  CHECK(reply.state == "Reconciling");
  CHECK(reply.group_epoch == 3);
  CHECK(reply.assignment_epoch == 3);
  CHECK(reply.assignor == "uniform");
  REQUIRE(reply.members.size() == 2);
  const DescribedConsumerMember& first = reply.members[0];
  CHECK(first.member_id == "a");
  CHECK(first.member_epoch == 2);
  CHECK(first.client.id == "client-a");
  CHECK(first.client.host == "/127.0.0.1");
  CHECK(first.subscribed_topic_names == std::vector<std::string>{"bar", "foo"});
  CHECK_FALSE(first.subscribed_topic_regex.has_value());
  CHECK((flat(first.assignment) == PartitionSet{{f.bar.id, 0}, {f.bar.id, 1}, {f.bar.id, 2}}));
  CHECK(reply.members[1].instance_id == "i");
  CHECK(reply.members[1].assignment.empty());
  CHECK_FALSE(reply.members[1].target_assignment.empty());
}

TEST_CASE("consumer group: describe shows what a member holds, also what it is to give up", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  const PartitionSet before = a.owned;
  f.join("b");
  f.beat(a);
  REQUIRE(f.member_state("a") == MemberState::kUnrevokedPartitions);
  const DescribeConsumerGroupReply reply = f.group().describe(f.driver.catalog, f.driver.rules);
  REQUIRE(reply.members.size() == 2);
  CHECK((flat(reply.members[0].assignment) == before));
  CHECK(flat(reply.members[0].target_assignment).size() == 3);
  CHECK(reply.members[0].assignment.size() == 1);  // once for the topic
  CHECK(reply.members[1].assignment.empty());
}

}  // namespace
}  // namespace leat
