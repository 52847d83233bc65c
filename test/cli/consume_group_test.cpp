// consume_group_test.cpp: leat consume --group in both protocols: what is asked of the coordinator, and what comes out.
#include <memory>

#include "cli/session.h"
#include "core/record/batch_builder.h"
#include "test/cli/captured.h"
#include "test/client/fake_broker.h"
#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;
using namespace leat::test;

namespace {

using Words = std::vector<std::string>;
using Owned = std::vector<int32_t>;
using Turn = FakeGroups::Turn;

Slice batch_of(std::initializer_list<const char*> values) {
  BatchBuilder builder(BatchOptions{});
  for (const char* value : values) builder.append({.key = std::nullopt, .value = as_bytes(value), .timestamp_ms = 1});
  return *builder.finish();
}

struct Consumed {
  Captured result;
  Words log;
};

// "orders" holds a, b and c.
Consumed consume_in(FakeGroups::Script script, const Words& more, Millis step = Millis(1)) {
  const auto groups = std::make_shared<FakeGroups>(std::move(script));
  const FakeBroker broker({.stored = {batch_of({"a", "b", "c"})}, .groups = groups});
  Words words{"-b", broker.address(), "consume", "orders", "--group", "g"};
  words.insert(words.end(), more.begin(), more.end());
  Captured result = run_leat(words, "", step);
  return {.result = std::move(result), .log = groups->log()};
}

}  // namespace

TEST_CASE("consume in a group: reads on from the commit, commits what it printed, leaves", "[cli][group]") {
  const Consumed consumed = consume_in({.coordinator_errors = 2, .committed = {{0, 1}}}, {"--exit"});
  INFO(consumed.result.errors);
  CHECK(consumed.result.exit_code == kExitOk);
  CHECK(consumed.result.out == "b\nc\n");
  CHECK(consumed.log == Words{"heartbeat 0 owns", "heartbeat 1 owns 0", "commit 0:3 at 1", "heartbeat -1"});
  CHECK(contains(consumed.result.errors, "leat: group 'g': reading 0 of orders"));
}

TEST_CASE("consume in a group: without a commit it begins at the end, or where it is told", "[cli][group]") {
  const Consumed latest = consume_in({}, {"--exit", "-q"});
  CHECK(latest.result.out.empty());
  CHECK(latest.result.errors.empty());
  CHECK(latest.log.at(2) == "commit 0:3 at 1");  // so that it does not leave out what comes until the next time
  CHECK(consume_in({}, {"--exit", "--from-beginning"}).result.out == "a\nb\nc\n");
  CHECK(consume_in({.committed = {{0, 2}}}, {"--exit", "--from-beginning"}).result.out == "c\n");
}

TEST_CASE("consume in a group: what was read but not printed is not committed", "[cli][group]") {
  const Consumed consumed = consume_in({}, {"--from-beginning", "--count", "2"});
  CHECK(consumed.result.out == "a\nb\n");
  CHECK(consumed.log.at(2) == "commit 0:2 at 1");
}

TEST_CASE("consume in a group: a fenced member joins again and commits nothing of before", "[cli][group]") {
  const Consumed consumed =
      consume_in({.turns = {{.when = Turn::When::kAfterReading, .error = ErrorCode::kFencedMemberEpoch}}},
                 {"--from-beginning", "--count", "6"});
  INFO(consumed.result.errors);
  CHECK(consumed.result.out == "a\nb\nc\na\nb\nc\n");
  CHECK(consumed.log == Words{"heartbeat 0 owns", "heartbeat 1 owns 0", "heartbeat 0 owns", "heartbeat 2 owns 0",
                              "commit 0:3 at 2", "heartbeat -1"});
  CHECK(contains(consumed.result.errors, "joins again"));
}

TEST_CASE("consume in a group: a partition is committed before it is given up", "[cli][group]") {
  const Consumed consumed = consume_in({.turns = {{.when = Turn::When::kAfterReading, .assignment = Owned{}},
                                                  {.when = Turn::When::kAfterOwning, .assignment = Owned{0}}},
                                        .forgets_commits = true},
                                       {"--from-beginning", "--count", "6"});
  INFO(consumed.result.errors);
  CHECK(consumed.result.out == "a\nb\nc\na\nb\nc\n");
  CHECK(consumed.log == Words{"heartbeat 0 owns", "heartbeat 1 owns 0", "commit 0:3 at 1", "heartbeat 1 owns",
                              "heartbeat 1 owns 0", "commit 0:3 at 1", "heartbeat -1"});
  CHECK(contains(consumed.result.errors, "no partitions for this member"));
}

