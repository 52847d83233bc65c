// consumer_subscription_test.cpp: what the members of a consumer group subscribe to, by name and by pattern; topics
// that come, go and grow; and who of the assignors is asked.
#include <tuple>

#include "test/core/coordinator/consumer_fixture.h"
#include "test/support/catch.h"

namespace leat {
namespace {

template <class Record>
std::vector<Record> records_of(const ConsumerFixture& f) {
  std::vector<Record> found;
  for (const GroupRecord& record : f.driver.records) {
    if (const auto* one = std::get_if<Record>(&record)) found.push_back(*one);
  }
  return found;
}

// --- names ----------------------------------------------------------------------------------------------------------

TEST_CASE("subscriptions: another subscription raises the epoch and moves partitions", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a", {"foo"});
  a.topics = {"bar"};
  const ConsumerHeartbeatReply told = f.send(a.full());
  CHECK(told.member_epoch == 2);
  REQUIRE(told.assignment.has_value());
  CHECK(told.assignment->empty());
  CHECK(f.group().epoch() == 3);
  a.hear(told);
  CHECK(f.beat(a).member_epoch == 3);
  CHECK((a.owned == PartitionSet{{f.bar.id, 0}, {f.bar.id, 1}, {f.bar.id, 2}}));
}

TEST_CASE("subscriptions: a topic that is not there is waited for", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a", {"later"});
  CHECK(a.owned.empty());
  CHECK(f.state() == "Stable");
  f.driver.catalog.add("later", 2);
  f.beat(a);
  CHECK(a.owned.empty());  // nobody has said that topics changed
  f.topics_changed();
  f.beat(a);
  CHECK(a.owned.size() == 2);
  CHECK(f.group().epoch() == 3);
}

TEST_CASE("subscriptions: a member may subscribe to nothing", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  ConsumerClient idle = f.join("idle", {});
  CHECK(idle.epoch == 2);
  CHECK(f.group().epoch() == 2);
  f.beat(a);
  CHECK(a.owned.size() == 6);
  CHECK(f.state() == "Stable");
  f.check_replay();
}

TEST_CASE("subscriptions: other things that a member says raise no epoch", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  ConsumerHeartbeat event = a.full();
  event.rack_id = "r2";
  event.rebalance_timeout_ms = 7;
  event.client = {.id = "other", .host = "/10.0.0.1"};
  f.send(event);
  const MemberMetadata& metadata = f.group().member("a")->metadata;
  CHECK(metadata.rack_id == "r2");
  CHECK(metadata.rebalance_timeout_ms == 7);
  CHECK(metadata.client_id == "other");
  CHECK(metadata.client_host == "/10.0.0.1");
  CHECK(f.group().epoch() == 2);
}

// --- topics ---------------------------------------------------------------------------------------------------------

TEST_CASE("subscriptions: a topic that grows is dealt out anew", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  f.driver.catalog.add("foo", 8);
  f.topics_changed();
  CHECK(f.beat(a).member_epoch == 3);
  CHECK(a.owned.size() == 8);
}

TEST_CASE("subscriptions: topics that nobody wants change nothing", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  f.driver.catalog.add("other", 8);
  f.driver.catalog.remove("bar");
  f.topics_changed();
  const size_t record_count = f.driver.records.size();
  f.beat(a);
  CHECK(f.driver.records.size() == record_count);
}

TEST_CASE("subscriptions: a deleted topic is given up; one of the same name is another", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a", {"foo", "bar"});
  f.driver.catalog.remove("foo");
  f.topics_changed();
  f.beat(a);
  CHECK(a.owned.size() == 3);
  f.beat(a);
  CHECK(f.state() == "Stable");

  const CatalogTopic again = f.driver.catalog.add("foo", 6);
  REQUIRE(again.id != f.foo.id);
  f.topics_changed();
  f.beat(a);
  CHECK(a.owned.size() == 9);
  CHECK(a.owned.contains({again.id, 5}));
}

TEST_CASE("subscriptions: topics that changed while the broker was down are noticed", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  f.driver.catalog.add("foo", 7);
  f.driver.crash();
  CHECK(f.beat(a).member_epoch == 3);
  CHECK(a.owned.size() == 7);
}

TEST_CASE("subscriptions: a broker that comes back to the same topics writes nothing", "[group][consumer]") {
  ConsumerFixture f;
  auto [a, b] = f.stable_pair();
  f.driver.crash();
  const size_t record_count = f.driver.records.size();
  f.beat(a);
  f.beat(b);
  CHECK(f.driver.records.size() == record_count);
}

// --- patterns -------------------------------------------------------------------------------------------------------

ConsumerClient matching(std::string member_id, std::string regex, std::vector<std::string> topics = {}) {
  ConsumerClient client{.member_id = std::move(member_id), .topics = std::move(topics)};
  client.regex = std::move(regex);
  return client;
}

TEST_CASE("patterns: the topics of a pattern are there with the join", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = matching("a", "fo+");
  f.beat(a);
  CHECK(a.owned.size() == 6);
  CHECK(f.group().is_subscribed_to("foo"));
  CHECK_FALSE(f.group().is_subscribed_to("bar"));
  const auto resolved = records_of<RegexRecord>(f);
  REQUIRE(resolved.size() == 1);
  CHECK(resolved[0].key.regular_expression == "fo+");
  CHECK(resolved[0].value->topics == std::vector<std::string>{"foo"});
  CHECK(resolved[0].value->timestamp == f.driver.wall_ms);
  f.check_replay();
}

TEST_CASE("patterns: names and pattern add up", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = matching("a", "fo+", {"bar", "foo"});
  f.beat(a);
  CHECK(a.owned.size() == 9);
}

TEST_CASE("patterns: one that is no regular expression is refused", "[group][consumer]") {
  ConsumerFixture f;
  const GroupFault fault = f.refused(matching("a", "[").full());
  CHECK(fault.code == GroupErrc::kInvalidRegularExpression);
  CHECK(fault.message == "SubscribedTopicRegex `[` is not a valid regular expression: missing closing ].");
}

TEST_CASE("patterns: a new topic that matches comes with the next heartbeat", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = matching("a", "f.*");
  f.beat(a);
  f.driver.catalog.add("fun", 1);
  f.topics_changed();
  f.beat(a);
  CHECK(a.owned.size() == 7);
  CHECK(f.group().is_subscribed_to("fun"));
  f.driver.catalog.remove("foo");
  f.topics_changed();
  f.beat(a);
  f.beat(a);
  CHECK(a.owned.size() == 1);
  CHECK_FALSE(f.group().is_subscribed_to("foo"));
}

TEST_CASE("patterns: they are looked up again when their time is up, too", "[group][consumer]") {
  ConsumerFixture f;
  f.driver.rules.regex_refresh_interval_ms = 20'000;
  ConsumerClient a = matching("a", "f.*");
  f.beat(a);
  f.driver.catalog.add("fun", 1);
  f.driver.advance(19'000);
  f.beat(a);
  CHECK(a.owned.size() == 6);
  f.driver.advance(1'000);
  f.beat(a);
  CHECK(a.owned.size() == 7);
}

TEST_CASE("patterns: a pattern that nobody has any more goes", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = matching("a", "fo+");
  ConsumerClient b = matching("b", "fo+");
  f.beat(a);
  f.beat(b);
  a.regex = "ba.";
  a.hear(f.send(a.full()));
  CHECK(records_of<RegexRecord>(f).back().key.regular_expression == "ba.");
  f.send(b.bare(-1));
  const auto resolved = records_of<RegexRecord>(f);
  REQUIRE(resolved.size() == 3);
  CHECK(resolved.back().key.regular_expression == "fo+");
  CHECK_FALSE(resolved.back().value.has_value());
  a.regex = "";  // none
  f.send(a.full());
  CHECK_FALSE(records_of<RegexRecord>(f).back().value.has_value());
  CHECK_FALSE(f.driver.deadlines.is_set({"g", DeadlineKind::kRegexRefresh, ""}));
  f.check_replay();
}

TEST_CASE("patterns: one in the log that does not compile matches nothing", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a");
  ConsumerMemberRecord record{.key = {.group_id = "g", .member_id = "a"}, .value = f.group().member("a")->metadata};
  record.value->subscribed_topic_regex = "[";
  f.driver.step([&](GroupStep& step) { step.write(record); });
  f.driver.crash();
  f.beat(a);
  CHECK(a.owned.size() == 6);
}

// --- assignors ------------------------------------------------------------------------------------------------------

std::string assignor_of(const ConsumerFixture& f) {
  return f.group().describe(f.driver.catalog, f.driver.rules).assignor;
}

TEST_CASE("assignors: the first of the settings is asked unless members want another", "[group][consumer]") {
  ConsumerFixture f;
  CHECK(assignor_of(f) == "uniform");
  f.driver.rules.consumer_assignors = {"range", "uniform"};
  CHECK(assignor_of(f) == "range");
}

TEST_CASE("assignors: most votes win, and the settings' order decides between equals", "[group][consumer]") {
  ConsumerFixture f;
  for (const auto& [member_id, assignor, winner] :
       {std::tuple("a", "range", "range"), std::tuple("b", "uniform", "uniform"), std::tuple("c", "range", "range")}) {
    ConsumerClient client{.member_id = member_id, .topics = {"foo"}};
    client.assignor = assignor;
    f.beat(client);
    CHECK(assignor_of(f) == winner);
  }
  f.send(ConsumerClient{.member_id = "a", .topics = {}}.bare(-1));
  CHECK(assignor_of(f) == "uniform");
}

TEST_CASE("assignors: the group's own makes the target", "[group][consumer]") {
  ConsumerFixture f;
  f.driver.rules.consumer_assignors = {"range"};
  ConsumerClient a = f.join("a", {"foo", "bar"});
  ConsumerClient b = f.join("b", {"foo", "bar"});
  f.settle({&a, &b});
  // Ranges go to the members in order, each topic for itself.
  CHECK((a.owned == PartitionSet{{f.foo.id, 0}, {f.foo.id, 1}, {f.foo.id, 2}, {f.bar.id, 0}, {f.bar.id, 1}}));
  CHECK((b.owned == PartitionSet{{f.foo.id, 3}, {f.foo.id, 4}, {f.foo.id, 5}, {f.bar.id, 2}}));
}

TEST_CASE("assignors: another one wins: the epoch rises, and it makes the target", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient a = f.join("a", {"foo", "bar"});
  ConsumerClient b = f.join("b", {"foo", "bar"});
  f.settle({&a, &b});
  REQUIRE(f.group().epoch() == 3);
  a.assignor = "uniform";  // which is the group's already
  a.hear(f.send(a.full()));
  CHECK(f.group().epoch() == 3);
  b.assignor = "range";  // as many votes, and it comes later in the settings
  b.hear(f.send(b.full()));
  CHECK(f.group().epoch() == 3);
  a.assignor = "range";
  a.hear(f.send(a.full()));
  CHECK(f.group().epoch() == 4);
  CHECK(f.group().target_epoch() == 4);
  f.settle({&a, &b});
  CHECK((a.owned == PartitionSet{{f.foo.id, 0}, {f.foo.id, 1}, {f.foo.id, 2}, {f.bar.id, 0}, {f.bar.id, 1}}));
  CHECK((b.owned == PartitionSet{{f.foo.id, 3}, {f.foo.id, 4}, {f.foo.id, 5}, {f.bar.id, 2}}));
  a.hear(f.send(a.full()));  // said again it is no news
  CHECK(f.group().epoch() == 4);
  f.check_replay();
}

TEST_CASE("assignors: the vote of a newcomer, or of who replaces a static member, counts, too", "[group][consumer]") {
  ConsumerFixture f;
  ConsumerClient silent{.member_id = "s", .topics = {}};
  f.beat(silent);
  REQUIRE(f.group().epoch() == 1);
  ConsumerClient voter{.member_id = "v", .topics = {}};  // subscribes to nothing, as the other
  voter.instance_id = "i";
  voter.assignor = "range";
  f.beat(voter);
  CHECK(f.group().epoch() == 2);
  f.send(voter.bare(-2));
  ConsumerClient back = voter;
  back.member_id = "v2";
  back.epoch = 0;
  f.beat(back);
  CHECK(f.group().epoch() == 2);
  f.send(back.bare(-2));
  back.member_id = "v3";
  back.epoch = 0;
  back.assignor = "uniform";
  f.beat(back);
  CHECK(f.group().epoch() == 3);
  f.check_replay();
}

}  // namespace
}  // namespace leat
