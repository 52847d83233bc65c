// key_value.cpp: the first '=' divides; the value may hold more of them.
#include "cli/key_value.h"

#include <fmt/format.h>

#include <set>

namespace leat::cli {

Result<KeyValue> parse_key_value(std::string_view word, std::string_view what) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return fail(Errc::kInvalidArgument, fmt::format("'{}' is not NAME=VALUE, which {} takes", word, what));
  }
  return KeyValue{.key = std::string(word.substr(0, equals)), .value = std::string(word.substr(equals + 1))};
}

Result<std::vector<KeyValue>> parse_key_values(const std::vector<std::string>& words, std::string_view what) {
  std::vector<KeyValue> pairs;
  for (const std::string& word : words) {
    TRY(pair, parse_key_value(word, what));
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

Result<std::vector<KeyValue>> parse_settings(const std::vector<std::string>& words,
                                             const std::vector<std::string>& unset, std::string_view what) {
  TRY(pairs, parse_key_values(words, what));
  std::set<std::string_view> seen;
  for (const KeyValue& pair : pairs) {
    if (!seen.insert(pair.key).second) {
      return fail(Errc::kInvalidArgument, fmt::format("'{}' is set twice: give one value", pair.key));
    }
  }
  for (const std::string& name : unset) {
    if (name.empty()) return fail(Errc::kInvalidArgument, "--unset needs the name of a setting");
    if (!seen.insert(name).second) {
      return fail(Errc::kInvalidArgument, fmt::format("'{}' is given twice: set it, or --unset it once", name));
    }
  }
  return pairs;
}

}  // namespace leat::cli
