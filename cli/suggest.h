// suggest.h: what somebody probably meant, and could do. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace leat::cli {

// The known word that is near enough to be a misspelling, or that begins with `word`.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known);
// "; did you mean 'X'?" with that word, or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> known);
// What happened and what to do, as sentences.
std::string with_hint(std::string what, std::string_view hint);

}  // namespace leat::cli
