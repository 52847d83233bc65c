// checkpoint_text.cpp: reading and writing Kafka's checkpoint files.
#include "core/log/checkpoint_text.h"

#include <fmt/format.h>

namespace leat {
namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

Result<std::vector<std::string_view>> checkpoint_lines(std::string_view text, std::string_view path) {
  std::vector<std::string_view> lines = split_lines(text);
  if (lines.size() < 2) return fail(Errc::kCorrupt, fmt::format("{}: expected a version and a count", path));
  if (lines[0] != "0") return fail(Errc::kCorrupt, fmt::format("{}: expected version 0, found \"{}\"", path, lines[0]));
  const auto count = parse_int<uint64_t>(lines[1]);
  lines.erase(lines.begin(), lines.begin() + 2);
  if (!count || *count != lines.size()) {
    return fail(Errc::kCorrupt,
                fmt::format("{}: the head says another count than the {} lines found", path, lines.size()));
  }
  return lines;
}

Result<OffsetCheckpoint> decode_offset_checkpoint(std::string_view text, std::string_view path) {
  TRY(lines, checkpoint_lines(text, path));
  OffsetCheckpoint offsets;
  for (const std::string_view line : lines) {
    const size_t second = line.rfind(' ');
    const size_t first =
        second == std::string_view::npos || second == 0 ? std::string_view::npos : line.rfind(' ', second - 1);
    if (first == std::string_view::npos) return fail(Errc::kCorrupt, fmt::format("{}: bad line \"{}\"", path, line));
    const auto partition = parse_int<int32_t>(line.substr(first + 1, second - first - 1));
    const auto offset = parse_int<int64_t>(line.substr(second + 1));
    if (!partition || !offset || *offset < 0)
      return fail(Errc::kCorrupt, fmt::format("{}: bad line \"{}\"", path, line));
    offsets[{std::string(line.substr(0, first)), *partition}] = Offset(*offset);
  }
  return offsets;
}

std::string encode_offset_checkpoint(const OffsetCheckpoint& offsets) {
  std::string text = fmt::format("0\n{}\n", offsets.size());
  for (const auto& [name, offset] : offsets) text += fmt::format("{} {} {}\n", name.topic, name.partition, offset.v);
  return text;
}

}  // namespace leat
