// moment.h: a point in time as people write it: milliseconds since 1970, 2026-01-31T12:00:00Z (or a day alone), or how
// long ago: 90s, 10m, 2h, 1d. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace leat::cli {

Result<int64_t> parse_moment(std::string_view text, int64_t now_ms);
std::string format_moment(int64_t timestamp_ms);  // 2026-01-31T12:00:00.000Z

}  // namespace leat::cli
