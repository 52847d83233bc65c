// parse_int.h: whole numbers in text, as files, settings and flags have them: digits, with a '-' before them where the
// type has a sign. No blanks, no '+', no unit; what the type cannot hold is no number either. Pure; any thread.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace leat {

// The number at the beginning of `text`, which then begins behind it. nullopt: there is none, and `text` stays.
template <class Int>
std::optional<Int> take_int(std::string_view& text, int base = 10) noexcept {
  Int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// The number that the whole of `text` is.
template <class Int>
std::optional<Int> parse_int(std::string_view text, int base = 10) noexcept {
  const std::optional<Int> value = take_int<Int>(text, base);
  return text.empty() ? value : std::nullopt;
}

}  // namespace leat
