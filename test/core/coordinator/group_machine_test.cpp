// group_machine_test.cpp: a whole machine, from requests to replies: groups come and go, commits stand over crashes,
// expire as Kafka says, and go with their topic.
#include "core/coordinator/group/group_machine.h"

#include "test/core/coordinator/group_machine_driver.h"
#include "test/support/catch.h"

namespace leat {
namespace {

constexpr int64_t kMinute = 60'000;
constexpr int64_t kDay = 24 * 60 * kMinute;

DeleteOffsets delete_of(std::string group_id, std::vector<std::pair<std::string, int32_t>> partitions) {
  return {.group_id = std::move(group_id), .partitions = std::move(partitions)};
}

GroupErrc commit(MachineDriver& driver, CommitOffsets event) {
  const auto reply = driver.answer<CommitOffsetsReply>(std::move(event));
  if (reply.error != GroupErrc::kNone) return reply.error;
  REQUIRE(reply.partitions.size() == 1);
  return reply.partitions[0];
}

GroupErrc delete_group(MachineDriver& driver, std::string group_id) {
  return driver.answer<DeleteGroupReply>(DeleteGroup{std::move(group_id)}).error;
}

// --- classic groups -------------------------------------------------------------------------------------------------

TEST_CASE("group machine: join, sync, commit; a crash; and on as if nothing had been", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 4);
  const JoinGroupReply leader = stable_leader(driver);
  CHECK(leader.leader == leader.member_id);
  CHECK(driver.answer<GroupHeartbeatReply>(beat_of(leader)).error == GroupErrc::kNone);
  CHECK(commit(driver, commit_of(leader, {offset_of("t", 0, 7)})) == GroupErrc::kNone);
  driver.crash();
  CHECK(driver.machine().group_count() == 1);
  CHECK(driver.answer<GroupHeartbeatReply>(beat_of(leader)).error == GroupErrc::kNone);
  CHECK(committed(driver, "g") == 7);
  CHECK(commit(driver, commit_of(leader, {offset_of("t", 0, 8)})) == GroupErrc::kNone);
  const auto described = driver.answer<DescribeGroupReply>(DescribeGroup{.group_id = "g"});
  CHECK(described.state == "Stable");
  CHECK(described.protocol == "range");
  REQUIRE(described.members.size() == 1);
  CHECK(partitions_in(described.members[0].assignment) == std::vector<int32_t>{0, 1, 2, 3});
  driver.check_compacted();
}

TEST_CASE("group machine: a session that ends after a crash lasts its full time from then", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 4);
  const JoinGroupReply leader = stable_leader(driver);
  driver.advance(kTestSessionMs - 1);
  driver.crash();
  driver.advance(kTestSessionMs - 1);
  CHECK(driver.listed("g")->state == "Stable");
  driver.advance(1);
  CHECK(driver.listed("g")->state == "Empty");
  CHECK(driver.answer<GroupHeartbeatReply>(beat_of(leader)).error == GroupErrc::kUnknownMemberId);
  driver.crash();
  CHECK(driver.listed("g")->state == "Empty");
}

TEST_CASE("group machine: of a group that is not there", "[coordinator][machine]") {
  MachineDriver driver;
  JoinGroupReply stranger;
  stranger.member_id = "m";
  stranger.generation = 3;
  const auto joined = driver.answer<JoinGroupReply>(join_of("m"));
  CHECK(joined.error == GroupErrc::kUnknownMemberId);
  CHECK(joined.member_id == "m");
  CHECK(driver.answer<SyncGroupReply>(sync_of(stranger)).error == GroupErrc::kUnknownMemberId);
  CHECK(driver.answer<GroupHeartbeatReply>(beat_of(stranger)).error == GroupErrc::kUnknownMemberId);
  const auto left = driver.answer<LeaveGroupReply>(leave_of(stranger));
  CHECK(left.error == GroupErrc::kNone);
  CHECK(left.members == std::vector<GroupErrc>{GroupErrc::kUnknownMemberId});
  const auto beat = driver.answer<ConsumerHeartbeatReply>(consumer_beat("m", 3));
  CHECK(beat.fault.code == GroupErrc::kGroupIdNotFound);
  CHECK(beat.fault.message == "Consumer group g not found.");
  CHECK(driver.answer<ConsumerHeartbeatReply>(consumer_beat("m", -1)).fault.message == "Group g not found.");
  CHECK(delete_group(driver, "g") == GroupErrc::kGroupIdNotFound);
  CHECK(driver.answer<DeleteOffsetsReply>(delete_of("g", {{"t", 0}})).error == GroupErrc::kGroupIdNotFound);
  CHECK(driver.machine().group_count() == 0);
  CHECK(driver.log.empty());
}

