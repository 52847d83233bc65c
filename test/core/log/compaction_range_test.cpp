// compaction_range_test.cpp: when compaction is due, and of what.
#include "core/log/compaction_range.h"

#include <vector>

#include "test/support/catch.h"

using namespace leat;

namespace {

constexpr int64_t kNowMs = 1'000'000;

// Four sealed segments of ten offsets and 1000 bytes each, appended one a second, the last one just now.
std::vector<CompactionSegment> four() {
  std::vector<CompactionSegment> segments;
  for (int64_t i = 0; i < 4; ++i) {
    segments.push_back({.base_offset = Offset(i * 10),
                        .next_base_offset = Offset(i * 10 + 10),
                        .size_bytes = 1000,
                        .max_timestamp_ms = kNowMs - (3 - i) * 1000,
                        .first_timestamp_ms = kNowMs - (4 - i) * 1000,
                        .last_append_ms = kNowMs - (3 - i) * 1000,
                        .delete_horizon_ms = kNoHorizon,
                        .is_settled = true});
  }
  return segments;
}

struct Asked {
  LogConfig config;
  Offset cleaned{0};
  Offset log_start{0};
  Offset last_stable{1000};
  Offset blocked_at = kNoOffset;
  std::vector<CompactionSegment> segments = four();

  Asked() { config.compact = true; }
  std::optional<CompactionRange> range() const {
    return range_to_compact(segments, {.config = config,
                                       .cleaned = cleaned,
                                       .log_start = log_start,
                                       .last_stable = last_stable,
                                       .now_ms = kNowMs,
                                       .blocked_at = blocked_at});
  }
};

}  // namespace

TEST_CASE("compaction range: due when the dirty share is above the ratio", "[log][compaction]") {
  Asked asked;
  asked.cleaned = Offset(20);
  CHECK_FALSE(asked.range());  // a half is not more than a half
  asked.config.min_cleanable_dirty_ratio = 0.49;
  std::optional<CompactionRange> range = asked.range();
  REQUIRE(range);
  CHECK(range->reason == CompactionReason::kDirty);
  CHECK(range->first_dirty == Offset(20));
  CHECK(range->end == Offset(40));
  CHECK(range->first_segment == 0);
  CHECK(range->segment_count == 4);
  asked.config.min_cleanable_dirty_ratio = 0;
  asked.cleaned = Offset(40);
  CHECK_FALSE(asked.range());
  asked.config.min_cleanable_dirty_ratio = 1;
  asked.cleaned = Offset(0);
  CHECK_FALSE(asked.range());  // never, as in Kafka
}

TEST_CASE("compaction range: only what is durable, stable and settled", "[log][compaction]") {
  Asked asked;
  asked.last_stable = Offset(29);
  CHECK(asked.range()->end == Offset(20));
  asked.segments[1].is_settled = false;
  CHECK(asked.range()->end == Offset(10));
  asked.segments[0].is_settled = false;
  CHECK_FALSE(asked.range());
  asked.segments[1].is_settled = true;
  asked.cleaned = Offset(10);
  CHECK_FALSE(asked.range());  // the clean part is gone over as well
}

TEST_CASE("compaction range: min.compaction.lag.ms keeps young segments out", "[log][compaction]") {
  Asked asked;
  asked.config.min_compaction_lag_ms = 2000;
  CHECK(asked.range()->end == Offset(20));
  asked.config.min_compaction_lag_ms = 4000;
  CHECK_FALSE(asked.range());
  // A stamp from the future, or none, says nothing: the time of the append does.
  asked.config.min_compaction_lag_ms = 2000;
  asked.segments[0].max_timestamp_ms = kNowMs * 2;
  asked.segments[1].max_timestamp_ms = kNoTimestamp;
  CHECK(asked.range()->end == Offset(20));
}

