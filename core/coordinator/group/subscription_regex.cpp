// subscription_regex.cpp: patterns by RE2.
#include "core/coordinator/group/subscription_regex.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <re2/stringpiece.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/topic_partition.h"

namespace leat {
namespace {

// For program and automaton together: some 40,000 instructions, so that a hundred names in one alternation are no
// trouble, while counted repetitions of repetitions end here. When the automaton outgrows it RE2 goes on without one,
// slower and still linear.
constexpr int64_t kMemoryMax = 2 * 1024 * 1024;
constexpr size_t kQuotedSizeMax = 200;  // of the pattern, in a message

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

// Kafka answers with RE2/J's words; RE2 has others for the same faults.
std::string_view describe(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::NoError:
      return "no error";
    case re2::RE2::ErrorInternal:
      return "internal error";
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge:
      return "expression too large";
  }
  return "internal error";  // a code of a newer RE2
}

tl::unexpected<Error> invalid(std::string_view pattern, std::string_view why) {
  // A message is a string on the wire, hence UTF-8: a pattern is cut before a character, not within one.
  size_t size = std::min(pattern.size(), kQuotedSizeMax);
  while (size > 0 && size < pattern.size() && (static_cast<uint8_t>(pattern[size]) & 0xc0) == 0x80) --size;
  return fail(Errc::kInvalidArgument, fmt::format("SubscribedTopicRegex `{}{}` is not a valid regular expression: {}.",
                                                  pattern.substr(0, size), size < pattern.size() ? "..." : "", why));
}

}  // namespace

SubscriptionRegex::SubscriptionRegex(std::unique_ptr<const re2::RE2> compiled) noexcept
    : compiled_(std::move(compiled)) {}
SubscriptionRegex::SubscriptionRegex(SubscriptionRegex&&) noexcept = default;
SubscriptionRegex& SubscriptionRegex::operator=(SubscriptionRegex&&) noexcept = default;
SubscriptionRegex::~SubscriptionRegex() = default;

Result<SubscriptionRegex> SubscriptionRegex::compile(std::string_view pattern) {
  if (pattern.size() > kPatternSizeMax) {
    return invalid(pattern, fmt::format("longer than {} bytes", kPatternSizeMax));
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);  // nobody asks for groups
  options.set_max_mem(kMemoryMax);
  auto compiled = std::make_unique<const re2::RE2>(piece(pattern), options);
  if (!compiled->ok()) return invalid(pattern, describe(compiled->error_code()));
  return SubscriptionRegex(std::move(compiled));
}

bool SubscriptionRegex::matches(std::string_view topic) const {
  return !is_internal_topic(topic) && re2::RE2::FullMatch(piece(topic), *compiled_);
}

std::vector<std::string> SubscriptionRegex::resolve(const TopicCatalog& catalog) const {
  std::vector<std::string> names;
  catalog.for_each([&](const CatalogTopic& topic) {
    if (matches(topic.name)) names.push_back(topic.name);
  });
  return names;
}

}  // namespace leat
