// group_handlers_test.cpp: groups as clients ask for them, version by version, from message to message. What the
// group's machine decides is tested in test/core/coordinator.
#include "server/handlers/group_handlers.h"

#include <fmt/format.h>

#include "core/codec/piece_writer.h"
#include "server/handlers/group_questions.h"
#include "server/handlers/metadata_handlers.h"
#include "test/server/group_server_fixture.h"

namespace leat::test {
namespace {

struct Fixture : GroupServerFixture {
  Fixture() {
    settings.given["group.initial.rebalance.delay.ms"] = "0";
    restart_groups();
  }

  Request asked_by(int16_t version, std::string peer = "127.0.0.1:50000", std::string listener = "PLAINTEXT") {
    Request made = request(version);
    made.origin = std::make_shared<const RequestOrigin>(
        RequestOrigin{.peer = std::move(peer), .listener_name = std::move(listener), .client_id = "client"});
    return made;
  }

  static JoinGroupRequest join_of(std::string group, std::string member_id = "") {
    JoinGroupRequest message;
    message.group_id = std::move(group);
    message.session_timeout_ms = 10'000;
    message.rebalance_timeout_ms = 10'000;
    message.member_id = std::move(member_id);
    message.protocol_type = "consumer";
    message.protocols.push_back({"range", {1, 2, 3}});
    return message;
  }
  Answer<JoinGroupResponse> join(JoinGroupRequest message, int16_t version = 9) {
    return run(handle_join_group(broker, asked_by(version), std::move(message)));
  }
  // The first rebalance of an empty group waits, though with a delay of 0 no longer than a tick.
  JoinGroupResponse joined(JoinGroupRequest message, int16_t version = 9) {
    const Answer<JoinGroupResponse> answer = join(std::move(message), version);
    if (!answer.there()) scheduler.advance(Millis(10));
    return *answer;
  }
  // A member of a stable group of its own.
  JoinGroupResponse settled(const std::string& group) {
    const JoinGroupResponse named = joined(join_of(group));
    REQUIRE(named.error_code == ErrorCode::kMemberIdRequired);
    const JoinGroupResponse leader = joined(join_of(group, named.member_id));
    REQUIRE(leader.error_code == ErrorCode::kNone);
    SyncGroupRequest sync;
    sync.group_id = group;
    sync.generation_id = leader.generation_id;
    sync.member_id = leader.member_id;
    sync.protocol_type = "consumer";
    sync.protocol_name = "range";
    sync.assignments.push_back({leader.member_id, {7, 7}});
    const SyncGroupResponse synced = *run(handle_sync_group(broker, asked_by(5), std::move(sync)));
    REQUIRE(synced.error_code == ErrorCode::kNone);
    CHECK(synced.assignment == Bytes{7, 7});
    return leader;
  }
  HeartbeatResponse beat(const std::string& group, const JoinGroupResponse& member, int32_t generation) {
    HeartbeatRequest message;
    message.group_id = group;
    message.generation_id = generation;
    message.member_id = member.member_id;
    return *run(handle_heartbeat(broker, asked_by(4), std::move(message)));
  }

