// reset_plan.cpp: a target outside a partition becomes its nearest end.
#include "cli/reset_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/parse_int.h"

namespace leat::cli {
namespace {

// Never beyond what an offset can be: the sum is brought into the partition's range afterwards.
int64_t sum_in_range(int64_t a, int64_t b) noexcept {
  if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
  if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
  return a + b;
}

int64_t wanted_offset(const PartitionState& state, const ResetTarget& target) noexcept {
  switch (target.to) {
    case ResetTo::kEarliest:
      return state.earliest;
    case ResetTo::kLatest:
      return state.latest;
    case ResetTo::kOffset:
      return target.value;
    case ResetTo::kMoment:
      return state.at_moment.value_or(state.latest);
    case ResetTo::kShift:
      return sum_in_range(state.committed.value_or(0), target.value);
  }
  return state.latest;
}

}  // namespace

Result<PlannedReset> plan_reset(const client::TopicPartition& partition, const PartitionState& state,
                                const ResetTarget& target) {
  if (target.to == ResetTo::kShift && !state.committed) {
    return fail(
        Errc::kInvalidArgument,
        fmt::format("nothing is committed for {}-{}, so there is nothing to shift; use --to-earliest, --to-latest, "
                    "--to-offset or --to-datetime",
                    partition.topic, partition.partition));
  }
  const int64_t wanted = wanted_offset(state, target);
  const int64_t next = std::clamp(wanted, state.earliest, std::max(state.earliest, state.latest));
  return PlannedReset{.partition = partition,
                      .committed = state.committed,
                      .next = next,
                      .log_end = state.latest,
                      .was_outside = next != wanted};
}

Result<TopicSelection> parse_topic_selection(std::string_view text) {
  const size_t colon = text.find(':');
  TopicSelection selection;
  selection.topic = std::string(text.substr(0, colon));
  const Error wrong(Errc::kInvalidArgument,
                    fmt::format("'{}' is no topic with partitions: write orders, or orders:0,2", text));
  if (selection.topic.empty()) return fail(wrong);
  if (colon == std::string_view::npos) return selection;
  text.remove_prefix(colon + 1);
  for (;;) {
    const std::optional<int32_t> partition = take_int<int32_t>(text);
    if (!partition || *partition < 0) return fail(wrong);
    selection.partitions.push_back(*partition);
    if (text.empty()) return selection;
    if (!text.starts_with(',')) return fail(wrong);
    text.remove_prefix(1);
  }
}

}  // namespace leat::cli
