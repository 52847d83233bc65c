// group_test.cpp: leat group list, describe, reset and delete against a broker whose answers are given.
#include <memory>

#include "cli/session.h"
#include "core/codec/prefixed.h"
#include "core/coordinator/consumer_protocol.h"
#include "core/record/batch_builder.h"
#include "test/cli/captured.h"
#include "test/client/fake_broker.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;
using namespace leat::test;

namespace {

using Words = std::vector<std::string>;
using ConsumerGroup = ConsumerGroupDescribeResponse::DescribedGroup;
using ClassicGroup = DescribeGroupsResponse::DescribedGroup;

// A broker whose topic "orders" holds three records.
class Broker {
 public:
  explicit Broker(FakeGroups::Script script)
      : groups_(std::make_shared<FakeGroups>(std::move(script))),
        broker_({.stored = {three_records()}, .groups = groups_}) {}

  Captured run(const Words& more) const {
    Words words{"-b", broker_.address()};
    words.insert(words.end(), more.begin(), more.end());
    return run_leat(words);
  }
  Words log() const { return groups_->log(); }

 private:
  static Slice three_records() {
    BatchBuilder builder(BatchOptions{});
    for (const char* value : {"a", "b", "c"}) {
      builder.append({.key = std::nullopt, .value = as_bytes(value), .timestamp_ms = 1});
    }
    return *builder.finish();
  }

  std::shared_ptr<FakeGroups> groups_;
  FakeBroker broker_;
};

ListGroupsResponse::ListedGroup listed(std::string id, std::string state, std::string type) {
  return {.group_id = std::move(id),
          .protocol_type = "consumer",
          .group_state = std::move(state),
          .group_type = std::move(type)};
}

ConsumerGroup consumer_group() {
  ConsumerGroup group;
  group.group_id = "g";
  group.group_state = "Reconciling";
  group.group_epoch = 7;
  group.assignment_epoch = 6;
  group.assignor_name = "uniform";
  auto& member = group.members.emplace_back();
  member.member_id = "m1";
  member.instance_id = "one";
  member.member_epoch = 5;
  member.client_id = "app";
  member.client_host = "/127.0.0.1";
  member.assignment.topic_partitions.push_back({.topic_id = {}, .topic_name = "orders", .partitions = {0}});
  member.target_assignment.topic_partitions.push_back({.topic_id = {}, .topic_name = "prices", .partitions = {1, 0}});
  return group;
}

ClassicGroup classic_group(const std::string& state, int member_count) {
  ClassicGroup group;
  group.group_id = "g";
  group.group_state = state;
  group.protocol_type = "consumer";
  group.protocol_data = member_count == 0 ? "" : "range";
  ConsumerProtocolAssignment assignment;
  assignment.assigned_partitions.push_back({.topic = "orders", .partitions = {0}});
  for (int i = 0; i < member_count; ++i) {
    auto& member = group.members.emplace_back();
    member.member_id = "m" + std::to_string(i);
    member.client_id = "app";
    member.client_host = "/127.0.0.1";
    if (i == 0) member.member_assignment = *encode_value(assignment, 0);
  }
  return group;
}

}  // namespace

TEST_CASE("group list: all, by state and by type, in any case", "[cli][group]") {
  const Broker broker({.listed = {listed("b", "Empty", "classic"), listed("a", "Stable", "consumer")}});
  CHECK(broker.run({"group", "list"}).out ==
        "GROUP  TYPE      STATE   PROTOCOL\na      consumer  Stable  consumer\nb      classic   Empty   consumer\n");
  CHECK(broker.run({"group", "list", "-q"}).out == "a\nb\n");
  CHECK(broker.run({"group", "list", "-q", "--state", "empty", "--state", "Dead"}).out == "b\n");
  CHECK(broker.run({"group", "list", "--json", "--type", "Consumer"}).out ==
        R"({"group":"a","type":"consumer","state":"Stable","protocol_type":"consumer"})"
        "\n");
  CHECK(contains(broker.run({"group", "list", "--type", "share"}).out, "No such groups"));
  CHECK(contains(Broker({}).run({"group", "list"}).out, "leat consume TOPIC --group NAME"));
}

TEST_CASE("group list: a state that there is not is answered with the nearest", "[cli][group]") {
  const Broker broker({});
  const Captured state = broker.run({"group", "list", "--state", "Stabel"});
  CHECK(state.exit_code == kExitUsage);
  CHECK(contains(state.errors, "there is no state 'Stabel'; did you mean 'Stable'?"));
  CHECK(contains(broker.run({"group", "list", "--type", "kafka"}).errors, "There are: classic, consumer"));
}

