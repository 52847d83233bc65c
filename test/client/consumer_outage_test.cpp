// consumer_outage_test.cpp: what a consumer says while its brokers are away, and that it goes on when they are back:
// nothing is lost, nothing comes twice.
#include <optional>
#include <string>
#include <vector>

#include "client/consumer/outages.h"
#include "test/client/consumer_fixture.h"
#include "test/client/fake_readers.h"

namespace leat::test {
namespace {

using client::AnsweredBefore;
using client::Cause;
using client::OffsetReset;
using client::WhenUnreachable;
using client::detail::Outages;

client::Error unreachable(const std::string& what) { return {Cause::kUnreachable, what}; }

// Records of each round come after an outage.
void survive_restarts(ConsumerFixture& f, client::Consumer& consumer, size_t already_read) {
  std::vector<ReadRecord> got;
  std::vector<std::string> errors;  // with WhenUnreachable::kFail
  for (int round = 0; round < 3; ++round) {
    CHECK(!consumer.trouble());
    f.cluster.kill(1);
    f.scheduler.advance(Millis(3'000));
    const std::optional<client::Error> trouble = consumer.trouble();
    REQUIRE(trouble);
    CHECK(trouble->cause() == Cause::kUnreachable);
    CHECK(trouble->broker() == "n1:9092");
    CHECK(trouble->answered_before() == AnsweredBefore::kYes);
    f.fill("orders", 0, 25);
    f.cluster.revive(1);
    const auto more = f.read(consumer, 25, &errors);
    got.insert(got.end(), more.begin(), more.end());
    f.scheduler.advance(Millis(10'000));  // heartbeats
    CHECK(!consumer.trouble());
  }
  CHECK(got.size() == 75);
  check_in_order(got, static_cast<int64_t>(already_read));
}

}  // namespace

TEST_CASE("consumer: it says which broker is away, and reads on when it is back", "[client][consumer]") {
  for (const WhenUnreachable how : {WhenUnreachable::kTryOn, WhenUnreachable::kFail}) {
    ConsumerFixture f(1, 1, how);
    f.cluster.add_topic("orders", 1);
    f.fill("orders", 0, 10);
    auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
    REQUIRE(consumer->assign({{"orders", 0}}));
    CHECK(f.read(*consumer, 10).size() == 10);
    survive_restarts(f, *consumer, 10);
  }
}

TEST_CASE("consumer: a member of a group says it too, and commits what it read before", "[client][consumer]") {
  for (const client::GroupProtocol protocol : {client::GroupProtocol::kConsumer, client::GroupProtocol::kClassic}) {
    for (const WhenUnreachable how : {WhenUnreachable::kTryOn, WhenUnreachable::kFail}) {
      ConsumerFixture f(1, 1, how);
      f.cluster.add_topic("orders", 1);
      f.fill("orders", 0, 10);
      auto consumer = f.consumer({.group_id = "g",
                                  .group_protocol = protocol,
                                  .auto_offset_reset = OffsetReset::kEarliest,
                                  .enable_auto_commit = client::AutoCommit::kNo});
      REQUIRE(consumer->subscribe({"orders"}));
      CHECK(f.read(*consumer, 10).size() == 10);
      survive_restarts(f, *consumer, 10);
      CHECK(f.wait(consumer->commit()));
      CHECK(f.cluster.readers().committed.at({"orders", 0}) == 85);
      CHECK(f.wait(consumer->close(10'000)));
    }
  }
}

TEST_CASE("consumer: a broker that is away is no trouble once another one leads its partitions", "[client][consumer]") {
  ConsumerFixture f(2);
  f.cluster.add_topic("orders", 2);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}, {"orders", 1}}));
  CHECK(f.wait(consumer->poll(1'000))->empty());
  f.cluster.kill(2);
  f.scheduler.advance(Millis(20'000));
  CHECK(!consumer->trouble());
  f.fill("orders", 1, 3);
  CHECK(f.read(*consumer, 3).size() == 3);
}

TEST_CASE("consumer: what mostly passes is told when it does not", "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}}));
  CHECK(f.wait(consumer->poll(1'000))->empty());
  f.cluster.move_leader("orders", 0, 0);  // nobody
  f.scheduler.advance(Millis(1'000));
  CHECK(!consumer->trouble());
  f.scheduler.advance(Millis(5'000));
  REQUIRE(consumer->trouble());
  CHECK(consumer->trouble()->message().find("orders-0") == 0);
  f.cluster.move_leader("orders", 0, 1);
  f.scheduler.advance(Millis(5'000));
  CHECK(!consumer->trouble());
  f.cluster.silent = true;
  f.scheduler.advance(Millis(60'000));
  REQUIRE(consumer->trouble());
  CHECK(consumer->trouble()->cause() == Cause::kTimedOut);
  f.cluster.silent = false;
  f.scheduler.advance(Millis(90'000));  // what was asked before is not answered any more
  CHECK(!consumer->trouble());
  f.cluster.kill(1);
  f.scheduler.advance(Millis(5'000));
  REQUIRE(consumer->trouble());
  CHECK(f.wait(consumer->close(1'000)));
  CHECK(!consumer->trouble());  // a closed one wants nothing
}

TEST_CASE("consumer: a topic that is not there is made only if the program wants that", "[client][consumer]") {
  for (const client::AutoCreate auto_create : {client::AutoCreate::kNo, client::AutoCreate::kYes}) {
    for (const bool in_group : {false, true}) {
      for (const client::GroupProtocol protocol : {client::GroupProtocol::kConsumer, client::GroupProtocol::kClassic}) {
        ConsumerFixture f;
        f.cluster.made_partitions = 1;
        client::ConsumerSettings settings;
        if (in_group) settings.group_id = "g";
        settings.group_protocol = protocol;
        settings.allow_auto_create_topics = auto_create;
        settings.auto_offset_reset = OffsetReset::kEarliest;
        auto consumer = f.consumer(settings);
        REQUIRE((in_group ? consumer->subscribe({"orders"}) : consumer->assign({{"orders", 0}})));
        auto producer = f.producer();  // of the same client: what it sends to is made
        f.send(*producer, {.topic = "others", .value = "v"}, 0);
        REQUIRE(f.wait(producer->flush(10'000)));
        f.scheduler.advance(Millis(10'000));
        CHECK(f.cluster.topics().contains("others"));
        CHECK(f.cluster.topics().contains("orders") == (auto_create == client::AutoCreate::kYes));
        const std::optional<client::Error> trouble = consumer->trouble();
        CHECK(trouble.has_value() == (auto_create == client::AutoCreate::kNo));
        if (!trouble) continue;
        CHECK(trouble->kafka_code() == ErrorCode::kUnknownTopicOrPartition);
        CHECK(trouble->message().find("topic 'orders'") == 0);
        f.send(*producer, {.topic = "orders", .value = "v"}, 1);
        REQUIRE(f.wait(producer->flush(10'000)));
        f.scheduler.advance(Millis(10'000));
        CHECK(!consumer->trouble());
        std::vector<std::string> errors;
        CHECK(f.read(*consumer, 1, &errors).size() == 1);
      }
    }
  }
}

TEST_CASE("outages: by source, the first one first, and only what may pass", "[client][consumer]") {
  Outages outages;
  const Outages::Source one{.of = Outages::Of::kFetches, .node = 1};
  const Outages::Source two{.of = Outages::Of::kFetches, .node = 2};
  const Outages::Source metadata{.of = Outages::Of::kMetadata};
  outages.note(two, unreachable("two"), Millis(10));
  outages.note(one, unreachable("one"), Millis(20));
  outages.note(two, unreachable("two again"), Millis(30));
  REQUIRE(outages.current(Millis(30)));
  CHECK(outages.current(Millis(30))->message() == "two again");
  outages.clear(two);
  CHECK(outages.current(Millis(30))->message() == "one");
  outages.note(one, client::Error(Cause::kUnsupported, "never"), Millis(40));
  CHECK(outages.empty());
  outages.note(metadata, unreachable("one of several"), Millis(50));
  outages.note(one, client::Error(Cause::kNetwork, "broke"), Millis(50));
  CHECK(!outages.current(Millis(2'049)));
  CHECK(outages.current(Millis(2'050)));
  outages.clear_unless([](const Outages::Source& source) { return source.node == 1; });
  CHECK(outages.current(Millis(2'050))->message() == "broke");
}

}  // namespace leat::test