TEST_CASE("group machine: requests without a group id", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 1);
  JoinGroup join = join_of("");
  join.group_id.clear();
  CHECK(driver.answer<JoinGroupReply>(join).error == GroupErrc::kInvalidGroupId);
  CHECK(driver.answer<SyncGroupReply>(SyncGroup{}).error == GroupErrc::kInvalidGroupId);
  CHECK(driver.answer<GroupHeartbeatReply>(GroupHeartbeat{}).error == GroupErrc::kInvalidGroupId);
  CHECK(driver.answer<LeaveGroupReply>(LeaveGroup{}).error == GroupErrc::kInvalidGroupId);
  CHECK(driver.answer<DeleteOffsetsReply>(DeleteOffsets{}).error == GroupErrc::kInvalidGroupId);
  CHECK(driver.answer<DescribeConsumerGroupReply>(DescribeConsumerGroup{}).fault.code == GroupErrc::kInvalidGroupId);
  ConsumerHeartbeat beat = consumer_join("m");
  beat.group_id.clear();
  CHECK(driver.answer<ConsumerHeartbeatReply>(beat).fault.code == GroupErrc::kInvalidRequest);
  // The oldest clients commit without one.
  CHECK(commit(driver, commit_of("", {offset_of("t", 0, 5)})) == GroupErrc::kNone);
  CHECK(committed(driver, "") == 5);
  CHECK(delete_group(driver, "") == GroupErrc::kNone);
  CHECK(driver.machine().next_deadline_ms().has_value());  // the sweep's stands
}

TEST_CASE("group machine: a first join that is refused leaves nothing behind", "[coordinator][machine]") {
  MachineDriver driver;
  JoinGroup join = join_of("");
  join.protocols.clear();
  CHECK(driver.answer<JoinGroupReply>(join).error == GroupErrc::kInconsistentGroupProtocol);
  join = join_of("");
  join.session_timeout_ms = 1;
  CHECK(driver.answer<JoinGroupReply>(join).error == GroupErrc::kInvalidSessionTimeout);
  ConsumerHeartbeat beat = consumer_join("m");
  beat.server_assignor = "none such";
  CHECK(driver.answer<ConsumerHeartbeatReply>(beat).fault.code == GroupErrc::kUnsupportedAssignor);
  CHECK(driver.machine().group_count() == 0);
  CHECK(driver.log.empty());
}

TEST_CASE("group machine: an id that was handed out and is not used takes its group along", "[coordinator][machine]") {
  MachineDriver driver;
  JoinGroup join = join_of("");
  join.member_id_round = true;
  CHECK(driver.answer<JoinGroupReply>(join).error == GroupErrc::kMemberIdRequired);
  CHECK(driver.machine().group_count() == 1);
  driver.advance(kTestSessionMs);
  CHECK(driver.machine().group_count() == 0);
  CHECK(driver.log.empty());
}

// --- commits --------------------------------------------------------------------------------------------------------

