// tcp_server_test.cpp: frames, limits, stops and refusals of a server, over real sockets.
#include "net/transport/tcp_server.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/base/directory_stream.h"
#include "test/net/transport/server_fixture.h"
#include "test/support/blocking_client.h"
#include "test/support/catch.h"
#include "test/support/temporary_directory.h"

namespace leat {
namespace {

using test::kClock;
using test::kFewWorkers;

Response framed(std::string_view payload) {
  Response response;
  response.pieces.push_back(Slice::copy_of(as_bytes(frame_of(payload))));
  return response;
}

// Answers each frame with itself, unless the test says otherwise.
class Handler final : public FrameHandler {
 public:
  std::function<void(Connection&, uint64_t, Slice)> frame = [](Connection& connection, uint64_t ticket, Slice payload) {
    connection.respond(ticket, framed(as_text(payload.view())));
  };
  std::function<void(const ClosedConnection&)> after_close = [](const ClosedConnection&) {};
  std::vector<ClosedConnection> closed;
  std::vector<std::string> refused;
  int drained = 0;

  void on_frame(Connection& connection, uint64_t ticket, Slice payload) override {
    frame(connection, ticket, std::move(payload));
  }
  void on_drained(ConnectionId) override { ++drained; }
  void on_closed(const ClosedConnection& connection) override {
    closed.push_back(connection);
    after_close(connection);
  }
  void on_refused(std::string_view, std::string_view reason) override { refused.emplace_back(reason); }
};

using Fixture = test::ServerFixture<Handler>;

TEST_CASE("tcp server: a frame sent byte by byte is answered", "[transport]") {
  Fixture fixture;
  std::optional<std::string> answer;
  fixture.run_with([&] {
    BlockingClient client(fixture.port);
    for (const char byte : frame_of("hello")) client.send({&byte, 1});
    answer = client.receive_frame();
  });
  REQUIRE(answer == "hello");
  REQUIRE(fixture.handler.closed.size() == 1);
}

TEST_CASE("tcp server: pipelined requests answered backwards leave forwards", "[transport]") {
  Fixture fixture;
  std::vector<std::pair<uint64_t, std::string>> held;
  fixture.handler.frame = [&](Connection& connection, uint64_t ticket, Slice payload) {
    held.emplace_back(ticket, as_text(payload.view()));
    if (held.size() < 100) return;
    for (auto each = held.rbegin(); each != held.rend(); ++each) connection.respond(each->first, framed(each->second));
  };
  std::vector<std::string> answers;
  fixture.run_with([&] {
    BlockingClient client(fixture.port);
    std::string all;
    for (int i = 0; i < 100; ++i) all += frame_of(std::to_string(i));
    client.send(all);
    for (int i = 0; i < 100; ++i) answers.push_back(client.receive_frame().value_or("none"));
  });
  for (int i = 0; i < 100; ++i) REQUIRE(answers[static_cast<size_t>(i)] == std::to_string(i));
}

TEST_CASE("tcp server: large frames go both ways whole", "[transport]") {
  Fixture fixture;
  bool same = true;
  fixture.run_with([&] {
    BlockingClient client(fixture.port);
    for (int i = 0; i < 20; ++i) {
      std::string payload(static_cast<size_t>(i) * 400'000 + 1, static_cast<char>('a' + i));
      std::thread sender([&] { client.send_frame(payload); });
      same = same && client.receive_frame() == payload;
      sender.join();
    }
  });
  REQUIRE(same);
}

// A file of which responses are parts.
class StoredText {
 public:
  explicit StoredText(const std::string& text) : path_(directory_.path() + "/part") {
    std::ofstream(path_, std::ios::binary) << text;
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(descriptor_ >= 0);
  }
  StoredText(const StoredText&) = delete;
  StoredText& operator=(const StoredText&) = delete;
  ~StoredText() { ::close(descriptor_); }
  Piece part(int64_t position, size_t size_bytes) const {
    return Piece(
        StoredRange{.owner = nullptr, .descriptor = descriptor_, .position = position, .size_bytes = size_bytes});
  }

 private:
  TemporaryDirectory directory_;
  std::string path_;
  int descriptor_ = -1;
};

TEST_CASE("tcp server: parts of a file leave between bytes in memory, also to a slow reader", "[transport]") {
  constexpr size_t kFileBytes = size_t{24} << 20;
  std::string text(kFileBytes, '.');
  for (size_t i = 0; i < kFileBytes; i += 7) text[i] = static_cast<char>('a' + i % 26);
  const StoredText stored(text);
  Fixture fixture;
  fixture.handler.frame = [&](Connection& connection, uint64_t ticket, Slice payload) {
    const size_t position = std::stoul(std::string(as_text(payload.view())));
    const size_t size = kFileBytes - position;
    const std::string head = frame_of(std::string("<")).substr(4);
    Response response;
    const std::string size_field = frame_of(std::string(size + 2, 'x')).substr(0, 4);
    response.pieces.emplace_back(Slice::copy_of(as_bytes(size_field + head)));
    response.pieces.push_back(stored.part(static_cast<int64_t>(position), size));
    response.pieces.emplace_back(Slice::copy_of(as_bytes(">")));
    connection.respond(ticket, std::move(response));
  };
  std::vector<bool> same;
  fixture.run_with([&] {
    for (const int receive_buffer_bytes : {0, 4096}) {
      BlockingClient client(fixture.port, "127.0.0.1", receive_buffer_bytes);
      for (const size_t position : {size_t{0}, size_t{12'345'678}, kFileBytes - 1}) {
        client.send_frame(std::to_string(position));
        same.push_back(client.receive_frame() == "<" + text.substr(position) + ">");
      }
    }
  });
  CHECK(same == std::vector<bool>(6, true));
}

TEST_CASE("tcp server: a file that ends inside its part closes the connection", "[transport]") {
  const StoredText stored("short");
  Fixture fixture;
  fixture.handler.frame = [&](Connection& connection, uint64_t ticket, Slice) {
    Response response;
    response.pieces.push_back(stored.part(0, 100));
    connection.respond(ticket, std::move(response));
  };
  std::string received;
  fixture.run_with([&] {
    BlockingClient client(fixture.port);
    client.send_frame("x");
    received = client.receive_all();
  });
  CHECK(received == "short");
  REQUIRE(fixture.handler.closed.size() == 1);
}

TEST_CASE("tcp server: a claim of 2 GB, a negative size and garbage cost a close, not memory", "[transport]") {
  Fixture fixture;
  int closed_by_server = 0;
  const size_t held_before = block_pool_stats().in_use_bytes;
  size_t held_after = 0;
  fixture.run_with([&] {
    for (const std::string_view head :
         {std::string_view("\x7f\xff\xff\xff", 4), std::string_view("\xff\xff\xff\xff", 4),
          std::string_view("GET / HTTP/1.1\r\n\r\n")}) {
      BlockingClient client(fixture.port);
      client.send(head);
      if (client.wait_for_end()) ++closed_by_server;
    }
    held_after = block_pool_stats().in_use_bytes;
  });
  REQUIRE(closed_by_server == 3);
  REQUIRE(held_after <= held_before + (1 << 16));
  for (const ClosedConnection& closed : fixture.handler.closed) REQUIRE(closed.by == ClosedBy::kLimit);
}

TEST_CASE("tcp server: half a request and silence is closed as idle, who talks stays", "[transport]") {
  TransportLimits limits;
  limits.idle_max = Millis(80);
  Fixture fixture(limits);
  bool closed = false;
  std::optional<std::string> talk;
  fixture.run_with([&] {
    BlockingClient half(fixture.port);
    BlockingClient silent(fixture.port);
    half.send(frame_of("hello").substr(0, 6));
    closed = half.wait_for_end() && silent.wait_for_end();
    BlockingClient talker(fixture.port);
    talker.send_frame("still here");
    talk = talker.receive_frame();
  });
  REQUIRE(closed);
  REQUIRE(talk == "still here");
  REQUIRE(fixture.handler.closed.front().by == ClosedBy::kIdle);
}

TEST_CASE("tcp server: a request that the server still works on is not idle", "[transport]") {
  TransportLimits limits;
  limits.idle_max = Millis(20);
  Fixture fixture(limits);
  fixture.handler.frame = [&](Connection& connection, uint64_t ticket, Slice) {
    fixture.loop.timers().start(Millis(120), [&fixture, id = connection.id(), ticket] {
      if (Connection* found = fixture.server.find(id)) found->respond(ticket, framed("late"));
    });
  };
  std::optional<std::string> answer;
  fixture.run_with([&] {
    BlockingClient client(fixture.port);
    client.send_frame("x");
    answer = client.receive_frame();
  });
  REQUIRE(answer == "late");
}

TEST_CASE("tcp server: 2,000 idle connections hold no buffer and do not disturb another", "[transport]") {
  Fixture fixture;
  std::atomic<size_t> connected = 0;
  size_t served = 0;
  size_t in_use = 0;
  fixture.run_with([&] {
    std::vector<BlockingClient> idle;
    for (int i = 0; i < 2000; ++i) {
      idle.emplace_back(fixture.port);
      if (!idle.back().connected()) return;
      idle.back().send_frame("hello");  // each has talked once
      if (idle.back().receive_frame() == "hello") ++connected;
    }
    in_use = block_pool_stats().in_use_bytes;
    BlockingClient client(fixture.port);
    for (int i = 0; i < 1000; ++i) {
      client.send_frame("ping");
      if (client.receive_frame() == "ping") ++served;
    }
  });
  REQUIRE(connected == 2000);
  REQUIRE(served == 1000);
  REQUIRE(in_use < size_t{1} << 20);
  REQUIRE(fixture.handler.closed.size() == 2001);
}

TEST_CASE("tcp server: a peer that never reads is bounded and costs nobody else", "[transport]") {
  TransportLimits limits;
  limits.output_bytes_max = 256 << 10;
  Fixture fixture(limits);
  std::atomic<size_t> taken = 0;
  fixture.handler.frame = [&](Connection& connection, uint64_t ticket, Slice payload) {
    if (payload.size() > 1) ++taken;
    connection.respond(ticket, framed(std::string(payload.size() > 1 ? 64 << 10 : 1, 'x')));
  };
  int pings = 0;
  size_t taken_while_stuck = 0;
  size_t answered = 0;
  fixture.run_with([&] {
    BlockingClient deaf(fixture.port, "127.0.0.1", 4096);
    std::string many;
    for (int i = 0; i < 1000; ++i) many += frame_of("big please");  // 64 MB of answers
    deaf.send(many);
    BlockingClient other(fixture.port);
    for (int i = 0; i < 200; ++i) {
      other.send_frame("p");
      if (other.receive_frame() == "x") ++pings;
    }
    taken_while_stuck = taken;
    while (answered < 1000 && deaf.receive_frame()) ++answered;  // it reads after all, and gets everything
  });
  REQUIRE(pings == 200);
  REQUIRE(taken_while_stuck < 200);  // 256 KiB here, and what the kernel's buffers took
  REQUIRE(answered == 1000);
  REQUIRE(fixture.handler.drained > 0);
}

TEST_CASE("tcp server: requests in flight are bounded by count and by bytes", "[transport]") {
  TransportLimits limits;
  limits.requests_in_flight_max = 5;
  limits.request_bytes_in_flight_max = 1000;
  Fixture fixture(limits);
  std::map<ConnectionId, std::vector<uint64_t>> open;
  std::atomic<size_t> most = 0;
  fixture.handler.frame = [&](Connection& connection, uint64_t ticket, Slice) {
    auto& tickets = open[connection.id()];
    tickets.push_back(ticket);
    most = std::max<size_t>(most, tickets.size());
    if (tickets.size() > 1) return;
    fixture.loop.timers().start(Millis(1), [&, id = connection.id()] {
      const std::vector<uint64_t> answered = std::exchange(open[id], {});
      for (const uint64_t each : answered) {
        if (Connection* found = fixture.server.find(id)) found->respond(each, framed("ok"));
      }
    });
  };
  size_t small = 0;
  size_t large = 0;
  size_t most_small = 0;
  fixture.run_with([&] {
    const auto ask = [&](size_t request_bytes) {
      BlockingClient client(fixture.port);
      std::string many;
      for (int i = 0; i < 50; ++i) many += frame_of(std::string(request_bytes, 'q'));
      client.send(many);
      size_t count = 0;
      while (count < 50 && client.receive_frame()) ++count;
      return count;
    };
    small = ask(10);
    most_small = most.exchange(0);
    large = ask(400);
  });
  REQUIRE(small == 50);
  REQUIRE(most_small == 5);
  REQUIRE(large == 50);
  REQUIRE(most == 3);  // the third reaches 1000 bytes
}

TEST_CASE("tcp server: the budget of all connections makes them take turns", "[transport]") {
  TransportLimits limits;
  limits.request_bytes_total_max = 1000;
  Fixture fixture(limits);
  fixture.handler.frame = [&](Connection& connection, uint64_t ticket, Slice) {
    fixture.loop.timers().start(Millis(1), [&fixture, id = connection.id(), ticket] {
      if (Connection* found = fixture.server.find(id)) found->respond(ticket, framed("ok"));
    });
  };
  std::atomic<size_t> answered = 0;
  fixture.run_with([&] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        BlockingClient client(fixture.port);
        for (int i = 0; i < 20; ++i) {
          client.send_frame(std::string(600, 'q'));
          if (client.receive_frame() == "ok") ++answered;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  REQUIRE(answered == 160);
  REQUIRE(fixture.server.request_bytes_in_flight() == 0);
}

TEST_CASE("tcp server: connections beyond the limits are refused, room is found again", "[transport]") {
  TransportLimits limits;
  limits.connections_per_ip_max = 2;
  Fixture fixture(limits);
  bool third_closed = false;
  std::optional<std::string> later;
  std::atomic<int> ended = 0;
  fixture.handler.after_close = [&](const ClosedConnection&) {
    ++ended;
    ended.notify_all();
  };
  fixture.run_with([&] {
    std::vector<BlockingClient> two;
    for (int i = 0; i < 2; ++i) {
      two.emplace_back(fixture.port);
      two.back().send_frame("x");
      (void)two.back().receive_frame();
    }
    third_closed = BlockingClient(fixture.port).wait_for_end();
    two.clear();
    while (ended < 2) ended.wait(ended);
    BlockingClient again(fixture.port);
    again.send_frame("back");
    later = again.receive_frame();
  });
  REQUIRE(third_closed);
  REQUIRE(fixture.handler.refused.size() == 1);
  REQUIRE(later == "back");
}

TEST_CASE("tcp server: connections that come and go in every state leave nothing behind", "[transport]") {
  Fixture fixture;
  fixture.handler.frame = [&](Connection& connection, uint64_t ticket, Slice payload) {
    if (as_text(payload.view()) == "close me") {
      connection.close("asked to");
    } else if (as_text(payload.view()) != "never") {
      connection.respond(ticket, framed(std::string(100'000, 'x')));
    }
  };
  fixture.run_with([&] {
    for (int i = 0; i < 600; ++i) {
      BlockingClient client(fixture.port);
      if (i % 6 == 1) client.send(frame_of("half").substr(0, 5));
      if (i % 6 == 2) client.send_frame("never");
      if (i % 6 == 3) client.send_frame("answer that nobody reads");
      if (i % 6 == 4) client.send_frame("close me");
      if (i % 6 == 5) {
        client.send_frame("x");
        (void)client.receive_frame();
        client.shut_sending();
      }
    }
  });
  REQUIRE(fixture.handler.closed.size() == 600);
  REQUIRE(fixture.server.connection_count() == 0);
  REQUIRE(fixture.server.request_bytes_in_flight() == 0);
}

// Fails in the ThreadSanitizer build when the directory is opened unseen (directory_stream.h).
TEST_CASE("tcp server: directories are read under the numbers that connections had", "[transport]") {
  const TemporaryDirectory directory;
  Fixture fixture;
  std::atomic<bool> over{false};
  std::atomic<int> opened{0};
  std::thread reader([&] {
    while (!over) {
      if (open_directory(directory.path().c_str()) != nullptr) ++opened;
    }
  });
  int answered = 0;
  fixture.run_with([&] {
    for (int i = 0; i < 300; ++i) {
      BlockingClient client(fixture.port);
      client.send_frame("hello");
      if (client.receive_frame() == "hello") ++answered;
    }
  });
  over = true;
  reader.join();
  REQUIRE(answered == 300);
  REQUIRE(opened > 0);
}

TEST_CASE("tcp server: localhost answers on both families, a port in use is named", "[transport]") {
  Fixture fixture;
  Result<uint16_t> both = fixture.server.listen("BOTH", {"localhost", 0});
  REQUIRE(both);
  const Result<uint16_t> taken = fixture.server.listen("TAKEN", {"127.0.0.1", *both});
  REQUIRE_FALSE(taken);
  REQUIRE(taken.error().context.find(std::to_string(*both)) != std::string::npos);
  REQUIRE(taken.error().context.find("in use") != std::string::npos);
  REQUIRE_FALSE(fixture.server.listen("NONE", {"no-such-host.invalid", 0}));
  const Result<uint16_t> any = fixture.server.listen("ANY", {"", 0});
  REQUIRE(any);
  std::vector<std::optional<std::string>> answers;
  fixture.run_with([&] {
    for (const auto& [host, port] :
         {std::pair<std::string, uint16_t>{"127.0.0.1", *both}, {"127.0.0.1", *any}, {"::1", *both}}) {
      BlockingClient client(port, host);
      if (host == "::1" && !client.connected()) continue;  // a machine without IPv6
      client.send_frame("hi");
      answers.push_back(client.receive_frame());
    }
  });
  REQUIRE(answers.size() >= 2);
  for (const auto& answer : answers) REQUIRE(answer == "hi");
}

TEST_CASE("tcp server: who connects before accepting begins is served when it does", "[transport]") {
  UvLoop loop(kClock, kFewWorkers);
  Handler handler;
  TcpServer server(loop, handler, {});
  const Result<uint16_t> port = server.listen("EARLY", {"127.0.0.1", 0});
  REQUIRE(port);
  std::optional<std::string> answer;
  struct Close {
    static Task<void> run(TcpServer& of, UvLoop& on) {
      (void)co_await of.close();
      on.stop();
    }
  };
  std::thread client_thread([&] {
    BlockingClient client(*port);
    client.send_frame("early");
    loop.post([&] { loop.timers().start(Millis(5), [&] { server.start_accepting(); }); });
    answer = client.receive_frame();
    loop.post([&] { spawn(Close::run(server, loop)); });
  });
  loop.run();
  client_thread.join();
  REQUIRE(answer == "early");
}

}  // namespace
}  // namespace leat
