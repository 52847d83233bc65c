// nearest_name.h: the known name that a mistyped one most likely means, for error texts. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace leat {

// By edit distance with neighbours swapped as one edit; nullopt when nothing is near enough to be a likely slip.
std::optional<std::string_view> nearest_name(std::string_view wrong, std::span<const std::string_view> known);
// ", did you mean NAME?" or nothing.
std::string nearest_name_hint(std::string_view wrong, std::span<const std::string_view> known);

}  // namespace leat
