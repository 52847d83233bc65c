// suggest.cpp: see suggest.h.
#include "cli/suggest.h"

#include <fmt/format.h>

#include "core/base/edit_distance.h"

namespace leat::cli {

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known) {
  std::optional<std::string> found;
  size_t best = 1 + word.size() / 3;  // farther than this is another word
  for (const std::string& candidate : known) {
    const bool begins = word.size() > 2 && candidate.starts_with(word);
    const size_t distance = begins ? 1 : edit_distance(word, candidate);
    if (distance < best || (!found && distance == best)) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::optional<std::string> meant = nearest(word, known);
  return meant ? fmt::format("; did you mean '{}'?", *meant) : std::string();
}

std::string with_hint(std::string what, std::string_view hint) {
  const bool ended = what.ends_with('.') || what.ends_with('?') || what.ends_with('!');
  what += ended ? " " : ". ";
  what += hint;
  return what;
}

}  // namespace leat::cli
