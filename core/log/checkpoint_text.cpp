// checkpoint_text.cpp: reading and writing Kafka's checkpoint files.
#include "core/log/checkpoint_text.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/parse_int.h"

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

namespace {

template <class Number>
struct PartitionLine {
  TopicPartition name;
  Number number;
};

template <class Number>
Result<PartitionLine<Number>> parse_line(std::string_view line, std::string_view path) {
  const size_t second = line.rfind(' ');
  const size_t first =
      second == std::string_view::npos || second == 0 ? std::string_view::npos : line.rfind(' ', second - 1);
  if (first == std::string_view::npos) return fail(Errc::kCorrupt, fmt::format("{}: bad line \"{}\"", path, line));
  const auto partition = parse_int<int32_t>(line.substr(first + 1, second - first - 1));
  const auto number = parse_int<Number>(line.substr(second + 1));
  if (!partition || !number || *number < 0) return fail(Errc::kCorrupt, fmt::format("{}: bad line \"{}\"", path, line));
  return PartitionLine<Number>{{std::string(line.substr(0, first)), *partition}, *number};
}

}  // namespace

Result<OffsetCheckpoint> decode_offset_checkpoint(std::string_view text, std::string_view path) {
  TRY(lines, checkpoint_lines(text, path));
  OffsetCheckpoint offsets;
  for (const std::string_view line : lines) {
    TRY(parsed, parse_line<int64_t>(line, path));
    offsets[std::move(parsed.name)] = Offset(parsed.number);
  }
  return offsets;
}

std::string encode_offset_checkpoint(const OffsetCheckpoint& offsets) {
  std::string text = fmt::format("0\n{}\n", offsets.size());
  for (const auto& [name, offset] : offsets) text += fmt::format("{} {} {}\n", name.topic, name.partition, offset.v);
  return text;
}

Result<EpochCheckpoint> decode_epoch_checkpoint(std::string_view text, std::string_view path) {
  TRY(lines, checkpoint_lines(text, path));
  EpochCheckpoint epochs;
  for (const std::string_view line : lines) {
    TRY(parsed, parse_line<int32_t>(line, path));
    epochs[std::move(parsed.name)] = parsed.number;
  }
  return epochs;
}

std::string encode_epoch_checkpoint(const EpochCheckpoint& epochs) {
  std::string text = fmt::format("0\n{}\n", epochs.size());
  for (const auto& [name, epoch] : epochs) text += fmt::format("{} {} {}\n", name.topic, name.partition, epoch);
  return text;
}

}  // namespace leat
