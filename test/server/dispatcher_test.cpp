// dispatcher_test.cpp: order on a connection, what is refused and how, back pressure, shutdown; with handlers that the
// test ends by hand and a scheduler without threads.
#include "server/dispatcher.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/loop/event.h"
#include "net/protocol/frame.h"
#include "net/protocol/messages/api_versions.h"
#include "test/support/catch.h"
#include "test/support/manual_scheduler.h"

namespace leat {
namespace {

class FakeConnection final : public Connection {
 public:
  explicit FakeConnection(ConnectionId id) : id_(id) {}
  ConnectionId id() const noexcept override { return id_; }
  const std::string& peer() const noexcept override { return peer_; }
  const std::string& listener_name() const noexcept override { return listener_; }
  void respond(uint64_t ticket, Response response) override { responses[ticket] = std::move(response.pieces); }
  void close(std::string_view reason) noexcept override { closed = reason; }
  bool backed_up() noexcept override { return full; }
  void mute(Millis time) override {
    full = true;
    muted_for = time;
  }

  std::map<uint64_t, std::vector<Piece>> responses;
  std::string closed;
  bool full = false;
  Millis muted_for{0};

 private:
  ConnectionId id_;
  std::string peer_ = "127.0.0.1:5";
  std::string listener_ = "PLAINTEXT";
};

// Every request waits until the test ends it.
class HeldHandlers final : public RequestHandlers {
 public:
  struct Held {
    explicit Held(Scheduler& scheduler) : end(scheduler) {}
    ApiKey api{};
    Request request;
    OneShot<Reply> end;
  };

  explicit HeldHandlers(Scheduler& scheduler) : scheduler_(scheduler) {}

  Task<Reply> handle(const ApiSpec& api, Request request, MessageReader) override {
    held.push_back(std::make_unique<Held>(scheduler_));
    Held& mine = *held.back();
    mine.api = api.key;
    mine.request = std::move(request);
    if (at_once) co_return Reply{};
    const Woken woken = co_await mine.end.wait();
    if (woken != Woken::kSet) co_return Reply::close("cancelled");
    co_return std::move(mine.end.value());
  }
  void on_connection_closed(ConnectionId connection) override { closed.push_back(connection); }

  std::vector<std::unique_ptr<Held>> held;
  std::vector<ConnectionId> closed;
  bool at_once = false;

 private:
  Scheduler& scheduler_;
};

struct Fixture {
  ManualScheduler scheduler;
  HeldHandlers handlers{scheduler};
  FakeConnection connection{1};
  bool gone = false;
  Dispatcher dispatcher{scheduler, handlers, [this](ConnectionId id) -> Connection* {
                          return id == connection.id() && !gone && connection.closed.empty() ? &connection : nullptr;
                        }};
  uint64_t next_ticket = 0;

