// leader_epoch_cache.cpp: leader epochs and their file.
#include "core/log/leader_epoch_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/parse_int.h"
#include "core/log/checkpoint_text.h"

namespace leat {

Result<LeaderEpochCache> LeaderEpochCache::decode(std::string_view text, std::string_view path) {
  TRY(lines, checkpoint_lines(text, path));
  LeaderEpochCache cache;
  for (const std::string_view line : lines) {
    const size_t space = line.find(' ');
    const auto epoch = parse_int<int32_t>(line.substr(0, space));
    const auto start = space == std::string_view::npos ? std::nullopt : parse_int<int64_t>(line.substr(space + 1));
    if (!epoch || !start || *epoch < 0 || *start < 0) {
      return fail(Errc::kCorrupt, fmt::format("{}: expected \"epoch offset\", found \"{}\"", path, line));
    }
    const bool in_order =
        cache.starts_.empty() || (*epoch > cache.latest() && Offset(*start) >= cache.starts_.back().start_offset);
    if (!in_order) return fail(Errc::kCorrupt, fmt::format("{}: epoch {} at {} is out of order", path, *epoch, *start));
    cache.starts_.push_back({*epoch, Offset(*start)});
  }
  return cache;
}

std::string LeaderEpochCache::encode() const {
  std::string text = fmt::format("0\n{}\n", starts_.size());
  for (const LeaderEpochStart& start : starts_) text += fmt::format("{} {}\n", start.epoch, start.start_offset.v);
  return text;
}

bool LeaderEpochCache::assign(int32_t epoch, Offset start_offset) {
  if (epoch <= latest()) return false;
  // An epoch without a batch gives way to the one that has the first at this offset.
  while (!starts_.empty() && starts_.back().start_offset >= start_offset) starts_.pop_back();
  starts_.push_back({epoch, start_offset});
  return true;
}

void LeaderEpochCache::truncate_to_end(Offset log_end) {
  while (!starts_.empty() && starts_.back().start_offset >= log_end) starts_.pop_back();
}

void LeaderEpochCache::truncate_to_start(Offset log_start) {
  const auto above = [](Offset offset, const LeaderEpochStart& start) { return offset < start.start_offset; };
  const auto first_above = std::upper_bound(starts_.begin(), starts_.end(), log_start, above);
  if (first_above == starts_.begin()) return;
  std::prev(first_above)->start_offset = log_start;
  starts_.erase(starts_.begin(), std::prev(first_above));
}

EpochEndOffset LeaderEpochCache::end_offset_for(int32_t epoch, Offset log_end) const noexcept {
  if (epoch < 0 || starts_.empty() || epoch > latest()) return {};
  if (epoch == latest()) return {epoch, log_end};
  const auto above = [](int32_t wanted, const LeaderEpochStart& start) { return wanted < start.epoch; };
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), epoch, above);
  if (next == starts_.begin()) return {epoch, next->start_offset};
  return {std::prev(next)->epoch, next->start_offset};
}

}  // namespace leat
