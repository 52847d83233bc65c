// key_value.cpp: the first '=' divides; the value may hold more of them.
#include "cli/key_value.h"

#include <fmt/format.h>

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

}  // namespace leat::cli
