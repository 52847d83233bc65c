// consumer_test.cpp: whole consumers in manual time against a FakeCluster: what is read, in which order, and what
// becomes of it when brokers move and things end. Groups: consumer_group_test.cpp.
#include <string>
#include <vector>

#include "test/client/consumer_fixture.h"
#include "test/support/sanitizers.h"

namespace leat::test {
namespace {

using client::Cause;
using client::Consumer;
using client::ConsumerSettings;
using client::OffsetReset;
using client::WhenUnreachable;

}  // namespace

TEST_CASE("consumer: assigned partitions from the beginning, in order", "[client][consumer]") {
  ConsumerFixture f(3);
  f.cluster.add_topic("orders", 3);
  for (int32_t i = 0; i < 3; ++i) f.fill("orders", i, 95);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}, {"orders", 1}, {"orders", 2}}));
  const auto got = f.read(*consumer, 285);
  CHECK(got.size() == 285);
  check_in_order(got);
  CHECK(*consumer->position({"orders", 1}) == 95);
  CHECK(consumer->stats().records_given == 285);
  f.fill("orders", 1, 1);
  CHECK(f.read(*consumer, 1).at(0).offset == 95);
}

TEST_CASE("consumer: an answer is noted whole before the next fetch, which asks for nothing twice",
          "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 4);
  for (int32_t i = 0; i < 4; ++i) f.fill("orders", i, 100);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}, {"orders", 1}, {"orders", 2}, {"orders", 3}}));
  const auto got = f.read(*consumer, 400);
  CHECK(got.size() == 400);
  check_in_order(got);
  // Ten records of each partition in an answer, so ten answers and the fetch that waits for more. One that left while
  // its predecessor was half noted would bring three partitions a second time, and half of all answers for nothing.
  CHECK(consumer->stats().fetches <= 15);
}

