// quota_rate_test.cpp: the arithmetic of throttle times, against figures worked out by hand from Kafka's formulas.
#include "core/quota/quota_rate.h"

#include <algorithm>

#include "test/support/catch.h"

namespace leat {
namespace {

constexpr Millis kStart{5'000'000};

TEST_CASE("quota rate: a first burst is measured over the windows before it", "[quota]") {
  WindowedRate rate(QuotaWindows{});
  rate.record(500, kStart);
  CHECK(rate.throttle(50, kStart) == Millis(0));  // 500 in 10 s
  rate.record(100, kStart);
  CHECK(rate.throttle(50, kStart) == Millis(2000));  // 60 a second: (60 - 50) / 50 * 10 s
  CHECK(rate.throttle(50, kStart + Millis(500)) == Millis(1500));
  // As many windows as are missing come before the first: the sum stays until the burst is older than all of them.
  CHECK(rate.throttle(50, kStart + Millis(2000)) == Millis(2000));
  CHECK(rate.throttle(50, kStart + Millis(10'999)) == Millis(1001));
  CHECK(rate.throttle(50, kStart + Millis(11'000)) == Millis(0));
}

TEST_CASE("quota rate: nobody is held back for longer than all windows and what he was told first", "[quota]") {
  for (const double amount : {501.0, 777.0, 5'000.0, 123'456.0}) {
    INFO(amount);
    WindowedRate rate(QuotaWindows{});
    rate.record(amount, kStart);
    const Millis wait = rate.throttle(50, kStart);
    REQUIRE(wait > Millis(0));
    CHECK(rate.throttle(50, kStart + std::max(wait, QuotaWindows{}.span())) == Millis(0));
  }
}

TEST_CASE("quota rate: what is older than the windows is forgotten, what reaches into them counts", "[quota]") {
  WindowedRate rate(QuotaWindows{.count = 3, .size = Millis(1000)});
  rate.record(5, kStart);
  rate.record(7, kStart + Millis(900));  // the same window
  CHECK(rate.total(kStart + Millis(3000)) == 12);
  CHECK(rate.total(kStart + Millis(3899)) == 12);
  CHECK(rate.total(kStart + Millis(3900)) == 0);
}

TEST_CASE("quota rate: what is taken back was never there", "[quota]") {
  WindowedRate rate(QuotaWindows{});
  rate.record(400, kStart);
  rate.record(900, kStart + Millis(100));
  rate.record(-900, kStart + Millis(100));
  CHECK(rate.total(kStart + Millis(100)) == 400);
  CHECK(rate.throttle(50, kStart + Millis(100)) == Millis(0));
}

TEST_CASE("quota rate: a steady rate at the limit waits for one record at most, one above it longer", "[quota]") {
  for (const double each : {10.0, 11.0}) {  // every 100 ms, against 100 a second
    INFO(each);
    WindowedRate rate(QuotaWindows{});
    Millis longest{0};
    for (int i = 0; i < 600; ++i) {
      const Millis now = kStart + Millis(100) * i;
      rate.record(each, now);
      longest = std::max(longest, rate.throttle(100, now));
    }
    CHECK((longest > Millis(150)) == (each > 10));
  }
}

TEST_CASE("quota rate: no wait is longer than the wire can say", "[quota]") {
  WindowedRate rate(QuotaWindows{});
  rate.record(1e18, kStart);
  CHECK(rate.throttle(1e-3, kStart) == kThrottleMax);
  WindowedRate single(QuotaWindows{.count = 1, .size = Millis(1000)});
  single.record(10, kStart);
  CHECK(single.throttle(1, kStart) == Millis(10'000));  // its span is nothing yet
}

TEST_CASE("token bucket: full at first, may be overdrawn once, refills at the limit", "[quota]") {
  TokenBucket bucket(QuotaWindows{});
  CHECK(bucket.throttle(2, kStart) == Millis(0));
  bucket.take(22, 2, kStart);  // 11 windows of 2
  CHECK(bucket.throttle(2, kStart) == Millis(0));
  bucket.take(10, 2, kStart);
  CHECK(bucket.throttle(2, kStart) == Millis(5000));
  CHECK(bucket.throttle(2, kStart + Millis(4000)) == Millis(1000));
  CHECK(bucket.throttle(2, kStart + Millis(5000)) == Millis(0));
  bucket.take(1, 2, kStart + Millis(5000));
  CHECK(bucket.throttle(2, kStart + Millis(5000)) == Millis(500));
  bucket.take(0, 2, kStart + Millis(3'600'000));  // no more than full, however long it was left alone
  bucket.take(23, 2, kStart + Millis(3'600'000));
  CHECK(bucket.throttle(2, kStart + Millis(3'600'000)) == Millis(500));
}

}  // namespace
}  // namespace leat
