// inline_writes_test.cpp: when the loop may write, and when a slow disk takes that right away.
#include "server/inline_writes.h"

#include "test/support/catch.h"

using namespace leat;

TEST_CASE("inline writes: small ones, as long as none is slow", "[server][lane]") {
  ManualClock clock;
  InlineWrites writes(clock, 1000);
  CHECK(writes.allowed(1000));
  CHECK_FALSE(writes.allowed(1001));
  writes.took(InlineWrites::kStall - Nanos(1));
  CHECK(writes.allowed(1));
  writes.took(InlineWrites::kStall);
  CHECK_FALSE(writes.allowed(1));
  CHECK(writes.stalls() == 1);
}

TEST_CASE("inline writes: a disk that stays slow is tried less and less often", "[server][lane]") {
  ManualClock clock;
  InlineWrites writes(clock, 1000);
  Nanos barred = InlineWrites::kBarredMin;
  for (int i = 0; i < 8; ++i) {
    writes.took(InlineWrites::kStall);
    clock.advance(barred - Nanos(1));
    CHECK_FALSE(writes.allowed(1));
    clock.advance(Nanos(1));
    CHECK(writes.allowed(1));
    barred = std::min(barred * 2, InlineWrites::kBarredMax);
  }
  clock.advance(InlineWrites::kBarredMax);  // long enough without: the next stall is an accident again
  writes.took(InlineWrites::kStall);
  clock.advance(InlineWrites::kBarredMin);
  CHECK(writes.allowed(1));
}

TEST_CASE("inline writes: never, when the setting says so", "[server][lane]") {
  const ManualClock clock;
  const InlineWrites writes(clock, 0);
  CHECK_FALSE(writes.allowed(1));
}
