// nearest_name.cpp: optimal string alignment distance, three rows, given up beyond a bound.
#include "core/metadata/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace leat {
namespace {

constexpr size_t kNameSizeMax = 200;  // longer ones are no slips of ours, and the work is quadratic

size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> two_back(b.size() + 1), back(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) back[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t swap_cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + swap_cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
    std::swap(two_back, back);
    std::swap(back, row);
  }
  return back[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view wrong, std::span<const std::string_view> known) {
  if (wrong.empty() || wrong.size() > kNameSizeMax) return std::nullopt;
  size_t best = std::max<size_t>(2, wrong.size() / 3) + 1;
  std::optional<std::string_view> nearest;
  for (const std::string_view name : known) {
    const size_t length_gap = name.size() > wrong.size() ? name.size() - wrong.size() : wrong.size() - name.size();
    if (length_gap >= best) continue;
    const size_t edits = distance(wrong, name);
    if (edits < best) {
      best = edits;
      nearest = name;
    }
  }
  return nearest;
}

std::string nearest_name_hint(std::string_view wrong, std::span<const std::string_view> known) {
  const std::optional<std::string_view> nearest = nearest_name(wrong, known);
  return nearest ? fmt::format(", did you mean {}?", *nearest) : std::string();
}

}  // namespace leat
