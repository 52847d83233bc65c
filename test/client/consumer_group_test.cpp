// consumer_group_test.cpp: whole consumers in groups, in manual time against a FakeCluster: what is committed, who has
// which partitions, and what becomes of members that are fenced, silent or leave.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "test/client/consumer_fixture.h"
#include "test/client/fake_readers.h"

namespace leat::test {
namespace {

using client::AutoCommit;
using client::Consumer;
using client::ConsumerSettings;
using client::GroupProtocol;
using client::OffsetReset;
using client::Task;

}  // namespace

TEST_CASE("consumer: a group of one, in either protocol, commits and goes on from there", "[client][consumer][group]") {
  for (const GroupProtocol protocol : {GroupProtocol::kConsumer, GroupProtocol::kClassic, GroupProtocol::kAuto}) {
    ConsumerFixture f(2);
    // kAuto against a broker without the consumer protocol.
    if (protocol == GroupProtocol::kAuto) f.cluster.unknown_apis = {68};
    f.cluster.add_topic("orders", 4);
    for (int32_t i = 0; i < 4; ++i) f.fill("orders", i, 30);
    const ConsumerSettings settings{
        .group_id = "g", .group_protocol = protocol, .auto_offset_reset = OffsetReset::kEarliest};
    auto consumer = f.consumer(settings);
    REQUIRE(consumer->subscribe({"orders"}));
    const auto got = f.read(*consumer, 120);
    CHECK(got.size() == 120);
    check_in_order(got);
    CHECK(consumer->assignment().size() == 4);
    REQUIRE(f.wait(consumer->commit()));
    CHECK(f.cluster.readers().committed.at({"orders", 2}) == 30);
    const auto told = f.wait(consumer->committed({{"orders", 2}}));
    REQUIRE(told);
    CHECK(told->at({"orders", 2}).offset == 30);
    REQUIRE(f.wait(consumer->close(10'000)));
    CHECK(f.cluster.readers().members.empty());
    if (protocol != GroupProtocol::kConsumer) CHECK(f.cluster.readers().farewells == 1);
    for (int32_t i = 0; i < 4; ++i) f.fill("orders", i, 1);
    auto next = f.consumer(settings);
    REQUIRE(next->subscribe({"orders"}));
    check_in_order(f.read(*next, 4), 30);
  }
}

TEST_CASE("consumer: unsubscribe() commits as the member that it was, and its end is waited for",
          "[client][consumer][group]") {
  for (const GroupProtocol protocol : {GroupProtocol::kConsumer, GroupProtocol::kClassic}) {
    ConsumerFixture f;
    f.cluster.add_topic("orders", 1);
    f.fill("orders", 0, 30);
    const ConsumerSettings settings{
        .group_id = "g", .group_protocol = protocol, .auto_offset_reset = OffsetReset::kEarliest};
    auto consumer = f.consumer(settings);
    REQUIRE(consumer->subscribe({"orders"}));
    REQUIRE(f.read(*consumer, 30).size() == 30);
    REQUIRE(f.wait(consumer->poll(100)));  // the program is done with them
    REQUIRE(consumer->unsubscribe());
    REQUIRE(consumer->unsubscribe());
    const client::Result<> early = consumer->assign({{"orders", 0}});
    REQUIRE(!early);
    CHECK(early.error().is_retriable());
    f.scheduler.advance(Millis(1'000));
    CHECK(f.cluster.readers().committed.at({"orders", 0}) == 30);
    CHECK(consumer->assignment().empty());
    REQUIRE(consumer->assign({{"orders", 0}}));
    f.scheduler.advance(Millis(1'000));
    CHECK(consumer->assignment().size() == 1);
    CHECK(*consumer->position({"orders", 0}) == 30);
    REQUIRE(f.wait(consumer->close(10'000)));

    auto another = f.consumer(settings);
    REQUIRE(another->subscribe({"orders"}));
    REQUIRE(f.wait(another->poll(2'000)));
    REQUIRE(another->unsubscribe());
    REQUIRE(f.wait(another->close(10'000)));
    CHECK(f.cluster.readers().members.empty());
    CHECK(f.cluster.readers().farewells == (protocol == GroupProtocol::kClassic ? 2 : 0));
  }
}

TEST_CASE("consumer: automatic commits claim only what the program has worked through", "[client][consumer][group]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 30);
  auto consumer = f.consumer({.group_id = "g", .auto_offset_reset = OffsetReset::kEarliest, .poll_records_max = 10});
  REQUIRE(consumer->subscribe({"orders"}));
  REQUIRE(f.read(*consumer, 10).size() == 10);
  f.scheduler.advance(Millis(20'000));
  CHECK(f.cluster.readers().committed.empty());  // it may still be at work with them
  REQUIRE(f.read(*consumer, 10).size() == 10);
  f.scheduler.advance(Millis(100));
  CHECK(f.cluster.readers().committed.at({"orders", 0}) == 10);
  REQUIRE(f.wait(consumer->close(10'000)));
  CHECK(f.cluster.readers().committed.at({"orders", 0}) == 20);
}

namespace {

class Notes final : public client::RebalanceListener {
 public:
  Task<> on_assigned(std::vector<client::TopicPartition> partitions) override {
    assigned += partitions.size();
    co_return;
  }
  Task<> on_revoked(std::vector<client::TopicPartition> partitions) override {
    if (consumer != nullptr) {
      const client::Result<> committed = co_await consumer->commit();
      CHECK(committed);
    }
    revoked += partitions.size();
  }
  Task<> on_lost(std::vector<client::TopicPartition> partitions) override {
    lost += partitions.size();
    co_return;
  }

  Consumer* consumer = nullptr;
  size_t assigned = 0;
  size_t revoked = 0;
  size_t lost = 0;
};

}  // namespace

TEST_CASE("consumer: two members share, and the listener commits before partitions go", "[client][consumer][group]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 4);
  for (int32_t i = 0; i < 4; ++i) f.fill("orders", i, 20);
  const auto notes = std::make_shared<Notes>();
  ConsumerSettings settings{.group_id = "g",
                            .group_protocol = GroupProtocol::kConsumer,
                            .rebalance_listener = notes,
                            .auto_offset_reset = OffsetReset::kEarliest,
                            .enable_auto_commit = AutoCommit::kNo};
  auto first = f.consumer(settings);
  notes->consumer = first.get();
  REQUIRE(first->subscribe({"orders"}));
  std::set<std::pair<int32_t, int64_t>> seen;
  for (const ReadRecord& record : f.read(*first, 80)) CHECK(seen.insert({record.partition, record.offset}).second);
  CHECK(notes->assigned == 4);
  settings.rebalance_listener = nullptr;
  auto second = f.consumer(settings);
  REQUIRE(second->subscribe({"orders"}));
  f.scheduler.advance(Millis(10'000));
  CHECK(notes->revoked == 2);
  CHECK(first->assignment().size() == 2);
  CHECK(second->assignment().size() == 2);
  for (int32_t i = 0; i < 4; ++i) f.fill("orders", i, 5);
  for (const ReadRecord& record : f.read(*first, 10)) CHECK(seen.insert({record.partition, record.offset}).second);
  for (const ReadRecord& record : f.read(*second, 10)) CHECK(seen.insert({record.partition, record.offset}).second);
  CHECK(seen.size() == 100);
  REQUIRE(f.wait(second->close(10'000)));
  f.scheduler.advance(Millis(10'000));
  CHECK(first->assignment().size() == 4);
  notes->consumer = nullptr;
}

TEST_CASE("consumer: a member that was fenced loses its partitions and comes back", "[client][consumer][group]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 2);
  const auto notes = std::make_shared<Notes>();
  auto consumer = f.consumer({.group_id = "g",
                              .group_protocol = GroupProtocol::kConsumer,
                              .rebalance_listener = notes,
                              .auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->subscribe({"orders"}));
  CHECK(f.wait(consumer->poll(3'000))->empty());
  CHECK(notes->assigned == 2);
  f.cluster.readers().heartbeat_errors = {ErrorCode::kFencedMemberEpoch};
  CHECK(f.wait(consumer->poll(5'000))->empty());
  CHECK(notes->lost == 2);
  CHECK(notes->assigned == 4);
}

TEST_CASE("consumer: who does not poll leaves the group, and joins again when it polls", "[client][consumer][group]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  auto consumer =
      f.consumer({.group_id = "g", .auto_offset_reset = OffsetReset::kEarliest, .max_poll_interval_ms = 10'000});
  REQUIRE(consumer->subscribe({"orders"}));
  CHECK(f.wait(consumer->poll(2'000))->empty());
  CHECK(f.cluster.readers().members.size() == 1);
  f.scheduler.advance(Millis(15'000));
  CHECK(f.cluster.readers().members.empty());
  const auto told = f.wait(consumer->poll(1'000));
  REQUIRE(!told);
  CHECK(told.error().message().find("max_poll_interval_ms") != std::string::npos);
  f.fill("orders", 0, 3);
  CHECK(f.read(*consumer, 3).size() == 3);
}

TEST_CASE("consumer: coordinators that are not ready, and commits that pass at the second try",
          "[client][consumer][group]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 5);
  f.cluster.readers().coordinator_errors = {ErrorCode::kCoordinatorNotAvailable, ErrorCode::kCoordinatorLoadInProgress};
  auto consumer = f.consumer({.group_id = "g", .auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->subscribe({"orders"}));
  CHECK(f.read(*consumer, 5).size() == 5);
  f.cluster.readers().commit_errors = {ErrorCode::kNotCoordinator, ErrorCode::kStaleMemberEpoch};
  REQUIRE(f.wait(consumer->commit()));
  CHECK(f.cluster.readers().committed.at({"orders", 0}) == 5);
  f.cluster.readers().commit_errors = {ErrorCode::kGroupAuthorizationFailed};
  const auto refused = f.wait(consumer->commit());
  REQUIRE(!refused);
  CHECK(refused.error().message().find("group 'g'") == 0);
}

}  // namespace leat::test