TEST_CASE("group machine: a commit without a group makes a simple one", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 2);
  OffsetToCommit offset = offset_of("t", 0, 5);
  offset.leader_epoch = 3;
  offset.metadata = "note";
  CHECK(commit(driver, commit_of("s", {offset})) == GroupErrc::kNone);
  const auto listed = driver.listed("s");
  REQUIRE(listed.has_value());
  CHECK(listed->type == "classic");
  CHECK(listed->protocol_type.empty());
  CHECK(listed->state == "Empty");
  driver.crash();
  CHECK(driver.listed("s").has_value());
  const auto fetched = driver.answer<FetchOffsetsReply>(fetch_of("s", "t", {0, 1}));
  REQUIRE(fetched.offsets.size() == 2);
  CHECK(fetched.offsets[0].offset == 5);
  CHECK(fetched.offsets[0].leader_epoch == 3);
  CHECK(fetched.offsets[0].metadata == "note");
  CHECK(fetched.offsets[1].offset == -1);
  CHECK(fetched.offsets[1].leader_epoch == -1);
  FetchOffsets all;
  all.group_id = "s";
  CHECK(driver.answer<FetchOffsetsReply>(all).offsets.size() == 1);
  // And the group may become a real one.
  JoinGroup join = join_of("");
  join.group_id = "s";
  driver.ask(join);
  CHECK(driver.listed("s")->state == "PreparingRebalance");
}

TEST_CASE("group machine: commits that are fenced", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 1);
  const JoinGroupReply leader = stable_leader(driver);
  const auto try_as = [&](std::string member_id, int32_t generation) {
    CommitOffsets event = commit_of("g", {offset_of("t", 0, 9)});
    event.member_id = std::move(member_id);
    event.generation_or_epoch = generation;
    return commit(driver, event);
  };
  CHECK(try_as("", -1) == GroupErrc::kUnknownMemberId);
  CHECK(try_as("other", leader.generation) == GroupErrc::kUnknownMemberId);
  CHECK(try_as(leader.member_id, leader.generation - 1) == GroupErrc::kIllegalGeneration);
  CHECK(committed(driver, "g") == -1);
  CHECK(try_as(leader.member_id, leader.generation) == GroupErrc::kNone);
  CHECK(committed(driver, "g") == 9);
  // A generation of a group that is not there, for clients that know the error and for older ones.
  CommitOffsets event = commit_of("absent", {offset_of("t", 0, 9)});
  event.generation_or_epoch = 1;
  CHECK(commit(driver, event) == GroupErrc::kGroupIdNotFound);
  event.by_member_epoch_known = false;
  CHECK(commit(driver, event) == GroupErrc::kIllegalGeneration);
  CHECK_FALSE(driver.listed("absent").has_value());
}

TEST_CASE("group machine: each partition of a commit has its own result, in order", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 2);
  driver.rules.offset_metadata_max_bytes = 3;
  std::vector<OffsetToCommit> offsets = {offset_of("t", 1, 1), offset_of("t", 0, 2), offset_of("t", 2, 3),
                                         offset_of("u", 0, 4), offset_of("t", 0, 5), offset_of("t", 1, 6)};
  offsets[0].metadata = "four";
  offsets[4].topic_id = *Uuid::parse("AAECAwQFBgcICQoLDA0ODw");
  offsets[5].metadata = "\xc3\xa9\xc3\xa9\xc3\xa9";  // three characters count as three
  const auto reply = driver.answer<CommitOffsetsReply>(commit_of("s", offsets));
  CHECK(reply.partitions == std::vector<GroupErrc>{GroupErrc::kOffsetMetadataTooLarge, GroupErrc::kNone,
                                                   GroupErrc::kUnknownTopicOrPartition,
                                                   GroupErrc::kUnknownTopicOrPartition, GroupErrc::kUnknownTopicId,
                                                   GroupErrc::kNone});
  CHECK(committed(driver, "s", "t", 0) == 2);
  CHECK(committed(driver, "s", "t", 1) == 6);
}

