// producer_test.cpp: a producer in manual time against a scripted cluster: both forms of send, back pressure, flush,
// close, and every outcome told once.
#include "test/client/client_fixture.h"

namespace leat::test {
namespace {

using client::Acks;
using client::Cause;
using client::Compression;
using client::DeliveredRecord;
using client::Idempotence;
using client::Producer;
using client::ProducerRecord;
using client::ProducerSettings;
using client::Task;

Task<> send_awaited(Producer& producer, std::string topic, int count,
                    std::vector<client::Result<DeliveredRecord>>& sent) {
  for (int i = 0; i < count; ++i) {
    const std::string value = "value " + std::to_string(i);
    client::Result<DeliveredRecord> outcome = co_await producer.send({.topic = topic, .value = value, .partition = 0});
    sent.push_back(std::move(outcome));
  }
}

}  // namespace

TEST_CASE("producer: awaited records, one after the other", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer();
  std::vector<client::Result<DeliveredRecord>> sent;
  f.client->spawn(send_awaited(*producer, "orders", 5, sent));
  f.scheduler.advance(Millis(1'000));
  REQUIRE(sent.size() == 5);
  for (int i = 0; i < 5; ++i) {
    REQUIRE(sent[static_cast<size_t>(i)]);
    CHECK(sent[static_cast<size_t>(i)]->offset == i);
    CHECK(f.cluster.partition("orders", 0).log[static_cast<size_t>(i)].value == "value " + std::to_string(i));
  }
  CHECK(f.cluster.counters.dials == 2);  // bootstrap, and the leader's
}

TEST_CASE("producer: callbacks, keys, headers, timestamps", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  f.cluster.log_append_time_ms = 77;
  auto producer = f.producer();
  const client::Header headers[] = {{.key = "a", .value = "1"}};
  f.send(*producer, {.topic = "orders", .key = "k", .value = "v", .timestamp_ms = 1234, .headers = headers}, 0);
  f.send(*producer, {.topic = "orders", .value = "now"}, 1);
  REQUIRE(f.wait(producer->flush(10'000)));
  CHECK(f.outcomes.told() == 2);
  CHECK(f.outcomes.delivered(1).offset == 1);
  CHECK(f.outcomes.delivered(1).log_append_time_ms == 77);
  const auto& log = f.cluster.partition("orders", 0).log;
  CHECK(log[0].key == "k");
  CHECK(log[0].header_count == 1);
  CHECK(log[0].timestamp_ms == 1234);
  CHECK(log[1].timestamp_ms >= 1'700'000'000'000);
  const client::ProducerStats stats = producer->stats();
  CHECK(stats.records_taken == 2);
  CHECK(stats.records_delivered == 2);
  CHECK(stats.buffered_bytes == 0);
  CHECK(stats.buffered_records == 0);
}

TEST_CASE("producer: settings that do not fit together", "[client][producer]") {
  ClientFixture f;
  const auto refused = [&](const ProducerSettings& settings) {
    auto made = f.client->producer(settings);
    return !made && made.error().cause() == Cause::kInvalidArgument;
  };
  CHECK(refused({.acks = Acks::kLeader, .idempotence = Idempotence::kRequired}));
  CHECK(refused({.idempotence = Idempotence::kRequired, .requests_in_flight_max = 6}));
  CHECK(refused({.batch_bytes_max = 2 << 20}));
  CHECK(refused({.delivery_timeout_ms = 100}));
  CHECK(refused({.linger_ms = -1}));
  auto core = client::detail::ClientCore::create(std::make_unique<FakeRuntime>(f.scheduler, f.cluster, 1),
                                                 {.bootstrap_servers = "a:b:c"});
  REQUIRE(!core);
  CHECK(core.error().message().find("bootstrap_servers") != std::string::npos);
}

TEST_CASE("producer: every codec, small and large", "[client][producer]") {
  for (const Compression codec : {Compression::kGzip, Compression::kSnappy, Compression::kLz4, Compression::kZstd}) {
    ClientFixture f;
    f.cluster.add_topic("orders", 2);
    auto producer = f.producer({.compression = codec});
    const std::string value(300, 'v');
    for (size_t i = 0; i < 1000; ++i) f.send(*producer, {.topic = "orders", .value = value, .partition = i > 900}, i);
    REQUIRE(f.wait(producer->flush(10'000)));
    CHECK(f.outcomes.told() == 1000);
    CHECK(f.cluster.partition("orders", 0).log.size() == 901);
    CHECK(f.cluster.partition("orders", 1).log.size() == 99);
  }
}

TEST_CASE("producer: without acks", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer({.acks = Acks::kNone});
  for (size_t i = 0; i < 10; ++i) f.send(*producer, {.topic = "orders", .value = "v"}, i);
  REQUIRE(f.wait(producer->flush(10'000)));
  CHECK(f.outcomes.told() == 10);
  CHECK(f.outcomes.delivered(3).offset == -1);
  f.scheduler.advance(Millis(10));
  CHECK(f.cluster.partition("orders", 0).log.size() == 10);
  CHECK(f.cluster.counters.identities == 0);
}

TEST_CASE("producer: at most five requests in flight", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  f.cluster.faults.delay_max = Millis(20);
  auto producer = f.producer({.batch_records_max = 1});
  for (size_t i = 0; i < 100; ++i) f.send(*producer, {.topic = "orders", .value = "v"}, i);
  REQUIRE(f.wait(producer->flush(60'000)));
  CHECK(f.cluster.counters.in_flight_most <= 5);
  CHECK(f.cluster.counters.in_flight_most >= 2);
}

TEST_CASE("producer: a full buffer refuses the callback form, and ready() says when to go on", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer({.buffer_bytes_max = 100'000});
  const std::string value(1'000, 'v');
  size_t taken = 0;
  for (int rounds = 0; rounds < 20; ++rounds) {
    for (;;) {
      const client::Result<> sent = producer->send({.topic = "orders", .value = value}, f.outcomes.expect(taken));
      if (!sent) {
        REQUIRE(sent.error().cause() == Cause::kQueueFull);
        CHECK(sent.error().is_retriable());
        break;
      }
      ++taken;
    }
    REQUIRE(producer->stats().buffered_bytes <= 100'000);
    REQUIRE(f.wait(producer->ready()));
  }
  REQUIRE(f.wait(producer->flush(60'000)));
  CHECK(taken > 1'000);
  CHECK(f.outcomes.told() == taken);
  CHECK(f.outcomes.failed() == 0);
  CHECK(f.cluster.partition("orders", 0).log.size() == taken);
}

namespace {

Task<> send_and_count(Producer& producer, std::string value, int count, int& delivered) {
  for (int i = 0; i < count; ++i) {
    const client::Result<DeliveredRecord> outcome = co_await producer.send({.topic = "orders", .value = value});
    REQUIRE(outcome);
    ++delivered;
  }
}

Task<> send_once(Producer& producer, std::string value, std::vector<std::string>& errors) {
  const client::Result<DeliveredRecord> outcome = co_await producer.send({.topic = "orders", .value = value});
  errors.push_back(outcome ? "" : outcome.error().message());
}

}  // namespace

TEST_CASE("producer: coroutines wait for room, in order, and all get through", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer({.buffer_bytes_max = 5'000});
  int delivered = 0;
  for (int c = 0; c < 50; ++c) f.client->spawn(send_and_count(*producer, std::string(1'000, 'v'), 10, delivered));
  f.scheduler.advance(Millis(60'000));
  CHECK(delivered == 500);
  CHECK(f.cluster.partition("orders", 0).log.size() == 500);
}

TEST_CASE("producer: who waits for room does not wait for linger_ms", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer({.linger_ms = 60'000, .buffer_bytes_max = 2'500});
  int delivered = 0;
  for (int c = 0; c < 9; ++c) f.client->spawn(send_and_count(*producer, std::string(1'000, 'v'), 1, delivered));
  f.scheduler.advance(Millis(5'000));
  CHECK(delivered >= 7);  // the last ones are kept from nobody
  REQUIRE(f.wait(producer->flush(5'000)));
  f.scheduler.run_until_idle();
  CHECK(delivered == 9);
}

TEST_CASE("producer: a sender that goes away while it waits", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer({.buffer_bytes_max = 3'000});
  const std::string value(1'000, 'v');
  {
    auto taken = producer->send({.topic = "orders", .value = value});
    auto taken_as_well = producer->send({.topic = "orders", .value = value});
    auto waits = producer->send({.topic = "orders", .value = value});
    auto waits_as_well = producer->send({.topic = "orders", .value = value});
    CHECK(producer->stats().records_taken == 2);
  }
  REQUIRE(f.wait(producer->flush(10'000)));
  CHECK(producer->stats().records_delivered == 2);  // those taken are sent all the same
}

TEST_CASE("producer: the topic comes to be while records wait for it", "[client][producer]") {
  ClientFixture f;
  auto producer = f.producer();
  for (size_t i = 0; i < 50; ++i) f.send(*producer, {.topic = "orders", .key = std::to_string(i), .value = "v"}, i);
  f.scheduler.advance(Millis(5'000));
  CHECK(f.outcomes.told() == 0);
  f.cluster.add_topic("orders", 3);
  REQUIRE(f.wait(producer->flush(10'000)));
  CHECK(f.outcomes.told() == 50);
  CHECK(f.outcomes.failed() == 0);
}

TEST_CASE("producer: a topic that never comes to be", "[client][producer]") {
  ClientFixture f;
  auto producer = f.producer();
  f.send(*producer, {.topic = "nowhere", .value = "v"}, 0);
  f.scheduler.advance(Millis(29'000));
  CHECK(f.outcomes.told() == 0);
  f.scheduler.advance(Millis(3'000));
  REQUIRE(f.outcomes.told() == 1);
  CHECK(f.outcomes.error(0).find("UNKNOWN_TOPIC_OR_PARTITION") != std::string::npos);
  const int metadata = f.cluster.counters.metadata;
  CHECK(metadata < 60);
  f.scheduler.advance(Millis(60'000));
  CHECK(f.cluster.counters.metadata <= metadata + 1);  // nobody wants it any more
}

TEST_CASE("producer: errors that do not pass are told at once", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer();
  f.cluster.produce_errors = {ErrorCode::kTopicAuthorizationFailed};
  f.send(*producer, {.topic = "orders", .value = "v"}, 0);
  REQUIRE(f.wait(producer->flush(10'000)));
  CHECK(f.outcomes.error(0).find("orders-0: TOPIC_AUTHORIZATION_FAILED") == 0);
  CHECK(f.cluster.counters.produce == 1);
  // The producer goes on, in order, under a new epoch if it must.
  for (size_t i = 1; i < 10; ++i) f.send(*producer, {.topic = "orders", .value = "v"}, i);
  REQUIRE(f.wait(producer->flush(10'000)));
  CHECK(f.outcomes.failed() == 1);
  CHECK(f.cluster.partition("orders", 0).log.size() == 9);
}

TEST_CASE("producer: no producer id is to be had", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer();
  f.cluster.identity_errors = {ErrorCode::kCoordinatorLoadInProgress, ErrorCode::kCoordinatorLoadInProgress,
                               ErrorCode::kClusterAuthorizationFailed};
  f.send(*producer, {.topic = "orders", .value = "v"}, 0);
  f.scheduler.advance(Millis(10'000));
  REQUIRE(f.outcomes.told() == 1);
  CHECK(f.outcomes.error(0).find("CLUSTER_AUTHORIZATION_FAILED") != std::string::npos);
  const client::Result<> sent = producer->send({.topic = "orders", .value = "v"}, f.outcomes.expect(1));
  REQUIRE(!sent);
  CHECK(sent.error().cause() == Cause::kClosed);
}

TEST_CASE("producer: flush has a deadline, and the records go on", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  f.cluster.kill(1);
  auto producer = f.producer();
  f.send(*producer, {.topic = "orders", .value = "v"}, 0);
  const Nanos before = f.scheduler.clock().monotonic();
  const client::Result<> flushed = f.wait(producer->flush(2'000));
  REQUIRE(!flushed);
  CHECK(flushed.error().cause() == Cause::kTimedOut);
  CHECK(f.scheduler.clock().monotonic() - before <= Millis(2'001));
  CHECK(f.outcomes.told() == 0);
  f.cluster.revive(1);
  REQUIRE(f.wait(producer->flush(20'000)));
  CHECK(f.outcomes.failed() == 0);
}

TEST_CASE("producer: records that wait for a producer id say why there is none", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  f.cluster.identity_errors.assign(1'000, ErrorCode::kCoordinatorLoadInProgress);
  auto producer = f.producer({.delivery_timeout_ms = 5'000, .request_timeout_ms = 1'000});
  f.send(*producer, {.topic = "orders", .value = "v"}, 0);
  f.scheduler.run_until_idle();
  while (f.outcomes.told() < 1) REQUIRE(f.scheduler.advance_to_next_timer());
  CHECK(f.outcomes.cause(0) == Cause::kTimedOut);
  CHECK(f.outcomes.error(0).find("COORDINATOR_LOAD_IN_PROGRESS") != std::string::npos);
}

TEST_CASE("producer: delivery_timeout_ms says why", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer({.delivery_timeout_ms = 5'000, .request_timeout_ms = 1'000});
  f.send(*producer, {.topic = "orders", .value = "v"}, 0);
  REQUIRE(f.wait(producer->flush(10'000)));
  f.cluster.silent = true;
  const Nanos before = f.scheduler.clock().monotonic();
  f.send(*producer, {.topic = "orders", .value = "v"}, 1);
  while (f.outcomes.told() < 2) REQUIRE(f.scheduler.advance_to_next_timer());
  CHECK(f.scheduler.clock().monotonic() - before == Millis(5'000));
  CHECK(f.outcomes.cause(1) == Cause::kTimedOut);
  CHECK(f.outcomes.error(1).find("orders-0: not delivered within delivery_timeout_ms = 5000") == 0);
  f.cluster.silent = false;
  f.send(*producer, {.topic = "orders", .value = "v"}, 2);
  REQUIRE(f.wait(producer->flush(10'000)));
  CHECK(f.outcomes.failed() == 1);
}

TEST_CASE("producer: close sends what is there, then refuses", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer({.linger_ms = 10'000});
  for (size_t i = 0; i < 10; ++i) f.send(*producer, {.topic = "orders", .value = "v"}, i);
  auto closing = producer->close(5'000);
  const client::Result<> late = producer->send({.topic = "orders", .value = "v"}, f.outcomes.expect(10));
  CHECK(!late);
  REQUIRE(f.wait(std::move(closing)));
  CHECK(f.outcomes.told() == 10);
  CHECK(f.outcomes.failed() == 0);
  REQUIRE(f.wait(producer->close(5'000)));
  CHECK(!f.wait(producer->flush(5'000)));
  CHECK(!f.wait(producer->ready()));
}

TEST_CASE("producer: close at its deadline, destruction, and the client's end report everything",
          "[client][producer]") {
  for (const int how : {0, 1, 2}) {
    ClientFixture f(3);
    f.cluster.add_topic("orders", 3);
    auto producer = f.producer({.linger_ms = 0, .buffer_bytes_max = 60'000});
    f.send(*producer, {.topic = "orders", .value = "v"}, 0);
    REQUIRE(f.wait(producer->flush(10'000)));
    f.cluster.silent = true;
    for (size_t i = 1; i < 300; ++i) f.send(*producer, {.topic = "orders", .value = "v"}, i);
    f.send(*producer, {.topic = "nowhere", .value = "v"}, 300);
    f.scheduler.advance(Millis(10));
    std::vector<std::string> errors;
    f.client->spawn(send_once(*producer, "in flight", errors));
    f.scheduler.run_until_idle();
    f.client->spawn(send_once(*producer, std::string(59'000, 'v'), errors));  // waits for room
    f.scheduler.run_until_idle();
    client::Pending<> flushing = producer->flush(100'000);
    if (how == 0) CHECK(!f.wait(producer->close(3'000)));
    if (how == 1) producer.reset();
    if (how == 2) f.client.reset();
    CHECK(f.outcomes.told() == 301);
    CHECK(f.outcomes.failed() == 300);
    CHECK(f.outcomes.cause(5) == Cause::kClosed);
    f.scheduler.run_until_idle();
    CHECK(errors.size() == 2);
    CHECK(flushing.is_done());
    if (how == 2) CHECK(!producer->send({.topic = "orders", .value = "v"}, {}));
    f.scheduler.advance(Millis(100'000));
    CHECK(f.outcomes.told() == 301);
  }
}

TEST_CASE("producer: records sent from callbacks", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer({.linger_ms = 0});
  int left = 100;
  std::function<void(const client::DeliveryReport&)> again = [&](const client::DeliveryReport& report) {
    REQUIRE(report.ok());
    if (--left == 0) return;
    REQUIRE(producer->send({.topic = "orders", .value = "v"}, again));
  };
  REQUIRE(producer->send({.topic = "orders", .value = "v"}, again));
  f.scheduler.advance(Millis(1'000));
  CHECK(left == 0);
  CHECK(f.cluster.partition("orders", 0).log.size() == 100);
}

TEST_CASE("producer: a producer dropped by a callback", "[client][producer]") {
  ClientFixture f;
  f.cluster.add_topic("orders", 1);
  auto producer = f.producer({.linger_ms = 0});
  int told = 0;
  REQUIRE(producer->send({.topic = "orders", .value = "v"}, [&](const client::DeliveryReport&) {
    ++told;
    producer.reset();
  }));
  REQUIRE(producer->send({.topic = "orders", .value = "v"}, [&](const client::DeliveryReport&) { ++told; }));
  f.scheduler.advance(Millis(1'000));
  CHECK(told == 2);
  CHECK(!producer);
}

}  // namespace leat::test
