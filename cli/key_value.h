// key_value.h: NAME=VALUE words. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace leat::cli {

struct KeyValue {
  std::string key;
  std::string value;
};

// `what` says in the error what the word is for: "--config", "a setting".
Result<KeyValue> parse_key_value(std::string_view word, std::string_view what);
Result<std::vector<KeyValue>> parse_key_values(const std::vector<std::string>& words, std::string_view what);

// Settings to be set, beside others that go back to their default: each of them once, for nobody knows which of two
// would count.
Result<std::vector<KeyValue>> parse_settings(const std::vector<std::string>& words,
                                             const std::vector<std::string>& unset, std::string_view what);

}  // namespace leat::cli