TEST_CASE("group machine: offsets of a group that is not there are none", "[coordinator][machine]") {
  MachineDriver driver;
  const auto fetched = driver.answer<FetchOffsetsReply>(fetch_of("g", "t", {0, 5}));
  CHECK(fetched.error == GroupErrc::kNone);
  REQUIRE(fetched.offsets.size() == 2);
  CHECK(fetched.offsets[1].partition == 5);
  CHECK(fetched.offsets[1].offset == -1);
  CHECK(fetched.offsets[1].error == GroupErrc::kNone);
  FetchOffsets all;
  all.group_id = "g";
  CHECK(driver.answer<FetchOffsetsReply>(all).offsets.empty());
}

TEST_CASE("group machine: members of the consumer protocol commit and fetch with their epoch",
          "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 1);
  const auto joined = driver.answer<ConsumerHeartbeatReply>(consumer_join("m"));
  REQUIRE(joined.fault.code == GroupErrc::kNone);
  CommitOffsets event = commit_of("g", {offset_of("t", 0, 9)});
  CHECK(commit(driver, event) == GroupErrc::kUnknownMemberId);
  event.member_id = "m";
  event.generation_or_epoch = joined.member_epoch + 1;
  CHECK(commit(driver, event) == GroupErrc::kStaleMemberEpoch);
  event.generation_or_epoch = joined.member_epoch;
  CHECK(commit(driver, event) == GroupErrc::kNone);
  FetchOffsets fetch = fetch_of("g", "t", {0});
  fetch.member_id = "m";
  fetch.member_epoch = joined.member_epoch + 1;
  CHECK(driver.answer<FetchOffsetsReply>(fetch).error == GroupErrc::kStaleMemberEpoch);
  fetch.member_epoch = joined.member_epoch;
  CHECK(driver.answer<FetchOffsetsReply>(fetch).offsets[0].offset == 9);
  driver.crash();
  CHECK(driver.answer<FetchOffsetsReply>(fetch).offsets[0].offset == 9);
  driver.check_compacted();
}

// --- what tools ask -------------------------------------------------------------------------------------------------

TEST_CASE("group machine: offsets of topics that nobody reads may be deleted", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 2);
  driver.catalog.add("u", 2);
  const JoinGroupReply leader = stable_leader(driver);  // subscribed to t
  driver.answer<CommitOffsetsReply>(commit_of(leader, {offset_of("t", 0, 1), offset_of("u", 0, 2)}));
  const auto reply = driver.answer<DeleteOffsetsReply>(delete_of("g", {{"t", 0}, {"u", 0}, {"u", 1}}));
  CHECK(reply.error == GroupErrc::kNone);
  CHECK(reply.partitions ==
        std::vector<GroupErrc>{GroupErrc::kGroupSubscribedToTopic, GroupErrc::kNone, GroupErrc::kNone});
  CHECK(committed(driver, "g", "t") == 1);
  CHECK(committed(driver, "g", "u") == -1);
  driver.crash();
  CHECK(committed(driver, "g", "u") == -1);
}

TEST_CASE("group machine: a live group of another kind keeps its offsets", "[coordinator][machine]") {
  MachineDriver driver;
  JoinGroup join = join_of("");
  join.protocol_type = "connect";
  driver.ask(join);
  CHECK(driver.answer<DeleteOffsetsReply>(delete_of("g", {{"t", 0}})).error == GroupErrc::kNonEmptyGroup);
}

