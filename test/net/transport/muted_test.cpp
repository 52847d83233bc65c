// muted_test.cpp: connections that the server holds back: muted ones, whose requests wait while their answers leave,
// and new ones that are not let in and told so later.
#include <atomic>
#include <functional>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "net/transport/tcp_server.h"
#include "test/net/transport/server_fixture.h"
#include "test/support/blocking_client.h"
#include "test/support/catch.h"

namespace leat {
namespace {

using test::kClock;

// Answers each frame with itself, but not "hold"; mutes the connection when the frame says "mute".
class Handler final : public FrameHandler {
 public:
  Millis mute_time{200};
  std::vector<ClosedConnection> closed;
  std::vector<std::string> refused;
  std::atomic<int> frames{0};
  int drained = 0;
  std::counting_semaphore<> frame_came{0};
  std::counting_semaphore<> one_closed{0};

  void on_frame(Connection& connection, uint64_t ticket, Slice payload) override {
    ++frames;
    const std::string text(as_text(payload.view()));
    frame_came.release();
    if (text == "hold") return;
    Response response;
    response.pieces.push_back(Slice::copy_of(as_bytes(frame_of(text))));
    connection.respond(ticket, std::move(response));
    if (text == "mute") connection.mute(mute_time);
  }
  void on_drained(ConnectionId) override { ++drained; }
  void on_closed(const ClosedConnection& connection) override {
    closed.push_back(connection);
    one_closed.release();
  }
  void on_refused(std::string_view, std::string_view reason) override { refused.emplace_back(reason); }
};

using Fixture = test::ServerFixture<Handler>;

TEST_CASE("tcp server: a muted connection is answered at once, and then not heard until its time is over",
          "[transport]") {
  Fixture fixture;
  std::optional<std::string> answer;
  std::optional<std::string> later;
  Nanos until_answer{0};
  Nanos until_later{0};
  fixture.run_with([&] {
    BlockingClient client(fixture.port);
    const Nanos begin = kClock.monotonic();
    client.send(frame_of("mute") + frame_of("next"));  // the second is read with the first, perhaps
    answer = client.receive_frame();
    until_answer = kClock.monotonic() - begin;
    later = client.receive_frame();
    until_later = kClock.monotonic() - begin;
  });
  CHECK(answer == "mute");
  CHECK(later == "next");
  CHECK(until_later >= Millis(190));
  CHECK(until_answer < until_later);
  CHECK(fixture.handler.drained == 1);
  CHECK(fixture.handler.frames == 2);
}

TEST_CASE("tcp server: a muted connection is not idle, and idle again when its time is over", "[transport]") {
  TransportLimits limits;
  limits.idle_max = Millis(150);
  Fixture fixture(limits);
  fixture.handler.mute_time = Millis(600);
  Nanos until_end{0};
  bool ended = false;
  fixture.run_with([&] {
    BlockingClient client(fixture.port);
    client.send_frame("mute");
    const Nanos begin = kClock.monotonic();
    (void)client.receive_frame();
    ended = client.wait_for_end();
    until_end = kClock.monotonic() - begin;
  });
  CHECK(ended);
  CHECK(until_end >= Millis(590));
  REQUIRE(fixture.handler.closed.size() == 1);
  CHECK(fixture.handler.closed[0].by == ClosedBy::kIdle);
}

TEST_CASE("tcp server: a close does not wait for who is muted", "[transport]") {
  Fixture fixture;
  fixture.handler.mute_time = Millis(3'600'000);
  std::optional<std::string> answer;
  fixture.run_with([&] {
    BlockingClient client(fixture.port);
    client.send_frame("mute");
    answer = client.receive_frame();
  });
  CHECK(answer == "mute");
  CHECK(fixture.handler.closed.size() == 1);
}

TEST_CASE("tcp server: a peer that leaves while it is muted is noticed, whatever it sent last", "[transport]") {
  TransportLimits limits;
  limits.muted_look_every = Millis(30);
  Fixture fixture(limits);
  fixture.handler.mute_time = Millis(3'600'000);
  bool was_noticed = true;
  fixture.run_with([&] {
    for (const bool says_more : {false, true}) {
      {
        BlockingClient client(fixture.port);
        client.send_frame("mute");
        (void)client.receive_frame();
        if (says_more) client.send_frame("this is not read any more");
      }
      was_noticed = was_noticed && fixture.handler.one_closed.try_acquire_for(Millis(20'000));
    }
  });
  CHECK(was_noticed);
  CHECK(fixture.handler.frames == 2);
  REQUIRE(fixture.handler.closed.size() == 2);
  for (const ClosedConnection& closed : fixture.handler.closed) CHECK(closed.by == ClosedBy::kPeer);
}

TEST_CASE("tcp server: who stays while it is muted is heard afterwards, however often somebody looked", "[transport]") {
  TransportLimits limits;
  limits.muted_look_every = Millis(10);
  Fixture fixture(limits);
  fixture.handler.mute_time = Millis(300);
  std::optional<std::string> later;
  Nanos until_later{0};
  fixture.run_with([&] {
    BlockingClient client(fixture.port);
    const Nanos begin = kClock.monotonic();
    client.send_frame("mute");
    (void)client.receive_frame();
    client.send_frame("next");
    later = client.receive_frame();
    until_later = kClock.monotonic() - begin;
  });
  CHECK(later == "next");
  CHECK(until_later >= Millis(290));
  CHECK(fixture.handler.drained == 1);
}

TEST_CASE("tcp server: who is muted does not keep the room for requests that others wait for", "[transport]") {
  TransportLimits limits;
  limits.muted_look_every = Millis(30);
  limits.request_bytes_total_max = 8;
  Fixture fixture(limits);
  fixture.handler.mute_time = Millis(3'600'000);
  std::optional<std::string> answer;
  bool was_let_go = false;
  fixture.run_with([&] {
    BlockingClient muted(fixture.port);
    muted.send(frame_of("hold") + frame_of("mute"));
    for (int i = 0; i < 2; ++i) fixture.handler.frame_came.acquire();
    BlockingClient other(fixture.port);
    other.send_frame("hold");
    fixture.handler.frame_came.acquire();
    BlockingClient third(fixture.port);
    third.send_frame("waits");
    was_let_go = fixture.handler.one_closed.try_acquire_for(Millis(20'000));
    answer = third.receive_frame();
  });
  CHECK(was_let_go);
  CHECK(answer == "waits");
  REQUIRE_FALSE(fixture.handler.closed.empty());
  CHECK(fixture.handler.closed[0].by == ClosedBy::kLimit);
}

TEST_CASE("tcp server: a connection that is not admitted is closed after its time, others are served", "[transport]") {
  Fixture fixture;
  int asked = 0;
  fixture.server.set_admission([&](const std::string& host) {
    CHECK(host == "127.0.0.1");
    return ++asked == 2 ? Millis(200) : Millis(0);
  });
  std::optional<std::string> first_answer;
  std::optional<std::string> third_answer;
  Nanos until_end{0};
  bool ended = false;
  fixture.run_with([&] {
    BlockingClient first(fixture.port);
    first.send_frame("a");
    first_answer = first.receive_frame();
    const Nanos begin = kClock.monotonic();
    BlockingClient second(fixture.port);
    ended = second.receive_all().empty();
    until_end = kClock.monotonic() - begin;
    BlockingClient third(fixture.port);
    third.send_frame("b");
    third_answer = third.receive_frame();
  });
  CHECK(third_answer == "b");
  CHECK(first_answer == "a");
  CHECK(ended);
  CHECK(until_end >= Millis(190));
  CHECK(fixture.server.counters().accepted == 2);
  CHECK(fixture.server.counters().refused == 1);
  CHECK(fixture.handler.refused.size() == 1);
  CHECK(fixture.handler.closed.size() == 2);
}

TEST_CASE("tcp server: who is sent away later counts as a connection, and goes with the server", "[transport]") {
  TransportLimits limits;
  limits.connections_max = 2;
  Fixture fixture(limits);
  fixture.server.set_admission([](const std::string&) { return Millis(3'600'000); });
  bool ended = false;
  fixture.run_with([&] {
    BlockingClient first(fixture.port);
    BlockingClient second(fixture.port);
    BlockingClient third(fixture.port);
    ended = third.wait_for_end();
  });
  CHECK(ended);
  REQUIRE(fixture.handler.refused.size() == 3);
  CHECK(fixture.handler.refused[2].find("max.connections") != std::string::npos);
}

TEST_CASE("tcp server: only so many who are not admitted are held, more are closed at once", "[transport]") {
  TransportLimits limits;
  limits.sent_away_max = 1;
  Fixture fixture(limits);
  fixture.server.set_admission([](const std::string&) { return Millis(3'600'000); });
  bool second_ended = false;
  fixture.run_with([&] {
    BlockingClient first(fixture.port);
    BlockingClient second(fixture.port);
    second_ended = second.wait_for_end();
  });
  CHECK(second_ended);
  CHECK(fixture.handler.refused.size() == 2);
  CHECK(fixture.server.counters().refused == 2);
}

}  // namespace
}  // namespace leat