TEST_CASE("compaction range: max.compaction.lag.ms makes it due whatever the ratio", "[log][compaction]") {
  Asked asked;
  asked.config.min_cleanable_dirty_ratio = 1;
  asked.config.max_compaction_lag_ms = 4000;
  CHECK_FALSE(asked.range());
  asked.config.max_compaction_lag_ms = 3999;
  REQUIRE(asked.range());
  CHECK(asked.range()->reason == CompactionReason::kLag);
  asked.cleaned = Offset(10);
  CHECK_FALSE(asked.range());
  // After a restart nobody knows a segment's first time: it is taken for as old as it may be.
  asked.segments[1].first_timestamp_ms = kNoTimestamp;
  CHECK(asked.range());
  asked.segments[1].size_bytes = 0;
  CHECK_FALSE(asked.range());
}

TEST_CASE("compaction range: tombstones of the clean part whose time has passed make it due", "[log][compaction]") {
  Asked asked;
  asked.cleaned = Offset(40);
  asked.segments[1].delete_horizon_ms = kNowMs + 1;
  CHECK_FALSE(asked.range());
  asked.segments[1].delete_horizon_ms = kNowMs;
  REQUIRE(asked.range());
  CHECK(asked.range()->reason == CompactionReason::kTombstones);
  CHECK(asked.range()->end == Offset(40));
  asked.cleaned = Offset(10);  // a dirty one's time begins with the pass that takes it
  asked.config.min_cleanable_dirty_ratio = 1;
  CHECK_FALSE(asked.range());
}

TEST_CASE("compaction range: from the first transaction on nothing is taken", "[log][compaction]") {
  Asked asked;
  asked.blocked_at = Offset(20);
  CHECK(asked.range()->end == Offset(20));
  asked.cleaned = Offset(20);
  CHECK_FALSE(asked.range());
  asked.segments[0].delete_horizon_ms = kNowMs;  // what lies before it gets rid of its tombstones all the same
  REQUIRE(asked.range());
  CHECK(asked.range()->reason == CompactionReason::kTombstones);
  CHECK(asked.range()->segment_count == 2);
}

TEST_CASE("compaction range: what lies below the log start is retention's", "[log][compaction]") {
  Asked asked;
  asked.log_start = Offset(15);
  asked.cleaned = Offset(5);
  const std::optional<CompactionRange> range = asked.range();
  REQUIRE(range);
  CHECK(range->first_segment == 1);
  CHECK(range->segment_count == 3);
  CHECK(range->first_dirty == Offset(15));
  asked.log_start = Offset(40);
  CHECK_FALSE(asked.range());
}

TEST_CASE("compaction range: neighbours are merged as far as sizes and offsets allow", "[log][compaction]") {
  std::vector<CompactionSegment> segments = four();
  LogConfig config;
  CHECK(segments_merged(segments, config) == 4);
  config.segment_bytes = 2999;
  CHECK(segments_merged(segments, config) == 2);
  config.segment_bytes = 10;
  CHECK(segments_merged(segments, config) == 1);
  config.segment_bytes = 1 << 30;
  config.index_interval_bytes = 100;
  config.segment_index_bytes = 12 * 21;  // of 2000 bytes
  CHECK(segments_merged(segments, config) == 2);
  config.segment_index_bytes = 10 << 20;
  segments[2].next_base_offset = Offset(int64_t{INT32_MAX} + 2);
  segments[3].next_base_offset = Offset(int64_t{INT32_MAX} + 3);
  CHECK(segments_merged(segments, config) == 2);
  segments[2].next_base_offset = Offset(int64_t{INT32_MAX} + 1);
  CHECK(segments_merged(segments, config) == 3);
}

TEST_CASE("compaction range: internal logs end their segments early, others for max.compaction.lag.ms",
          "[log][compaction]") {
  LogConfig config;
  CHECK(rolling_config(config, LogKind::kInternal).segment_bytes == config.segment_bytes);
  config.compact = true;
  CHECK(rolling_config(config, LogKind::kClient).segment_bytes == config.segment_bytes);
  CHECK(rolling_config(config, LogKind::kInternal).segment_bytes == kEagerSegmentBytes);
  config.segment_bytes = 1000;
  CHECK(rolling_config(config, LogKind::kInternal).segment_bytes == 1000);
  CHECK(rolling_config(config, LogKind::kClient).segment_ms == config.segment_ms);
  config.max_compaction_lag_ms = 77;
  CHECK(rolling_config(config, LogKind::kClient).segment_ms == 77);
}