TEST_CASE("group machine: only an empty group can be deleted, and takes its offsets along", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 2);
  const JoinGroupReply leader = stable_leader(driver);
  CHECK(commit(driver, commit_of(leader, {offset_of("t", 0, 1)})) == GroupErrc::kNone);
  CHECK(delete_group(driver, "g") == GroupErrc::kNonEmptyGroup);
  driver.answer<LeaveGroupReply>(leave_of(leader));
  CHECK(delete_group(driver, "g") == GroupErrc::kNone);
  CHECK_FALSE(driver.listed("g").has_value());
  CHECK(committed(driver, "g") == -1);
  CHECK(driver.machine().snapshot().empty());
  driver.crash();
  CHECK(driver.machine().group_count() == 0);
  driver.check_compacted();
  // A consumer group, and a simple one.
  const auto joined = driver.answer<ConsumerHeartbeatReply>(consumer_join("m"));
  CHECK(delete_group(driver, "g") == GroupErrc::kNonEmptyGroup);
  driver.answer<ConsumerHeartbeatReply>(consumer_beat(joined.member_id, -1));
  CHECK(delete_group(driver, "g") == GroupErrc::kNone);
  CHECK(commit(driver, commit_of("s", {offset_of("t", 0, 1)})) == GroupErrc::kNone);
  CHECK(delete_group(driver, "s") == GroupErrc::kNone);
  CHECK(driver.machine().snapshot().empty());
  driver.check_compacted();
}

TEST_CASE("group machine: groups are listed by state and type, however these are written", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 2);
  stable_leader(driver);
  CHECK(commit(driver, commit_of("simple", {offset_of("t", 0, 1)})) == GroupErrc::kNone);
  ConsumerHeartbeat beat = consumer_join("m");
  beat.group_id = "modern";
  driver.answer<ConsumerHeartbeatReply>(beat);
  const auto names = [&](std::vector<std::string> states, std::vector<std::string> types) {
    const auto reply = driver.answer<ListGroupsReply>(ListGroups{std::move(states), std::move(types)});
    std::vector<std::string> found;
    for (const ListedGroup& group : reply.groups) found.push_back(group.group_id);
    return found;
  };
  using Names = std::vector<std::string>;
  CHECK(names({}, {}) == Names{"g", "modern", "simple"});
  CHECK(names({"STABLE"}, {}) == Names{"g", "modern"});
  CHECK(names({"empty", " Stable "}, {"Classic"}) == Names{"g", "simple"});
  CHECK(names({}, {"CONSUMER"}) == Names{"modern"});
  CHECK(names({"Dead"}, {}).empty());
  CHECK(names({}, {"streams"}).empty());
  CHECK(driver.listed("modern")->protocol_type == "consumer");
  CHECK(driver.listed("modern")->type == "consumer");
}

TEST_CASE("group machine: descriptions of what is not there, or of the other kind", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 1);
  const auto describe = [&](bool missing_is_an_error) {
    return driver.answer<DescribeGroupReply>(
        DescribeGroup{.group_id = "g", .missing_is_an_error = missing_is_an_error});
  };
  CHECK(describe(false).state == "Dead");
  CHECK(describe(false).fault.code == GroupErrc::kNone);
  CHECK(describe(true).fault.code == GroupErrc::kGroupIdNotFound);
  CHECK(describe(true).fault.message == "Group g not found.");
  CHECK(driver.answer<DescribeConsumerGroupReply>(DescribeConsumerGroup{"g"}).fault.message == "Group g not found.");
  driver.answer<ConsumerHeartbeatReply>(consumer_join("m"));
  CHECK(describe(false).state == "Dead");
  CHECK(describe(true).fault.message == "Group g is not a classic group.");
  CHECK(driver.answer<DescribeConsumerGroupReply>(DescribeConsumerGroup{"g"}).state == "Stable");
  CHECK(commit(driver, commit_of("s", {offset_of("t", 0, 1)})) == GroupErrc::kNone);
  const auto other = driver.answer<DescribeConsumerGroupReply>(DescribeConsumerGroup{"s"});
  CHECK(other.fault.code == GroupErrc::kGroupIdNotFound);
  CHECK(other.fault.message == "Group s is not a consumer group.");
}

// --- expiry ---------------------------------------------------------------------------------------------------------

