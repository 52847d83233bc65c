// classic_group_test.cpp: a classic group's life, one rule at a time: who joins, when the join phase ends, who gets
// which assignment, what heartbeats are told. classic_membership_test.cpp has who goes, static members, size, commits,
// records.
#include "core/coordinator/group/classic_group.h"

#include "test/core/coordinator/classic_fixture.h"
#include "test/support/catch.h"

namespace leat {
namespace {

// --- the member id round --------------------------------------------------------------------------------------------

JoinGroup asking_for_id() {
  JoinGroup request = joining();
  request.member_id_round = true;
  return request;
}

TEST_CASE("classic group: a new member is given an id first, and joins with it", "[group][classic]") {
  ClassicFixture f;
  const JoinGroupReply first = f.join_now(asking_for_id());
  CHECK(first.error == GroupErrc::kMemberIdRequired);
  CHECK(first.member_id.substr(0, 7) == "client-");
  CHECK(first.member_id.size() == 7 + 36);
  CHECK(f.state() == "Empty");
  CHECK(f.member_count() == 0);

  const Ticket ticket = f.join(joining(first.member_id));
  CHECK(f.state() == "PreparingRebalance");
  f.driver.advance(3'000);
  const JoinGroupReply joined = f.joined(ticket);
  CHECK(joined.error == GroupErrc::kNone);
  CHECK(joined.member_id == first.member_id);
  CHECK(joined.leader == first.member_id);
  CHECK(joined.generation == 1);
}

TEST_CASE("classic group: an id that is not used expires, and the others go on", "[group][classic]") {  // CASES L24 a
  ClassicFixture f;
  const auto members = f.stable(2);
  JoinGroup request = asking_for_id();
  request.session_timeout_ms = 6'000;
  REQUIRE(f.join_now(request).error == GroupErrc::kMemberIdRequired);
  const Ticket leader = f.join(joining(leader_of(members).member_id));
  const Ticket follower = f.join(joining(follower_of(members).member_id));
  f.driver.advance(5'999);
  CHECK(f.state() == "PreparingRebalance");
  f.driver.advance(1);
  CHECK(f.state() == "CompletingRebalance");
  CHECK(f.joined(leader).generation == 2);
  CHECK(f.joined(follower).generation == 2);
}

TEST_CASE("classic group: lost members beside an unused id leave an Empty group", "[group][classic]") {  // CASES L24 b
  ClassicFixture f;
  f.stable(1);
  f.driver.advance(5'000);
  const JoinGroupReply unused = f.join_now(asking_for_id());
  f.driver.advance(5'000);  // the member's session ends, the id's does not
  CHECK(f.state() == "Empty");
  CHECK(f.driver.group().generation() == 2);
  f.driver.advance(60'000);
  CHECK(f.driver.deadlines.size() == 0);
  CHECK(f.join_now(joining(unused.member_id)).error == GroupErrc::kUnknownMemberId);
  f.check_replay();
}

TEST_CASE("classic group: ids that nobody uses take bounded memory, and go", "[group][classic]") {  // CASES L24 c
  ClassicFixture f;
  const JoinGroupReply oldest = f.join_now(asking_for_id());
  for (size_t i = 0; i < PendingMembers::kCountMax; ++i) f.join_now(asking_for_id());
  CHECK(f.driver.deadlines.size() == PendingMembers::kCountMax);
  CHECK(f.join_now(joining(oldest.member_id)).error == GroupErrc::kUnknownMemberId);
  CHECK_FALSE(f.driver.group().is_blank());
  f.driver.advance(10'000);
  CHECK(f.driver.deadlines.size() == 0);
  CHECK(f.driver.group().is_blank());
  CHECK(f.driver.records.empty());
}

TEST_CASE("classic group: an id that was handed out is not a static member's", "[group][classic]") {
  ClassicFixture f;
  const JoinGroupReply given = f.join_now(asking_for_id());
  CHECK(f.join_now(joining_static("i", given.member_id)).error == GroupErrc::kUnknownMemberId);
}

// --- what a join must say -------------------------------------------------------------------------------------------

TEST_CASE("classic group: session timeouts beyond the broker's limits are refused", "[group][classic]") {
  ClassicFixture f;
  JoinGroup request = joining();
  for (const int32_t refused_ms : {-1, 5'999, 1'800'001}) {
    request.session_timeout_ms = refused_ms;
    CHECK(f.join_now(request).error == GroupErrc::kInvalidSessionTimeout);
  }
  for (const int32_t allowed_ms : {6'000, 1'800'000}) {
    request.session_timeout_ms = allowed_ms;
    CHECK_FALSE(f.driver.is_answered(f.join(request)));
  }
}

TEST_CASE("classic group: nobody joins without protocols, or with none that all speak", "[group][classic]") {
  ClassicFixture f;
  CHECK(f.join_now(with_protocols(joining(), {})).error == GroupErrc::kInconsistentGroupProtocol);
  JoinGroup untyped = joining();
  untyped.protocol_type.clear();
  CHECK(f.join_now(untyped).error == GroupErrc::kInconsistentGroupProtocol);

  const auto members = f.stable({with_protocols(joining(), {"a", "b"}), with_protocols(joining(), {"b", "c"})});
  CHECK(f.join_now(with_protocols(joining(), {"a", "c"})).error == GroupErrc::kInconsistentGroupProtocol);
  JoinGroup connect = with_protocols(joining(), {"b"});
  connect.protocol_type = "connect";
  CHECK(f.join_now(connect).error == GroupErrc::kInconsistentGroupProtocol);
  const JoinGroup changed = with_protocols(joining(members[0].member_id), {"a"});
  CHECK(f.join_now(changed).error == GroupErrc::kInconsistentGroupProtocol);
  CHECK(f.state() == "Stable");
}

TEST_CASE("classic group: the protocol that most members prefer is elected of those that all speak",
          "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({with_protocols(joining(), {"only one", "a", "b"}),
                                 with_protocols(joining(), {"b", "a"}), with_protocols(joining(), {"b", "a", "b"})});
  for (const JoinGroupReply& member : members) {
    CHECK(member.protocol_type == "consumer");
    CHECK(member.protocol == "b");
  }
  const JoinGroupReply& leader = leader_of(members);
  REQUIRE(leader.members.size() == 3);
  for (const JoinedMember& member : leader.members) CHECK(member.metadata == bytes("b metadata"));
  CHECK(follower_of(members).members.empty());
}

TEST_CASE("classic group: a member id that the group does not know", "[group][classic]") {
  ClassicFixture f;
  CHECK(f.join_now(joining("stranger")).error == GroupErrc::kUnknownMemberId);
  f.stable(1);
  const JoinGroupReply refused = f.join_now(joining("stranger"));
  CHECK(refused.error == GroupErrc::kUnknownMemberId);
  CHECK(refused.member_id == "stranger");
  CHECK(f.join_now(joining_static("no instance", "stranger")).error == GroupErrc::kUnknownMemberId);
}

// --- the join phase -------------------------------------------------------------------------------------------------

TEST_CASE("classic group: without an initial delay the first member joins alone and at once", "[group][classic]") {
  ClassicFixture f;
  f.driver.rules.initial_rebalance_delay_ms = 0;
  const JoinGroupReply joined = f.join_now(joining());
  CHECK(joined.generation == 1);
  CHECK(f.driver.records.empty());  // nothing that a crash should keep
  f.settle({joined});
  CHECK(f.driver.records.size() == 1);
}

TEST_CASE("classic group: the initial delay is extended while members come, up to the rebalance timeout",
          "[group][classic]") {
  ClassicFixture f;
  JoinGroup request = joining();
  request.rebalance_timeout_ms = 7'000;
  std::vector<Ticket> tickets{f.join(request)};
  for (int i = 0; i < 6; ++i) {
    f.driver.advance(1'000);
    tickets.push_back(f.join(request));
    CHECK(f.state() == "PreparingRebalance");
  }
  f.driver.advance(999);  // 3 s, 3 s more, and the one that is left of 7
  CHECK(f.state() == "PreparingRebalance");
  f.driver.advance(1);
  CHECK(f.state() == "CompletingRebalance");
  for (const Ticket ticket : tickets) CHECK(f.joined(ticket).generation == 1);
}

TEST_CASE("classic group: the initial delay is not extended when nobody comes", "[group][classic]") {
  ClassicFixture f;
  const Ticket ticket = f.join(joining());
  f.driver.advance(2'999);
  CHECK_FALSE(f.driver.is_answered(ticket));
  f.driver.advance(1);
  CHECK(f.driver.is_answered(ticket));
}

TEST_CASE("classic group: a new member makes the others rejoin; the phase ends with the last of them",
          "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  const Ticket newcomer = f.join(joining());
  CHECK(f.state() == "PreparingRebalance");
  for (const JoinGroupReply& member : members) CHECK(f.heartbeat(member) == GroupErrc::kRebalanceInProgress);
  const Ticket first = f.join(joining(members[0].member_id));
  CHECK_FALSE(f.driver.is_answered(newcomer));
  const Ticket second = f.join(joining(members[1].member_id));
  for (const JoinGroupReply& joined : f.joined_all({newcomer, first, second})) {
    CHECK(joined.generation == 2);
    CHECK(joined.leader == members[0].leader);
  }
}

TEST_CASE("classic group: who does not rejoin within the rebalance timeout is out", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  const JoinGroupReply& leader = leader_of(members);
  JoinGroup changed = with_protocols(joining(follower_of(members).member_id), {"range"});
  const Ticket follower = f.join(changed);
  for (int i = 0; i < 7; ++i) {  // alive, but not joining
    CHECK(f.heartbeat(leader) == GroupErrc::kRebalanceInProgress);
    f.driver.advance(i == 6 ? 5'999 : 9'000);
  }
  CHECK_FALSE(f.driver.is_answered(follower));
  f.driver.advance(1);
  const JoinGroupReply joined = f.joined(follower);
  CHECK(joined.generation == 2);
  CHECK(joined.leader == joined.member_id);
  CHECK(joined.members.size() == 1);
  CHECK(f.heartbeat(leader) == GroupErrc::kUnknownMemberId);
}

TEST_CASE("classic group: a follower that rejoins unchanged is told of the generation that there is",
          "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  const JoinGroupReply& follower = follower_of(members);
  const JoinGroupReply again = f.join_now(joining(follower.member_id));
  CHECK(again.error == GroupErrc::kNone);
  CHECK(again.generation == 1);
  CHECK(again.leader == follower.leader);
  CHECK(again.members.empty());
  CHECK(f.state() == "Stable");
}

TEST_CASE("classic group: a leader that rejoins rebalances", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  const Ticket ticket = f.join(joining(leader_of(members).member_id));
  CHECK_FALSE(f.driver.is_answered(ticket));
  CHECK(f.state() == "PreparingRebalance");
}

TEST_CASE("classic group: before the assignment an unchanged join gets its answer again", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining()});
  const JoinGroupReply leader = f.join_now(joining(leader_of(members).member_id));
  CHECK(leader.generation == 1);
  CHECK(leader.members.size() == 2);
  const JoinGroupReply follower = f.join_now(joining(follower_of(members).member_id));
  CHECK(follower.generation == 1);
  CHECK(follower.members.empty());
  CHECK(f.state() == "CompletingRebalance");
}

TEST_CASE("classic group: before the assignment a changed join starts over, and fails the syncs", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining()});
  const Ticket sync = f.sync(syncing(follower_of(members)));
  const Ticket join = f.join(with_protocols(joining(leader_of(members).member_id), {"range"}));
  CHECK(f.synced(sync).error == GroupErrc::kRebalanceInProgress);
  CHECK_FALSE(f.driver.is_answered(join));
  CHECK(f.state() == "PreparingRebalance");
}

TEST_CASE("classic group: a join that is asked again while it is parked: the later one counts", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  const Ticket first = f.join(joining(leader_of(members).member_id));
  const Ticket again = f.join(joining(leader_of(members).member_id));
  const JoinGroupReply superseded = f.joined(first);
  CHECK(superseded.error == GroupErrc::kRebalanceInProgress);
  CHECK(superseded.member_id == leader_of(members).member_id);
  const Ticket follower = f.join(joining(follower_of(members).member_id));
  for (const JoinGroupReply& joined : f.joined_all({again, follower})) CHECK(joined.generation == 2);
  CHECK(f.driver.open_count() == 0);
}

TEST_CASE("classic group: a group over group.max.size rebalances when it is loaded", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(3);
  f.driver.rules.max_size = 2;
  f.driver.crash();
  CHECK(f.state() == "PreparingRebalance");
  const Ticket first = f.join(joining(members[0].member_id));
  const Ticket second = f.join(joining(members[1].member_id));
  const JoinGroupReply last = f.join_now(joining(members[2].member_id));  // whoever comes last
  CHECK(last.error == GroupErrc::kGroupMaxSizeReached);
  CHECK(last.member_id.empty());
  for (const JoinGroupReply& joined : f.joined_all({first, second})) CHECK(joined.generation == 2);
  CHECK(f.member_count() == 2);
}

// --- the sync phase -------------------------------------------------------------------------------------------------

TEST_CASE("classic group: followers wait for the leader's assignment, which is recorded", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining(), joining()});
  std::map<std::string, Ticket> tickets;
  for (const JoinGroupReply& member : members) {
    if (member.member_id != member.leader) tickets[member.member_id] = f.sync(syncing(member));
  }
  for (const auto& [id, ticket] : tickets) CHECK_FALSE(f.driver.is_answered(ticket));
  CHECK(f.driver.records.empty());
  const JoinGroupReply& leader = leader_of(members);
  tickets[leader.member_id] = f.sync(assigning(leader));
  CHECK(f.state() == "Stable");
  for (const auto& [id, ticket] : tickets) {
    const SyncGroupReply reply = f.synced(ticket);
    CHECK(reply.error == GroupErrc::kNone);
    CHECK(reply.assignment == bytes(id));
    CHECK(reply.protocol_type == "consumer");
    CHECK(reply.protocol == "range");
  }
  CHECK(f.driver.records.size() == 1);
  CHECK(f.last_record().generation == 1);
  CHECK(f.last_record().leader == leader.member_id);
  CHECK(f.last_record().members.size() == 3);
  f.check_replay();
}

TEST_CASE("classic group: whom the leader forgets has an empty assignment; strangers have none", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining()});
  const Ticket follower = f.sync(syncing(follower_of(members)));
  SyncGroup request = syncing(leader_of(members));
  request.assignments.emplace_back("stranger", bytes("x"));
  CHECK(f.sync_now(request).assignment.empty());
  const SyncGroupReply reply = f.synced(follower);
  CHECK(reply.error == GroupErrc::kNone);
  CHECK(reply.assignment.empty());
  CHECK(f.last_record().members.size() == 2);
}

TEST_CASE("classic group: a sync that does not fit the group is refused", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  SyncGroup request = syncing(members[0]);
  request.member_id = "stranger";
  CHECK(f.sync_now(request).error == GroupErrc::kUnknownMemberId);
  request = syncing(members[0]);
  request.generation = 0;
  CHECK(f.sync_now(request).error == GroupErrc::kIllegalGeneration);
  request = syncing(members[0]);
  request.protocol = "roundrobin";
  CHECK(f.sync_now(request).error == GroupErrc::kInconsistentGroupProtocol);
  request.protocol = "range";
  request.protocol_type = "connect";
  CHECK(f.sync_now(request).error == GroupErrc::kInconsistentGroupProtocol);
  request.protocol_type = "consumer";
  CHECK(f.sync_now(request).error == GroupErrc::kNone);
}

TEST_CASE("classic group: a sync after the assignment is answered at once, in the join phase refused",
          "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  CHECK(f.sync_now(syncing(members[1])).assignment == bytes(members[1].member_id));
  f.join(joining());
  CHECK(f.sync_now(syncing(members[1])).error == GroupErrc::kRebalanceInProgress);
}

TEST_CASE("classic group: a sync that is asked again while it is parked: the later one counts", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining()});
  const Ticket first = f.sync(syncing(follower_of(members)));
  const Ticket again = f.sync(syncing(follower_of(members)));
  CHECK(f.synced(first).error == GroupErrc::kRebalanceInProgress);
  f.sync_now(assigning(leader_of(members)));
  CHECK(f.synced(again).assignment == bytes(follower_of(members).member_id));
}

