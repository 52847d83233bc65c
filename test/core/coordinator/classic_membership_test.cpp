// classic_membership_test.cpp: who goes from a classic group and who stays: leaving, expiry, static members, the size
// limit; and what the group says to others: commits, subscriptions, descriptions, records.
#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"
#include "core/coordinator/group/classic_group.h"
#include "test/core/coordinator/classic_fixture.h"
#include "test/support/catch.h"

namespace leat {
namespace {

// --- leaving --------------------------------------------------------------------------------------------------------

TEST_CASE("classic group: members leave in a batch, each with its own answer, in one rebalance", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable({joining(), joining(), joining(), joining_static("i")});
  LeaveGroup request = leaving({members[0].member_id, "stranger", members[1].member_id, members[0].member_id, ""});
  request.members.push_back({"", "i"});
  request.members.push_back({members[2].member_id, "i"});
  const std::vector<GroupErrc> errors = f.leave(request);
  CHECK(errors == std::vector<GroupErrc>{GroupErrc::kNone, GroupErrc::kUnknownMemberId, GroupErrc::kNone,
                                         GroupErrc::kUnknownMemberId, GroupErrc::kUnknownMemberId, GroupErrc::kNone,
                                         GroupErrc::kUnknownMemberId});
  CHECK(f.member_count() == 1);
  CHECK(f.state() == "PreparingRebalance");
  CHECK(f.join_now(joining(members[2].member_id)).generation == 2);
}

TEST_CASE("classic group: the last to leave leaves an Empty group, recorded without protocol", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  f.driver.advance(1'000);
  CHECK(f.leave(leaving({members[0].member_id, members[1].member_id})) ==
        std::vector<GroupErrc>{GroupErrc::kNone, GroupErrc::kNone});
  CHECK(f.state() == "Empty");
  const GroupMetadataValue& record = f.last_record();
  CHECK(record.protocol_type == "consumer");
  CHECK(record.generation == 2);
  CHECK_FALSE(record.protocol.has_value());
  CHECK_FALSE(record.leader.has_value());
  CHECK(record.members.empty());
  CHECK(record.current_state_timestamp == f.driver.wall_ms);
  CHECK(f.driver.group().state_since_wall_ms() == f.driver.wall_ms);
  CHECK(f.driver.deadlines.size() == 0);
  CHECK(f.leave(leaving({members[0].member_id})) == std::vector<GroupErrc>{GroupErrc::kUnknownMemberId});
  f.check_replay();
}

TEST_CASE("classic group: the next to join an Empty group begins the generation after", "[group][classic]") {
  ClassicFixture f;
  f.leave(leaving({f.stable(1)[0].member_id}));
  CHECK(f.gather({joining()})[0].generation == 3);
}

TEST_CASE("classic group: an id that is given back before its use disturbs nobody", "[group][classic]") {
  ClassicFixture f;
  f.stable(1);
  JoinGroup asking = joining();
  asking.member_id_round = true;
  const std::string id = f.join_now(asking).member_id;
  CHECK(f.leave(leaving({id})) == std::vector<GroupErrc>{GroupErrc::kNone});
  CHECK(f.state() == "Stable");
  CHECK(f.join_now(joining(id)).error == GroupErrc::kUnknownMemberId);
}

TEST_CASE("classic group: giving an unused id back ends the join phase that waits for it", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(1);
  JoinGroup asking = joining();
  asking.member_id_round = true;
  const std::string id = f.join_now(asking).member_id;
  const Ticket ticket = f.join(joining(members[0].member_id));
  CHECK_FALSE(f.driver.is_answered(ticket));
  f.leave(leaving({id}));
  CHECK(f.joined(ticket).generation == 2);
}

TEST_CASE("classic group: a member that leaves while its requests are parked has them answered", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining()});
  const JoinGroupReply& follower = follower_of(members);
  const Ticket sync = f.sync(syncing(follower));
  f.leave(leaving({follower.member_id}));
  CHECK(f.synced(sync).error == GroupErrc::kUnknownMemberId);