TEST_CASE("group machine: offsets of a simple group expire by their own time", "[coordinator][machine][expiry]") {
  MachineDriver driver;
  driver.catalog.add("t", 2);
  driver.rules.offsets_retention_ms = kDay;
  CHECK(commit(driver, commit_of("s", {offset_of("t", 0, 1)})) == GroupErrc::kNone);
  driver.advance(kDay / 2);
  CHECK(commit(driver, commit_of("s", {offset_of("t", 1, 2)})) == GroupErrc::kNone);
  driver.advance(kDay / 2 - 10 * kMinute);
  CHECK(committed(driver, "s", "t", 0) == 1);
  driver.advance(20 * kMinute);
  CHECK(committed(driver, "s", "t", 0) == -1);
  CHECK(committed(driver, "s", "t", 1) == 2);
  CHECK(driver.expired == std::map<std::string, size_t>{{"s", 1}});
  driver.advance(kDay / 2);
  CHECK_FALSE(driver.listed("s").has_value());
  CHECK(driver.expired == std::map<std::string, size_t>{{"s", 2}});
  CHECK(driver.machine().snapshot().empty());
  driver.crash();
  CHECK(driver.machine().group_count() == 0);
  driver.check_compacted();
}

TEST_CASE("group machine: an expiry that an old client asked for", "[coordinator][machine][expiry]") {
  MachineDriver driver;
  driver.catalog.add("t", 3);
  CommitOffsets event = commit_of("s", {offset_of("t", 0, 1)});
  event.offsets[0].leader_epoch = 3;
  event.retention_ms = 30 * kMinute;
  CHECK(commit(driver, event) == GroupErrc::kNone);
  event.offsets = {offset_of("t", 1, 2)};
  event.retention_ms = -1;  // leaves it to the broker
  CHECK(commit(driver, event) == GroupErrc::kNone);
  event.offsets = {offset_of("t", 2, 3)};
  event.retention_ms = INT64_MAX;
  CHECK(commit(driver, event) == GroupErrc::kNone);
  driver.crash();
  driver.advance(20 * kMinute);
  CHECK(committed(driver, "s", "t", 0) == 1);
  driver.advance(20 * kMinute);
  CHECK(committed(driver, "s", "t", 0) == -1);
  CHECK(committed(driver, "s", "t", 1) == 2);
  driver.advance(driver.rules.offsets_retention_ms);
  CHECK(committed(driver, "s", "t", 1) == -1);
  CHECK(committed(driver, "s", "t", 2) == 3);
}