  void send(int16_t key, int16_t version, std::string_view client_id = "tester") {
    PieceWriter out;
    out.i16(key);
    out.i16(version);
    out.i32(static_cast<int32_t>(next_ticket));
    out.i16(static_cast<int16_t>(client_id.size()));
    out.raw(as_bytes(client_id));
    out.i8(0);  // no tagged fields, where the header is flexible
    send_bytes(std::move(out).take_bytes());
  }
  void send_bytes(const std::vector<uint8_t>& payload) {
    dispatcher.on_frame(connection, next_ticket++, Slice::copy_of(payload));
    scheduler.run_until_idle();
  }
  void end(size_t which, Reply reply = Reply{}) {
    handlers.held.at(which)->end.set(std::move(reply));
    scheduler.run_until_idle();
  }
};

constexpr int16_t kProduceKey = 0;
constexpr int16_t kMetadataKey = 3;
constexpr int16_t kOffsetCommitKey = 8;

TEST_CASE("dispatcher: Produce overlaps Produce, others wait for their predecessors", "[server]") {
  Fixture fixture;
  fixture.send(kProduceKey, 9);
  fixture.send(kProduceKey, 9);
  fixture.send(kMetadataKey, 9);
  fixture.send(kProduceKey, 9);
  fixture.send(kProduceKey, 9);
  REQUIRE(fixture.handlers.held.size() == 2);
  fixture.end(1);
  REQUIRE(fixture.handlers.held.size() == 2);
  fixture.end(0);
  REQUIRE(fixture.handlers.held.size() == 3);  // Metadata, alone
  REQUIRE(fixture.handlers.held[2]->api == ApiKey::kMetadata);
  fixture.end(2);
  REQUIRE(fixture.handlers.held.size() == 5);
  fixture.end(3);
  fixture.end(4);
  REQUIRE(fixture.connection.responses.size() == 5);
  REQUIRE(fixture.dispatcher.requests_running() == 0);
}

// A consumer that commits behind a produce on the same connection means: when that is done.
TEST_CASE("dispatcher: OffsetCommit overlaps OffsetCommit, and nothing else", "[server]") {
  Fixture fixture;
  for (int i = 0; i < 3; ++i) fixture.send(kOffsetCommitKey, 8);
  fixture.send(kProduceKey, 9);
  fixture.send(kProduceKey, 9);
  fixture.send(kOffsetCommitKey, 8);
  REQUIRE(fixture.handlers.held.size() == 3);
  fixture.end(2);
  fixture.end(0);
  REQUIRE(fixture.handlers.held.size() == 3);
  fixture.end(1);
  REQUIRE(fixture.handlers.held.size() == 5);
  REQUIRE(fixture.handlers.held[4]->api == ApiKey::kProduce);
  fixture.end(3);
  REQUIRE(fixture.handlers.held.size() == 5);
  fixture.end(4);
  REQUIRE(fixture.handlers.held.size() == 6);
  fixture.end(5);
  REQUIRE(fixture.connection.responses.size() == 6);
}

TEST_CASE("dispatcher: what the handler learns of a request", "[server]") {
  Fixture fixture;
  fixture.send(kMetadataKey, 12, "my-client");
  const Request& request = fixture.handlers.held.at(0)->request;
  REQUIRE(request.connection == 1);
  REQUIRE(request.ticket == 0);
  REQUIRE(request.origin->peer == "127.0.0.1:5");
  REQUIRE(request.origin->listener_name == "PLAINTEXT");
  REQUIRE(request.origin->client_id == "my-client");
  REQUIRE(request.version == 12);
  fixture.end(0);
}

TEST_CASE("dispatcher: thousands of waiting requests that end at once do not nest", "[server]") {
  Fixture fixture;
  fixture.send(kProduceKey, 9);
  for (int i = 0; i < 20'000; ++i) fixture.send(kMetadataKey, 9);
  fixture.handlers.at_once = true;
  fixture.end(0);
  REQUIRE(fixture.connection.responses.size() == 20'001);
}

TEST_CASE("dispatcher: unknown APIs, versions out of range and malformed headers close", "[server]") {
  const auto closes = [](auto send) {
    Fixture fixture;
    send(fixture);
    REQUIRE_FALSE(fixture.connection.closed.empty());
    REQUIRE(fixture.handlers.held.empty());
    return fixture.connection.closed;
  };
  REQUIRE(closes([](Fixture& f) { f.send(kMetadataKey, 99); }).find("Metadata") != std::string::npos);
  closes([](Fixture& f) { f.send(kMetadataKey, -1); });
  closes([](Fixture& f) { f.send(kProduceKey, 2); });  // advertised for old librdkafka, refused
  closes([](Fixture& f) { f.send(4, 0); });            // LeaderAndIsr: nobody's any more
  closes([](Fixture& f) { f.send(17, 1); });           // SaslHandshake: known, not served
  closes([](Fixture& f) { f.send(999, 0); });
  closes([](Fixture& f) { f.send_bytes({}); });
  closes([](Fixture& f) { f.send_bytes({0, 3, 0}); });
  closes([](Fixture& f) { f.send_bytes({0, 3, 0, 1, 0, 0, 0, 0, 0x7f, 0xff}); });  // client id longer than the frame
}

TEST_CASE("dispatcher: ApiVersions of an unknown version is answered in version 0 with error 35", "[server]") {
  for (const int16_t version : {int16_t{6}, int16_t{99}, int16_t{INT16_MAX}, int16_t{-1}}) {
    Fixture fixture;
    fixture.send(18, version);
    REQUIRE(fixture.connection.closed.empty());
    std::vector<uint8_t> frame;
    for (const Piece& piece : fixture.connection.responses.at(0)) {
      frame.insert(frame.end(), piece.view().begin(), piece.view().end());
    }
    const Result<ApiVersionsResponse> response =
        decode_response<ApiVersionsResponse>(Slice::copy_of(ByteView(frame).subspan(4)), 0, 0);
    REQUIRE(response);
    REQUIRE(response->error_code == ErrorCode::kUnsupportedVersion);
    REQUIRE(response->api_keys == std::vector<ApiVersionsResponse::ApiVersion>{{18, 0, 5}});
    fixture.send(kMetadataKey, 9);  // the connection stays usable
    REQUIRE(fixture.handlers.held.size() == 1);
    fixture.end(0);
  }
}

TEST_CASE("dispatcher: a reply that closes closes, one without bytes frees the ticket", "[server]") {
  Fixture fixture;
  fixture.send(kProduceKey, 9);
  fixture.send(kProduceKey, 9);
  fixture.end(0);
  REQUIRE(fixture.connection.responses.at(0).empty());
  fixture.end(1, Reply::close("acks=0 failed"));
  REQUIRE(fixture.connection.closed == "acks=0 failed");
}

TEST_CASE("dispatcher: nothing begins for a peer that has not taken its answers", "[server]") {
  Fixture fixture;
  fixture.connection.full = true;
  fixture.send(kMetadataKey, 9);
  fixture.send(kMetadataKey, 9);
  REQUIRE(fixture.handlers.held.empty());
  fixture.connection.full = false;
  fixture.dispatcher.on_drained(1);
  REQUIRE(fixture.handlers.held.size() == 1);
  fixture.connection.full = true;
  fixture.end(0);
  REQUIRE(fixture.handlers.held.size() == 1);
  fixture.connection.full = false;
  fixture.dispatcher.on_drained(1);
  REQUIRE(fixture.handlers.held.size() == 2);
  fixture.end(1);
}

TEST_CASE("dispatcher: a connection that closes drops what waits and survives what runs", "[server]") {
  Fixture fixture;
  fixture.send(kMetadataKey, 9);
  fixture.send(kMetadataKey, 9);
  fixture.gone = true;
  fixture.dispatcher.on_closed({1, ClosedBy::kPeer, "127.0.0.1:5", "end of stream"});
  REQUIRE(fixture.handlers.closed == std::vector<ConnectionId>{1});
  fixture.end(0);
  REQUIRE(fixture.handlers.held.size() == 1);
  REQUIRE(fixture.connection.responses.empty());
  REQUIRE(fixture.dispatcher.requests_running() == 0);
}

Task<void> await_close(Dispatcher& dispatcher, bool& closed) {
  (void)co_await dispatcher.close();
  closed = true;
}

TEST_CASE("dispatcher: close waits for what runs, drops what waits, takes nothing more", "[server]") {
  Fixture fixture;
  fixture.send(kMetadataKey, 9);
  fixture.send(kMetadataKey, 9);
  bool closed = false;
  spawn(await_close(fixture.dispatcher, closed));
  REQUIRE_FALSE(closed);
  fixture.end(0);
  REQUIRE(closed);
  REQUIRE(fixture.handlers.held.size() == 1);
  REQUIRE(fixture.connection.responses.size() == 1);
  fixture.send(kMetadataKey, 9);
  REQUIRE(fixture.handlers.held.size() == 1);
  REQUIRE(fixture.connection.closed.empty());  // the answer to the first may still be on its way
}

TEST_CASE("dispatcher: an answer with a throttle time mutes its connection, and what was read waits", "[server]") {
  Fixture fixture;
  fixture.send(kMetadataKey, 9);
  fixture.send(kMetadataKey, 9);
  Reply reply;
  reply.throttle = Millis(700);
  fixture.end(0, std::move(reply));
  REQUIRE(fixture.connection.responses.size() == 1);  // it leaves at once
  REQUIRE(fixture.connection.muted_for == Millis(700));
  REQUIRE(fixture.handlers.held.size() == 1);
  fixture.connection.full = false;
  fixture.dispatcher.on_drained(1);
  fixture.scheduler.run_until_idle();
  REQUIRE(fixture.handlers.held.size() == 2);
  fixture.end(1);
}

TEST_CASE("dispatcher: a muted connection that goes takes what waits along, and what runs ends for nobody",
          "[server]") {
  for (const bool broker_closes_first : {false, true}) {
    INFO("the broker closes first: " << broker_closes_first);
    Fixture fixture;
    fixture.send(kProduceKey, 9);
    fixture.send(kProduceKey, 9);
    fixture.send(kMetadataKey, 9);
    Reply reply;
    reply.throttle = Millis(3'600'000);
    fixture.end(0, std::move(reply));
    REQUIRE(fixture.connection.muted_for == Millis(3'600'000));
    bool closed = false;
    if (broker_closes_first) spawn(await_close(fixture.dispatcher, closed));
    fixture.gone = true;
    fixture.dispatcher.on_closed({1, ClosedBy::kPeer, "127.0.0.1:5", "end of stream"});
    fixture.dispatcher.on_drained(1);  // a mute that would have ended in the same turn
    fixture.end(1);
    REQUIRE(fixture.handlers.held.size() == 2);
    REQUIRE(fixture.connection.responses.size() == 1);
    REQUIRE(fixture.dispatcher.requests_running() == 0);
    if (!broker_closes_first) spawn(await_close(fixture.dispatcher, closed));
    fixture.scheduler.run_until_idle();
    REQUIRE(closed);
  }
}

TEST_CASE("dispatcher: a request's time is measured while a quota limits it, its waits left out", "[server]") {
  Fixture fixture;
  ClientQuotas quotas;
  fixture.dispatcher.set_quotas(&quotas);
  fixture.send(kMetadataKey, 9);
  REQUIRE(fixture.handlers.held.at(0)->request.work == nullptr);
  fixture.end(0);
  QuotaEntity everybody;
  everybody.user = QuotaName();
  quotas.set_quotas({{everybody, {{QuotaKey::kRequestPercentage, 1}}}});
  fixture.send(kMetadataKey, 9);
  const std::shared_ptr<RequestWork> work = fixture.handlers.held.at(1)->request.work;
  REQUIRE(work != nullptr);
  const Nanos now = fixture.scheduler.clock().monotonic();
  REQUIRE(work->spent(now + Millis(500)) == Nanos(0));  // it waits
  work->begin_step(now + Millis(500));
  work->on_first_wait(now + Millis(510));  // says nothing: it works
  REQUIRE(work->spent(now + Millis(520)) == Millis(20));
  work->end_step(now + Millis(530));
  REQUIRE(work->spent(now + Millis(900)) == Millis(30));
  fixture.end(1);
}

}  // namespace
}  // namespace leat