TEST_CASE("classic group: a leader that does not assign is out after the rebalance timeout", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining()});
  const Ticket follower = f.sync(syncing(follower_of(members)));
  for (int i = 0; i < 7; ++i) {
    CHECK(f.heartbeat(leader_of(members)) == GroupErrc::kNone);
    CHECK(f.heartbeat(follower_of(members)) == GroupErrc::kNone);
    CHECK_FALSE(f.driver.is_answered(follower));
    f.driver.advance(9'000);
  }
  CHECK(f.synced(follower).error == GroupErrc::kRebalanceInProgress);
  CHECK(f.heartbeat(leader_of(members)) == GroupErrc::kUnknownMemberId);
  const JoinGroupReply again = f.join_now(joining(follower_of(members).member_id));
  CHECK(again.generation == 2);
  CHECK(again.leader == again.member_id);
}

TEST_CASE("classic group: a follower that never asks for its assignment is out, too", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining()});
  f.sync_now(assigning(leader_of(members)));
  CHECK(f.state() == "Stable");
  for (int i = 0; i < 7; ++i) {
    CHECK(f.heartbeat(leader_of(members)) == GroupErrc::kNone);
    CHECK(f.heartbeat(follower_of(members)) == GroupErrc::kNone);
    f.driver.advance(9'000);
  }
  CHECK(f.state() == "PreparingRebalance");
  CHECK(f.member_count() == 1);
  CHECK(f.heartbeat(follower_of(members)) == GroupErrc::kUnknownMemberId);
}

