// broker_link_test.cpp: one connection to a broker, in manual time: every call has one answer, whatever happens.
#include "client/cluster/broker_link.h"

#include "client/cluster/ask.h"
#include "net/protocol/messages/init_producer_id.h"
#include "test/client/client_fixture.h"

namespace leat::test {
namespace {

using client::Cause;
using client::detail::Answered;
using client::detail::BrokerLink;
using client::detail::ClientContext;
using client::detail::LinkAnswer;
using client::detail::LinkRequest;

struct LinkFixture {
  explicit LinkFixture(uint64_t seed = 1)
      : cluster(scheduler, 1, seed),
        context{.scheduler = scheduler, .dialer = cluster, .random = random, .executor = nullptr, .settings = {}},
        link(std::make_unique<BrokerLink>(context, HostPort{.host = "n1", .port = 9092})) {}

  // `padding_bytes` behind the request, which nobody reads, make it larger.
  void ask(Millis timeout = Millis(30'000), size_t padding_bytes = 0) {
    LinkRequest call;
    call.key = ApiKey::kInitProducerId;
    call.timeout = timeout;
    call.encode = [padding_bytes](int16_t version, int32_t correlation_id) {
      InitProducerIdRequest request;
      request.transactional_id.reset();
      auto frame = encode_request(request, version, correlation_id, "test");
      const std::vector<uint8_t> padding(padding_bytes);
      if (padding_bytes > 0) frame->push_back(Slice::copy_of(padding));
      return frame;
    };
    const size_t number = answers.size();
    answers.emplace_back();
    call.on_answer = [this, number](client::Result<LinkAnswer> answer) {
      REQUIRE(!answers[number]);
      answers[number].emplace(std::move(answer));
    };
    link->call(std::move(call));
    REQUIRE(!answers[number]);  // never inside call()
  }
  Cause cause(size_t number) const { return answers.at(number)->error().cause(); }

  ManualScheduler scheduler;
  FakeCluster cluster;
  SeededRandom random{7};
  ClientContext context;
  std::vector<std::optional<client::Result<LinkAnswer>>> answers;
  std::unique_ptr<BrokerLink> link;
};

}  // namespace

TEST_CASE("broker link: connects when asked, and pipelines", "[client][link]") {
  LinkFixture f;
  f.scheduler.run_until_idle();
  CHECK(f.cluster.counters.dials == 0);
  for (int i = 0; i < 5; ++i) f.ask();
  f.scheduler.advance(Millis(0));
  CHECK(f.cluster.counters.dials == 1);
  CHECK(f.cluster.counters.identities == 5);
  for (const auto& answer : f.answers) {
    REQUIRE(answer);
    CHECK(answer->has_value());
  }
  CHECK(f.link->is_ready());
  CHECK(f.link->waiting() == 0);
}

TEST_CASE("broker link: a broker that knows only old ApiVersions", "[client][link]") {
  LinkFixture f;
  f.cluster.versions_max = 0;
  f.ask();
  f.scheduler.advance(Millis(0));
  REQUIRE(f.answers[0]);
  CHECK(f.answers[0]->has_value());
}

TEST_CASE("broker link: an API that the broker lacks", "[client][link]") {
  LinkFixture f;
  f.cluster.unknown_apis = {static_cast<int16_t>(ApiKey::kInitProducerId)};
  f.ask();
  f.scheduler.advance(Millis(0));
  REQUIRE(f.answers[0]);
  CHECK(f.cause(0) == Cause::kUnsupported);
  CHECK(f.answers[0]->error().message().find("InitProducerId") != std::string::npos);
  CHECK(f.link->is_ready());
}

TEST_CASE("broker link: what times out takes its connection with it, and the next one works", "[client][link]") {
  LinkFixture f;
  f.ask();
  f.scheduler.advance(Millis(0));
  f.cluster.silent = true;
  f.ask(Millis(1'000));
  f.ask(Millis(20'000));
  f.scheduler.advance(Millis(999));
  CHECK(!f.answers[1]);
  f.scheduler.advance(Millis(1));
  REQUIRE(f.answers[1]);
  CHECK(f.cause(1) == Cause::kTimedOut);
  REQUIRE(f.answers[2]);
  CHECK(f.answers[2]->error().is_retriable());
  CHECK(f.link->is_backing_off());
  f.cluster.silent = false;
  f.ask();
  f.scheduler.advance(Millis(100));
  REQUIRE(f.answers[3]);
  CHECK(f.answers[3]->has_value());
}

TEST_CASE("broker link: a throttle keeps calls, in order, and their time begins when it ends", "[client][link]") {
  LinkFixture f;
  f.cluster.throttle_times_ms[ApiKey::kInitProducerId] = {5'000};
  f.ask();
  f.scheduler.advance(Millis(0));
  REQUIRE(f.answers[0]);
  CHECK((*f.answers[0])->throttle_time == Millis(5'000));
  CHECK(f.link->is_muted());
  f.ask(Millis(1'000));
  f.scheduler.advance(Millis(4'999));
  f.ask(Millis(1'000));
  CHECK(f.cluster.counters.identities == 1);
  CHECK(!f.answers[1]);
  f.scheduler.advance(Millis(1));
  CHECK(!f.link->is_muted());
  for (const size_t number : {1, 2}) {
    REQUIRE(f.answers[number]);
    REQUIRE(f.answers[number]->has_value());
    CHECK((*f.answers[number])->throttle_time == Millis(0));
  }
  CHECK((*f.answers[1])->correlation_id < (*f.answers[2])->correlation_id);
  CHECK(f.cluster.counters.while_muted == 0);
  CHECK(f.cluster.counters.dials == 1);

  f.cluster.throttle_times_ms[ApiKey::kInitProducerId] = {5'000};
  f.ask();
  f.scheduler.advance(Millis(0));
  f.cluster.silent = true;
  f.ask(Millis(1'000));
  f.scheduler.advance(Millis(5'999));
  CHECK(!f.answers[4]);
  f.scheduler.advance(Millis(1));
  REQUIRE(f.answers[4]);
  CHECK(f.cause(4) == Cause::kTimedOut);
}

TEST_CASE("broker link: what is under way when a throttle begins has time until after its end", "[client][link]") {
  LinkFixture f;
  f.ask();
  f.scheduler.advance(Millis(0));
  f.cluster.throttle_times_ms[ApiKey::kInitProducerId] = {40'000};
  f.ask(Millis(1'000));
  f.ask(Millis(1'000));
  f.scheduler.advance(Millis(39'999));
  REQUIRE(f.answers[1]);
  CHECK(f.answers[1]->has_value());
  CHECK(!f.answers[2]);
  f.scheduler.advance(Millis(1));
  REQUIRE(f.answers[2]);
  CHECK(f.answers[2]->has_value());
  CHECK(f.cluster.counters.dials == 1);
}

TEST_CASE("broker link: a new connection is no way around a throttle, and close() does not wait", "[client][link]") {
  LinkFixture f;
  f.cluster.throttle_times_ms[ApiKey::kInitProducerId] = {5'000};
  f.ask();
  f.scheduler.advance(Millis(0));
  f.ask();
  f.cluster.cut_connections(1);
  f.scheduler.advance(Millis(0));
  REQUIRE(f.answers[1]);
  CHECK(f.cause(1) == Cause::kNetwork);
  f.ask();
  f.scheduler.advance(Millis(4'900));
  CHECK(f.cluster.counters.dials == 2);
  CHECK(f.link->is_ready());
  CHECK(f.cluster.counters.identities == 1);
  f.scheduler.advance(Millis(100));
  REQUIRE(f.answers[2]);
  CHECK(f.answers[2]->has_value());

  f.cluster.throttle_times_ms[ApiKey::kInitProducerId] = {5'000};
  f.ask();
  f.scheduler.advance(Millis(0));
  f.ask();
  f.link->close(client::Error(Cause::kClosed, "closed"));
  REQUIRE(f.answers[4]);
  CHECK(f.cause(4) == Cause::kClosed);
}

TEST_CASE("broker link: nobody answers the handshake", "[client][link]") {
  LinkFixture f;
  f.cluster.silent = true;
  f.ask(Millis(60'000));
  f.scheduler.advance(Millis(10'001));
  REQUIRE(f.answers[0]);
  CHECK(f.cause(0) == Cause::kTimedOut);
}

TEST_CASE("broker link: a dead broker is tried at growing intervals, only while somebody asks", "[client][link]") {
  LinkFixture f;
  f.cluster.kill(1);
  for (int i = 0; i < 200; ++i) {
    f.ask(Millis(5'000));
    f.scheduler.advance(Millis(50));
  }
  CHECK(f.cluster.counters.dials > 8);
  CHECK(f.cluster.counters.dials < 25);
  const int dials = f.cluster.counters.dials;
  f.scheduler.advance(Millis(60'000));
  CHECK(f.cluster.counters.dials <= dials + 1);
  for (size_t i = 0; i < f.answers.size(); ++i) {
    REQUIRE(f.answers[i]);
    CHECK(f.cause(i) == Cause::kUnreachable);
  }
  CHECK(f.answers[0]->error().message() == "broker n1:9092 is not reachable (connection refused)");
  CHECK(f.answers[0]->error().broker() == "n1:9092");
  CHECK(f.answers[0]->error().answered_before() == client::AnsweredBefore::kNo);
  f.cluster.revive(1);
  f.ask();
  f.scheduler.advance(Millis(2'000));
  CHECK(f.answers.back()->has_value());
}

TEST_CASE("broker link: a cut connection answers all that was under way", "[client][link]") {
  LinkFixture f;
  f.cluster.faults.delay_max = Millis(20);
  f.ask();
  f.scheduler.advance(Millis(200));
  for (int i = 0; i < 10; ++i) f.ask();
  f.cluster.cut_connections(1);
  f.scheduler.advance(Millis(5));
  for (size_t i = 1; i < f.answers.size(); ++i) {
    REQUIRE(f.answers[i]);
    CHECK(f.cause(i) == Cause::kNetwork);
  }
}

TEST_CASE("broker link: a connection that breaks under a large request says how large it was", "[client][link]") {
  for (const size_t padding_bytes : {size_t{0}, size_t{1'000'000}, size_t{12'000'000}}) {
    LinkFixture f;
    f.cluster.faults.cut_request_in = 1;
    f.ask(Millis(30'000), padding_bytes);
    f.scheduler.advance(Millis(100));
    REQUIRE(f.answers[0]);
    CHECK(f.cause(0) == Cause::kNetwork);
    const std::string& said = f.answers[0]->error().message();
    INFO(said);
    CHECK(said.find("cut before it arrived") == 0);
    const bool tells_size = said.find("a request of 120000") != std::string::npos;
    CHECK(tells_size == (padding_bytes > 10'000'000));
    CHECK(tells_size == (said.find("socket.request.max.bytes") != std::string::npos));
  }
}

TEST_CASE("broker link: one that has answered before is not reachable any more", "[client][link]") {
  LinkFixture f;
  f.ask();
  f.scheduler.advance(Millis(100));
  REQUIRE(f.answers[0]);
  REQUIRE(f.answers[0]->has_value());
  f.cluster.kill(1);
  f.scheduler.run_until_idle();
  f.ask();
  f.scheduler.advance(Millis(10'000));
  REQUIRE(f.answers[1]);
  CHECK(f.cause(1) == Cause::kUnreachable);
  CHECK(f.answers[1]->error().message() == "broker n1:9092 is not reachable any more (connection refused)");
  CHECK(f.answers[1]->error().broker() == "n1:9092");
  CHECK(f.answers[1]->error().answered_before() == client::AnsweredBefore::kYes);
}

TEST_CASE("broker link: close and destruction answer at once", "[client][link]") {
  LinkFixture f;
  f.ask();
  f.link->close(client::Error(Cause::kClosed, "closed"));
  REQUIRE(f.answers[0]);
  CHECK(f.cause(0) == Cause::kClosed);
  f.ask();
  f.scheduler.run_until_idle();
  CHECK(f.cause(1) == Cause::kClosed);
  LinkFixture g;
  g.ask();
  g.link.reset();
  REQUIRE(g.answers[0]);
  CHECK(g.cause(0) == Cause::kClosed);
  g.scheduler.advance(Millis(100'000));
}

TEST_CASE("broker link: the broker moved", "[client][link]") {
  LinkFixture f;
  f.ask();
  f.scheduler.advance(Millis(0));
  f.link->set_address({.host = "n1", .port = 9092});
  CHECK(f.link->is_ready());
  f.cluster.silent = true;
  f.ask();
  f.link->set_address({.host = "n1", .port = 9093});
  f.scheduler.run_until_idle();
  CHECK(f.cause(1) == Cause::kNetwork);
}

}  // namespace leat::test
