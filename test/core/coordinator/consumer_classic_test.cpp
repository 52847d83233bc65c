// consumer_classic_test.cpp: classic members in a consumer group: what their joins, syncs, heartbeats and leaves are
// answered, and how they are led beside members of the consumer protocol.
#include "test/core/coordinator/consumer_fixture.h"
#include "test/support/catch.h"

namespace leat {
namespace {

struct MixedFixture : ConsumerFixture {
  JoinGroupReply join_reply(const JoinGroup& event) {
    return driver.answer<JoinGroupReply>(&ConsumerGroup::classic_join, event);
  }
  SyncGroupReply sync_reply(const SyncGroup& event) {
    return driver.answer<SyncGroupReply>(&ConsumerGroup::classic_sync, event);
  }
  GroupErrc beat_error(const ClassicClient& client) {
    return driver.answer<GroupHeartbeatReply>(&ConsumerGroup::classic_heartbeat, client.beating()).error;
  }
  std::vector<GroupErrc> leave(std::vector<LeavingMember> members) {
    LeaveGroup event;
    event.group_id = "g";
    event.members = std::move(members);
    return driver.answer<LeaveGroupReply>(&ConsumerGroup::classic_leave, event).members;
  }
  void join_and_sync(ClassicClient& client) {
    const JoinGroupReply joined = join_reply(client.joining(driver.catalog));
    REQUIRE(joined.error == GroupErrc::kNone);
    client.member_id = joined.member_id;
    client.generation = joined.generation;
    const SyncGroupReply synced = sync_reply(client.syncing());
    REQUIRE(synced.error == GroupErrc::kNone);
    client.hear_sync(synced, driver.catalog);
  }
  // A consumer member "a", and a classic one that has what it is to have.
  std::pair<ConsumerClient, ClassicClient> mixed_pair(ClassicClient classic = {.topics = {"foo"}}) {
    ConsumerClient a = join("a");
    join_and_sync(classic);
    for (int round = 0; round < 4; ++round) {
      beat(a);
      if (beat_error(classic) == GroupErrc::kRebalanceInProgress) join_and_sync(classic);
    }
    REQUIRE(state() == "Stable");
    REQUIRE(classic.owned.size() == 3);
    return {a, classic};
  }
};

// --- join and sync --------------------------------------------------------------------------------------------------

TEST_CASE("classic members: one joins a consumer group and is led to its share", "[group][consumer]") {
  MixedFixture f;
  ConsumerClient a = f.join("a");
  ClassicClient b{.topics = {"foo"}};
  const JoinGroupReply joined = f.join_reply(b.joining(f.driver.catalog));
  CHECK(joined.error == GroupErrc::kNone);
  CHECK_FALSE(joined.member_id.empty());
  CHECK(joined.generation == 3);
  CHECK(joined.protocol_type == "consumer");
  CHECK(joined.protocol == "range");
  CHECK(joined.leader.empty());
  CHECK(joined.members.empty());
  b.member_id = joined.member_id;
  b.generation = joined.generation;
  const SyncGroupReply synced = f.sync_reply(b.syncing());
  CHECK(synced.error == GroupErrc::kNone);
  CHECK(synced.protocol_type == "consumer");
  CHECK(synced.protocol == "range");
  b.hear_sync(synced, f.driver.catalog);
  CHECK(b.owned.empty());

  CHECK(f.beat_error(b) == GroupErrc::kNone);  // a holds everything: a join would bring nothing
  f.beat(a);
  CHECK(f.beat_error(b) == GroupErrc::kNone);
  f.beat(a);
  CHECK(f.beat_error(b) == GroupErrc::kRebalanceInProgress);
  f.join_and_sync(b);
  CHECK(b.owned.size() == 3);
  CHECK(f.beat_error(b) == GroupErrc::kNone);
  CHECK(f.state() == "Stable");
  CHECK(f.group().member(b.member_id)->is_classic());
  f.check_replay();
}

TEST_CASE("classic members: new dynamic ones are given an id first", "[group][consumer]") {
  MixedFixture f;
  f.join("a");
  ClassicClient b{.topics = {"foo"}};
  JoinGroup event = b.joining(f.driver.catalog);
  event.member_id_round = true;
  const JoinGroupReply first = f.join_reply(event);
  CHECK(first.error == GroupErrc::kMemberIdRequired);
  CHECK(f.group().members().size() == 1);
  event.member_id = first.member_id;
  const JoinGroupReply second = f.join_reply(event);
  CHECK(second.error == GroupErrc::kNone);
  CHECK(second.member_id == first.member_id);
}

TEST_CASE("classic members: joins that are refused", "[group][consumer]") {
  MixedFixture f;
  f.driver.rules.consumer_max_size = 2;
  f.join("a");
  ClassicClient client{.topics = {"foo"}};
  const JoinGroup good = client.joining(f.driver.catalog);
  const auto error_of = [&f](const JoinGroup& event) {
    const size_t record_count = f.driver.records.size();
    const JoinGroupReply reply = f.join_reply(event);
    CHECK(f.driver.records.size() == record_count);
    CHECK(reply.generation == -1);
    return reply.error;
  };
  JoinGroup event = good;
  event.protocol_type = "connect";
  CHECK(error_of(event) == GroupErrc::kInconsistentGroupProtocol);
  event = good;
  event.protocols.clear();
  CHECK(error_of(event) == GroupErrc::kInconsistentGroupProtocol);
  event = good;
  event.protocols[0].metadata = {0, 1, 0};
  CHECK(error_of(event) == GroupErrc::kInconsistentGroupProtocol);
  event = good;
  event.session_timeout_ms = 5'999;
  CHECK(error_of(event) == GroupErrc::kInvalidSessionTimeout);
  event = good;
  event.member_id = "m";
  event.instance_id = "i";
  CHECK(error_of(event) == GroupErrc::kUnknownMemberId);
  f.join("b");
  CHECK(error_of(good) == GroupErrc::kGroupMaxSizeReached);
}

TEST_CASE("classic members: none where groups may not change their protocol", "[group][consumer]") {
  MixedFixture f;
  f.join("a");
  ClassicClient client{.topics = {"foo"}};
  const JoinGroup event = client.joining(f.driver.catalog);
  const size_t record_count = f.driver.records.size();
  f.driver.rules.migration_policy = MigrationPolicy::kDisabled;
  CHECK(f.join_reply(event).error == GroupErrc::kInconsistentGroupProtocol);
  CHECK(f.driver.records.size() == record_count);
  for (const MigrationPolicy policy : {MigrationPolicy::kUpgrade, MigrationPolicy::kDowngrade}) {
    f.driver.rules.migration_policy = policy;
    CHECK(f.join_reply(event).error == GroupErrc::kNone);
  }
}

TEST_CASE("classic members: they need a protocol that all of them speak", "[group][consumer]") {
  MixedFixture f;
  f.mixed_pair();
  ClassicClient other{.topics = {"foo"}, .is_eager = false};
  JoinGroup event = other.joining(f.driver.catalog);
  CHECK(f.join_reply(event).error == GroupErrc::kInconsistentGroupProtocol);
  event.protocols.push_back({.name = "range", .metadata = event.protocols[0].metadata});
  CHECK(f.join_reply(event).error == GroupErrc::kNone);
}

TEST_CASE("classic members: syncs and heartbeats are fenced", "[group][consumer]") {
  MixedFixture f;
  auto [a, b] = f.mixed_pair();
  const auto sync_error = [&f](const ClassicClient& client) { return f.sync_reply(client.syncing()).error; };
  ClassicClient late = b;
  late.generation = b.generation - 1;
  CHECK(sync_error(late) == GroupErrc::kIllegalGeneration);
  CHECK(f.beat_error(late) == GroupErrc::kIllegalGeneration);
  ClassicClient stranger = b;
  stranger.member_id = "x";
  CHECK(sync_error(stranger) == GroupErrc::kUnknownMemberId);
  CHECK(f.beat_error(stranger) == GroupErrc::kUnknownMemberId);
  ClassicClient consumer = b;
  consumer.member_id = "a";
  consumer.generation = a.epoch;
  CHECK(sync_error(consumer) == GroupErrc::kUnknownMemberId);
  CHECK(f.beat_error(consumer) == GroupErrc::kUnknownMemberId);
  SyncGroup wrong = b.syncing();
  wrong.protocol = "sticky";
  CHECK(f.sync_reply(wrong).error == GroupErrc::kInconsistentGroupProtocol);
  wrong = b.syncing();
  wrong.protocol_type = "connect";
  CHECK(f.sync_reply(wrong).error == GroupErrc::kInconsistentGroupProtocol);
}

TEST_CASE("classic members: a sync that the next epoch has overtaken asks for another join", "[group][consumer]") {
  MixedFixture f;
  auto [a, b] = f.mixed_pair();
  const JoinGroupReply joined = f.join_reply(b.joining(f.driver.catalog));
  b.generation = joined.generation;
  f.join("c");
  CHECK(f.sync_reply(b.syncing()).error == GroupErrc::kRebalanceInProgress);
  f.join_and_sync(b);
  CHECK(b.owned.size() == 2);
}

TEST_CASE("classic members: a cooperative one gives up first, and joins again", "[group][consumer]") {
  MixedFixture f;
  auto [a, b] = f.mixed_pair({.topics = {"foo"}, .is_eager = false});
  ConsumerClient c = f.join("c");
  REQUIRE(f.beat_error(b) == GroupErrc::kRebalanceInProgress);
  const int32_t generation = b.generation;
  f.join_and_sync(b);
  CHECK(b.owned.size() == 2);
  CHECK(b.generation == generation);
  CHECK(f.member_state(b.member_id) == MemberState::kUnrevokedPartitions);
  f.beat(c);
  CHECK(c.owned.size() < 2);  // not yet that of b
  REQUIRE(f.beat_error(b) == GroupErrc::kRebalanceInProgress);
  f.join_and_sync(b);
  CHECK(b.generation == f.group().epoch());
  f.beat(a);
  f.beat(a);
  f.beat(c);
  CHECK(c.owned.size() == 2);
  CHECK(f.state() == "Stable");
}

TEST_CASE("classic members: topics that changed are noticed by their heartbeats", "[group][consumer]") {
  MixedFixture f;
  auto [a, b] = f.mixed_pair();
  f.driver.catalog.add("foo", 8);
  f.topics_changed();
  CHECK(f.beat_error(b) == GroupErrc::kRebalanceInProgress);
  f.join_and_sync(b);
  CHECK(b.owned.size() == 4);
}

// --- time -----------------------------------------------------------------------------------------------------------

TEST_CASE("classic members: the session is the member's own", "[group][consumer]") {
  MixedFixture f;
  auto [a, b] = f.mixed_pair();
  f.driver.advance(9'999);
  CHECK(f.group().member(b.member_id) != nullptr);
  f.driver.advance(1);
  CHECK(f.group().member(b.member_id) == nullptr);
  f.beat(a);
  CHECK(a.owned.size() == 6);
}

TEST_CASE("classic members: one that does not sync is fenced", "[group][consumer]") {
  MixedFixture f;
  f.join("a");
  ClassicClient b{.topics = {"foo"}};
  const JoinGroupReply joined = f.join_reply(b.joining(f.driver.catalog));
  b.member_id = joined.member_id;
  b.generation = joined.generation;
  for (int i = 0; i < 4; ++i) {
    CHECK(f.beat_error(b) == GroupErrc::kNone);
    f.driver.advance(5'000);
  }
  CHECK(f.group().member(b.member_id) == nullptr);
}

TEST_CASE("classic members: one that does not join when asked is fenced", "[group][consumer]") {
  MixedFixture f;
  auto [a, b] = f.mixed_pair();
  f.join("c");
  for (int i = 0; i < 4; ++i) {
    CHECK(f.beat_error(b) == GroupErrc::kRebalanceInProgress);
    f.driver.advance(5'000);
  }
  CHECK(f.group().member(b.member_id) == nullptr);
}

TEST_CASE("classic members: who is up to date owes nothing", "[group][consumer]") {
  MixedFixture f;
  auto [a, b] = f.mixed_pair();
  for (int i = 0; i < 10; ++i) {
    f.driver.advance(5'000);
    CHECK(f.beat_error(b) == GroupErrc::kNone);
    f.beat(a);
  }
  CHECK(f.state() == "Stable");
}

// --- static members, and moving between the protocols ---------------------------------------------------------------

TEST_CASE("classic members: a static one that restarts takes its place, and nobody moves", "[group][consumer]") {
  MixedFixture f;
  ClassicClient classic{.topics = {"foo"}};
  classic.instance_id = "i";
  auto [a, b] = f.mixed_pair(classic);
  const PartitionSet before = b.owned;
  ClassicClient back = b;
  back.member_id = "";
  f.join_and_sync(back);
  CHECK(back.member_id != b.member_id);
  CHECK((back.owned == before));
  CHECK(f.group().epoch() == 3);
  CHECK(f.beat_error(b) == GroupErrc::kFencedInstanceId);
  CHECK(f.sync_reply(b.syncing()).error == GroupErrc::kFencedInstanceId);
  CHECK(f.join_reply(b.joining(f.driver.catalog)).error == GroupErrc::kFencedInstanceId);
  f.check_replay();
}

TEST_CASE("classic members: a static one comes back with the consumer protocol", "[group][consumer]") {
  MixedFixture f;
  ClassicClient classic{.topics = {"foo"}};
  classic.instance_id = "i";
  auto [a, b] = f.mixed_pair(classic);
  ConsumerClient upgraded{.member_id = "b2", .topics = {"foo"}};
  upgraded.instance_id = "i";
  f.beat(upgraded);
  CHECK((upgraded.owned == b.owned));
  CHECK_FALSE(f.group().member("b2")->is_classic());
  CHECK(f.group().member(b.member_id) == nullptr);
  CHECK_FALSE(f.group().may_downgrade());
  CHECK(f.group().epoch() == 3);
}

TEST_CASE("classic members: a group of them alone is to become a classic one", "[group][consumer]") {
  MixedFixture f;
  auto [a, b] = f.mixed_pair();
  CHECK_FALSE(f.group().may_downgrade());
  f.send(a.bare(-1));
  CHECK(f.group().may_downgrade());
  CHECK(f.group().highest_member_epoch() == b.generation);
  CHECK(f.group().wants_downgrade(f.driver.rules));
  GroupRules rules;
  rules.migration_policy = MigrationPolicy::kUpgrade;
  CHECK_FALSE(f.group().wants_downgrade(rules));
  rules.migration_policy = MigrationPolicy::kDowngrade;
  CHECK(f.group().wants_downgrade(rules));
  rules.max_size = 0;
  CHECK_FALSE(f.group().wants_downgrade(rules));
  f.leave({{.member_id = b.member_id, .instance_id = {}}});
  CHECK_FALSE(f.group().may_downgrade());  // nobody is left to be converted
}

TEST_CASE("classic members: a static consumer is replaced by a classic one", "[group][consumer]") {
  MixedFixture f;
  ConsumerClient a{.member_id = "a", .topics = {"foo"}};
  a.instance_id = "i";
  f.beat(a);
  ClassicClient back{.topics = {"foo"}};
  back.instance_id = "i";
  f.join_and_sync(back);
  CHECK(f.group().member("a") == nullptr);
  CHECK((back.owned == a.owned));
  CHECK(f.group().may_downgrade());
  CHECK(f.refused(a.brief()).code == GroupErrc::kFencedInstanceId);
}

TEST_CASE("classic members: one that is to give up has its time for it in the consumer protocol, too",
          "[group][consumer]") {
  MixedFixture f;
  auto [a, b] = f.mixed_pair(ClassicClient{.topics = {"foo"}, .is_eager = false});
  f.join("c");
  REQUIRE(f.beat_error(b) == GroupErrc::kRebalanceInProgress);
  const JoinGroupReply joined = f.join_reply(b.joining(f.driver.catalog));
  REQUIRE(f.member_state(b.member_id) == MemberState::kUnrevokedPartitions);
  ConsumerClient clinging{.member_id = b.member_id, .topics = {"foo"}};
  clinging.epoch = joined.generation;
  clinging.owned = b.owned;
  CHECK(f.send(clinging.full()).fault.code == GroupErrc::kNone);
  REQUIRE(f.member_state(b.member_id) == MemberState::kUnrevokedPartitions);
  f.driver.advance(clinging.rebalance_timeout_ms - 1);
  CHECK(f.group().member(b.member_id) != nullptr);
  f.driver.advance(1);
  CHECK(f.group().member(b.member_id) == nullptr);
}

TEST_CASE("classic members: a static one that takes the place of one in an unknown state gives up first",
          "[group][consumer]") {
  MixedFixture f;
  ConsumerClient a{.member_id = "a", .topics = {"foo"}};
  a.instance_id = "i";
  f.beat(a);
  f.join("b");  // half of what a holds is to be hers
  CurrentMemberRecord record{.key = {.group_id = "g", .member_id = "a"}, .value = to_record_value(f.current("a"))};
  record.value->state = 9;
  f.driver.step([&](GroupStep& step) { step.write(record); });
  REQUIRE(f.member_state("a") == MemberState::kUnknown);
  ClassicClient back{.topics = {"foo"}, .is_eager = false};
  back.instance_id = "i";
  back.owned = a.owned;  // it says so, though its process is new
  const JoinGroupReply joined = f.join_reply(back.joining(f.driver.catalog));
  CHECK(joined.error == GroupErrc::kNone);
  CHECK(f.member_state(joined.member_id) == MemberState::kUnrevokedPartitions);
  CHECK((held_by(f.current(joined.member_id)) == a.owned));
  f.check_replay();
}

// --- leaving, commits -----------------------------------------------------------------------------------------------

TEST_CASE("classic members: LeaveGroup takes members of either protocol, by id or instance", "[group][consumer]") {
  MixedFixture f;
  ClassicClient classic{.topics = {"foo"}};
  classic.instance_id = "i";
  auto [a, b] = f.mixed_pair(classic);
  const std::vector<GroupErrc> errors = f.leave({{.member_id = "x", .instance_id = {}},
                                                 {.member_id = "x", .instance_id = "i"},
                                                 {.member_id = "", .instance_id = "j"},
                                                 {.member_id = "", .instance_id = "i"},
                                                 {.member_id = "a", .instance_id = {}}});
  CHECK(errors == std::vector<GroupErrc>{GroupErrc::kUnknownMemberId, GroupErrc::kFencedInstanceId,
                                         GroupErrc::kUnknownMemberId, GroupErrc::kNone, GroupErrc::kNone});
  CHECK(f.state() == "Empty");
  CHECK(f.group().epoch() == 4);  // once for all of them
  CHECK(f.driver.deadlines.size() == 0);
}

TEST_CASE("classic members: they commit with their generation", "[group][consumer]") {
  MixedFixture f;
  auto [a, b] = f.mixed_pair();
  CommitOffsets event;
  event.group_id = "g";
  event.member_id = b.member_id;
  event.generation_or_epoch = b.generation;
  event.by_member_epoch_known = false;
  const auto check = [&](GroupStep& step) { return f.driver.group().check_commit(step, event); };
  CHECK(f.driver.step(check) == GroupErrc::kNone);
  event.generation_or_epoch = b.generation + 1;
  CHECK(f.driver.step(check) == GroupErrc::kIllegalGeneration);
}

TEST_CASE("classic members: describe tells them from the others", "[group][consumer]") {
  MixedFixture f;
  auto [a, b] = f.mixed_pair();
  const DescribeConsumerGroupReply reply = f.group().describe(f.driver.catalog, f.driver.rules);
  REQUIRE(reply.members.size() == 2);
  for (const DescribedConsumerMember& member : reply.members) CHECK(member.is_classic == (member.member_id != "a"));
}

}  // namespace
}  // namespace leat
