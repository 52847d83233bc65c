// file_names.cpp: making and reading the names of files and folders.
#include "core/log/file_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/parse_int.h"
#include "core/storage/file_system.h"

namespace leat {
namespace {

constexpr size_t kOffsetDigits = 20;
constexpr size_t kUniqueDigits = 32;
constexpr size_t kFileNameBytesMax = 255;
constexpr size_t kTopicBytesMax = 249;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Cuts ".<32 hex>-<word>" off; kPartition when there is none.
FolderKind take_suffix(std::string_view& name) noexcept {
  struct Suffix {
    std::string_view text;
    FolderKind kind;
  };
  for (const Suffix& suffix : {Suffix{"-delete", FolderKind::kDelete}, Suffix{"-future", FolderKind::kFuture},
                               Suffix{"-stray", FolderKind::kStray}}) {
    if (!name.ends_with(suffix.text)) continue;
    const std::string_view rest = name.substr(0, name.size() - suffix.text.size());
    if (rest.size() < kUniqueDigits + 1) continue;
    const std::string_view unique = rest.substr(rest.size() - kUniqueDigits);
    if (rest[rest.size() - kUniqueDigits - 1] != '.' || !std::all_of(unique.begin(), unique.end(), is_hex)) continue;
    name = rest.substr(0, rest.size() - kUniqueDigits - 1);
    return suffix.kind;
  }
  return FolderKind::kPartition;
}

}  // namespace

std::string segment_file_name(Offset base_offset, std::string_view suffix) {
  return fmt::format("{:020}{}", base_offset.v, suffix);
}

std::string segment_path(std::string_view directory, Offset base_offset, std::string_view suffix) {
  return join_path(directory, segment_file_name(base_offset, suffix));
}

std::optional<SegmentFileName> parse_segment_file_name(std::string_view name) noexcept {
  if (name.size() <= kOffsetDigits || name[kOffsetDigits] != '.') return std::nullopt;
  const std::string_view digits = name.substr(0, kOffsetDigits);
  if (!std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  const std::optional<int64_t> offset = parse_int<int64_t>(digits);
  if (!offset) return std::nullopt;
  return SegmentFileName{Offset(*offset), name.substr(kOffsetDigits)};
}

std::optional<FolderName> parse_folder_name(std::string_view name) {
  FolderName folder;
  folder.kind = take_suffix(name);
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(dash + 1);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  if (digits.size() > 1 && digits[0] == '0') return std::nullopt;
  const std::optional<int32_t> partition = parse_int<int32_t>(digits);
  // A deletion's name may have lost the end of a long topic, so only its shape counts.
  if (!partition || !is_topic_name(name.substr(0, dash))) return std::nullopt;
  folder.name = {std::string(name.substr(0, dash)), *partition};
  return folder;
}

std::string deletion_folder_name(const TopicPartition& name, const Uuid& unique) {
  std::string tail = fmt::format("-{}.", name.partition);
  for (const uint8_t byte : unique.bytes) tail += fmt::format("{:02x}", byte);
  tail += "-delete";
  return name.topic.substr(0, kFileNameBytesMax - tail.size()) + tail;
}

bool is_topic_name(std::string_view topic) noexcept {
  if (topic.empty() || topic.size() > kTopicBytesMax || topic == "." || topic == "..") return false;
  return std::all_of(topic.begin(), topic.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-';
  });
}

}  // namespace leat
