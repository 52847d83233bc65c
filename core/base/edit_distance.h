// edit_distance.h: how far a word is from another one, for whoever answers a mistyped name with the one that was meant.
// Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace leat {

// Letters to insert, remove, replace or swap with their neighbour to get from one word to the other, each touched once
// (optimal string alignment). The work is the product of their sizes: a word that comes from elsewhere has a bound.
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace leat
