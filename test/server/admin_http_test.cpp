// admin_http_test.cpp: the admin listener on a free port, with answers of the test's own: paths, methods, and clients
// that are too slow, too large, too many.
#include "server/admin_http.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "server/metrics_snapshot.h"
#include "test/support/blocking_client.h"
#include "test/support/catch.h"

namespace leat {
namespace {

struct FakeQuestions final : AdminQuestions {
  std::shared_ptr<const MetricsSnapshot> metrics() override {
    return stuck ? nullptr : std::make_shared<const MetricsSnapshot>();
  }
  std::optional<Readiness> readiness() override {
    if (stuck) return std::nullopt;
    return Readiness{ready, ready ? "" : "starting"};
  }
  void probe_loop() override { ++probes; }

  std::atomic<bool> stuck{false};
  std::atomic<bool> ready{true};
  std::atomic<int> probes{0};
};

struct Fixture {
  explicit Fixture(AdminHttpOptions options = {}) {
    options.host = "127.0.0.1";
    Result<std::unique_ptr<AdminHttp>> started = start_admin_http(questions, options);
    REQUIRE(started);
    listener = std::move(*started);
  }
  // The whole answer to a request, "" when there is none.
  std::string ask(const std::string& request) {
    BlockingClient client(listener->port());
    (void)client.send(request);
    return client.receive_all();
  }
  std::string get(const std::string& path) { return ask("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"); }

  FakeQuestions questions;
  std::unique_ptr<AdminHttp> listener;
};

bool is_status(const std::string& answer, const std::string& status) {
  INFO(answer);
  return answer.starts_with("HTTP/1.1 " + status + " ");
}

TEST_CASE("admin http: metrics, health, readiness", "[admin]") {
  Fixture fixture;
  const std::string metrics = fixture.get("/metrics");
  CHECK(is_status(metrics, "200"));
  CHECK(metrics.find("Content-Type: text/plain; version=0.0.4") != std::string::npos);
  CHECK(metrics.find("# TYPE leat_connections gauge") != std::string::npos);
  CHECK(is_status(fixture.get("/healthz"), "200"));
  CHECK(is_status(fixture.get("/readyz"), "200"));
  fixture.questions.ready = false;
  CHECK(is_status(fixture.get("/healthz"), "200"));
  const std::string unready = fixture.get("/readyz");
  CHECK(is_status(unready, "503"));
  CHECK(unready.ends_with("starting\n"));
  fixture.questions.stuck = true;
  for (const char* path : {"/metrics", "/healthz", "/readyz"}) CHECK(is_status(fixture.get(path), "503"));
}

TEST_CASE("admin http: other paths and methods are refused", "[admin]") {
  Fixture fixture;
  CHECK(is_status(fixture.get("/"), "404"));
  CHECK(is_status(fixture.get("/metrics/x"), "404"));
  CHECK(is_status(fixture.ask("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"), "405"));
  CHECK(is_status(fixture.ask("DELETE /readyz HTTP/1.1\r\nHost: x\r\n\r\n"), "405"));
  const std::string head = fixture.ask("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(is_status(head, "200"));
  CHECK(head.ends_with("\r\n\r\n"));
  CHECK_FALSE(is_status(fixture.ask("nonsense\r\n\r\n"), "200"));
  CHECK(is_status(fixture.get("/healthz"), "200"));
}

TEST_CASE("admin http: a request beyond its bounds ends, others are served", "[admin]") {
  AdminHttpOptions options;
  options.request_within_max = Millis(300);
  Fixture fixture(options);
  const std::string long_line = "GET /metrics HTTP/1.1\r\nX: " + std::string(1 << 20, 'a');
  CHECK_FALSE(is_status(fixture.ask(long_line), "200"));
  std::string many_headers = "GET /metrics HTTP/1.1\r\n";
  for (int i = 0; i < 5000; ++i) many_headers += "X-" + std::to_string(i) + ": y\r\n";
  CHECK_FALSE(is_status(fixture.ask(many_headers + "\r\n"), "200"));
  {
    std::vector<BlockingClient> silent;
    for (int i = 0; i < 4; ++i) silent.emplace_back(fixture.listener->port());
    CHECK_FALSE(is_status(fixture.ask("GET /heal"), "200"));  // neither does it wait for the rest for ever
  }
  CHECK(is_status(fixture.get("/healthz"), "200"));
}

TEST_CASE("admin http: it ends while clients are silent, and frees its port", "[admin]") {
  auto fixture = std::make_unique<Fixture>(AdminHttpOptions{.request_within_max = std::chrono::minutes(10)});
  const uint16_t port = fixture->listener->port();
  std::vector<BlockingClient> silent;
  for (int i = 0; i < 3; ++i) silent.emplace_back(port);
  fixture.reset();
  FakeQuestions questions;
  const Result<std::unique_ptr<AdminHttp>> again = start_admin_http(questions, {.host = "127.0.0.1", .port = port});
  REQUIRE(again);
  const Result<std::unique_ptr<AdminHttp>> taken = start_admin_http(questions, {.host = "127.0.0.1", .port = port});
  REQUIRE_FALSE(taken);
  CHECK(taken.error().context == "leat.metrics.listener: cannot listen on 127.0.0.1:" + std::to_string(port) +
                                     ": the port is in use by another process");
  const Result<std::unique_ptr<AdminHttp>> nowhere = start_admin_http(questions, {.host = "192.0.2.1", .port = port});
  REQUIRE_FALSE(nowhere);  // an address that no machine has
  CHECK(nowhere.error().context.find("in use") == std::string::npos);
}

TEST_CASE("admin http: silent connections hold nobody up, however many there are", "[admin]") {
  Fixture fixture(AdminHttpOptions{.request_within_max = std::chrono::minutes(10)});
  std::vector<BlockingClient> silent;
  for (int i = 0; i < 100; ++i) {
    silent.emplace_back(fixture.listener->port());
    if (i % 10 == 3) CHECK(is_status(fixture.get("/healthz"), "200"));
  }
  CHECK(is_status(fixture.get("/readyz"), "200"));
  CHECK(silent.front().wait_for_end());  // who was silent for longest has given its place away
  CHECK(silent.back().send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(is_status(silent.back().receive_all(), "200"));
}

TEST_CASE("admin http: where every place has an unfinished request, who comes is closed at once", "[admin]") {
  Fixture fixture(AdminHttpOptions{.request_within_max = std::chrono::minutes(10)});
  {
    std::vector<BlockingClient> slow;
    for (int i = 0; i < 32; ++i) {
      slow.emplace_back(fixture.listener->port());
      REQUIRE(slow.back().send("GET /heal"));
    }
    CHECK(fixture.get("/healthz").empty());
    REQUIRE(slow.back().send("thz HTTP/1.1\r\nHost: x\r\n\r\n"));
    CHECK(is_status(slow.back().receive_all(), "200"));
  }
  std::string answer;
  while (answer.empty()) answer = fixture.get("/healthz");  // until the first of their threads has seen the end
  CHECK(is_status(answer, "200"));
}

}  // namespace
}  // namespace leat
