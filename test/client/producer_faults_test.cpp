// producer_faults_test.cpp: hundreds of seeds of delays, cut connections, refusals, moving leaders and dying brokers.
// After each: every outcome was told once; with idempotence each delivered record is stored exactly once, in the order
// in which it was sent, and without a gap when nothing failed.
#include <algorithm>
#include <set>

#include "test/client/client_fixture.h"
#include "test/support/sanitizers.h"

namespace leat::test {
namespace {

constexpr int32_t kPartitions = 4;
constexpr size_t kRecords = 400;

constexpr uint64_t seeds(uint64_t count) { return kSanitized ? count / 10 : count; }

struct FaultRun {
  FaultRun(uint64_t run_seed, const client::ProducerSettings& settings)
      : seed(run_seed), f(3, run_seed), random(run_seed * 31), producer(f.producer(settings)) {
    f.cluster.add_topic("t", kPartitions);
    f.cluster.faults = {.delay_max = Millis(1 + random.below(30)),
                        .cut_request_in = 5 + random.below(60),
                        .cut_answer_in = 5 + random.below(60),
                        .error_in = 3 + random.below(60)};
  }

  void disturb() {
    const auto node = static_cast<int32_t>(1 + random.below(3));
    switch (random.below(8)) {
      case 0:
        f.cluster.move_leader("t", static_cast<int32_t>(random.below(kPartitions)), node);
        break;
      case 1:
        f.cluster.cut_connections(node);
        break;
      case 2:
        if (dead == 0) f.cluster.kill(dead = node);
        break;
      case 3:
        if (dead != 0) f.cluster.revive(std::exchange(dead, 0));
        break;
      default:
        break;
    }
  }