TEST_CASE("group machine: what a live group is subscribed to never expires", "[coordinator][machine][expiry]") {
  MachineDriver driver;
  driver.catalog.add("t", 1);
  driver.catalog.add("u", 1);
  driver.rules.offsets_retention_ms = kDay;
  const JoinGroupReply leader = stable_leader(driver);
  driver.answer<CommitOffsetsReply>(commit_of(leader, {offset_of("t", 0, 1), offset_of("u", 0, 2)}));
  for (int64_t passed = 0; passed < 2 * kDay; passed += 20'000) {
    driver.advance(20'000);
    REQUIRE(driver.answer<GroupHeartbeatReply>(beat_of(leader)).error == GroupErrc::kNone);
  }
  CHECK(committed(driver, "g", "t") == 1);
  CHECK(committed(driver, "g", "u") == -1);
  // The retention of the rest counts from when the group became empty.
  driver.answer<LeaveGroupReply>(leave_of(leader));
  driver.crash();
  driver.advance(kDay - kMinute);
  CHECK(committed(driver, "g", "t") == 1);
  driver.advance(20 * kMinute);
  CHECK(committed(driver, "g", "t") == -1);
  CHECK_FALSE(driver.listed("g").has_value());
  CHECK(driver.machine().snapshot().empty());
  driver.check_compacted();
}

TEST_CASE("group machine: a consumer group that was live longer than the retention", "[coordinator][machine][expiry]") {
  MachineDriver driver;
  driver.catalog.add("t", 1);
  driver.rules.offsets_retention_ms = kDay;
  const auto joined = driver.answer<ConsumerHeartbeatReply>(consumer_join("m"));
  CommitOffsets event = commit_of("g", {offset_of("t", 0, 9)});
  event.member_id = "m";
  event.generation_or_epoch = joined.member_epoch;
  CHECK(commit(driver, event) == GroupErrc::kNone);
  for (int64_t passed = 0; passed < 2 * kDay; passed += 30'000) {
    driver.advance(30'000);
    REQUIRE(driver.answer<ConsumerHeartbeatReply>(consumer_beat("m", joined.member_epoch)).fault.code ==
            GroupErrc::kNone);
  }
  CHECK(committed(driver, "g") == 9);
  driver.answer<ConsumerHeartbeatReply>(consumer_beat("m", -1));
  driver.advance(kDay - 20 * kMinute);
  CHECK(committed(driver, "g") == 9);
  driver.advance(40 * kMinute);
  CHECK(committed(driver, "g") == -1);
  CHECK(driver.machine().snapshot().empty());
  driver.check_compacted();
}

TEST_CASE("group machine: the sweep over many groups goes in slices", "[coordinator][machine][expiry]") {
  MachineDriver driver;
  driver.catalog.add("t", 1);
  driver.rules.offsets_retention_ms = kMinute;
  constexpr size_t kGroups = 25'000;
  for (size_t i = 0; i < kGroups; ++i) {
    REQUIRE(commit(driver, commit_of("s" + std::to_string(i), {offset_of("t", 0, 1)})) == GroupErrc::kNone);
  }
  CHECK(driver.machine().group_count() == kGroups);
  driver.log.clear();
  driver.advance(*driver.machine().next_deadline_ms() - driver.now_ms);
  REQUIRE(driver.log.size() == 1);
  CHECK(driver.machine().group_count() > 0);
  CHECK(driver.machine().group_count() < kGroups);
  driver.advance(kMinute);
  CHECK(driver.machine().group_count() == 0);
  CHECK(driver.expired.size() == kGroups);
}

// --- topics ---------------------------------------------------------------------------------------------------------

TEST_CASE("group machine: commits go with their topic", "[coordinator][machine]") {
  MachineDriver driver;
  const CatalogTopic old_topic = driver.catalog.add("t", 2);
  driver.catalog.add("u", 1);
  driver.answer<CommitOffsetsReply>(commit_of("a", {offset_of("t", 0, 1), offset_of("t", 1, 2), offset_of("u", 0, 3)}));
  CHECK(commit(driver, commit_of("b", {offset_of("t", 0, 4)})) == GroupErrc::kNone);
  driver.catalog.remove("t");
  driver.answer<BroadcastReply>(TopicGone{.topic = "t", .topic_id = old_topic.id});
  CHECK(committed(driver, "a", "t", 0) == -1);
  CHECK(committed(driver, "a", "t", 1) == -1);
  CHECK(committed(driver, "a", "u", 0) == 3);
  CHECK(committed(driver, "b", "t", 0) == -1);
  // One that comes late is not taken.
  CHECK(commit(driver, commit_of("a", {offset_of("t", 0, 5)})) == GroupErrc::kUnknownTopicOrPartition);
  driver.crash();
  CHECK(committed(driver, "a", "t", 0) == -1);
  driver.check_compacted();
}

TEST_CASE("group machine: commits of topics that went before a crash go at the start", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 2);
  driver.catalog.add("u", 1);
  CommitOffsets old_client = commit_of("a", {offset_of("t", 1, 2)});
  old_client.retention_ms = kDay;  // leaves no room for the topic's id
  driver.answer<CommitOffsetsReply>(commit_of("a", {offset_of("t", 0, 1), offset_of("u", 0, 3)}));
  driver.answer<CommitOffsetsReply>(old_client);
  driver.answer<CommitOffsetsReply>(commit_of("b", {offset_of("t", 0, 4)}));
  driver.catalog.remove("t");
  driver.crash();
  CHECK(driver.log.back().size() == 3);
  CHECK(driver.machine().snapshot().size() == 1);
  CHECK(committed(driver, "a", "u", 0) == 3);
  CHECK_FALSE(driver.listed("b").has_value());
  const size_t step_count = driver.log.size();
  driver.crash();
  CHECK(driver.log.size() == step_count);
  driver.check_compacted();
}

TEST_CASE("group machine: a topic made again under the same name begins without commits", "[coordinator][machine]") {
  MachineDriver driver;
  const CatalogTopic old_topic = driver.catalog.add("t", 2);
  driver.answer<CommitOffsetsReply>(commit_of("s", {offset_of("t", 0, 10), offset_of("t", 1, 11)}));
  driver.catalog.remove("t");
  const CatalogTopic new_topic = driver.catalog.add("t", 2);
  // Before the machine is told, and after a crash, the old ones are not served.
  CHECK(committed(driver, "s", "t", 0) == -1);
  driver.crash();
  CHECK(committed(driver, "s", "t", 0) == -1);
  FetchOffsets all;
  all.group_id = "s";
  CHECK(driver.answer<FetchOffsetsReply>(all).offsets.empty());
  OffsetToCommit late = offset_of("t", 0, 12);
  late.topic_id = old_topic.id;
  CHECK(commit(driver, commit_of("s", {late})) == GroupErrc::kUnknownTopicId);
  late.topic_id = new_topic.id;
  CHECK(commit(driver, commit_of("s", {late})) == GroupErrc::kNone);
  CHECK(committed(driver, "s", "t", 0) == 12);
  // What belongs to the new one stays.
  driver.answer<BroadcastReply>(TopicGone{.topic = "t", .topic_id = old_topic.id});
  CHECK(committed(driver, "s", "t", 0) == 12);
  CHECK(driver.machine().snapshot().size() == 1);
  driver.crash();
  CHECK(committed(driver, "s", "t", 0) == 12);
}

TEST_CASE("group machine: consumer groups look at the topics again when they changed", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 1);
  auto joined = driver.answer<ConsumerHeartbeatReply>(consumer_join("m"));
  REQUIRE(joined.assignment.has_value());
  driver.catalog.add("t", 3);
  driver.answer<BroadcastReply>(TopicsChanged{});
  const auto told = driver.answer<ConsumerHeartbeatReply>(consumer_beat("m", joined.member_epoch));
  CHECK(told.member_epoch > joined.member_epoch);
  REQUIRE(told.assignment.has_value());
  REQUIRE(told.assignment->size() == 1);
  CHECK(told.assignment->front().partitions == std::vector<int32_t>{0, 1, 2});
}

