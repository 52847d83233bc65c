// client_loop_test.cpp: the client over real sockets and real loops: in a thread of its own, and on a loop of somebody
// else's. Against the fake broker that has a thread.
#include <atomic>
#include <thread>

#include <leat/client.h>

#include "net/loop/uv_loop.h"
#include "test/client/fake_broker.h"
#include "test/support/catch.h"

namespace leat::test {
namespace {

using client::Client;
using client::DeliveredRecord;
using client::DeliveryReport;
using client::Producer;
using client::ProducerSettings;
using client::Task;

ProducerSettings plain() { return {.acks = client::Acks::kLeader, .linger_ms = 0}; }  // without a producer id

Task<int> send_some(Producer& producer, int count) {
  int delivered = 0;
  for (int i = 0; i < count; ++i) {
    const client::Result<DeliveredRecord> outcome = co_await producer.send({.topic = "orders", .value = "v"});
    delivered += outcome ? 1 : 0;
  }
  co_return delivered;
}

Task<> send_then_stop(Producer& producer, UvLoop& loop, int& delivered) {
  delivered = co_await send_some(producer, 20);
  loop.stop();
}

}  // namespace

TEST_CASE("client loop: a thread of its own, coroutines and callbacks from other threads", "[client][loop]") {
  FakeBroker broker({});
  auto client = Client::create({.bootstrap_servers = broker.address()});
  REQUIRE(client);
  auto producer = (*client)->producer(plain());
  REQUIRE(producer);
  CHECK((*client)->run(send_some(**producer, 20)) == 20);
  std::atomic<int> told{0};
  constexpr int kThreads = 3;
  constexpr int kEach = 2'000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        const client::Result<> sent = (*producer)->send(
            {.topic = "orders", .value = "v"}, [&told](const DeliveryReport& report) { told += report.ok() ? 1 : 0; });
        if (!sent) std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE((*producer)->flush(30'000).wait());
  CHECK(told == kThreads * kEach);
  CHECK(broker.record_count() == 20 + kThreads * kEach);
  REQUIRE((*producer)->close(10'000).wait());
}

TEST_CASE("client loop: on a loop of somebody else's", "[client][loop]") {
  FakeBroker broker({});
  const SystemClock clock;
  UvLoop loop(clock, {});
  {
    auto client = Client::create_on(loop.raw(), {.bootstrap_servers = broker.address()});
    REQUIRE(client);
    auto producer = (*client)->producer(plain());
    REQUIRE(producer);
    int delivered = 0;
    (*client)->spawn(send_then_stop(**producer, loop, delivered));
    loop.run();
    CHECK(delivered == 20);
    CHECK(broker.record_count() == 20);
  }
  // The handles close when the owner runs the loop once more; ~UvLoop does, and CHECKs that none is left.
}

TEST_CASE("client loop: destroyed with records under way, and with nobody there", "[client][loop]") {
  for (const bool own_thread : {true, false}) {
    const SystemClock clock;
    UvLoop loop(clock, {});
    std::atomic<int> told{0};
    {
      client::ClientSettings settings;
      settings.bootstrap_servers = "127.0.0.1:1";  // nobody
      auto client = own_thread ? Client::create(settings) : Client::create_on(loop.raw(), settings);
      REQUIRE(client);
      auto producer = (*client)->producer();
      REQUIRE(producer);
      for (int i = 0; i < 100; ++i) {
        REQUIRE((*producer)->send({.topic = "orders", .value = "v"}, [&told](const DeliveryReport& report) {
          if (!report.ok()) ++told;
        }));
      }
      producer->reset();
      CHECK(told == 100);
    }
  }
}

TEST_CASE("client loop: a broker that answers nonsense", "[client][loop]") {
  FakeBroker broker({.answers_nonsense = true});
  auto client = Client::create({.bootstrap_servers = broker.address()});
  REQUIRE(client);
  auto producer = (*client)->producer(plain());
  REQUIRE(producer);
  std::atomic<int> told{0};
  REQUIRE((*producer)->send({.topic = "orders", .value = "v"}, [&told](const DeliveryReport&) { ++told; }));
  const client::Result<> closed = (*producer)->close(300).wait();
  REQUIRE(!closed);
  CHECK(closed.error().cause() == client::Cause::kTimedOut);
  CHECK(told == 1);
}

}  // namespace leat::test
