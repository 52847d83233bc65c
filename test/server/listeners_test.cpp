// listeners_test.cpp: what clients are told to connect to is never an address that nobody can reach (CASES L09).
#include "server/listeners.h"

#include "test/support/catch.h"

namespace leat {
namespace {

constexpr std::string_view kMap = "PLAINTEXT:PLAINTEXT,SSL:SSL,INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT";

Result<ListenerPlan> plan(std::string_view listeners, std::string_view advertised = "",
                          std::string_view not_opened = "") {
  return plan_listeners({.listeners = listeners,
                         .advertised = advertised,
                         .protocol_map = kMap,
                         .not_opened = not_opened,
                         .machine_name = "mill"});
}

ListenerPlan good(std::string_view listeners, std::string_view advertised = "", std::string_view not_opened = "") {
  Result<ListenerPlan> made = plan(listeners, advertised, not_opened);
  INFO((made ? "" : made.error().context));
  REQUIRE(made.has_value());
  return *made;
}

std::string error_of(std::string_view listeners, std::string_view advertised = "") {
  const Result<ListenerPlan> made = plan(listeners, advertised);
  REQUIRE_FALSE(made.has_value());
  return made.error().context;
}

TEST_CASE("listeners: a plain one advertises itself", "[settings][listeners]") {
  const ListenerPlan made = good("PLAINTEXT://localhost:9092");
  REQUIRE(made.listeners.size() == 1);
  CHECK(made.listeners[0].name == "PLAINTEXT");
  CHECK(made.listeners[0].host == "localhost");
  CHECK(made.listeners[0].port == 9092);
  CHECK(made.listeners[0].advertised_host == "localhost");
  CHECK(made.listeners[0].advertised_port == 9092);
  CHECK(made.warnings.empty());
}

TEST_CASE("listeners: a wildcard advertises the machine's name, and says so", "[settings][listeners]") {
  for (const std::string_view host : {"", "0.0.0.0", "[::]"}) {
    const ListenerPlan made = good(std::string("PLAINTEXT://") + std::string(host) + ":9092");
    CHECK(made.listeners[0].advertised_host == "mill");
    REQUIRE(made.warnings.size() == 1);
    CHECK(made.warnings[0].find("advertised.listeners") != std::string::npos);
  }
  CHECK(good("PLAINTEXT://0.0.0.0:9092").listeners[0].host == "0.0.0.0");
  CHECK(good("PLAINTEXT://[::]:9092").listeners[0].host.empty());
}

TEST_CASE("listeners: each has its own advertised address", "[settings][listeners]") {
  const ListenerPlan made =
      good("INTERNAL://:29092,EXTERNAL://:9092", "EXTERNAL://example.org:19092,internal://broker:29092");
  REQUIRE(made.listeners.size() == 2);
  CHECK(made.listeners[0].advertised_host == "broker");
  CHECK(made.listeners[0].advertised_port == 29092);
  CHECK(made.listeners[1].advertised_host == "example.org");
  CHECK(made.listeners[1].advertised_port == 19092);
  CHECK(made.warnings.empty());
}

TEST_CASE("listeners: port 0 is advertised as whatever is bound", "[settings][listeners]") {
  const ListenerPlan made = good("PLAINTEXT://127.0.0.1:0");
  CHECK(made.listeners[0].port == 0);
  CHECK(made.listeners[0].advertised_port == 0);
  CHECK(good("PLAINTEXT://:0", "PLAINTEXT://gate:0").listeners[0].advertised_host == "gate");
}

TEST_CASE("listeners: IPv6 addresses stand in brackets", "[settings][listeners]") {
  const ListenerPlan made = good("PLAINTEXT://[::1]:9092", "PLAINTEXT://[2001:db8::5]:9092");
  CHECK(made.listeners[0].host == "::1");
  CHECK(made.listeners[0].advertised_host == "2001:db8::5");
  CHECK(error_of("PLAINTEXT://::1:9092").find("put the IPv6 address in brackets: [::1]:9092") != std::string::npos);
}

TEST_CASE("listeners: a controller's is not opened", "[settings][listeners]") {
  const ListenerPlan made = good("PLAINTEXT://a:9092,CONTROLLER://:9093", "PLAINTEXT://a:9092", "CONTROLLER");
  CHECK(made.listeners.size() == 1);
  REQUIRE(made.warnings.size() == 1);
  CHECK(made.warnings[0].find("CONTROLLER is not opened") != std::string::npos);
}

TEST_CASE("listeners: what cannot work is refused, naming it", "[settings][listeners]") {
  CHECK(error_of("PLAINTEXT://:9092", "PLAINTEXT://0.0.0.0:9092")
            .find("advertised.listeners: PLAINTEXT would tell clients") == 0);
  CHECK(error_of("PLAINTEXT://:9092", "PLAINTEXT://:9092").find("advertised.listeners") == 0);
  CHECK(error_of("PLAINTEXT://a:1", "OTHER://b:2").find("there is no listener OTHER") != std::string::npos);
  CHECK(error_of("SSL://:9093").find("SSL uses SSL, which this version does not serve") != std::string::npos);
  CHECK(error_of("FOO://:9093").find("add it to listener.security.protocol.map, e.g. FOO:PLAINTEXT") !=
        std::string::npos);
  CHECK(error_of("PLAINTEXT://a:1,PLAINTEXT://a:2").find("given twice") != std::string::npos);
  CHECK(error_of("INTERNAL://a:1,EXTERNAL://a:1").find("have the same address") != std::string::npos);
  CHECK(error_of("").find("at least one") != std::string::npos);
  for (const std::string_view bad :
       {"9092", "PLAINTEXT:9092", "://a:1", "PLAINTEXT://a", "PLAINTEXT://a:65536", "PLAINTEXT://a:-1",
        "PLAINTEXT://a:", "PLAINTEXT://a:x", "PLAINTEXT://a b:1", "PLAINTEXT://[::1:9", "PLAINTEXT://a:+1"}) {
    INFO(bad);
    CHECK_FALSE(plan(bad).has_value());
  }
  CHECK_FALSE(plan_listeners(
      {.listeners = "A://:1", .advertised = "", .protocol_map = "A:TLS", .not_opened = "", .machine_name = ""}));
  CHECK_FALSE(plan_listeners(
      {.listeners = "A://:1", .advertised = "", .protocol_map = "A", .not_opened = "", .machine_name = ""}));
}

}  // namespace
}  // namespace leat
