// nearest_name.cpp: see nearest_name.h.
#include "core/metadata/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/edit_distance.h"

namespace leat {
namespace {

constexpr size_t kNameSizeMax = 200;  // longer ones are no slips of ours, and the work is quadratic

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view wrong, std::span<const std::string_view> known) {
  if (wrong.empty() || wrong.size() > kNameSizeMax) return std::nullopt;
  size_t best = std::max<size_t>(2, wrong.size() / 3) + 1;
  std::optional<std::string_view> nearest;
  for (const std::string_view name : known) {
    const size_t length_gap = name.size() > wrong.size() ? name.size() - wrong.size() : wrong.size() - name.size();
    if (length_gap >= best) continue;
    const size_t edits = edit_distance(wrong, name);
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