TEST_CASE("consume in a group: it commits every five seconds", "[cli][group]") {
  const Consumed consumed = consume_in(
      {.turns = {{.when = Turn::When::kAfterCommit, .error = ErrorCode::kUnknownMemberId}}, .forgets_commits = true},
      {"--from-beginning", "--count", "6"}, Millis(5'000));
  CHECK(consumed.log == Words{"heartbeat 0 owns", "heartbeat 1 owns 0", "commit 0:3 at 1", "heartbeat 0 owns",
                              "heartbeat 2 owns 0", "commit 0:3 at 2", "heartbeat -1"});
}

TEST_CASE("consume in a group: a commit that comes too late is told, one that cannot be is an error", "[cli][group]") {
  const Consumed late = consume_in({.commit_error = ErrorCode::kStaleMemberEpoch}, {"--from-beginning", "--exit"});
  CHECK(late.result.exit_code == kExitOk);
  CHECK(contains(late.result.errors, "orders-0 was not committed (STALE_MEMBER_EPOCH); its records may come again"));
  const Consumed never =
      consume_in({.commit_error = ErrorCode::kGroupAuthorizationFailed}, {"--from-beginning", "--exit"});
  CHECK(never.result.exit_code == kExitFailed);
  CHECK(contains(never.result.errors, "GROUP_AUTHORIZATION_FAILED"));
  CHECK(never.log.back() == "heartbeat -1");
}

TEST_CASE("consume in a group: a committed offset that is gone becomes the nearest that is there", "[cli][group]") {
  const Consumed consumed = consume_in({.committed = {{0, 99}}}, {"--exit"});
  INFO(consumed.result.errors);
  CHECK(consumed.result.exit_code == kExitOk);
  CHECK(contains(consumed.result.errors, "orders-0"));
  CHECK(contains(consumed.result.errors, "it has no offset 99: going on at 3"));
  CHECK(consumed.log.at(2) == "commit 0:3 at 1");
}

TEST_CASE("consume in a group: a static member leaves for a while only, and needs a name of its own", "[cli][group]") {
  CHECK(consume_in({}, {"--exit", "--group-instance-id", "one"}).log.back() == "heartbeat -2");
  const Consumed twice =
      consume_in({.turns = {{.error = ErrorCode::kUnreleasedInstanceId}}}, {"--exit", "--group-instance-id", "one"});
  CHECK(twice.result.exit_code == kExitFailed);
  CHECK(contains(twice.result.errors, "Give each member an instance id of its own"));
  CHECK(consume_in({.speaks_consumer_protocol = false}, {"--exit", "--group-instance-id", "one"}).log ==
        Words{"join '' range of orders", "sync 1 m1 orders:0", "commit 0:3 at 1"});
}

TEST_CASE("consume in a group: the classic protocol where the broker has no other, or on demand", "[cli][group]") {
  const Words classic{"join '' range of orders", "join 'm1' range of orders", "sync 1 m1 orders:0", "commit 0:3 at 1",
                      "leave m1"};
  const Consumed without = consume_in({.speaks_consumer_protocol = false}, {"--from-beginning", "--exit"});
  INFO(without.result.errors);
  CHECK(without.result.out == "a\nb\nc\n");
  CHECK(without.log == classic);
  CHECK(contains(without.result.errors, "joining with the classic one"));
  CHECK(consume_in({}, {"--from-beginning", "--exit", "--group-protocol", "classic"}).log == classic);
  const Consumed switched_off =
      consume_in({.turns = {{.error = ErrorCode::kUnsupportedVersion}}}, {"--from-beginning", "--exit"});
  CHECK(Words(switched_off.log.begin() + 1, switched_off.log.end()) == classic);
  const Consumed insisted = consume_in({.speaks_consumer_protocol = false}, {"--exit", "--group-protocol", "consumer"});
  CHECK(insisted.result.exit_code == kExitFailed);
  CHECK(contains(insisted.result.errors, "does not serve ConsumerGroupHeartbeat"));
}

TEST_CASE("consume in a group: a classic rebalance is joined with the same id after a commit", "[cli][group]") {
  const Consumed consumed = consume_in({.speaks_consumer_protocol = false,
                                        .turns = {{.error = ErrorCode::kRebalanceInProgress}},
                                        .forgets_commits = true},
                                       {"--from-beginning", "--count", "6"});
  INFO(consumed.result.errors);
  CHECK(consumed.result.out == "a\nb\nc\na\nb\nc\n");
  CHECK(consumed.log == Words{"join '' range of orders", "join 'm1' range of orders", "sync 1 m1 orders:0",
                              "commit 0:3 at 1", "join 'm1' range of orders", "sync 2 m1 orders:0", "commit 0:3 at 2",
                              "leave m1"});
}

TEST_CASE("consume in a group: a classic member that is unknown joins as a new one", "[cli][group]") {
  const Consumed consumed =
      consume_in({.speaks_consumer_protocol = false, .turns = {{.error = ErrorCode::kUnknownMemberId}}},
                 {"--from-beginning", "--count", "6"});
  CHECK(consumed.result.out == "a\nb\nc\na\nb\nc\n");
  CHECK(consumed.log.at(3) == "join '' range of orders");  // no commit before it
}

TEST_CASE("consume in a group: flags that contradict it say why", "[cli][group]") {
  struct Wrong {
    Words words;
    std::string_view told;
  };
  const Wrong wrongs[] = {{{"--group", "g", "--partition", "0"}, "the group gives out the partitions"},
                          {{"--group", "g", "--offset", "5"}, "leat group reset"},
                          {{"--group", ""}, "--group needs a name"},
                          {{"--group", "g", "--since", "1h", "--from-beginning"}, "give one of"},
                          {{"--group-instance-id", "one"}, "give --group too"}};
  for (const Wrong& wrong : wrongs) {
    Words words{"consume", "orders"};
    words.insert(words.end(), wrong.words.begin(), wrong.words.end());
    const Captured result = run_leat(words);
    INFO(result.errors);
    CHECK(result.exit_code == kExitUsage);
    CHECK(contains(result.errors, wrong.told));
  }
}
