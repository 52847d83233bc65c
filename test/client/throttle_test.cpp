// throttle_test.cpp: a whole client whose broker throttles it: it keeps silent for that long, loses no connection over
// it, and every deadline of its user's holds all the same.
#include "test/client/consumer_fixture.h"
#include "test/client/fake_readers.h"

namespace leat::test {
namespace {

using client::Cause;

struct ThrottleFixture : ConsumerFixture {
  using ConsumerFixture::ConsumerFixture;

  template <class T>
  client::Result<T> timed(client::Pending<T> pending) {
    const Nanos begin = scheduler.clock().monotonic();
    client::Result<T> result = wait(std::move(pending));
    took = std::chrono::floor<Millis>(scheduler.clock().monotonic() - begin);
    return result;
  }
  Millis took{0};  // by the last that was timed
};

client::ProducerSettings producer_settings() {
  client::ProducerSettings settings;
  settings.linger_ms = 0;
  settings.delivery_timeout_ms = 120'000;
  settings.request_timeout_ms = 10'000;
  return settings;
}

}  // namespace

TEST_CASE("throttle: a producer's records wait for its end, together", "[client][throttle]") {
  ThrottleFixture f;
  f.cluster.add_topic("t", 1);
  f.cluster.throttle_times_ms[ApiKey::kProduce] = {60'000};
  const auto producer = f.producer(producer_settings());
  f.send(*producer, {.topic = "t", .value = "0"}, 0);
  f.scheduler.advance(Millis(1'000));
  REQUIRE(f.outcomes.told() == 1);
  CHECK(producer->stats().throttle_time_ms == 60'000);
  const int dials = f.cluster.counters.dials;
  f.send(*producer, {.topic = "t", .value = "1"}, 1);
  f.scheduler.advance(Millis(58'000));
  f.send(*producer, {.topic = "t", .value = "2"}, 2);
  f.scheduler.advance(Millis(900));
  CHECK(f.cluster.counters.produce == 1);
  f.scheduler.advance(Millis(1'000));
  CHECK(f.outcomes.told() == 3);
  CHECK(f.outcomes.failed() == 0);
  CHECK(f.cluster.counters.produce == 2);
  CHECK(f.cluster.counters.while_muted == 0);
  CHECK(f.cluster.counters.dials == dials);
  CHECK(producer->stats().batches_retried == 0);
  CHECK(producer->stats().throttle_time_ms == 0);
  CHECK(producer->stats().throttle_time_ms_max == 60'000);
}

TEST_CASE("throttle: delivery_timeout_ms holds, and what has expired is not sent afterwards", "[client][throttle]") {
  ThrottleFixture f;
  f.cluster.add_topic("t", 1);
  f.cluster.throttle_times_ms[ApiKey::kProduce] = {60'000};
  client::ProducerSettings settings = producer_settings();
  settings.delivery_timeout_ms = 20'000;
  const auto producer = f.producer(settings);
  f.send(*producer, {.topic = "t", .value = "0"}, 0);
  f.scheduler.advance(Millis(1'000));
  f.send(*producer, {.topic = "t", .value = "1"}, 1);
  f.scheduler.advance(Millis(19'900));
  CHECK(f.outcomes.told() == 1);
  f.scheduler.advance(Millis(200));
  REQUIRE(f.outcomes.told() == 2);
  CHECK(f.outcomes.cause(1) == Cause::kTimedOut);
  CHECK(f.outcomes.error(1).find("throttles this client") != std::string::npos);
  f.scheduler.advance(Millis(100'000));
  CHECK(f.cluster.partition("t", 0).log.size() == 1);
}

TEST_CASE("throttle: flush() and close() of a producer keep their deadlines", "[client][throttle]") {
  ThrottleFixture f;
  f.cluster.add_topic("t", 1);
  f.cluster.throttle_times_ms[ApiKey::kProduce] = {60'000};
  const auto producer = f.producer(producer_settings());
  f.send(*producer, {.topic = "t", .value = "0"}, 0);
  f.scheduler.advance(Millis(1'000));
  f.send(*producer, {.topic = "t", .value = "1"}, 1);
  const client::Result<> flushed = f.timed(producer->flush(2'000));
  REQUIRE(!flushed);
  CHECK(flushed.error().cause() == Cause::kTimedOut);
  CHECK(f.took == Millis(2'000));
  (void)f.timed(producer->close(3'000));
  CHECK(f.took == Millis(3'000));
  REQUIRE(f.outcomes.told() == 2);
  CHECK(f.outcomes.cause(1) == Cause::kClosed);
}

TEST_CASE("throttle: a consumer fetches no more until its end", "[client][throttle]") {
  ThrottleFixture f;
  f.cluster.add_topic("orders", 1);
  f.fill("orders", 0, 30);
  f.cluster.throttle_times_ms[ApiKey::kFetch] = {90'000};
  const auto consumer = f.consumer({.auto_offset_reset = client::OffsetReset::kEarliest});
  REQUIRE(consumer->assign({{"orders", 0}}));
  CHECK(f.read(*consumer, 10).size() == 10);
  CHECK(consumer->stats().throttle_time_ms == 90'000);
  const int dials = f.cluster.counters.dials;
  f.scheduler.advance(Millis(89'000));
  CHECK(f.cluster.counters.fetches == 1);
  check_in_order(f.read(*consumer, 20), 10);
  CHECK(*consumer->position({"orders", 0}) == 30);
  CHECK(f.cluster.counters.while_muted == 0);
  CHECK(f.cluster.counters.dials == dials);
  CHECK(consumer->stats().throttle_time_ms == 0);
  CHECK(consumer->stats().throttle_time_ms_max == 90'000);
}

TEST_CASE("throttle: heartbeats are held back, and close() of a consumer keeps its deadline", "[client][throttle]") {
  for (const client::GroupProtocol protocol : {client::GroupProtocol::kConsumer, client::GroupProtocol::kClassic}) {
    ThrottleFixture f;
    f.cluster.add_topic("orders", 1);
    f.fill("orders", 0, 30);
    const auto consumer =
        f.consumer({.group_id = "g", .group_protocol = protocol, .auto_offset_reset = client::OffsetReset::kEarliest});
    REQUIRE(consumer->subscribe({"orders"}));
    REQUIRE(f.read(*consumer, 30).size() == 30);
    const bool classic = protocol == client::GroupProtocol::kClassic;
    auto& times_ms = f.cluster.throttle_times_ms[classic ? ApiKey::kHeartbeat : ApiKey::kConsumerGroupHeartbeat];
    times_ms = {600'000};
    f.scheduler.advance(Millis(5'000));
    REQUIRE(times_ms.empty());
    const int dials = f.cluster.counters.dials;
    f.scheduler.advance(Millis(100'000));
    CHECK(f.cluster.counters.dials == dials);
    CHECK(f.cluster.counters.while_muted == 0);
    CHECK(consumer->assignment().size() == 1);
    (void)f.timed(consumer->close(5'000));
    CHECK(f.took == Millis(5'000));
    CHECK(f.cluster.counters.while_muted == 0);
  }
}

TEST_CASE("throttle: a change that a quota refuses is tried again when it may be", "[client][throttle]") {
  ThrottleFixture f;
  client::Admin& admin = f.client->admin();
  f.cluster.readers().creation_errors = {ErrorCode::kThrottlingQuotaExceeded};
  f.cluster.throttle_times_ms[ApiKey::kCreateTopics] = {5'000};
  client::NewTopic first{.name = "first", .partition_count = 3};
  const auto created = f.timed(admin.create_topic(std::move(first)));
  REQUIRE(created);
  CHECK(created->partitions.size() == 3);
  CHECK(f.took >= Millis(5'000));
  CHECK(f.took < Millis(6'000));
  CHECK(f.cluster.counters.while_muted == 0);
}

TEST_CASE("throttle: a change that is refused for longer than the call may wait fails at once, and says for how long",
          "[client][throttle]") {
  ThrottleFixture f;
  client::Admin& admin = f.client->admin();
  f.cluster.readers().creation_errors = {ErrorCode::kThrottlingQuotaExceeded};
  f.cluster.throttle_times_ms[ApiKey::kCreateTopics] = {45'000};
  client::NewTopic topic{.name = "t", .partition_count = 1};
  const auto refused = f.timed(admin.create_topic(topic));
  REQUIRE(!refused);
  CHECK(f.took < Millis(100));
  CHECK(refused.error().kafka_code() == ErrorCode::kThrottlingQuotaExceeded);
  CHECK(refused.error().is_retriable());
  CHECK(refused.error().message().find("topic 't' was not created: THROTTLING_QUOTA_EXCEEDED: ") == 0);
  CHECK(refused.error().message().find("used up for 45.0 s more") != std::string::npos);
  // The next one waits for the end of the throttle, longer than it would for an answer.
  const int dials = f.cluster.counters.dials;
  const auto created = f.timed(admin.create_topic(topic));
  REQUIRE(created);
  CHECK(f.took >= Millis(44'000));
  CHECK(f.cluster.counters.dials == dials);
  CHECK(f.cluster.counters.while_muted == 0);
}

TEST_CASE("throttle: what any broker answers is asked of one that does not throttle", "[client][throttle]") {
  ThrottleFixture f(2);
  f.cluster.add_topic("t", 2);
  client::Admin& admin = f.client->admin();
  f.cluster.throttle_times_ms[ApiKey::kMetadata] = {60'000, 60'000};
  for (int i = 0; i < 3; ++i) {  // over a bootstrap connection, to one of the two, to the other
    REQUIRE(f.timed(admin.list_topics()));
    CHECK(f.took < Millis(100));
  }
  CHECK(f.cluster.counters.while_muted == 0);
}

TEST_CASE("throttle: the only broker is waited for, not asked over another connection", "[client][throttle]") {
  ThrottleFixture f;
  client::Admin& admin = f.client->admin();
  REQUIRE(f.timed(admin.list_topics()));  // over the connection to the bootstrap address
  f.cluster.throttle_times_ms[ApiKey::kCreateTopics] = {60'000};
  client::NewTopic topic{.name = "t", .partition_count = 1};
  REQUIRE(f.timed(admin.create_topic(std::move(topic))));
  const auto topics = f.timed(admin.list_topics());
  REQUIRE(topics);
  CHECK(topics->size() == 1);
  CHECK(f.took >= Millis(59'000));
  CHECK(f.cluster.counters.while_muted == 0);
}

}  // namespace leat::test