  const Ticket newcomer = f.join(joining());
  std::string newcomer_id;
  for (const auto& [id, member] : f.driver.group().members()) {
    if (member.is_new) newcomer_id = id;
  }
  f.leave(leaving({newcomer_id}));
  const JoinGroupReply refused = f.joined(newcomer);
  CHECK(refused.error == GroupErrc::kUnknownMemberId);
  CHECK(refused.member_id.empty());
  CHECK(f.driver.open_count() == 0);
}

TEST_CASE("classic group: when the leader leaves another one leads", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  f.leave(leaving({leader_of(members).member_id}));
  const JoinGroupReply joined = f.join_now(joining(follower_of(members).member_id));
  CHECK(joined.leader == joined.member_id);
  CHECK(joined.members.size() == 1);
}

// --- expiry ---------------------------------------------------------------------------------------------------------

TEST_CASE("classic group: a parked join keeps a known member alive beyond its session", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  const JoinGroupReply& follower = follower_of(members);
  const Ticket ticket = f.join(joining(leader_of(members).member_id));
  for (int i = 0; i < 5; ++i) {
    f.driver.advance(9'000);
    CHECK(f.heartbeat(follower) == GroupErrc::kRebalanceInProgress);
  }
  CHECK_FALSE(f.driver.is_answered(ticket));
  f.join_now(joining(follower.member_id));
  CHECK(f.joined(ticket).generation == 2);
  f.driver.advance(9'999);  // and then has a whole session
  CHECK(f.member_count() == 2);
  f.driver.advance(1);
  CHECK(f.member_count() == 0);
}

TEST_CASE("classic group: a new member whose join is parked for five minutes must ask again", "[group][classic]") {
  ClassicFixture f;
  JoinGroup slow = joining();
  slow.rebalance_timeout_ms = 600'000;
  slow.session_timeout_ms = 600'000;
  const auto members = f.stable({slow});
  const Ticket ticket = f.join(slow);
  f.driver.advance(299'999);
  CHECK_FALSE(f.driver.is_answered(ticket));
  f.driver.advance(1);
  const JoinGroupReply refused = f.joined(ticket);
  CHECK(refused.error == GroupErrc::kUnknownMemberId);
  CHECK(refused.member_id.empty());
  slow.member_id = members[0].member_id;
  CHECK(f.join_now(slow).generation == 2);
}

TEST_CASE("classic group: a parked sync keeps its member alive; it has a whole session afterwards",
          "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining()});
  const Ticket ticket = f.sync(syncing(follower_of(members)));
  for (int i = 0; i < 3; ++i) {
    f.driver.advance(9'000);
    CHECK(f.heartbeat(leader_of(members)) == GroupErrc::kNone);
  }
  f.sync_now(assigning(leader_of(members)));
  CHECK(f.synced(ticket).error == GroupErrc::kNone);
  f.driver.advance(9'999);
  CHECK(f.member_count() == 2);
}

TEST_CASE("classic group: who is lost in the join phase is not waited for any longer", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  f.driver.advance(5'000);
  const Ticket ticket = f.join(joining(leader_of(members).member_id));
  f.driver.advance(4'999);
  CHECK_FALSE(f.driver.is_answered(ticket));
  f.driver.advance(1);
  CHECK(f.joined(ticket).members.size() == 1);
}

TEST_CASE("classic group: who is lost while the assignment is awaited makes the others rejoin", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining()});
  const Ticket ticket = f.sync(syncing(follower_of(members)));
  f.driver.advance(10'000);
  CHECK(f.synced(ticket).error == GroupErrc::kRebalanceInProgress);
  CHECK(f.state() == "PreparingRebalance");
  CHECK(f.join_now(joining(follower_of(members).member_id)).leader == follower_of(members).member_id);
}

// --- static members -------------------------------------------------------------------------------------------------

TEST_CASE("classic group: a static member that restarts keeps its place, and nobody rejoins", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable({joining_static("a"), joining_static("b")});
  const JoinGroupReply& old = follower_of(members);
  const std::string instance = old.member_id.substr(0, 1);
  CHECK(old.member_id.size() == 2 + 36);
  JoinGroup request = joining_static(instance);
  request.session_timeout_ms = 20'000;
  const JoinGroupReply joined = f.join_now(request);
  CHECK(joined.error == GroupErrc::kNone);
  CHECK(joined.generation == 1);
  CHECK(joined.member_id != old.member_id);
  CHECK(joined.leader == old.leader);
  CHECK(joined.members.empty());
  CHECK(f.state() == "Stable");
  CHECK(f.sync_now(syncing(joined)).assignment == bytes(old.member_id));

  CHECK(f.driver.records.size() == 2);
  bool is_recorded = false;
  for (const auto& member : f.last_record().members) {
    CHECK(member.member_id != old.member_id);
    if (member.member_id != joined.member_id) continue;
    is_recorded = true;
    CHECK(member.group_instance_id == instance);
    CHECK(member.session_timeout == 20'000);
    CHECK(member.assignment == bytes(old.member_id));
  }
  CHECK(is_recorded);
  f.check_replay();
}

TEST_CASE("classic group: the older process of a restarted static member is fenced", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable({joining_static("a"), joining_static("b")});
  const JoinGroupReply& old = members[0];
  f.join_now(joining_static("a"));
  GroupHeartbeat beat = beating(old);
  CHECK(f.heartbeat(beat) == GroupErrc::kUnknownMemberId);  // it does not say which instance it is
  beat.instance_id = "a";
  CHECK(f.heartbeat(beat) == GroupErrc::kFencedInstanceId);
  SyncGroup sync = syncing(old);
  sync.instance_id = "a";
  CHECK(f.sync_now(sync).error == GroupErrc::kFencedInstanceId);
  CHECK(f.join_now(joining_static("a", old.member_id)).error == GroupErrc::kFencedInstanceId);
  CHECK(f.leave(leaving_instance("a", old.member_id)) == std::vector<GroupErrc>{GroupErrc::kFencedInstanceId});
  CommitOffsets commit = committing(1, old.member_id);
  commit.instance_id = "a";
  CHECK(f.commit(commit) == GroupErrc::kFencedInstanceId);
}

TEST_CASE("classic group: a restarted static leader may look, and need not assign (KIP-814)", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable({joining_static("a"), joining_static("b")});
  const JoinGroupReply& old = leader_of(members);
  JoinGroup request = joining_static(old.member_id.substr(0, 1));
  request.may_skip_assignment = true;
  const JoinGroupReply joined = f.join_now(request);
  CHECK(joined.skip_assignment);
  CHECK(joined.leader == joined.member_id);
  CHECK(joined.members.size() == 2);
  CHECK(f.last_record().leader == joined.member_id);

  JoinGroup follower = joining_static(follower_of(members).member_id.substr(0, 1));
  follower.may_skip_assignment = true;
  CHECK_FALSE(f.join_now(follower).skip_assignment);
}

TEST_CASE("classic group: a restarted static leader that cannot skip is told of its former self", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable({joining_static("a"), joining_static("b")});
  const JoinGroupReply& old = leader_of(members);
  const JoinGroupReply joined = f.join_now(joining_static(old.member_id.substr(0, 1)));
  CHECK(joined.leader == old.member_id);
  CHECK(joined.members.empty());
  CHECK_FALSE(joined.skip_assignment);
  CHECK(f.driver.group().leader() == joined.member_id);
}

TEST_CASE("classic group: a static member that comes back with another protocol rebalances", "[group][classic]") {
  ClassicFixture f;
  JoinGroup first = joining_static("a");
  first.protocols = {{"range", bytes("1")}, {"sticky", bytes("2")}};
  JoinGroup second = first;
  second.instance_id = "b";
  const auto members = f.stable({first, second});
  CHECK(members[0].protocol == "range");
  first.protocols = {{"sticky", bytes("2")}};
  const Ticket ticket = f.join(first);
  CHECK_FALSE(f.driver.is_answered(ticket));
  CHECK(f.state() == "PreparingRebalance");
  second.member_id = members[1].member_id;
  CHECK(f.join_now(second).protocol == "sticky");
  CHECK(f.joined(ticket).protocol == "sticky");
}

TEST_CASE("classic group: a static member's parked join is fenced by its own restart", "[group][classic]") {
  ClassicFixture f;
  const Ticket old = f.join(joining_static("a"));
  const Ticket restarted = f.join(joining_static("a"));
  const JoinGroupReply fenced = f.joined(old);
  CHECK(fenced.error == GroupErrc::kFencedInstanceId);
  CHECK(f.member_count() == 1);
  f.driver.advance(3'000);
  const JoinGroupReply joined = f.joined(restarted);
  CHECK(joined.error == GroupErrc::kNone);
  CHECK(joined.leader == joined.member_id);
  CHECK(joined.member_id != fenced.member_id);
}

TEST_CASE("classic group: a static member's parked sync is fenced by its restart, and all join again",
          "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining_static("a"), joining_static("b")});
  const JoinGroupReply& old = follower_of(members);
  const Ticket sync = f.sync(syncing(old));
  const Ticket restarted = f.join(joining_static(old.member_id.substr(0, 1)));
  CHECK(f.synced(sync).error == GroupErrc::kFencedInstanceId);
  CHECK(f.state() == "PreparingRebalance");
  JoinGroup leader = joining_static(leader_of(members).member_id.substr(0, 1), leader_of(members).member_id);
  CHECK(f.join_now(leader).members.size() == 2);
  CHECK(f.joined(restarted).generation == 2);
}

TEST_CASE("classic group: a static member that is away keeps its place in a rebalance", "[group][classic]") {
  ClassicFixture f;
  JoinGroup away = joining_static("away");
  away.session_timeout_ms = 200'000;
  const auto members = f.stable({joining(), away});
  JoinGroup changed = with_protocols(joining(members[0].member_id), {"range"});
  const Ticket ticket = f.join(changed);
  f.driver.advance(60'000);
  const JoinGroupReply joined = f.joined(ticket);
  CHECK(joined.generation == 2);
  CHECK(joined.leader == members[0].member_id);
  CHECK(joined.members.size() == 2);
  f.sync_now(assigning(joined));
  CHECK(f.last_record().members.size() == 2);
}

TEST_CASE("classic group: when all static members are away the join phase goes on until one is back",
          "[group][classic]") {
  ClassicFixture f;
  JoinGroup a = joining_static("a");
  JoinGroup b = joining_static("b");
  a.session_timeout_ms = b.session_timeout_ms = 200'000;
  const auto members = f.stable({a, b, joining()});
  f.leave(leaving({members[2].member_id}));
  f.driver.advance(70'000);
  CHECK(f.state() == "PreparingRebalance");
  CHECK(f.driver.group().generation() == 1);
  const Ticket back = f.join(a);  // under a new member id
  f.driver.advance(60'000);
  const JoinGroupReply joined = f.joined(back);
  CHECK(joined.generation == 2);
  CHECK(joined.leader == joined.member_id);
  CHECK(joined.members.size() == 2);
}

TEST_CASE("classic group: static members go when their session ends, too", "[group][classic]") {
  ClassicFixture f;
  f.stable({joining_static("a")});
  f.driver.advance(9'999);
  CHECK(f.state() == "Stable");
  f.driver.advance(1);
  CHECK(f.state() == "Empty");
  CHECK(f.gather({joining_static("a")})[0].generation == 3);
}

// --- size -----------------------------------------------------------------------------------------------------------

TEST_CASE("classic group: a full group takes its own members, and no others", "[group][classic]") {
  ClassicFixture f;
  f.driver.rules.max_size = 2;
  const auto members = f.stable({joining(), joining_static("i")});
  const JoinGroupReply refused = f.join_now(joining());
  CHECK(refused.error == GroupErrc::kGroupMaxSizeReached);
  CHECK(refused.member_id.empty());
  CHECK(f.state() == "Stable");
  CHECK(f.join_now(joining_static("i")).error == GroupErrc::kNone);
  CHECK(f.member_count() == 2);
}

TEST_CASE("classic group: an id was handed out while there was room, and then there is none", "[group][classic]") {
  ClassicFixture f;
  f.driver.rules.max_size = 1;
  JoinGroup asking = joining();
  asking.member_id_round = true;
  const std::string first = f.join_now(asking).member_id;
  const std::string second = f.join_now(asking).member_id;
  const Ticket ticket = f.join(joining(first));
  CHECK(f.join_now(joining(second)).error == GroupErrc::kGroupMaxSizeReached);
  f.driver.advance(3'000);
  CHECK(f.joined(ticket).generation == 1);
  CHECK(f.member_count() == 1);
}

// --- commits --------------------------------------------------------------------------------------------------------

TEST_CASE("classic group: who may commit", "[group][classic]") {
  ClassicFixture f;
  CHECK(f.commit(committing(-1, "")) == GroupErrc::kNone);  // a simple consumer
  CHECK(f.commit(committing(-1, "anybody")) == GroupErrc::kNone);
  CHECK(f.commit(committing(1, "stranger")) == GroupErrc::kUnknownMemberId);

  const auto members = f.gather({joining(), joining()});
  const std::string& id = members[0].member_id;
  CHECK(f.commit(committing(1, id)) == GroupErrc::kRebalanceInProgress);
  f.settle(members);
  CHECK(f.commit(committing(1, id)) == GroupErrc::kNone);
  CHECK(f.commit(committing(0, id)) == GroupErrc::kIllegalGeneration);
  CHECK(f.commit(committing(2, id)) == GroupErrc::kIllegalGeneration);
  CHECK(f.commit(committing(-1, id)) == GroupErrc::kIllegalGeneration);
  CHECK(f.commit(committing(1, "stranger")) == GroupErrc::kUnknownMemberId);
  CHECK(f.commit(committing(-1, "")) == GroupErrc::kUnknownMemberId);  // the group is not its own any more

  f.join(joining());
  CHECK(f.commit(committing(1, id)) == GroupErrc::kNone);  // what it read before it rejoins
}

TEST_CASE("classic group: a commit renews the session", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(1);
  f.driver.advance(9'000);
  CHECK(f.commit(committing(1, members[0].member_id)) == GroupErrc::kNone);
  f.driver.advance(9'000);
  CHECK(f.member_count() == 1);
}

// --- what it says of itself -----------------------------------------------------------------------------------------

JoinGroup subscribing(const std::vector<std::string>& topics) {
  ConsumerProtocolSubscription subscription;
  subscription.topics = topics;
  JoinGroup request = joining();
  request.protocols = {{"range", encode_value(subscription, 3).value()}};
  return request;
}

TEST_CASE("classic group: subscribed to what its consumers say; to all when they cannot be understood",
          "[group][classic]") {
  ClassicFixture f;
  CHECK_FALSE(f.driver.group().is_subscribed_to("x"));
  const auto members = f.stable({subscribing({"x", "y"}), subscribing({"y", "z"})});
  for (const char* topic : {"x", "y", "z"}) CHECK(f.driver.group().is_subscribed_to(topic));
  CHECK_FALSE(f.driver.group().is_subscribed_to("w"));
  CHECK_FALSE(f.driver.replayed()->is_subscribed_to("w"));
  f.leave(leaving({members[0].member_id, members[1].member_id}));
  CHECK_FALSE(f.driver.group().is_subscribed_to("x"));

  ClassicFixture unknown;
  unknown.stable(1);
  CHECK(unknown.driver.group().is_subscribed_to("x"));
  ClassicFixture connect;
  JoinGroup worker = joining();
  worker.protocol_type = "connect";
  connect.stable({worker});
  CHECK_FALSE(connect.driver.group().is_subscribed_to("x"));
}

TEST_CASE("classic group: described with protocol and metadata when Stable, without before", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining_static("i")});
  DescribeGroupReply described = f.driver.group().describe();
  CHECK(described.state == "CompletingRebalance");
  CHECK(described.protocol_type == "consumer");
  CHECK(described.protocol.empty());
  REQUIRE(described.members.size() == 1);
  CHECK(described.members[0].metadata.empty());
  f.settle(members);
  described = f.driver.group().describe();
  CHECK(described.state == "Stable");
  CHECK(described.protocol == "range");
  REQUIRE(described.members.size() == 1);
  CHECK(described.members[0].member_id == members[0].member_id);
  CHECK(described.members[0].instance_id == "i");
  CHECK(described.members[0].client.id == "client");
  CHECK(described.members[0].client.host == "/127.0.0.1");
  CHECK(described.members[0].metadata == bytes("subscription"));
  CHECK(described.members[0].assignment == bytes(members[0].member_id));
}

TEST_CASE("classic group: all that is parked fails when the group is to go", "[group][classic]") {
  ClassicFixture f;
  const Ticket join = f.join(joining());
  f.driver.step([&](GroupStep& step) { f.driver.group().fail_all(step, GroupErrc::kRebalanceInProgress); });
  CHECK(f.joined(join).error == GroupErrc::kRebalanceInProgress);

  ClassicFixture g;
  const auto members = g.gather({joining(), joining()});
  const Ticket sync = g.sync(syncing(follower_of(members)));
  g.driver.step([&](GroupStep& step) { g.driver.group().fail_all(step, GroupErrc::kRebalanceInProgress); });
  CHECK(g.synced(sync).error == GroupErrc::kRebalanceInProgress);
}

// --- records --------------------------------------------------------------------------------------------------------

TEST_CASE("classic group: a crash in a rebalance brings the recorded generation back", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  f.join(with_protocols(joining(members[0].member_id), {"range"}));
  f.join(joining(members[1].member_id));
  CHECK(f.driver.group().generation() == 2);
  CHECK(f.driver.group().recorded()->generation == 1);
  f.driver.crash();
  CHECK(f.state() == "Stable");
  for (const JoinGroupReply& member : members) {
    CHECK(f.heartbeat(member) == GroupErrc::kNone);
    CHECK(f.sync_now(syncing(member)).assignment == bytes(member.member_id));
  }
  f.driver.advance(10'000);  // and their sessions count again
  CHECK(f.state() == "Empty");
}

TEST_CASE("classic group: a record keeps the protocols of members that it does not hold", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable({with_protocols(joining(), {"a", "b"}), with_protocols(joining(), {"a", "b"})});
  CHECK(f.join_now(with_protocols(joining(follower_of(members).member_id), {"a", "b"})).generation == 1);
  f.driver.crash();  // afterwards there is only what the record holds
  CHECK_FALSE(f.driver.is_answered(f.join(with_protocols(joining(follower_of(members).member_id), {"a", "b"}))));
}

TEST_CASE("classic group: old records, and records that contradict themselves, are read", "[group][classic]") {
  GroupMetadataValue value;
  value.protocol_type = "consumer";
  value.generation = INT32_MAX;
  value.protocol = "range";
  value.leader = "gone";
  for (const char* id : {"a", "b", "c"}) {
    GroupMetadataValue::MemberMetadata& member = value.members.emplace_back();
    member.member_id = id;
    member.session_timeout = 10'000;
  }
  value.members[0].group_instance_id = "i";
  value.members[1].group_instance_id = "i";
  ClassicFixture f;
  f.driver.group().apply(value);
  CHECK(f.state() == "Stable");
  CHECK(f.driver.group().state_since_wall_ms() == -1);
  CHECK(f.member_count() == 2);
  CHECK(f.driver.group().leader() == "b");
  CHECK(f.driver.group().members().at("b").terms.rebalance_timeout_ms == 10'000);
  f.driver.step([&](GroupStep& step) { f.driver.group().loaded(step); });
  f.driver.advance(10'000);
  CHECK(f.state() == "Empty");
  CHECK(f.driver.group().generation() == 1);  // counted on from the greatest that there is
}

TEST_CASE("classic group: one that was never recorded is an Empty one since now", "[group][classic]") {
  ClassicFixture f;
  CHECK(f.driver.group().is_blank());
  const GroupMetadataValue value = f.driver.group().to_record_value(42);
  CHECK(value.current_state_timestamp == 42);
  CHECK(value.protocol_type.empty());
  CHECK_FALSE(value.protocol.has_value());
  CHECK(value.members.empty());
  ClassicGroup other("g");
  other.apply(value);
  CHECK(other.to_record_value(0) == value);
  CHECK(other.is_empty());
}

TEST_CASE("classic group: a converted group asks all its members to join", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  GroupMetadataValue converted = f.last_record();
  converted.leader.reset();
  f.driver.step([&](GroupStep& step) {
    step.write(ClassicGroupRecord{.key = {.group = "g"}, .value = converted});
    for (const JoinGroupReply& member : members) {
      f.driver.group().set_member_protocols(member.member_id, {{"range", bytes("r")}, {"sticky", bytes("s")}});
    }
    f.driver.group().loaded(step);
  });
  CHECK(f.state() == "PreparingRebalance");
  JoinGroup request = joining(members[0].member_id);
  request.protocols = {{"sticky", bytes("s")}};
  const Ticket ticket = f.join(request);
  request.member_id = members[1].member_id;
  CHECK(f.join_now(request).protocol == "sticky");
  CHECK(f.joined(ticket).generation == 2);
}

TEST_CASE("classic group: a converted group asks so after a crash, too", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  GroupMetadataValue converted = f.last_record();
  converted.leader.reset();
  f.driver.step([&](GroupStep& step) { step.write(ClassicGroupRecord{.key = {.group = "g"}, .value = converted}); });
  for (int crash = 0; crash < 2; ++crash) {
    f.driver.crash();
    CHECK(f.state() == "PreparingRebalance");
    CHECK(f.heartbeat(members[0]) == GroupErrc::kRebalanceInProgress);
  }
  const std::vector<Ticket> tickets = {f.join(joining(members[0].member_id)), f.join(joining(members[1].member_id))};
  f.settle(f.joined_all(tickets));
  f.driver.crash();
  CHECK(f.state() == "Stable");
}

}  // namespace
}  // namespace leat
