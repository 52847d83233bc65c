// muted_test.cpp: connections that the server holds back: muted ones, whose requests wait while their answers leave,
// and new ones that are not let in and told so later.
#include <atomic>
#include <functional>
#include <optional>
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

// Answers each frame with itself; mutes the connection when the frame says "mute".
class Handler final : public FrameHandler {
 public:
  Millis mute_time{200};
  std::vector<ClosedConnection> closed;
  std::vector<std::string> refused;
  std::atomic<int> frames{0};
  int drained = 0;

  void on_frame(Connection& connection, uint64_t ticket, Slice payload) override {
    ++frames;
    const std::string text(as_text(payload.view()));
    Response response;
    response.pieces.push_back(Slice::copy_of(as_bytes(frame_of(text))));
    connection.respond(ticket, std::move(response));
    if (text == "mute") connection.mute(mute_time);
  }
  void on_drained(ConnectionId) override { ++drained; }
  void on_closed(const ClosedConnection& connection) override { closed.push_back(connection); }
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

}  // namespace
}  // namespace leat