// --- records that others left ---------------------------------------------------------------------------------------

TEST_CASE("group machine: offsets that come before the records of their group", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 1);
  const auto joined = driver.answer<ConsumerHeartbeatReply>(consumer_join("m"));
  CommitOffsets event = commit_of("g", {offset_of("t", 0, 9)});
  event.member_id = "m";
  event.generation_or_epoch = joined.member_epoch;
  CHECK(commit(driver, event) == GroupErrc::kNone);
  SeededRandom random(1);
  GroupMachine machine(random);
  const std::vector<GroupRecord> records = driver.machine().snapshot();
  REQUIRE(std::holds_alternative<OffsetCommitRecord>(records.front()));
  for (const GroupRecord& record : records) machine.replay(record);
  CHECK(machine.snapshot() == records);
  CHECK(machine.group_count() == 1);
}

TEST_CASE("group machine: tombstones of groups that are not there mean nothing", "[coordinator][machine]") {
  MachineDriver driver;
  driver.catalog.add("t", 1);
  stable_leader(driver);
  driver.answer<CommitOffsetsReply>(commit_of("s", {offset_of("t", 0, 1)}));
  SeededRandom random(1);
  GroupMachine machine(random);
  for (GroupRecord record : driver.flat_log()) {
    std::visit([](auto& one) { one.value.reset(); }, record);
    machine.replay(record);
  }
  CHECK(machine.group_count() == 0);
  CHECK(machine.snapshot().empty());
}

}  // namespace
}  // namespace leat