TEST_CASE("group describe: a consumer group with offsets, lag, members and what they shall own", "[cli][group]") {
  const Broker broker({.committed = {{0, 1}}, .consumer_groups = {consumer_group()}});
  const Captured text = broker.run({"group", "describe", "g"});
  INFO(text.errors);
  CHECK(text.exit_code == kExitOk);
  CHECK(text.out ==
        "Group g  type consumer  state Reconciling  assignor uniform  epoch 7  members 1\n"
        "TOPIC   PARTITION  COMMITTED  LOG-END  LAG  MEMBER  CLIENT  HOST\n"
        "orders  0          1          3        2    m1      app     /127.0.0.1\n"
        "\n"
        "MEMBER  INSTANCE  CLIENT  HOST        EPOCH  ASSIGNMENT  TARGET\n"
        "m1      one       app     /127.0.0.1  5      orders:0    prices:0,1\n");
  CHECK(broker.run({"group", "describe", "g", "--json"}).out ==
        R"({"group":"g","type":"consumer","state":"Reconciling","protocol_type":"consumer","assignor":"uniform",)"
        R"("group_epoch":7,"assignment_epoch":6,"members":[{"member_id":"m1","group_instance_id":"one",)"
        R"("client_id":"app","host":"/127.0.0.1","assignment":[{"topic":"orders","partition":0}],"member_epoch":5,)"
        R"("target_assignment":[{"topic":"prices","partition":0},{"topic":"prices","partition":1}]}],)"
        R"("partitions":[{"topic":"orders","partition":0,"committed_offset":1,"log_end_offset":3,"lag":2,)"
        R"("member_id":"m1"}]})"
        "\n");
}

TEST_CASE("group describe: a classic group, also of a broker that knows no other", "[cli][group]") {
  for (const bool speaks_consumer_protocol : {true, false}) {
    const Broker broker(
        {.speaks_consumer_protocol = speaks_consumer_protocol, .classic_groups = {classic_group("Stable", 2)}});
    const Captured text = broker.run({"group", "describe", "g"});
    INFO(text.errors);
    CHECK(text.out ==
          "Group g  type classic  state Stable  assignor range  members 2\n"
          "TOPIC   PARTITION  COMMITTED  LOG-END  LAG  MEMBER  CLIENT  HOST\n"
          "orders  0          -          3        -    m0      app     /127.0.0.1\n"
          "\n"
          "MEMBER  INSTANCE  CLIENT  HOST        PARTITIONS  ASSIGNMENT\n"
          "m0      -         app     /127.0.0.1  1           orders:0\n"
          "m1      -         app     /127.0.0.1  0           -\n");
  }
}

TEST_CASE("group describe: an empty group, one that is gone, an assignment that is no consumer's", "[cli][group]") {
  CHECK(Broker({.classic_groups = {classic_group("Empty", 0)}}).run({"group", "describe", "g"}).out ==
        "Group g  type classic  state Empty  members 0\nNothing is committed.\n");
  for (const Captured& gone :
       {Broker({}).run({"group", "describe", "g"}),
        Broker({.classic_groups = {classic_group("Dead", 0)}}).run({"group", "describe", "g"})}) {
    CHECK(gone.exit_code == kExitFailed);
    CHECK(contains(gone.errors, "group 'g' does not exist (GROUP_ID_NOT_FOUND). See: leat group list"));
  }
  ClassicGroup connect = classic_group("Stable", 1);
  connect.members.front().member_assignment = {1, 2, 3};
  CHECK(contains(Broker({.classic_groups = {connect}}).run({"group", "describe", "g"}).out, "Nothing is committed."));
}

TEST_CASE("group describe: one that is not there does not keep the others", "[cli][group]") {
  const Broker broker({.consumer_groups = {consumer_group()}});
  for (const Words& names : {Words{"nope", "g"}, Words{"g", "nope"}}) {
    Words words{"group", "describe"};
    words.insert(words.end(), names.begin(), names.end());
    const Captured result = broker.run(words);
    INFO(result.errors);
    CHECK(result.exit_code == kExitFailed);
    CHECK(contains(result.out, "Group g "));
    CHECK(result.errors == "leat: group 'nope' does not exist (GROUP_ID_NOT_FOUND). See: leat group list\n");
  }
}

TEST_CASE("group reset: shows its plan and changes nothing until it is told to", "[cli][group]") {
  const Broker broker({.committed = {{0, 2}}, .classic_groups = {classic_group("Empty", 0)}});
  const Captured plan = broker.run({"group", "reset", "g", "--to-earliest", "--all-topics"});
  INFO(plan.errors);
  CHECK(plan.exit_code == kExitOk);
  CHECK(plan.out ==
        "TOPIC   PARTITION  COMMITTED  NEW  LAG  NOTE\n"
        "orders  0          2          0    3\n"
        "Nothing is changed yet: this is the plan. The same with --execute carries it out.\n");
  CHECK(broker.log().empty());
  const Captured done = broker.run({"group", "reset", "g", "--to-earliest", "--all-topics", "--execute"});
  CHECK(contains(done.out, "Moved 1 offset of group 'g'.\n"));
  CHECK(broker.log() == Words{"commit 0:0 at -1"});
}

