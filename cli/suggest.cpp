// suggest.cpp: edit distance by dynamic programming, three rows at a time.
#include "cli/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace leat::cli {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

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