TEST_CASE("consumer: kLatest begins behind what is there", "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 50);
  auto consumer = f.consumer({});
  REQUIRE(consumer->assign({{"orders", 0}}));
  CHECK(f.wait(consumer->poll(2'000))->empty());
  f.fill("orders", 0, 5);
  check_in_order(f.read(*consumer, 5), 50);
}

TEST_CASE("consumer: seek, also into the middle of a batch, and what was fetched before is dropped",
          "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 100);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}}));
  REQUIRE(!f.read(*consumer, 1).empty());
  f.scheduler.advance(Millis(1'000));
  REQUIRE(consumer->seek({"orders", 0}, 37));
  const auto got = f.read(*consumer, 63);
  CHECK(got.size() == 63);
  check_in_order(got, 37);
  REQUIRE(consumer->seek({"orders", 0}, client::kEarliestOffset));
  CHECK(f.read(*consumer, 1).at(0).offset == 0);
  CHECK(!consumer->seek({"orders", 7}, 0));
  CHECK(!consumer->seek({"orders", 0}, -7));
}

TEST_CASE("consumer: paused partitions give nothing until they are resumed", "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 2);
  f.fill("orders", 0, 20);
  f.fill("orders", 1, 20);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}, {"orders", 1}}));
  REQUIRE(consumer->pause({{"orders", 1}}));
  for (const ReadRecord& record : f.read(*consumer, 20)) CHECK(record.partition == 0);
  CHECK(f.wait(consumer->poll(2'000))->empty());
  REQUIRE(consumer->resume({{"orders", 1}}));
  const auto got = f.read(*consumer, 20);
  CHECK(got.size() == 20);
  check_in_order(got);
}

TEST_CASE("consumer: poll_records_max takes whole batches and loses none", "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 100);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest, .poll_records_max = 15});
  REQUIRE(consumer->assign({{"orders", 0}}));
  std::vector<ReadRecord> got;
  while (got.size() < 100) {
    const auto records = f.wait(consumer->poll(1'000));
    REQUIRE(records);
    CHECK(records->count_max() <= 20);
    for (const auto& record : *records) {
      got.push_back({record.partition, record.offset, std::string(record.value.value_or(""))});
    }
  }
  check_in_order(got);
}

TEST_CASE("consumer: the prefetch bound holds while the program keeps its records", "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 10'000);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest, .prefetch_bytes_max = 1'000});
  REQUIRE(consumer->assign({{"orders", 0}}));
  std::vector<client::Records> kept;
  for (int i = 0; i < 50; ++i) {
    auto records = f.wait(consumer->poll(100));
    REQUIRE(records);
    if (!records->empty()) kept.push_back(*std::move(records));
  }
  CHECK(consumer->stats().prefetched_bytes < 2'000);
  CHECK(kept.size() < 20);
  kept.clear();
  CHECK(!f.read(*consumer, 1).empty());
}

TEST_CASE("consumer: leaders move and brokers die, nothing is lost or doubled", "[client][consumer][faults]") {
  for (uint64_t seed = 1; seed <= (kSanitized ? 5 : 50); ++seed) {
    INFO("seed " << seed);
    ConsumerFixture f(3, seed);
    f.cluster.faults.delay_max = Millis(30);
    f.cluster.add_topic("orders", 3);
    for (int32_t i = 0; i < 3; ++i) f.fill("orders", i, 300);
    auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
    REQUIRE(consumer->assign({{"orders", 0}, {"orders", 1}, {"orders", 2}}));
    std::vector<std::string> errors;
    std::vector<ReadRecord> got = f.read(*consumer, 100, &errors);
    f.cluster.kill(2);
    for (ReadRecord& record : f.read(*consumer, 200, &errors)) got.push_back(std::move(record));
    f.cluster.revive(2);
    f.cluster.move_leader("orders", 0, 2);
    f.cluster.cut_connections(3);
    f.cluster.fetch_errors = {ErrorCode::kUnknownLeaderEpoch, ErrorCode::kFencedLeaderEpoch};
    for (ReadRecord& record : f.read(*consumer, 900 - got.size(), &errors)) got.push_back(std::move(record));
    CHECK(errors.empty());
    CHECK(got.size() == 900);
    check_in_order(got);
  }
}

TEST_CASE("consumer: a broker that is gone is waited for, or told at once, as the client's settings say",
          "[client][consumer]") {
  for (const WhenUnreachable how : {WhenUnreachable::kTryOn, WhenUnreachable::kFail}) {
    ConsumerFixture f(1, 1, how);
    f.cluster.add_topic("orders", 1);
    auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
    REQUIRE(consumer->assign({{"orders", 0}}));
    CHECK(f.wait(consumer->poll(100))->empty());
    f.cluster.kill(1);
    bool told = false;
    for (int i = 0; i < 5; ++i) {
      const auto records = f.wait(consumer->poll(1'000));
      if (records) continue;
      told = true;
      CHECK(records.error().cause() == Cause::kUnreachable);
    }
    CHECK(told == (how == WhenUnreachable::kFail));
    const Nanos asked_at = f.scheduler.clock().monotonic();
    const auto topics = f.wait(f.client->admin().list_topics());
    REQUIRE(!topics);
    CHECK(topics.error().cause() == Cause::kUnreachable);
    const Nanos took = f.scheduler.clock().monotonic() - asked_at;
    CHECK((took < Millis(2'000)) == (how == WhenUnreachable::kFail));
    f.cluster.revive(1);
    f.fill("orders", 0, 3);
    std::vector<std::string> errors;
    CHECK(f.read(*consumer, 3, &errors).size() == 3);
    if (how == WhenUnreachable::kTryOn) CHECK(errors.empty());
  }
}

TEST_CASE("consumer: an offset that is gone becomes the nearest that is there, if the program wants that",
          "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 10);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kNone, .out_of_range = client::OutOfRange::kNearest});
  REQUIRE(consumer->assign({{"orders", 0}}));
  REQUIRE(consumer->seek({"orders", 0}, 1'000));
  const auto told = f.wait(consumer->poll(5'000));
  REQUIRE(!told);
  CHECK(told.error().message().find("orders-0: OFFSET_OUT_OF_RANGE") == 0);
  CHECK(told.error().message().find("no offset 1000: going on at 10") != std::string::npos);
  f.fill("orders", 0, 2);
  check_in_order(f.read(*consumer, 2), 10);
}

TEST_CASE("client: connect() is answered by the first broker that can be reached, or says why none can", "[client]") {
  ClientFixture f(2);
  f.cluster.kill(1);
  REQUIRE(f.wait(f.client->connect()));
  f.cluster.kill(2);
  const auto none = f.wait(f.client->connect());
  REQUIRE(!none);
  CHECK(none.error().cause() == Cause::kUnreachable);
  CHECK(none.error().message() == "broker n1:9092 is not reachable (connection refused)");
  f.cluster.revive(2);
  REQUIRE(f.wait(f.client->connect()));
}

TEST_CASE("client: names that are too long for any broker are refused before one is asked", "[client]") {
  ClientFixture f;
  client::Admin& admin = f.client->admin();
  const std::string topic(250, 't');
  const std::string group(40'000, 'g');
  const auto check = [](const auto& refused, const std::string& what) {
    REQUIRE(!refused);
    INFO(refused.error().message());
    CHECK(refused.error().cause() == Cause::kInvalidArgument);
    CHECK(refused.error().message().find(what) == 0);
    CHECK(refused.error().message().size() < 120);
  };
  const std::string no_topic =
      "topic '" + std::string(32, 't') + "...': a name may have 249 bytes at most, this one has 250";
  check(f.wait(admin.describe_topics({"orders", topic})), no_topic);
  check(f.wait(admin.create_topic({.name = topic})), no_topic);
  check(f.wait(admin.delete_topic(topic)), no_topic);
  check(f.wait(admin.create_partitions(topic, 2)), no_topic);
  check(f.wait(admin.describe_configs({.type = client::ResourceType::kTopic, .name = topic})), no_topic);
  const std::string no_group =
      "group '" + std::string(32, 'g') + "...': a name may have 32767 bytes at most, this one has 40000";
  check(f.wait(admin.describe_configs({.type = client::ResourceType::kGroup, .name = group})), no_group);
  check(f.wait(admin.describe_group(group)), no_group);
  check(f.wait(admin.delete_group(group)), no_group);
  check(f.wait(admin.list_group_offsets(group)), no_group);
  check(f.client->consumer({.group_id = group}), no_group);
  check(f.client->consumer({.group_id = "g", .group_instance_id = group}), "group instance 'ggg");
}

TEST_CASE("consumer: offsets out of range follow the policy", "[client][consumer]") {
  for (const OffsetReset reset : {OffsetReset::kEarliest, OffsetReset::kNone}) {
    ConsumerFixture f;
    f.cluster.add_topic("orders", 1);
    f.fill("orders", 0, 10);
    auto consumer = f.consumer({.auto_offset_reset = reset});
    REQUIRE(consumer->assign({{"orders", 0}}));
    REQUIRE(consumer->seek({"orders", 0}, 1'000));
    std::vector<std::string> errors;
    const auto got = f.read(*consumer, 10, &errors);
    CHECK(got.size() == (reset == OffsetReset::kEarliest ? 10 : 0));
    if (reset == OffsetReset::kNone) {
      REQUIRE(!errors.empty());
      CHECK(errors.front().find("orders-0") == 0);
      CHECK(errors.front().find("OFFSET_OUT_OF_RANGE") != std::string::npos);
      CHECK(errors.size() == 1);
    }
  }
}

TEST_CASE("consumer: settings and calls that do not fit together", "[client][consumer]") {
  ConsumerFixture f;
  const auto refused = [&](const ConsumerSettings& settings) {
    auto made = f.client->consumer(settings);
    return !made && made.error().cause() == Cause::kInvalidArgument;
  };
  CHECK(refused({.fetch_bytes_max = 0}));
  CHECK(refused({.group_instance_id = "i"}));
  CHECK(refused({.classic_assignors = {}}));
  CHECK(refused({.session_timeout_ms = 100}));
  auto consumer = f.consumer({});
  CHECK(!consumer->subscribe({"orders"}));
  CHECK(!consumer->pause({{"orders", 0}}));
  CHECK(!consumer->assign({{"", 0}}));
  CHECK(!f.wait(consumer->committed({{"orders", 0}})));
  auto member = f.consumer({.group_id = "g"});
  CHECK(!member->subscribe_pattern("("));
  auto first = member->poll(1'000);
  CHECK(f.wait(member->poll(1'000)).error().cause() == Cause::kInvalidArgument);
  CHECK(f.wait(std::move(first)));
}

TEST_CASE("consumer: everything is answered at its end, however it ends", "[client][consumer]") {
  for (const int how : {0, 1, 2}) {
    ConsumerFixture f;
    f.cluster.add_topic("orders", 1);
    f.fill("orders", 0, 20);
    auto consumer = f.consumer({.group_id = "g", .auto_offset_reset = OffsetReset::kEarliest});
    REQUIRE(consumer->subscribe({"orders"}));
    client::Records kept = *f.wait(consumer->poll(5'000));
    f.cluster.silent = true;
    f.scheduler.advance(Millis(2'000));
    auto polling = consumer->poll(100'000);
    f.scheduler.run_until_idle();
    if (polling.is_done()) polling = consumer->poll(100'000);
    auto committing = consumer->commit();
    auto asking = consumer->offsets_for_times({{{"orders", 0}, 0}});
    f.scheduler.run_until_idle();
    if (how == 0) CHECK(!f.wait(consumer->close(3'000)));
    if (how == 1) consumer.reset();
    if (how == 2) f.client.reset();
    f.scheduler.run_until_idle();
    CHECK(polling.is_done());
    CHECK(committing.is_done());
    CHECK(asking.is_done());
    CHECK((*kept.begin()).value == "0");
    if (how != 1) CHECK(f.wait(consumer->poll(10)).error().cause() == Cause::kClosed);
  }
}

TEST_CASE("consumer: the callback form goes on until it is told to stop", "[client][consumer]") {
  ConsumerFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 45);
  auto consumer = f.consumer({.auto_offset_reset = OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}}));
  size_t count = 0;
  consumer->poll_each([&](client::Result<client::Records> records) {
    REQUIRE(records);
    for (const auto& record : *records) count += record.value ? 1 : 0;
    return count < 45 ? Consumer::Continue::kGoOn : Consumer::Continue::kStop;
  });
  f.scheduler.advance(Millis(5'000));
  CHECK(count == 45);
  f.fill("orders", 0, 1);
  f.scheduler.advance(Millis(5'000));
  CHECK(count == 45);
}

}  // namespace leat::test
