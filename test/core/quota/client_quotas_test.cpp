// client_quotas_test.cpp: clients against their quotas on a simulated clock: who shares, how long is waited, what is
// withheld, and how many meters there are.
#include "core/quota/client_quotas.h"

#include <fmt/format.h>

#include <algorithm>

#include "test/support/catch.h"

namespace leat {
namespace {

constexpr Millis kStart{9'000'000};
constexpr QuotaClient kClient{"ANONYMOUS", "c"};

QuotaEntity client_id(QuotaName name) {
  QuotaEntity made;
  made.client_id = std::move(name);
  return made;
}
QuotaEntity user(QuotaName name) {
  QuotaEntity made;
  made.user = std::move(name);
  return made;
}

struct Fixture {
  explicit Fixture(const ClientQuotas::Options& options = {}) : quotas(options) {}
  void limit(const QuotaEntity& entity, QuotaKey key, double value) {
    map[entity][key] = value;
    quotas.set_quotas(map);
  }
  QuotaMap map;
  ClientQuotas quotas;
  Millis now = kStart;
};

TEST_CASE("client quotas: without a quota nothing is held back, and nothing is kept", "[quota]") {
  Fixture f;
  CHECK_FALSE(f.quotas.limits(QuotaKey::kProducerByteRate));
  CHECK(f.quotas.record_produce(kClient, INT64_MAX, f.now) == Millis(0));
  CHECK(f.quotas.fetch_bytes_max(kClient) == INT64_MAX);
  f.limit(client_id("other"), QuotaKey::kProducerByteRate, 1);
  CHECK(f.quotas.record_produce(kClient, INT64_MAX, f.now) == Millis(0));
  CHECK(f.quotas.meter_count() == 0);
}

TEST_CASE("client quotas: a producer that waits as it is told comes down to its rate", "[quota]") {
  Fixture f;
  f.limit(client_id("c"), QuotaKey::kProducerByteRate, 50'000);
  int64_t sent = 0;
  while (f.now < kStart + Millis(60'000)) {
    const Millis wait = f.quotas.record_produce(kClient, 100'000, f.now);
    sent += 100'000;
    f.now += std::max(wait, Millis(1));
  }
  CHECK(sent >= 60 * 50'000);
  CHECK(sent <= 72 * 50'000);  // and what may come at once in the beginning
}

TEST_CASE("client quotas: a user's clients share the user's, a default is one for each name", "[quota]") {
  Fixture f;
  f.limit(user("ANONYMOUS"), QuotaKey::kProducerByteRate, 100);
  CHECK(f.quotas.record_produce({"ANONYMOUS", "a"}, 900, f.now) == Millis(0));
  CHECK(f.quotas.record_produce({"ANONYMOUS", "b"}, 900, f.now) > Millis(0));
  CHECK(f.quotas.meter_count() == 1);

  Fixture g;
  g.limit(client_id(std::nullopt), QuotaKey::kProducerByteRate, 100);
  CHECK(g.quotas.record_produce({"ANONYMOUS", "a"}, 900, g.now) == Millis(0));
  CHECK(g.quotas.record_produce({"ANONYMOUS", "b"}, 900, g.now) == Millis(0));
  CHECK(g.quotas.record_produce({"ANONYMOUS", "b"}, 200, g.now) > Millis(0));
  CHECK(g.quotas.meter_count() == 2);
}

TEST_CASE("client quotas: a change holds at once for those who are measured already", "[quota]") {
  Fixture f;
  f.limit(client_id("c"), QuotaKey::kProducerByteRate, 100);
  CHECK(f.quotas.record_produce(kClient, 2000, f.now) == Millis(10'000));
  f.limit(client_id("c"), QuotaKey::kProducerByteRate, 1000);
  CHECK(f.quotas.record_produce(kClient, 1, f.now) == Millis(0));
  f.quotas.set_quotas({});
  CHECK(f.quotas.record_produce(kClient, INT64_MAX, f.now) == Millis(0));
  CHECK(f.quotas.meter_count() == 0);
}

TEST_CASE("client quotas: request time is held back for one window at most", "[quota]") {
  Fixture f;
  f.limit(client_id("c"), QuotaKey::kRequestPercentage, 1);  // 10 ms a second, 100 ms in all windows
  CHECK(f.quotas.record_request_time(kClient, Millis(90), f.now) == Millis(0));
  CHECK(f.quotas.record_request_time(kClient, Millis(15), f.now) == Millis(500));
  CHECK(f.quotas.record_request_time(kClient, Millis(400), f.now) == Millis(1000));
}

TEST_CASE("client quotas: bytes above the quota are withheld, and there to be fetched later", "[quota]") {
  Fixture f;
  f.limit(client_id("c"), QuotaKey::kConsumerByteRate, 100);
  CHECK(f.quotas.fetch_bytes_max(kClient) == 1000);
  CHECK(f.quotas.record_fetch(kClient, 1000, f.now).throttle == Millis(0));
  const ClientQuotas::FetchCharge charge = f.quotas.record_fetch(kClient, 500, f.now);
  CHECK(charge.withhold);
  CHECK(charge.throttle == Millis(5000));
  CHECK(f.quotas.record_fetch(kClient, 500, f.now).throttle == Millis(5000));  // the first was not counted
  ClientQuotas::FetchCharge later = charge;
  for (int asked = 0; asked < 3 && later.withhold; ++asked) {
    f.now += later.throttle;
    later = f.quotas.record_fetch(kClient, 500, f.now);
  }
  CHECK_FALSE(later.withhold);
  CHECK(later.throttle == Millis(0));
}

TEST_CASE("client quotas: a batch larger than its quota gets through in the end", "[quota]") {
  Fixture f;
  f.limit(client_id("c"), QuotaKey::kConsumerByteRate, 100);
  int delivered = 0;
  for (int asked = 0; asked < 100 && delivered < 3; ++asked) {
    const ClientQuotas::FetchCharge charge = f.quotas.record_fetch(kClient, 50'000, f.now);
    if (!charge.withhold) ++delivered;
    f.now += std::max(charge.throttle, Millis(10));
  }
  CHECK(delivered == 3);
  CHECK(f.now - kStart >= Millis(1'000'000));  // and yet at its rate: 100,000 bytes before the third
}

TEST_CASE("client quotas: changes of topics have credit, may overdraw it, and wait for it", "[quota]") {
  Fixture f;
  f.limit(user(std::nullopt), QuotaKey::kControllerMutationRate, 1);
  CHECK(f.quotas.mutation_throttle(kClient, f.now) == Millis(0));
  f.quotas.record_mutations(kClient, 30, f.now);
  CHECK(f.quotas.mutation_throttle(kClient, f.now) == Millis(19'000));
  CHECK(f.quotas.mutation_throttle({"other", "c"}, f.now) == Millis(0));
  f.now += Millis(19'000);
  CHECK(f.quotas.mutation_throttle(kClient, f.now) == Millis(0));
}

TEST_CASE("client quotas: new connections above the rate are held back, and not counted", "[quota]") {
  Fixture f;
  QuotaEntity any;
  any.ip = QuotaName();
  f.limit(any, QuotaKey::kConnectionCreationRate, 2);
  for (int i = 0; i < 20; ++i) CHECK(f.quotas.record_connection("10.0.0.1", f.now) == Millis(0));
  for (int i = 0; i < 50; ++i) CHECK(f.quotas.record_connection("10.0.0.1", f.now) == Millis(500));
  CHECK(f.quotas.record_connection("10.0.0.2", f.now) == Millis(0));
  CHECK(f.quotas.record_connection("10.0.0.1", f.now + Millis(500)) == Millis(0));
}

TEST_CASE("client quotas: meters are bounded, and go when nobody uses them", "[quota]") {
  ClientQuotas::Options options;
  options.meters_max = 100;
  Fixture f(options);
  f.limit(client_id(std::nullopt), QuotaKey::kProducerByteRate, 10);
  for (int i = 0; i < 10'000; ++i) {
    (void)f.quotas.record_produce({"ANONYMOUS", "steady"}, 1, f.now);
    (void)f.quotas.record_produce({"ANONYMOUS", fmt::format("client-{}", i)}, 1, f.now);
    REQUIRE(f.quotas.meter_count() <= 100);
  }
  // Whoever is in use stays: all of its bytes are remembered.
  CHECK(f.quotas.record_produce({"ANONYMOUS", "steady"}, 0, f.now) == Millis(990'000));
  f.now += Millis(3'600'000);
  (void)f.quotas.record_produce({"ANONYMOUS", "late"}, 1, f.now);
  CHECK(f.quotas.meter_count() == 1);
}

TEST_CASE("client quotas: who is held back is counted, by the quota that did it", "[quota]") {
  Fixture f;
  f.limit(client_id("c"), QuotaKey::kProducerByteRate, 100);
  f.limit(client_id("c"), QuotaKey::kConsumerByteRate, 100);
  f.limit(client_id("c"), QuotaKey::kRequestPercentage, 1);
  QuotaEntity any;
  any.ip = QuotaName();
  f.limit(any, QuotaKey::kConnectionCreationRate, 1);
  (void)f.quotas.record_produce(kClient, 1000, f.now);
  (void)f.quotas.record_produce(kClient, 1000, f.now);  // 10 s
  (void)f.quotas.record_produce(kClient, 1000, f.now);  // 20 s
  (void)f.quotas.record_fetch(kClient, 1000, f.now);
  (void)f.quotas.record_fetch(kClient, 500, f.now);                 // 5 s
  (void)f.quotas.record_request_time(kClient, Millis(115), f.now);  // one window
  for (int i = 0; i < 11; ++i) (void)f.quotas.record_connection("::1", f.now);
  f.quotas.note_mutations_throttled(Millis(0));
  f.quotas.note_mutations_throttled(Millis(700));
  const auto told = [&](QuotaKey key) {
    const ClientQuotas::Throttled& throttled = f.quotas.throttled()[static_cast<size_t>(key)];
    return std::pair(throttled.count, throttled.time);
  };
  CHECK(told(QuotaKey::kProducerByteRate) == std::pair(uint64_t{2}, Millis(30'000)));
  CHECK(told(QuotaKey::kConsumerByteRate) == std::pair(uint64_t{1}, Millis(5'000)));
  CHECK(told(QuotaKey::kRequestPercentage) == std::pair(uint64_t{1}, Millis(1'000)));
  CHECK(told(QuotaKey::kConnectionCreationRate) == std::pair(uint64_t{1}, Millis(1'000)));
  CHECK(told(QuotaKey::kControllerMutationRate) == std::pair(uint64_t{1}, Millis(700)));
}

TEST_CASE("client quotas: long names are bounded by their bytes, and the last one is always measured", "[quota]") {
  ClientQuotas::Options options;
  options.name_bytes_max = 100'000;
  Fixture f(options);
  f.limit(client_id(std::nullopt), QuotaKey::kProducerByteRate, 10);
  for (int i = 0; i < 1000; ++i) {
    const std::string name = fmt::format("{}-{}", std::string(32'000, 'x'), i);
    REQUIRE(f.quotas.record_produce({"", name}, 1000, f.now) == Millis(90'000));
    REQUIRE(f.quotas.meter_count() <= 3);
  }
  CHECK(f.quotas.record_produce({"", std::string(200'000, 'y')}, 1000, f.now) == Millis(90'000));
  CHECK(f.quotas.meter_count() == 1);
  for (int i = 0; i < 50; ++i) (void)f.quotas.record_produce({"", fmt::format("short-{}", i)}, 1, f.now);
  CHECK(f.quotas.meter_count() == 50);  // the long one gave way, and its bytes with it
}

TEST_CASE("client quotas: with a single window a reader still waits for something to read", "[quota]") {
  ClientQuotas::Options options;
  options.windows.count = 1;
  Fixture f(options);
  f.limit(client_id("c"), QuotaKey::kConsumerByteRate, 1'000'000);
  CHECK(f.quotas.fetch_bytes_max(kClient) == 1);
}

TEST_CASE("client quotas: limits at the ends of what a number can be", "[quota]") {
  for (const double limit : {5e-324, 1e-300, 1e300, 1.7e308}) {
    INFO(limit);
    Fixture f;
    f.limit(client_id("c"), QuotaKey::kRequestPercentage, limit);
    f.limit(user(std::nullopt), QuotaKey::kControllerMutationRate, limit);
    const bool is_tiny = limit < 1;
    for (int i = 0; i < 100; ++i) {
      CHECK(f.quotas.record_request_time(kClient, Millis(1), f.now) == (is_tiny ? Millis(1000) : Millis(0)));
      f.quotas.record_mutations(kClient, INT32_MAX, f.now);
      CHECK(f.quotas.mutation_throttle(kClient, f.now) == (is_tiny ? kThrottleMax : Millis(0)));
      f.now += Millis(i);
    }
    // Whoever is over for ever is told the same for ever, and is free as soon as the quota is another.
    f.limit(client_id("c"), QuotaKey::kRequestPercentage, 1e6);
    CHECK(f.quotas.record_request_time(kClient, Millis(1), f.now) == Millis(0));
  }
  Fixture f;
  f.limit(client_id("c"), QuotaKey::kProducerByteRate, 9.2e18);
  for (int i = 0; i < 3; ++i) CHECK(f.quotas.record_produce(kClient, INT64_MAX, f.now) == Millis(0));
}

}  // namespace
}  // namespace leat
