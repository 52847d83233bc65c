// retention.cpp: the rules of retention.
#include "core/log/retention.h"

#include <optional>

namespace leat {

std::string_view to_string(RetentionReason reason) noexcept {
  switch (reason) {
    case RetentionReason::kLogStart:
      return "log start offset";
    case RetentionReason::kTime:
      return "retention.ms";
    case RetentionReason::kSize:
      return "retention.bytes";
  }
  return "unknown";
}

AgeTime age_time(const SegmentFacts& segment, int64_t now_ms) noexcept {
  if (segment.max_timestamp_ms > now_ms) return {.time_ms = segment.last_append_ms, .is_distrusted = true};
  if (segment.max_timestamp_ms < 0) return {.time_ms = segment.last_append_ms, .is_distrusted = false};
  return {.time_ms = segment.max_timestamp_ms, .is_distrusted = false};
}

std::vector<RetentionReason> removable_segments(std::span<const SegmentFacts> segments,
                                                const RetentionQuestion& question) {
  int64_t size_left = 0;
  for (const SegmentFacts& segment : segments) size_left += segment.size_bytes;
  const LogConfig& config = question.config;
  std::vector<RetentionReason> reasons;
  for (size_t i = 0; i < segments.size(); ++i) {
    const SegmentFacts& segment = segments[i];
    const bool is_active = i + 1 == segments.size();
    if (segment.next_base_offset > question.high_watermark || (is_active && segment.size_bytes == 0)) break;
    const int64_t age_ms = question.now_ms - age_time(segment, question.now_ms).time_ms;
    std::optional<RetentionReason> reason;
    if (!is_active && segment.next_base_offset <= question.log_start) {
      reason = RetentionReason::kLogStart;
    } else if (config.delete_old && config.retention_ms >= 0 && age_ms > config.retention_ms) {
      reason = RetentionReason::kTime;
    } else if (!is_active && config.delete_old && config.retention_bytes >= 0 &&
               size_left - segment.size_bytes >= config.retention_bytes) {
      reason = RetentionReason::kSize;
    }
    if (!reason) break;
    reasons.push_back(*reason);
    size_left -= segment.size_bytes;
  }
  return reasons;
}

}  // namespace leat
