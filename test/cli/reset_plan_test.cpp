// reset_plan_test.cpp: where offsets go, and topics as they are named.
#include "cli/reset_plan.h"

#include "test/support/catch.h"

using namespace leat;
using namespace leat::cli;

namespace {

const client::TopicPartition kPartition{.topic = "orders", .partition = 1};
const PartitionState kState{.earliest = 10, .latest = 20, .at_moment = 15, .committed = 12};

int64_t planned(const PartitionState& state, ResetTo to, int64_t value = 0) {
  return plan_reset(kPartition, state, {.to = to, .value = value})->next;
}

}  // namespace

TEST_CASE("reset plan: each target, within what there is", "[cli][group]") {
  CHECK(planned(kState, ResetTo::kEarliest) == 10);
  CHECK(planned(kState, ResetTo::kLatest) == 20);
  CHECK(planned(kState, ResetTo::kOffset, 11) == 11);
  CHECK(planned(kState, ResetTo::kOffset, 9) == 10);
  CHECK(planned(kState, ResetTo::kOffset, INT64_MAX) == 20);
  CHECK(planned(kState, ResetTo::kMoment) == 15);
  CHECK(planned({.earliest = 10, .latest = 20, .at_moment = std::nullopt, .committed = 12}, ResetTo::kMoment) == 20);
  CHECK(planned(kState, ResetTo::kShift, 5) == 17);
  CHECK(planned(kState, ResetTo::kShift, -5) == 10);
  CHECK(planned(kState, ResetTo::kShift, INT64_MAX) == 20);
  CHECK(planned(kState, ResetTo::kShift, INT64_MIN) == 10);
}

TEST_CASE("reset plan: says when the target lay outside, and what is left to read", "[cli][group]") {
  const Result<PlannedReset> outside = plan_reset(kPartition, kState, {.to = ResetTo::kOffset, .value = 99});
  CHECK(outside->was_outside);
  CHECK(outside->log_end == 20);
  CHECK(outside->committed == 12);
  CHECK(!plan_reset(kPartition, kState, {.to = ResetTo::kLatest})->was_outside);
}

TEST_CASE("reset plan: without a commit there is nothing to shift", "[cli][group]") {
  const PartitionState fresh{.earliest = 0, .latest = 5, .at_moment = std::nullopt, .committed = std::nullopt};
  const Result<PlannedReset> shifted = plan_reset(kPartition, fresh, {.to = ResetTo::kShift, .value = 1});
  REQUIRE(!shifted.has_value());
  CHECK(shifted.error().context.find("orders-1") != std::string::npos);
  CHECK(planned(fresh, ResetTo::kLatest) == 5);
}

TEST_CASE("topic selection: a name, with partitions or without", "[cli][group]") {
  CHECK(parse_topic_selection("orders")->topic == "orders");
  CHECK(parse_topic_selection("orders")->partitions.empty());
  CHECK(parse_topic_selection("orders:0")->partitions == std::vector<int32_t>{0});
  CHECK(parse_topic_selection("orders:2,0,11")->partitions == std::vector<int32_t>{2, 0, 11});
  for (const char* wrong :
       {"", ":1", "orders:", "orders:a", "orders:1,", "orders:,1", "orders:-1", "orders:1 2", "orders:99999999999"}) {
    INFO(wrong);
    CHECK(parse_topic_selection(wrong).error().code == Errc::kInvalidArgument);
  }
}