// --- heartbeats -----------------------------------------------------------------------------------------------------

TEST_CASE("classic group: heartbeats by state", "[group][classic]") {
  ClassicFixture f;
  GroupHeartbeat stranger;
  stranger.member_id = "stranger";
  CHECK(f.heartbeat(stranger) == GroupErrc::kUnknownMemberId);
  const auto members = f.gather({joining(), joining()});
  CHECK(f.heartbeat(members[0]) == GroupErrc::kNone);  // CompletingRebalance
  f.settle(members);
  CHECK(f.heartbeat(members[0]) == GroupErrc::kNone);
  GroupHeartbeat stale = beating(members[0]);
  stale.generation = 0;
  CHECK(f.heartbeat(stale) == GroupErrc::kIllegalGeneration);
  f.join(joining());
  CHECK(f.heartbeat(members[0]) == GroupErrc::kRebalanceInProgress);
}

TEST_CASE("classic group: heartbeats keep a member, silence loses it", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.stable(2);
  for (int i = 0; i < 3; ++i) {
    f.driver.advance(9'999);
    if (i == 0) CHECK(f.heartbeat(follower_of(members)) == GroupErrc::kNone);
    CHECK(f.heartbeat(leader_of(members)) == (i < 2 ? GroupErrc::kNone : GroupErrc::kRebalanceInProgress));
  }
  CHECK(f.heartbeat(follower_of(members)) == GroupErrc::kUnknownMemberId);
  CHECK(f.join_now(joining(leader_of(members).member_id)).generation == 2);
}

TEST_CASE("classic group: a late sync renews the session", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining()});
  CHECK(f.sync_now(assigning(leader_of(members))).error == GroupErrc::kNone);
  f.driver.advance(9'000);
  CHECK(f.heartbeat(leader_of(members)) == GroupErrc::kNone);
  CHECK(f.sync_now(syncing(follower_of(members))).error == GroupErrc::kNone);
  f.driver.advance(9'000);
  CHECK(f.member_count() == 2);
  CHECK(f.state() == "Stable");
}

TEST_CASE("classic group: a heartbeat while the assignment is awaited renews the session", "[group][classic]") {
  ClassicFixture f;
  const auto members = f.gather({joining(), joining()});
  f.driver.advance(9'000);
  for (const JoinGroupReply& member : members) CHECK(f.heartbeat(member) == GroupErrc::kNone);
  f.driver.advance(9'000);
  CHECK(f.state() == "CompletingRebalance");
  f.settle(members);
}

}  // namespace
}  // namespace leat
