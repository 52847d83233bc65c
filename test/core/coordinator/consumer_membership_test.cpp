// consumer_membership_test.cpp: how members of a consumer group leave and are lost, static members, who may commit, and
// what the log holds.
#include "test/core/coordinator/consumer_fixture.h"
#include "test/support/catch.h"

namespace leat {
namespace {

// --- leaving and being lost -----------------------------------------------------------------------------------------

TEST_CASE("members: who leaves frees its partitions at once", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = f.stable_pair();
  const ConsumerHeartbeatReply reply = f.send(a.bare(-1));
  CHECK(reply.fault.code == GroupErrc::kNone);
  CHECK(reply.member_id == "a");
  CHECK(reply.member_epoch == -1);
  CHECK(f.group().member("a") == nullptr);
  CHECK(f.group().epoch() == 4);
  f.beat(b);
  CHECK(b.owned.size() == 6);
  CHECK(f.refused(a.bare(-1)).code == GroupErrc::kUnknownMemberId);
  f.check_replay();
}

TEST_CASE("members: the last one leaves an Empty group that keeps its epoch", "[group][consumer]") {
  ConsumerFixture f;
  const ConsumerClient a = f.join("a");
  CHECK(f.group().state_since_wall_ms() == -1);
  f.driver.advance(1'000);
  f.send(a.bare(-1));
  CHECK(f.state() == "Empty");
  CHECK(f.group().state_since_wall_ms() == f.driver.wall_ms);
  CHECK(f.group().epoch() == 3);
  CHECK(f.driver.deadlines.size() == 0);
  f.driver.crash();
  CHECK(f.state() == "Empty");
  CHECK(f.group().state_since_wall_ms() == -1);
  CHECK(f.join("b").epoch == 4);
}

TEST_CASE("members: the target of a group that nobody is left in is up to date", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = f.stable_pair();
  f.send(a.bare(-1));
  CHECK(f.group().epoch() == 4);
  CHECK(f.group().target_epoch() == 3);  // b's next heartbeat makes it
  f.driver.advance(f.driver.rules.consumer_session_timeout_ms);
  REQUIRE(f.state() == "Empty");
  CHECK(f.group().epoch() == 5);
  CHECK(f.group().target_epoch() == 5);
  const auto& made = std::get<TargetEpochRecord>(f.driver.records.back());
  REQUIRE(made.value.has_value());
  CHECK(made.value->assignment_timestamp == 0);
  f.check_replay();
}

TEST_CASE("members: one that is silent for a session is lost", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = f.stable_pair();
  f.driver.advance(30'000);
  f.beat(b);
  f.driver.advance(14'999);
  CHECK(f.group().members().size() == 2);
  f.driver.advance(1);
  CHECK(f.group().member("a") == nullptr);
  f.beat(b);
  CHECK(b.owned.size() == 6);
  CHECK(f.refused(a.brief()).code == GroupErrc::kUnknownMemberId);
  f.check_replay();
}

TEST_CASE("members: a group may have session and heartbeat times of its own", "[group][consumer]") {
  ConsumerFixture f;
  f.driver.rules.by_group["g"] = {.consumer_session_timeout_ms = 50'000, .consumer_heartbeat_interval_ms = 6'000};
  ConsumerClient a{.member_id = "a", .topics = {"foo"}};
  CHECK(f.beat(a).heartbeat_interval_ms == 6'000);
  f.driver.advance(49'999);
  CHECK(f.group().member("a") != nullptr);
  f.driver.advance(1);
  CHECK(f.group().member("a") == nullptr);
}

TEST_CASE("members: after a restart each has a full session", "[group][consumer]") {
  ConsumerFixture f;
  f.join("a");
  f.driver.advance(44'000);
  f.driver.crash();
  f.driver.advance(44'999);
  CHECK(f.group().member("a") != nullptr);
  f.driver.advance(1);
  CHECK(f.group().member("a") == nullptr);
}

TEST_CASE("members: one that does not revoke within its rebalance timeout is fenced", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  ConsumerClient b = f.join("b");
  ConsumerClient stubborn = a;
  f.beat(a);
  for (int second = 0; second < 19; ++second) {
    f.driver.advance(1'000);
    f.send(stubborn.brief());  // alive, and owns everything still
    f.beat(b);
  }
  CHECK(f.group().member("a") != nullptr);
  f.driver.advance(1'000);
  CHECK(f.group().member("a") == nullptr);
  f.beat(b);
  CHECK(b.owned.size() == 6);
}

TEST_CASE("members: one that revokes in time is not fenced later", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  ConsumerClient b = f.join("b");
  f.beat(a);
  CHECK(f.driver.deadlines.is_set({"g", DeadlineKind::kRebalance, "a"}));
  f.beat(a);
  CHECK_FALSE(f.driver.deadlines.is_set({"g", DeadlineKind::kRebalance, "a"}));
  for (int second = 0; second < 30; ++second) {
    f.driver.advance(1'000);
    f.beat(a);
    f.beat(b);
  }
  CHECK(f.state() == "Stable");
}

TEST_CASE("members: a restart gives one that revokes its time again", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  f.join("b");
  f.beat(a);
  f.driver.advance(15'000);
  f.driver.crash();
  CHECK(f.driver.deadlines.is_set({"g", DeadlineKind::kRebalance, "a"}));
  f.driver.advance(19'999);
  CHECK(f.group().member("a") != nullptr);
  f.driver.advance(1);
  CHECK(f.group().member("a") == nullptr);
}

// --- static members -------------------------------------------------------------------------------------------------

// Static members "i" and "j" under the ids a and b.
std::pair<ConsumerClient, ConsumerClient> static_pair(ConsumerFixture& f) {
  ConsumerClient a{.member_id = "a", .topics = {"foo"}};
  a.instance_id = "i";
  ConsumerClient b{.member_id = "b", .topics = {"foo"}};
  b.instance_id = "j";
  f.beat(a);
  f.beat(b);
  f.settle({&a, &b});
  return {a, b};
}

ConsumerClient successor(const ConsumerClient& before, std::string member_id) {
  ConsumerClient next = before;
  next.member_id = std::move(member_id);
  next.epoch = 0;
  next.owned.clear();
  return next;
}

TEST_CASE("static members: one that restarts finds its partitions, and nobody else moves", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = static_pair(f);
  const PartitionSet before = a.owned;
  const ConsumerHeartbeatReply left = f.send(a.bare(-2));
  CHECK(left.member_id == "a");
  CHECK(left.member_epoch == -2);
  CHECK(f.group().epoch() == 3);
  f.beat(b);
  CHECK(b.owned.size() == 3);

  ConsumerClient back = successor(a, "a2");
  CHECK(f.beat(back).member_epoch == 3);
  CHECK((back.owned == before));
  CHECK(f.group().epoch() == 3);
  CHECK(f.group().member("a") == nullptr);
  CHECK_FALSE(f.beat(b).assignment.has_value());
  CHECK(f.state() == "Stable");
  f.check_replay();
}

TEST_CASE("static members: the older of two under one id is fenced", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = static_pair(f);
  f.send(a.bare(-2));
  ConsumerClient back = successor(a, "a2");
  f.beat(back);
  const GroupFault fault = f.refused(a.brief());
  CHECK(fault.code == GroupErrc::kFencedInstanceId);
  CHECK(fault.message == "Static member a with instance id i was fenced by member a2.");
  CHECK(f.refused(a.bare(-1)).code == GroupErrc::kFencedInstanceId);
  CHECK(f.refused(a.bare(-2)).code == GroupErrc::kFencedInstanceId);
}

TEST_CASE("static members: an instance id in use is not given away", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = static_pair(f);
  const GroupFault fault = f.refused(successor(a, "x").full());
  CHECK(fault.code == GroupErrc::kUnreleasedInstanceId);
  CHECK(fault.message ==
        "Static member x with instance id i cannot join the group because the instance id is owned by a member.");
  ConsumerClient again = successor(a, "a");  // the same one may begin anew
  f.beat(again);
  CHECK((again.owned == a.owned));
}

TEST_CASE("static members: one that stays away is lost with its session", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = static_pair(f);
  f.driver.advance(20'000);
  f.beat(b);
  f.send(a.bare(-2));
  f.driver.advance(25'000);
  CHECK(f.group().member("a") == nullptr);
  f.beat(b);
  CHECK(b.owned.size() == 6);
  CHECK(f.refused(a.brief()).message == "Instance id i is unknown.");
}

TEST_CASE("static members: leaving for a while ends a revocation that is under way", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a{.member_id = "a", .topics = {"foo"}};
  a.instance_id = "i";
  f.beat(a);
  ConsumerClient b = f.join("b");
  f.beat(a);
  REQUIRE(f.member_state("a") == MemberState::kUnrevokedPartitions);
  f.send(a.bare(-2));
  CHECK_FALSE(f.driver.deadlines.is_set({"g", DeadlineKind::kRebalance, "a"}));
  f.beat(b);
  CHECK(b.owned.size() == 3);
  ConsumerClient back = successor(a, "a2");
  f.beat(back);
  CHECK(back.owned.size() == 3);
  CHECK(f.state() == "Stable");
}

TEST_CASE("static members: one that leaves for good is gone", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = static_pair(f);
  f.send(a.bare(-1));
  CHECK(f.group().member("a") == nullptr);
  CHECK(f.group().epoch() == 4);
  CHECK(f.refused(a.bare(-1)).message == "Instance id i is unknown.");
}

TEST_CASE("static members: a full group still has the place of one that restarts", "[group][consumer]") {
  ConsumerFixture f;
  f.driver.rules.consumer_max_size = 2;
  auto [a, b] = static_pair(f);
  f.send(a.bare(-2));
  ConsumerClient back = successor(a, "a2");
  f.beat(back);
  CHECK(back.owned.size() == 3);
}

TEST_CASE("static members: one whose state is of a later version is followed by one that begins anew",
          "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = static_pair(f);
  f.send(a.bare(-2));
  CurrentMemberRecord record{.key = {.group_id = "g", .member_id = "a"}, .value = to_record_value(f.current("a"))};
  record.value->state = 9;
  f.driver.step([&](GroupStep& step) { step.write(record); });
  REQUIRE(f.member_state("a") == MemberState::kUnknown);
  ConsumerClient back = successor(a, "a2");
  f.beat(back);
  CHECK((back.owned == a.owned));
  CHECK(f.member_state("a2") == MemberState::kStable);
  f.check_replay();
}

TEST_CASE("static members: one that comes back with another subscription moves the group", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = static_pair(f);
  f.send(a.bare(-2));
  ConsumerClient back = successor(a, "a2");
  back.topics = {"bar"};
  f.beat(back);
  CHECK(f.group().epoch() == 4);
  f.settle({&back, &b});
  CHECK(back.owned.size() == 3);
  CHECK(b.owned.size() == 6);
}

// --- commits --------------------------------------------------------------------------------------------------------

GroupErrc commit(ConsumerFixture& f, const std::string& member_id, int32_t epoch,
                 std::vector<OffsetToCommit> offsets = {}) {
  CommitOffsets event;
  event.group_id = "g";
  event.member_id = member_id;
  event.generation_or_epoch = epoch;
  event.offsets = std::move(offsets);
  return f.driver.step([&](GroupStep& step) { return f.driver.group().check_commit(step, event); });
}

OffsetToCommit offset_of(const CatalogTopic& topic, int32_t partition) {
  OffsetToCommit offset;
  offset.topic = topic.name;
  offset.topic_id = topic.id;
  offset.partition = partition;
  return offset;
}

TEST_CASE("commits: a member commits with its epoch", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = f.stable_pair();
  CHECK(commit(f, "a", 3) == GroupErrc::kNone);
  CHECK(commit(f, "a", 4) == GroupErrc::kStaleMemberEpoch);
  CHECK(commit(f, "x", 3) == GroupErrc::kUnknownMemberId);
  CHECK(commit(f, "", -1) == GroupErrc::kUnknownMemberId);
}

TEST_CASE("commits: with an older epoch only what was held since then", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = f.stable_pair();
  const int32_t kept = a.owned.begin()->second;
  const int32_t lost = b.owned.begin()->second;
  const CatalogTopic by_name{.id = {}, .name = "foo"};
  const CatalogTopic gone{.id = {}, .name = "gone"};
  CHECK(commit(f, "a", 2, {offset_of(f.foo, kept)}) == GroupErrc::kNone);
  CHECK(commit(f, "a", 2, {offset_of(by_name, kept)}) == GroupErrc::kNone);
  CHECK(commit(f, "a", 2, {offset_of(f.foo, lost)}) == GroupErrc::kStaleMemberEpoch);
  CHECK(commit(f, "a", 2, {offset_of(gone, kept)}) == GroupErrc::kStaleMemberEpoch);
  CHECK(commit(f, "b", 2, {offset_of(f.foo, lost)}) == GroupErrc::kStaleMemberEpoch);
}

TEST_CASE("commits: a member that is to revoke may commit before it lets go", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  f.join("b");
  f.beat(a);
  REQUIRE(f.member_state("a") == MemberState::kUnrevokedPartitions);
  CHECK(commit(f, "a", 2) == GroupErrc::kNone);
}

TEST_CASE("commits: old clients are told that their request is too old", "[group][consumer]") {
  ConsumerFixture f;
  f.join("a");
  CommitOffsets event;
  event.group_id = "g";
  event.member_id = "a";
  event.generation_or_epoch = 2;
  event.by_member_epoch_known = false;
  const auto check = [&](GroupStep& step) { return f.driver.group().check_commit(step, event); };
  CHECK(f.driver.step(check) == GroupErrc::kUnsupportedVersion);
}

TEST_CASE("commits: without membership only while the group is empty", "[group][consumer]") {
  ConsumerFixture f;
  const ConsumerClient a = f.join("a");
  CHECK(commit(f, "", -1) == GroupErrc::kUnknownMemberId);
  f.send(a.bare(-1));
  CHECK(commit(f, "", -1) == GroupErrc::kNone);
  CHECK(commit(f, "a", 2) == GroupErrc::kUnknownMemberId);
}

TEST_CASE("commits: a member that was lost commits no more, and its successor does", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = static_pair(f);
  f.send(a.bare(-2));
  ConsumerClient back = successor(a, "a2");
  f.beat(back);
  const int32_t partition = a.owned.begin()->second;
  CHECK(commit(f, "a", 3, {offset_of(f.foo, partition)}) == GroupErrc::kUnknownMemberId);
  CHECK(commit(f, "a2", 3, {offset_of(f.foo, partition)}) == GroupErrc::kNone);
}

TEST_CASE("commits: who reads offsets as a member must be one", "[group][consumer]") {
  ConsumerFixture f;
  f.join("a");
  FetchOffsets event;
  event.group_id = "g";
  CHECK(f.group().check_fetch(event) == GroupErrc::kNone);
  event.member_id = "a";
  event.member_epoch = 2;
  CHECK(f.group().check_fetch(event) == GroupErrc::kNone);
  event.member_epoch = 0;
  CHECK(f.group().check_fetch(event) == GroupErrc::kStaleMemberEpoch);
  event.member_id = "x";
  CHECK(f.group().check_fetch(event) == GroupErrc::kUnknownMemberId);
}

// --- records --------------------------------------------------------------------------------------------------------

TEST_CASE("records: a snapshot makes the same group, whatever the order of its records", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = static_pair(f);
  ConsumerClient c{.member_id = "c", .topics = {}};
  c.regex = "ba.";
  f.beat(c);
  std::vector<GroupRecord> snapshot = f.group().snapshot();
  for (const bool is_reversed : {false, true}) {
    ConsumerGroup group("g");
    if (is_reversed) std::reverse(snapshot.begin(), snapshot.end());
    for (const GroupRecord& record : snapshot) apply_record(group, record);
    CHECK((group.snapshot() == f.group().snapshot()));
    CHECK(group.state_name() == f.state());
    CHECK(group.is_subscribed_to("bar"));
  }
}

TEST_CASE("records: tombstones leave nothing", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = static_pair(f);
  ConsumerClient c{.member_id = "c", .topics = {}};
  c.regex = "ba.";
  f.beat(c);
  for (const GroupRecord& record : f.group().tombstones()) apply_record(f.driver.group(), record);
  CHECK(f.group().snapshot().empty());
  CHECK_FALSE(f.group().is_durable());
  CHECK_FALSE(f.group().is_subscribed_to("bar"));
  CHECK_FALSE(f.group().is_subscribed_to("foo"));
}

TEST_CASE("records: tombstones of what is not there change nothing", "[group][consumer]") {
  ConsumerGroup group("g");
  group.apply(ConsumerMemberRecord{.key = {.group_id = "g", .member_id = "a"}, .value = {}});
  group.apply(CurrentMemberRecord{.key = {.group_id = "g", .member_id = "a"}, .value = {}});
  group.apply(TargetMemberRecord{.key = {.group_id = "g", .member_id = "a"}, .value = {}});
  group.apply(RegexRecord{.key = {.group_id = "g", .regular_expression = "x"}, .value = {}});
  CHECK_FALSE(group.is_durable());
}

TEST_CASE("records: assignments of older brokers count as given in the member's epoch", "[group][consumer]") {
  ConsumerGroupCurrentMemberAssignmentValue value;
  value.member_epoch = 4;
  auto& topic = value.assigned_partitions.emplace_back();
  topic.topic_id.bytes[0] = 1;
  topic.partitions = {2, 0};
  const CurrentAssignment current = from_record_value(value);
  CHECK(held_since(current, topic.topic_id, 0) == 4);
  CHECK(held_since(current, topic.topic_id, 1) == std::nullopt);
  CHECK(current.previous_member_epoch == 0);
}

}  // namespace
}  // namespace leat
