// version.h: the version of the client, semantic: the interface changes only with the first number (the second while
// the first is 0).
#pragma once

#include <string_view>

namespace leat::client {

inline constexpr int kVersionMajor = 0;
inline constexpr int kVersionMinor = 1;
inline constexpr int kVersionPatch = 0;
inline constexpr std::string_view kVersionText = "0.1.0";

}  // namespace leat::client