TEST_CASE("group reset: every target, kept within what the partition holds", "[cli][group]") {
  const auto moved_to = [](const Words& target) {
    const Broker broker({.committed = {{0, 2}}, .classic_groups = {classic_group("Empty", 0)}});
    Words words{"group", "reset", "g", "--topic", "orders:0", "--execute"};
    words.insert(words.end(), target.begin(), target.end());
    const Captured result = broker.run(words);
    INFO(result.errors);
    CHECK(result.exit_code == kExitOk);
    return broker.log().at(0);
  };
  CHECK(moved_to({"--to-latest"}) == "commit 0:3 at -1");
  CHECK(moved_to({"--to-offset", "1"}) == "commit 0:1 at -1");
  CHECK(moved_to({"--to-offset", "99"}) == "commit 0:3 at -1");
  CHECK(moved_to({"--to-datetime", "2h"}) == "commit 0:0 at -1");
  CHECK(moved_to({"--shift-by", "-1"}) == "commit 0:1 at -1");
  CHECK(moved_to({"--shift-by", "-5"}) == "commit 0:0 at -1");
  const Broker json({.committed = {{0, 2}}, .classic_groups = {classic_group("Empty", 0)}});
  CHECK(json.run({"group", "reset", "g", "--to-latest", "--all-topics", "--json"}).out ==
        R"({"group":"g","topic":"orders","partition":0,"committed_offset":2,"new_offset":3,"log_end_offset":3,)"
        R"("executed":false})"
        "\n");
}

TEST_CASE("group reset: a group that is not empty is refused in words", "[cli][group]") {
  const Words words{"group", "reset", "g", "--to-latest", "--topic", "orders", "--execute"};
  const Broker live({.consumer_groups = {consumer_group()}});
  const Captured refused = live.run(words);
  CHECK(refused.exit_code == kExitFailed);
  CHECK(contains(refused.errors,
                 "group 'g' is not empty (NON_EMPTY_GROUP): it has 1 member and its state is "
                 "Reconciling"));
  CHECK(contains(refused.errors, "leat group describe g"));
  CHECK(live.log().empty());
  const Broker raced({.commit_error = ErrorCode::kUnknownMemberId, .classic_groups = {classic_group("Empty", 0)}});
  CHECK(contains(raced.run(words).errors, "got a member meanwhile"));
}

TEST_CASE("group reset: a group that does not exist is made by naming topics", "[cli][group]") {
  const Broker broker({});
  CHECK(broker.run({"group", "reset", "new", "--to-offset", "1", "-t", "orders", "--execute"}).exit_code == kExitOk);
  CHECK(broker.log() == Words{"commit 0:1 at -1"});
  const Captured nothing = Broker({}).run({"group", "reset", "new", "--to-latest", "--all-topics"});
  CHECK(nothing.exit_code == kExitFailed);
  CHECK(contains(nothing.errors, "has committed nothing: name the topics with --topic"));
}

TEST_CASE("group reset: what is missing or too much is named", "[cli][group]") {
  const Broker broker({});
  struct Wrong {
    Words words;
    std::string_view told;
  };
  const Wrong wrongs[] = {{{"--topic", "orders"}, "where to?"},
                          {{"--to-latest", "--to-earliest", "--topic", "orders"}, "where to?"},
                          {{"--to-latest"}, "of which topics?"},
                          {{"--to-latest", "--topic", "orders", "--all-topics"}, "of which topics?"},
                          {{"--to-datetime", "soon", "--topic", "orders"}, "'soon' is no time"},
                          {{"--to-latest", "--topic", "orders:x"}, "'orders:x' is no topic with partitions"},
                          {{"--shift-by", "1", "--topic", "orders"}, "nothing is committed for orders-0"}};
  for (const Wrong& wrong : wrongs) {
    Words words{"group", "reset", "g"};
    words.insert(words.end(), wrong.words.begin(), wrong.words.end());
    const Captured result = broker.run(words);
    INFO(result.errors);
    CHECK(result.exit_code == kExitUsage);
    CHECK(contains(result.errors, wrong.told));
  }
  CHECK(contains(broker.run({"group", "reset", "g", "--to-latest", "-t", "orders:7"}).errors, "has no partition 7"));
}

TEST_CASE("group delete: says of each what became of it", "[cli][group]") {
  const Broker broker({.delete_errors = {{"live", ErrorCode::kNonEmptyGroup}, {"gone", ErrorCode::kGroupIdNotFound}}});
  const Captured mixed = broker.run({"group", "delete", "idle", "live", "gone"});
  CHECK(mixed.exit_code == kExitFailed);
  CHECK(mixed.out == "Deleted group 'idle' and its committed offsets.\n");
  CHECK(contains(mixed.errors, "group 'live' has members (NON_EMPTY_GROUP): stop its consumers first"));
  CHECK(contains(mixed.errors, "group 'gone' does not exist (GROUP_ID_NOT_FOUND). See: leat group list"));
  CHECK(broker.log() == Words{"delete idle"});
  CHECK(broker.run({"group", "delete", "gone", "--if-exists"}).exit_code == kExitOk);
}