  OffsetCommitResponse commit(OffsetCommitRequest message, int16_t version) {
    return *run(handle_offset_commit(broker, asked_by(version), std::move(message)));
  }
  OffsetFetchResponse fetch(OffsetFetchRequest message, int16_t version) {
    return *run(handle_offset_fetch(broker, asked_by(version), std::move(message)));
  }
};

// --- FindCoordinator ------------------------------------------------------------------------------------------------

TEST_CASE("handler FindCoordinator: groups are this node's, and their topic is there", "[server][groups]") {
  Fixture f;
  FindCoordinatorRequest one;
  one.key = "g";
  const FindCoordinatorResponse old = *f.run(handle_find_coordinator(f.broker, f.asked_by(0), one));
  CHECK(old.error_code == ErrorCode::kNone);
  CHECK(old.node_id == 1);
  CHECK(old.host == "mill");
  CHECK(old.port == 9092);
  CHECK(f.store.find_topic(kOffsetsTopic).has_value());
  FindCoordinatorRequest many;
  many.coordinator_keys = {"g", "h"};
  const FindCoordinatorResponse batched = *f.run(handle_find_coordinator(f.broker, f.asked_by(4), many));
  REQUIRE(batched.coordinators.size() == 2);
  CHECK(batched.coordinators[1].key == "h");
  CHECK(batched.coordinators[1].error_code == ErrorCode::kNone);
  CHECK(batched.coordinators[1].host == "mill");
}

TEST_CASE("handler FindCoordinator: what is not served, and what does not exist", "[server][groups]") {
  Fixture f;
  const auto code = [&f](int8_t key_type, int16_t version) {
    FindCoordinatorRequest message;
    message.key_type = key_type;
    message.coordinator_keys = {"x"};
    const auto found = *f.run(handle_find_coordinator(f.broker, f.asked_by(version), message));
    CHECK(found.coordinators.at(0).node_id == -1);
    return found.coordinators.at(0).error_code;
  };
  CHECK(code(1, 4) == ErrorCode::kCoordinatorNotAvailable);
  CHECK(code(2, 6) == ErrorCode::kCoordinatorNotAvailable);
  CHECK(code(2, 5) == ErrorCode::kInvalidRequest);
  CHECK(code(3, 6) == ErrorCode::kInvalidRequest);
  CHECK_FALSE(f.store.find_topic(kOffsetsTopic).has_value());
  f.journal.failures_left = 1;
  CHECK(code(0, 6) == ErrorCode::kCoordinatorNotAvailable);
}

// --- classic groups -------------------------------------------------------------------------------------------------

TEST_CASE("handlers of classic groups: a member's life, from its id to its leaving", "[server][groups]") {
  Fixture f;
  const JoinGroupResponse member = f.settled("g");
  CHECK(member.leader == member.member_id);
  CHECK(member.protocol_type == "consumer");
  CHECK(member.protocol_name == "range");
  REQUIRE(member.members.size() == 1);
  CHECK(member.members[0].metadata == Bytes{1, 2, 3});
  CHECK(f.beat("g", member, member.generation_id).error_code == ErrorCode::kNone);
  CHECK(f.beat("g", member, member.generation_id + 1).error_code == ErrorCode::kIllegalGeneration);
  CHECK(f.beat("", member, 1).error_code == ErrorCode::kInvalidGroupId);

  LeaveGroupRequest leave;
  leave.group_id = "g";
  leave.members.push_back({.member_id = member.member_id, .group_instance_id = {}, .reason = "over"});
  leave.members.push_back({.member_id = "stranger", .group_instance_id = {}, .reason = {}});
  const LeaveGroupResponse left = *f.run(handle_leave_group(f.broker, f.asked_by(5), leave));
  CHECK(left.error_code == ErrorCode::kNone);
  REQUIRE(left.members.size() == 2);
  CHECK(left.members[0].error_code == ErrorCode::kNone);
  CHECK(left.members[1].member_id == "stranger");
  CHECK(left.members[1].error_code == ErrorCode::kUnknownMemberId);
  LeaveGroupRequest old;
  old.group_id = "g";
  old.member_id = "stranger";
  const LeaveGroupResponse alone = *f.run(handle_leave_group(f.broker, f.asked_by(2), old));
  CHECK(alone.error_code == ErrorCode::kUnknownMemberId);
  CHECK(alone.members.empty());
}

TEST_CASE("handler JoinGroup: each version as it can be written", "[server][groups]") {
  Fixture f;
  for (int16_t version = 0; version <= 9; ++version) {
    INFO(version);
    const std::string group = fmt::format("g{}", version);
    JoinGroupResponse answer = f.joined(Fixture::join_of(group), version);
    if (version >= 4) {
      CHECK(answer.error_code == ErrorCode::kMemberIdRequired);
      CHECK(answer.protocol_name.has_value() == (version < 7));
      answer = f.joined(Fixture::join_of(group, answer.member_id), version);
    }
    CHECK(answer.error_code == ErrorCode::kNone);
    CHECK_FALSE(answer.member_id.empty());
    PieceWriter out;
    CHECK(encode(answer, version, out));
  }
  JoinGroupRequest nameless = Fixture::join_of("", "me");
  const JoinGroupResponse refused = f.joined(nameless, 6);
  CHECK(refused.error_code == ErrorCode::kInvalidGroupId);
  CHECK(refused.member_id == "me");
  CHECK(refused.protocol_name == "");
}

TEST_CASE("handler SyncGroup: since version 5 the protocol is named", "[server][groups]") {
  Fixture f;
  SyncGroupRequest message;
  message.group_id = "g";
  const auto code = [&](int16_t version) {
    return (*f.run(handle_sync_group(f.broker, f.asked_by(version), message))).error_code;
  };
  CHECK(code(5) == ErrorCode::kInconsistentGroupProtocol);
  CHECK(code(4) == ErrorCode::kUnknownMemberId);
}

TEST_CASE("handlers of classic groups: a parked member outlives its connection, and its place is freed in time",
          "[server][groups]") {
  Fixture f;
  const JoinGroupResponse first = f.settled("g");
  // A second member starts a rebalance that the first never joins.
  const JoinGroupResponse named = f.joined(Fixture::join_of("g"));
  const Answer<JoinGroupResponse> parked = f.join(Fixture::join_of("g", named.member_id));
  CHECK_FALSE(parked.there());
  CHECK(f.beat("g", first, first.generation_id).error_code == ErrorCode::kRebalanceInProgress);
  f.scheduler.advance(Millis(11'000));
  REQUIRE(parked.there());
  CHECK(parked->error_code == ErrorCode::kNone);
  CHECK(parked->leader == named.member_id);
  const Answer<JoinGroupResponse> waiting = f.join(Fixture::join_of("g"), 3);
  CHECK_FALSE(waiting.there());
  f.stop_groups();
  CHECK(waiting->error_code == ErrorCode::kNotCoordinator);
}

TEST_CASE("handlers of groups: a broker that is stopping has no groups", "[server][groups]") {
  Fixture f;
  const JoinGroupResponse member = f.settled("g");
  spawn(f.groups->stop());
  f.scheduler.run_until_idle();
  CHECK(f.beat("g", member, member.generation_id).error_code == ErrorCode::kCoordinatorNotAvailable);
}

// --- offsets --------------------------------------------------------------------------------------------------------

OffsetCommitRequest commit_of(std::string group, std::string topic, std::vector<std::pair<int32_t, int64_t>> offsets) {
  OffsetCommitRequest message;
  message.group_id = std::move(group);
  auto& asked = message.topics.emplace_back();
  asked.name = std::move(topic);
  for (const auto& [partition, offset] : offsets) {
    auto& one = asked.partitions.emplace_back();
    one.partition_index = partition;
    one.committed_offset = offset;
    one.committed_leader_epoch = 3;
    one.committed_metadata = "note";
  }
  return message;
}

OffsetFetchRequest fetch_of(std::string group, std::string topic, std::vector<int32_t> partitions, int16_t version) {
  OffsetFetchRequest message;
  if (version < 8) {
    message.group_id = std::move(group);
    message.topics->push_back({.name = std::move(topic), .partition_indexes = std::move(partitions)});
    return message;
  }
  auto& asked = message.groups.emplace_back();
  asked.group_id = std::move(group);
  asked.topics->push_back({.name = std::move(topic), .topic_id = {}, .partition_indexes = std::move(partitions)});
  return message;
}

TEST_CASE("handlers of offsets: commit and fetch by name, in every version", "[server][groups]") {
  Fixture f;
  f.create_topic("t", 4);
  for (int16_t version = 2; version <= 9; ++version) {
    INFO(version);
    const OffsetCommitResponse made = f.commit(commit_of("g", "t", {{3, version}, {9, 1}, {0, version + 1}}), version);
    REQUIRE(made.topics.at(0).partitions.size() == 3);
    CHECK(made.topics[0].name == "t");
    CHECK(made.topics[0].partitions[0].partition_index == 3);
    CHECK(made.topics[0].partitions[0].error_code == ErrorCode::kNone);
    CHECK(made.topics[0].partitions[1].error_code == ErrorCode::kUnknownTopicOrPartition);
    CHECK(made.topics[0].partitions[2].error_code == ErrorCode::kNone);
    CHECK(f.committed("g", "t", 0) == version + 1);
    CHECK(f.committed("g", "t", 3) == version);
  }
  CHECK(f.commit(commit_of("g", "nothing", {{0, 1}}), 9).topics.at(0).partitions.at(0).error_code ==
        ErrorCode::kUnknownTopicOrPartition);
  for (int16_t version = 1; version <= 9; ++version) {
    INFO(version);
    const OffsetFetchResponse read = f.fetch(fetch_of("g", "t", {3, 1, 9}, version), version);
    CHECK(read.error_code == ErrorCode::kNone);
    if (version < 8) {
      REQUIRE(read.topics.at(0).partitions.size() == 3);
      CHECK(read.topics[0].partitions[0].committed_offset == 9);
      CHECK(read.topics[0].partitions[0].metadata == "note");
      CHECK(read.topics[0].partitions[1].committed_offset == -1);
      CHECK(read.topics[0].partitions[2].error_code == ErrorCode::kNone);
    } else {
      REQUIRE(read.groups.at(0).topics.at(0).partitions.size() == 3);
      CHECK(read.groups[0].topics[0].partitions[0].committed_offset == 9);
      CHECK(read.groups[0].topics[0].partitions[0].committed_leader_epoch == 3);
      CHECK(read.groups[0].topics[0].partitions[1].committed_offset == -1);
    }
    PieceWriter out;
    CHECK(encode(read, version, out));
  }
}

TEST_CASE("handlers of offsets: by topic id since version 10", "[server][groups]") {
  Fixture f;
  const Uuid id = f.create_topic("t", 2);
  OffsetCommitRequest by_id = commit_of("g", "", {{1, 5}});
  by_id.topics[0].topic_id = id;
  by_id.topics.push_back(by_id.topics[0]);
  by_id.topics[1].topic_id = DataFixture::id_of("stranger");
  const OffsetCommitResponse made = f.commit(by_id, 10);
  CHECK(made.topics.at(0).topic_id == id);
  CHECK(made.topics.at(0).partitions.at(0).error_code == ErrorCode::kNone);
  CHECK(made.topics.at(1).partitions.at(0).error_code == ErrorCode::kUnknownTopicId);

  OffsetFetchRequest fetch = fetch_of("g", "", {1, 0}, 10);
  (*fetch.groups[0].topics)[0].topic_id = DataFixture::id_of("stranger");
  fetch.groups[0].topics->push_back({.name = "", .topic_id = id, .partition_indexes = {1}});
  const OffsetFetchResponse read = f.fetch(fetch, 10);
  REQUIRE(read.groups.at(0).topics.size() == 2);
  CHECK(read.groups[0].topics[0].partitions.at(1).error_code == ErrorCode::kUnknownTopicId);
  CHECK(read.groups[0].topics[0].partitions.at(1).committed_offset == -1);
  CHECK(read.groups[0].topics[1].topic_id == id);
  CHECK(read.groups[0].topics[1].partitions.at(0).committed_offset == 5);
  PieceWriter out;
  CHECK(encode(read, 10, out));

  // All that there is; a commit of the topic's earlier incarnation is none of the new one's.
  OffsetFetchRequest all;
  all.groups.emplace_back().group_id = "g";
  all.groups[0].topics.reset();
  CHECK(f.fetch(all, 10).groups.at(0).topics.at(0).topic_id == id);
  f.delete_topic("t");
  f.create_topic("t", 2);
  CHECK(f.fetch(all, 10).groups.at(0).topics.empty());
  CHECK(f.commit(by_id, 10).topics.at(0).partitions.at(0).error_code == ErrorCode::kUnknownTopicId);
}

TEST_CASE("handler OffsetFetch: several groups, all their topics, and where the error of one stands",
          "[server][groups]") {
  Fixture f;
  f.create_topic("a", 2);
  f.create_topic("b", 2);
  REQUIRE(f.GroupServerFixture::commit("g", "b", 1, 3) == GroupErrc::kNone);
  REQUIRE(f.GroupServerFixture::commit("g", "a", 0, 1) == GroupErrc::kNone);
  OffsetFetchRequest message;
  for (const char* group : {"g", "empty"}) {
    auto& asked = message.groups.emplace_back();
    asked.group_id = group;
    asked.topics.reset();
  }
  const OffsetFetchResponse read = f.fetch(message, 8);
  REQUIRE(read.groups.size() == 2);
  REQUIRE(read.groups[0].topics.size() == 2);
  CHECK(read.groups[0].topics[0].name == "a");
  CHECK(read.groups[0].topics[1].partitions.at(0).partition_index == 1);
  CHECK(read.groups[1].topics.empty());
  OffsetFetchRequest old;
  old.group_id = "g";
  old.topics.reset();
  CHECK(f.fetch(old, 2).topics.size() == 2);

  spawn(f.groups->stop());
  f.scheduler.run_until_idle();
  CHECK(f.fetch(message, 9).groups.at(1).error_code == ErrorCode::kCoordinatorNotAvailable);
  CHECK(f.fetch(old, 2).error_code == ErrorCode::kCoordinatorNotAvailable);
  const OffsetFetchResponse oldest = f.fetch(fetch_of("g", "a", {0}, 1), 1);
  CHECK(oldest.topics.at(0).partitions.at(0).error_code == ErrorCode::kCoordinatorNotAvailable);
  const OffsetCommitResponse refused = f.commit(commit_of("g", "a", {{0, 1}, {7, 1}}), 9);
  CHECK(refused.topics.at(0).partitions.at(0).error_code == ErrorCode::kCoordinatorNotAvailable);
  CHECK(refused.topics.at(0).partitions.at(1).error_code == ErrorCode::kUnknownTopicOrPartition);
}

TEST_CASE("handler OffsetCommit: a stale member is fenced, whoever has no group is not", "[server][groups]") {
  Fixture f;
  f.create_topic("t");
  const JoinGroupResponse member = f.settled("g");
  OffsetCommitRequest message = commit_of("g", "t", {{0, 5}});
  message.member_id = member.member_id;
  message.generation_id_or_member_epoch = member.generation_id;
  const auto code = [&] { return f.commit(message, 7).topics.at(0).partitions.at(0).error_code; };
  CHECK(code() == ErrorCode::kNone);
  message.generation_id_or_member_epoch = member.generation_id + 1;
  CHECK(code() == ErrorCode::kIllegalGeneration);
  message.member_id = "stranger";
  CHECK(code() == ErrorCode::kUnknownMemberId);
  message.topics[0].partitions[0].committed_metadata = std::string(5000, 'x');
  message.group_id = "simple";
  message.member_id = "";
  message.generation_id_or_member_epoch = -1;
  CHECK(code() == ErrorCode::kOffsetMetadataTooLarge);
  message.topics[0].partitions[0].committed_metadata = std::nullopt;
  CHECK(code() == ErrorCode::kNone);
}

TEST_CASE("handler OffsetDelete: partitions one by one, and the group first", "[server][groups]") {
  Fixture f;
  f.create_topic("t", 2);
  REQUIRE(f.GroupServerFixture::commit("g", "t", 0, 3) == GroupErrc::kNone);
  OffsetDeleteRequest message;
  message.group_id = "g";
  message.topics.push_back({.name = "t", .partitions = {{0}, {5}}});
  message.topics.push_back({.name = "nothing", .partitions = {{0}}});
  const OffsetDeleteResponse gone = *f.run(handle_offset_delete(f.broker, f.asked_by(0), message));
  CHECK(gone.error_code == ErrorCode::kNone);
  CHECK(gone.topics.at(0).partitions.at(0).error_code == ErrorCode::kNone);
  CHECK(gone.topics.at(0).partitions.at(1).error_code == ErrorCode::kUnknownTopicOrPartition);
  CHECK(gone.topics.at(1).partitions.at(0).error_code == ErrorCode::kUnknownTopicOrPartition);
  CHECK(f.committed("g", "t", 0) == -1);
  message.group_id = "stranger";
  const OffsetDeleteResponse refused = *f.run(handle_offset_delete(f.broker, f.asked_by(0), message));
  CHECK(refused.error_code == ErrorCode::kGroupIdNotFound);
  CHECK(refused.topics.empty());
}

// --- administration -------------------------------------------------------------------------------------------------

TEST_CASE("handlers of group administration: list, describe, delete", "[server][groups]") {
  Fixture f;
  f.create_topic("t");
  const JoinGroupResponse member = f.settled("busy");
  REQUIRE(f.GroupServerFixture::commit("simple", "t", 0, 3) == GroupErrc::kNone);
  const auto list = [&f](std::vector<std::string> states, std::vector<std::string> types, int16_t version) {
    ListGroupsRequest message;
    message.states_filter = std::move(states);
    message.types_filter = std::move(types);
    return *f.run(handle_list_groups(f.broker, f.asked_by(version), message));
  };
  const ListGroupsResponse all = list({}, {}, 5);
  REQUIRE(all.groups.size() == 2);
  CHECK(all.groups[0].group_id == "busy");
  CHECK(all.groups[0].group_state == "Stable");
  CHECK(all.groups[0].group_type == "classic");
  CHECK(all.groups[0].protocol_type == "consumer");
  CHECK(list({"stable"}, {}, 4).groups.size() == 1);
  CHECK(list({}, {"consumer"}, 5).groups.empty());

  DescribeGroupsRequest describe;
  describe.groups = {"busy", "stranger"};
  describe.include_authorized_operations = true;
  const DescribeGroupsResponse described = *f.run(handle_describe_groups(f.broker, f.asked_by(6), describe));
  REQUIRE(described.groups.size() == 2);
  CHECK(described.groups[0].group_state == "Stable");
  CHECK(described.groups[0].authorized_operations == kGroupOperations);
  REQUIRE(described.groups[0].members.size() == 1);
  CHECK(described.groups[0].members[0].member_id == member.member_id);
  CHECK(described.groups[0].members[0].client_id == "client");
  CHECK(described.groups[0].members[0].client_host == "/127.0.0.1");
  CHECK(described.groups[0].members[0].member_assignment == Bytes{7, 7});
  CHECK(described.groups[1].error_code == ErrorCode::kGroupIdNotFound);
  CHECK(described.groups[1].authorized_operations == INT32_MIN);
  const DescribeGroupsResponse old = *f.run(handle_describe_groups(f.broker, f.asked_by(5), describe));
  CHECK(old.groups[1].error_code == ErrorCode::kNone);
  CHECK(old.groups[1].group_state == "Dead");
  PieceWriter out;
  CHECK(encode(old, 5, out));

  DeleteGroupsRequest remove;
  remove.groups_names = {"busy", "simple", "stranger", "simple"};
  const DeleteGroupsResponse removed = *f.run(handle_delete_groups(f.broker, f.asked_by(3), remove));
  REQUIRE(removed.results.size() == 3);
  CHECK(removed.results[0].error_code == ErrorCode::kNonEmptyGroup);
  CHECK(removed.results[1].error_code == ErrorCode::kNone);
  CHECK(removed.results[2].error_code == ErrorCode::kGroupIdNotFound);
  CHECK(list({}, {}, 5).groups.size() == 1);
  CHECK(f.committed("simple", "t", 0) == -1);
}

TEST_CASE("handler ListGroups: half a list is none", "[server][groups]") {
  Fixture f;
  f.settings.given["offsets.topic.num.partitions"] = "4";
  f.create_topic("t");
  f.host.unopened = 2;
  REQUIRE(f.GroupServerFixture::commit("h", "t", 0, 3) == GroupErrc::kNone);
  const ListGroupsResponse listed = *f.run(handle_list_groups(f.broker, f.asked_by(5), {}));
  CHECK(listed.error_code == ErrorCode::kCoordinatorNotAvailable);
  CHECK(listed.groups.empty());
}

// --- consumer groups ------------------------------------------------------------------------------------------------

TEST_CASE("handlers of consumer groups: a member joins, is described, and leaves", "[server][groups]") {
  Fixture f;
  const Uuid id = f.create_topic("t", 3);
  ConsumerGroupHeartbeatRequest message;
  message.group_id = "g";
  message.rebalance_timeout_ms = 30'000;
  message.subscribed_topic_names = std::vector<std::string>{"t"};
  message.topic_partitions.emplace();
  const auto beat = [&](int16_t version) {
    return *f.run(handle_consumer_group_heartbeat(f.broker, f.asked_by(version, "[::1]:7"), message));
  };
  const ConsumerGroupHeartbeatResponse nameless = beat(1);
  CHECK(nameless.error_code == ErrorCode::kInvalidRequest);
  CHECK(nameless.error_message.has_value());
  CHECK_FALSE(nameless.member_id.has_value());
  const ConsumerGroupHeartbeatResponse joined = beat(0);
  REQUIRE(joined.error_code == ErrorCode::kNone);
  REQUIRE(joined.member_id.has_value());
  CHECK(joined.member_epoch > 0);
  CHECK(joined.heartbeat_interval_ms == 5'000);
  REQUIRE(joined.assignment.has_value());
  REQUIRE(joined.assignment->topic_partitions.size() == 1);
  CHECK(joined.assignment->topic_partitions[0].topic_id == id);
  CHECK(joined.assignment->topic_partitions[0].partitions.size() == 3);

  ConsumerGroupDescribeRequest describe;
  describe.group_ids = {"g", "stranger", ""};
  describe.include_authorized_operations = true;
  const ConsumerGroupDescribeResponse described =
      *f.run(handle_consumer_group_describe(f.broker, f.asked_by(1), describe));
  REQUIRE(described.groups.size() == 3);
  REQUIRE(described.groups[0].members.size() == 1);
  CHECK(described.groups[0].authorized_operations == kGroupOperations);
  CHECK(described.groups[0].assignor_name == "uniform");
  const auto& member = described.groups[0].members[0];
  CHECK(member.member_id == *joined.member_id);
  CHECK(member.client_host == "/0:0:0:0:0:0:0:1");
  CHECK(member.member_type == 1);
  REQUIRE(member.target_assignment.topic_partitions.size() == 1);
  CHECK(member.target_assignment.topic_partitions[0].topic_name == "t");
  CHECK(described.groups[1].error_code == ErrorCode::kGroupIdNotFound);
  CHECK(described.groups[1].error_message == "Group stranger not found.");
  CHECK(described.groups[2].error_code == ErrorCode::kInvalidGroupId);
  CHECK_FALSE(described.groups[2].error_message.has_value());  // the client has words of its own for it
  PieceWriter out;
  CHECK(encode(described, 1, out));

  message.member_id = *joined.member_id;
  message.member_epoch = -1;
  CHECK(beat(1).error_code == ErrorCode::kNone);
  message.member_epoch = joined.member_epoch;
  CHECK(beat(1).error_code == ErrorCode::kUnknownMemberId);
}

TEST_CASE("handlers of consumer groups: a group's own settings hold for its members", "[server][groups]") {
  Fixture f;
  f.create_topic("t");
  std::vector<ConfigChange> changes = {{"consumer.heartbeat.interval.ms", ConfigOperation::kSet, "7000"}};
  REQUIRE((*f.run(f.store.alter_group_configs("g", changes, AlterMode::kIncremental, Validate::kAndDo))).has_value());
  for (const char* group : {"g", "h"}) {
    ConsumerGroupHeartbeatRequest message;
    message.group_id = group;
    message.rebalance_timeout_ms = 30'000;
    message.subscribed_topic_names = std::vector<std::string>{"t"};
    message.topic_partitions.emplace();
    const auto joined = *f.run(handle_consumer_group_heartbeat(f.broker, f.asked_by(0), message));
    CHECK(joined.heartbeat_interval_ms == (message.group_id == "g" ? 7'000 : 5'000));
  }
}

// --- the topic of the groups ----------------------------------------------------------------------------------------

TEST_CASE("handlers of topics: the topic of the groups is made as it should be, and does not grow",
          "[server][groups]") {
  Fixture f;
  MetadataRequest metadata;
  metadata.topics->push_back({.topic_id = {}, .name = std::string(kOffsetsTopic)});
  const auto shown = *f.run(handle_metadata(f.broker, f.asked_by(12), metadata));
  REQUIRE(shown.topics.size() == 1);
  CHECK(shown.topics[0].is_internal);
  CHECK(f.table.find(kOffsetsTopic, 0)->settings().log.compact);
  CHECK(f.groups->shard_count() == 1);
  CreatePartitionsRequest grow;
  grow.topics = {{.name = std::string(kOffsetsTopic), .count = 4, .assignments = std::nullopt}};
  CHECK((*f.run(handle_create_partitions(f.broker, f.asked_by(3), grow))).results.at(0).error_code ==
        ErrorCode::kInvalidPartitions);
  f.delete_topic(std::string(kOffsetsTopic));
  CreateTopicsRequest create;
  auto& topic = create.topics.emplace_back();
  topic.name = kOffsetsTopic;
  topic.num_partitions = 3;
  topic.replication_factor = 1;
  topic.configs.push_back({.name = "segment.bytes", .value = "2000000"});
  REQUIRE((*f.run(handle_create_topics(f.broker, f.asked_by(7), create))).topics.at(0).error_code == ErrorCode::kNone);
  CHECK(f.groups->shard_count() == 3);
  CHECK(f.table.find(kOffsetsTopic, 2)->settings().log.compact);
  CHECK(f.table.find(kOffsetsTopic, 2)->settings().log.segment_bytes == 2'000'000);
}

TEST_CASE("kafka's form of a host", "[server][groups]") {
  CHECK(kafka_host_of("127.0.0.1:51234") == "/127.0.0.1");
  CHECK(kafka_host_of("[fe80::1:2]:51234") == "/fe80:0:0:0:0:0:1:2");
  CHECK(kafka_host_of("unknown") == "/unknown");
}

}  // namespace
}  // namespace leat::test