  void run() {
    for (size_t i = 0; i < kRecords; ++i) {
      const auto partition = static_cast<int32_t>(random.below(kPartitions));
      const std::string value = std::to_string(i);
      sent_to.push_back(partition);
      f.send(*producer, {.topic = "t", .value = value, .partition = partition}, i);
      if (random.one_in(4)) f.scheduler.advance(Millis(static_cast<int64_t>(random.below(40))));
      if (random.one_in(6)) disturb();
    }
    if (dead != 0) f.cluster.revive(std::exchange(dead, 0));
    const client::Result<> flushed = f.wait(producer->flush(400'000));
    REQUIRE(flushed);
    REQUIRE(f.outcomes.told() == kRecords);
  }

  // What is stored in each partition: ascending numbers, none twice, all that were delivered.
  void check_order() {
    std::set<size_t> stored;
    for (int32_t p = 0; p < kPartitions; ++p) {
      int64_t last = -1;
      for (const StoredRecord& record : f.cluster.partition("t", p).log) {
        const auto number = static_cast<size_t>(std::stoul(record.value));
        REQUIRE(static_cast<int64_t>(number) > last);
        last = static_cast<int64_t>(number);
        REQUIRE(sent_to.at(number) == p);
        stored.insert(number);
      }
    }
    for (size_t i = 0; i < kRecords; ++i) {
      if (f.outcomes.error(i).empty()) REQUIRE(stored.count(i) == 1);
    }
    if (f.outcomes.failed() == 0) REQUIRE(stored.size() == kRecords);
  }

  // Each record at the offset that its report said, where it said one.
  void check_offsets() {
    for (size_t i = 0; i < kRecords; ++i) {
      const client::DeliveredRecord& delivered = f.outcomes.delivered(i);
      if (!f.outcomes.error(i).empty() || delivered.offset < 0) continue;
      const auto& log = f.cluster.partition("t", delivered.partition).log;
      REQUIRE(log.at(static_cast<size_t>(delivered.offset)).value == std::to_string(i));
    }
  }

  uint64_t seed;
  ClientFixture f;
  SeededRandom random;
  std::unique_ptr<client::Producer> producer;
  std::vector<int32_t> sent_to;
  int32_t dead = 0;
};

}  // namespace

TEST_CASE("producer faults: an idempotent producer loses nothing, doubles nothing, keeps the order",
          "[client][producer][faults]") {
  uint64_t retried = 0;
  for (uint64_t seed = 1; seed <= seeds(300); ++seed) {
    INFO("seed " << seed);
    client::ProducerSettings settings;
    settings.linger_ms = static_cast<int64_t>(seed % 4) * 3;
    settings.batch_records_max = static_cast<int32_t>(1 + seed % 9);
    settings.retry_backoff_ms = 20;
    settings.delivery_timeout_ms = 300'000;
    if (seed % 3 == 0) settings.compression = client::Compression::kLz4;
    FaultRun run(seed, settings);
    run.run();
    REQUIRE(run.f.outcomes.failed() == 0);
    run.check_order();
    run.check_offsets();
    retried += run.producer->stats().batches_retried;
  }
  CHECK(retried > seeds(300) * 30);
}

TEST_CASE("producer faults: batches that are too large for the topic are split, in order and once each",
          "[client][producer][faults]") {
  uint64_t split = 0;
  for (uint64_t seed = 1; seed <= seeds(100); ++seed) {
    INFO("seed " << seed);
    client::ProducerSettings settings;
    settings.linger_ms = 200;
    settings.retry_backoff_ms = 20;
    settings.delivery_timeout_ms = 300'000;
    if (seed % 3 == 0) settings.compression = client::Compression::kLz4;
    FaultRun run(seed, settings);
    run.f.cluster.batch_bytes_max = 110 + seed % 40;  // one record in a frame of lz4, and its header, take less
    run.run();
    REQUIRE(run.f.outcomes.failed() == 0);
    run.check_order();
    run.check_offsets();
    split += run.producer->stats().batches_split;
  }
  CHECK(split > seeds(100) * 5);
}

TEST_CASE("producer faults: records that are given up leave no disorder and no doubles", "[client][producer][faults]") {
  size_t failed = 0;
  for (uint64_t seed = 1; seed <= seeds(300); ++seed) {
    INFO("seed " << seed);
    client::ProducerSettings settings;
    settings.linger_ms = 2;
    settings.batch_records_max = static_cast<int32_t>(1 + seed % 5);
    settings.retry_backoff_ms = 20;
    settings.request_timeout_ms = 100;
    settings.delivery_timeout_ms = 150 + static_cast<int64_t>(seed % 7) * 50;
    FaultRun run(seed, settings);
    run.run();
    run.check_order();
    failed += run.f.outcomes.failed();
  }
  CHECK(failed > seeds(300) / 3);
}

TEST_CASE("producer faults: without idempotence nothing is lost", "[client][producer][faults]") {
  for (uint64_t seed = 1; seed <= seeds(100); ++seed) {
    INFO("seed " << seed);
    client::ProducerSettings settings;
    settings.acks = client::Acks::kLeader;
    settings.linger_ms = 1;
    settings.retry_backoff_ms = 20;
    settings.delivery_timeout_ms = 300'000;
    FaultRun run(seed, settings);
    run.run();
    REQUIRE(run.f.outcomes.failed() == 0);
    std::set<std::string> stored;
    for (int32_t p = 0; p < kPartitions; ++p) {
      for (const StoredRecord& record : run.f.cluster.partition("t", p).log) stored.insert(record.value);
    }
    REQUIRE(stored.size() == kRecords);
  }
}

TEST_CASE("producer faults: the client ends at any moment", "[client][producer][faults]") {
  for (uint64_t seed = 1; seed <= seeds(200); ++seed) {
    INFO("seed " << seed);
    ClientFixture f(3, seed);
    SeededRandom random(seed);
    f.cluster.add_topic("t", kPartitions);
    f.cluster.faults = {.delay_max = Millis(20), .cut_request_in = 20, .cut_answer_in = 20, .error_in = 20};
    auto producer = f.producer({.linger_ms = static_cast<int64_t>(random.below(5)), .batch_records_max = 3});
    const size_t count = random.below(200);
    for (size_t i = 0; i < count; ++i) {
      f.send(*producer, {.topic = "t", .value = "v"}, i);
      if (random.one_in(3)) f.scheduler.advance(Millis(static_cast<int64_t>(random.below(30))));
    }
    if (random.one_in(2)) {
      producer.reset();
    } else {
      f.client.reset();
    }
    REQUIRE(f.outcomes.told() == count);
    f.scheduler.advance(Millis(200'000));
    REQUIRE(f.outcomes.told() == count);
  }
}

}  // namespace leat::test
