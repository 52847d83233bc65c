// group_member_test.cpp: what members say when, and what answers make of them.
#include "client/consumer/group_member.h"

#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"
#include "test/support/catch.h"

namespace leat::client::detail {
namespace {

ConsumerSettings settings(std::vector<ClassicAssignor> assignors = {ClassicAssignor::kRange}) {
  ConsumerSettings made;
  made.group_id = "g";
  made.classic_assignors = std::move(assignors);
  return made;
}

Uuid id(uint8_t byte) {
  Uuid made;
  made.bytes[0] = byte;
  return made;
}

ConsumerGroupHeartbeatResponse heard(int32_t epoch, std::optional<std::vector<int32_t>> partitions = std::nullopt) {
  ConsumerGroupHeartbeatResponse answer;
  answer.member_id = "m";
  answer.member_epoch = epoch;
  answer.heartbeat_interval_ms = 3'000;
  if (partitions) {
    answer.assignment.emplace();
    if (!partitions->empty())
      answer.assignment->topic_partitions.push_back({.topic_id = id(1), .partitions = *partitions});
  }
  return answer;
}

}  // namespace

TEST_CASE("consumer member: joins with all it has to say, then only with what changed", "[client][group]") {
  const ConsumerSettings with = settings();
  ConsumerMember member(with, "m");
  member.subscribe({.topics = {"orders"}}, Nanos(0));
  const auto join = member.heartbeat();
  CHECK(join.member_epoch == 0);
  CHECK(join.subscribed_topic_names == std::vector<std::string>{"orders"});
  CHECK(join.rebalance_timeout_ms == 60'000);
  REQUIRE(join.topic_partitions);
  CHECK(member.on_answer(heard(4, std::vector<int32_t>{2, 0}), Nanos(0)) == MemberVerdict::kGoOn);
  CHECK(member.epoch() == 4);
  CHECK(member.due() == Millis(3'000));
  REQUIRE(member.to_be_owned() != nullptr);
  const ConsumerMember::Assignment target = *member.to_be_owned();
  CHECK(target.at(id(1)) == std::vector<int32_t>{0, 2});
  const auto quiet = member.heartbeat();
  CHECK(!quiet.subscribed_topic_names);
  CHECK(!quiet.topic_partitions);
  member.set_owned(target, Millis(10));
  CHECK(member.due() == Millis(10));
  CHECK(member.to_be_owned() == nullptr);
  const auto confirmation = member.heartbeat();
  REQUIRE(confirmation.topic_partitions);
  CHECK(confirmation.topic_partitions->front().partitions == std::vector<int32_t>{0, 2});
  member.on_no_answer();
  CHECK(member.heartbeat().subscribed_topic_names);  // nobody knows what arrived
}

TEST_CASE("consumer member: what is changed while a heartbeat is under way is said right after", "[client][group]") {
  const ConsumerSettings with = settings();
  ConsumerMember member(with, "m");
  member.subscribe({.topics = {"orders"}}, Nanos(0));
  (void)member.heartbeat();
  member.subscribe({.topics = {}, .pattern = "o.*"}, Millis(1));
  CHECK(member.on_answer(heard(1), Millis(2)) == MemberVerdict::kGoOn);
  CHECK(member.due() == Millis(2));
  CHECK(member.heartbeat().subscribed_topic_regex == "o.*");
}

TEST_CASE("consumer member: errors", "[client][group]") {
  const ConsumerSettings with = settings();
  const auto verdict = [&](ErrorCode code) {
    ConsumerMember member(with, "m");
    (void)member.heartbeat();
    (void)member.on_answer(heard(4, std::vector<int32_t>{0}), Nanos(0));
    ConsumerGroupHeartbeatResponse answer;
    answer.error_code = code;
    const MemberVerdict said = member.on_answer(answer, Nanos(0));
    if (said == MemberVerdict::kLost) {
      CHECK(member.epoch() == 0);
      CHECK(member.to_be_owned() == nullptr);
    }
    return said;
  };
  CHECK(verdict(ErrorCode::kFencedMemberEpoch) == MemberVerdict::kLost);
  CHECK(verdict(ErrorCode::kUnknownMemberId) == MemberVerdict::kLost);
  CHECK(verdict(ErrorCode::kNotCoordinator) == MemberVerdict::kTryLater);
  CHECK(verdict(ErrorCode::kUnsupportedVersion) == MemberVerdict::kUnsupported);
  CHECK(verdict(ErrorCode::kGroupAuthorizationFailed) == MemberVerdict::kRefused);
  CHECK(ConsumerMember(with, "m").farewell().member_epoch == -1);
  ConsumerSettings fixed = settings();
  fixed.group_instance_id = "i";
  CHECK(ConsumerMember(fixed, "m").farewell().member_epoch == -2);
}

namespace {

JoinGroupResponse joined(const JoinGroupRequest& request) {
  JoinGroupResponse answer;
  answer.generation_id = 3;
  answer.member_id = "m";
  answer.leader = "m";
  answer.protocol_name = request.protocols.front().name;
  answer.members.push_back({.member_id = "m", .group_instance_id = {}, .metadata = request.protocols.front().metadata});
  return answer;
}

}  // namespace

TEST_CASE("classic member: joins, leads, syncs, and joins again when it hears of a rebalance", "[client][group]") {
  const ConsumerSettings with = settings();
  ClassicMember member(with);
  CHECK(member.is_eager());
  member.subscribe({"orders"});
  CHECK(member.must_join());
  const auto request = member.join({});
  REQUIRE(request);
  JoinGroupResponse wants_id;
  wants_id.error_code = ErrorCode::kMemberIdRequired;
  wants_id.member_id = "m";
  CHECK(member.on_joined(wants_id) == MemberVerdict::kGoOn);
  CHECK(member.must_join());
  CHECK(member.join({})->member_id == "m");
  CHECK(member.on_joined(joined(*request)) == MemberVerdict::kGoOn);
  CHECK(!member.must_join());
  REQUIRE(member.is_leader());
  CHECK(member.topics_of_all() == std::vector<std::string>{"orders"});
  const auto sync = member.sync({{"orders", 2}});
  REQUIRE(sync);
  REQUIRE(sync->assignments.size() == 1);
  SyncGroupResponse synced;
  synced.assignment = sync->assignments.front().assignment;
  CHECK(member.on_synced(synced, Nanos(0)) == MemberVerdict::kGoOn);
  REQUIRE(member.assigned() != nullptr);
  CHECK(*member.assigned() == std::vector<TopicPartition>{{"orders", 0}, {"orders", 1}});
  CHECK(member.due() == Millis(3'000));
  member.set_owned(ClassicMember::Revoked::kSome);
  CHECK(!member.must_join());  // eager: nobody waits for what it gave up
  CHECK(member.on_heartbeat(ErrorCode::kRebalanceInProgress, Nanos(0)) == MemberVerdict::kGoOn);
  CHECK(member.must_join());
  CHECK(member.is_member());  // so that it can commit before it gives up
  CHECK(member.on_heartbeat(ErrorCode::kUnknownMemberId, Nanos(0)) == MemberVerdict::kLost);
  CHECK(member.member_id().empty());
  CHECK(!member.is_member());
}

TEST_CASE("classic member: cooperative ones say what they own, and come again after giving up", "[client][group]") {
  const ConsumerSettings with = settings({ClassicAssignor::kCooperativeSticky});
  ClassicMember member(with);
  CHECK(!member.is_eager());
  member.subscribe({"orders"});
  const auto request = member.join({{"orders", 1}, {"orders", 2}});
  REQUIRE(request);
  const auto said = decode_value<ConsumerProtocolSubscription>(request->protocols.front().metadata);
  REQUIRE(said);
  REQUIRE(said->owned_partitions.size() == 1);
  CHECK(said->owned_partitions.front().partitions == std::vector<int32_t>{1, 2});
  (void)member.on_joined(joined(*request));
  SyncGroupResponse nothing;
  CHECK(member.on_synced(nothing, Nanos(0)) == MemberVerdict::kGoOn);
  REQUIRE(member.assigned() != nullptr);
  CHECK(member.assigned()->empty());
  member.set_owned(ClassicMember::Revoked::kSome);
  CHECK(member.must_join());
}

TEST_CASE("classic member: farewell in both forms", "[client][group]") {
  const ConsumerSettings with = settings();
  ClassicMember member(with);
  JoinGroupResponse wants_id;
  wants_id.error_code = ErrorCode::kMemberIdRequired;
  wants_id.member_id = "m";
  (void)member.on_joined(wants_id);
  CHECK(member.farewell(2).member_id == "m");
  CHECK(member.farewell(3).members.front().member_id == "m");
}

}  // namespace leat::client::detail
