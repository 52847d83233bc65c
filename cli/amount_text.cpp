// amount_text.cpp: units are powers of a thousand, as in benchmarks and disks.
#include "cli/amount_text.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace leat::cli {

std::string rate_text(double per_s) {
  if (per_s < 0.05) return "0";
  if (per_s < 9.95) return fmt::format("{:.1f}", per_s);
  if (per_s < 999'999.5) return fmt::format("{:.0f}", per_s);
  return per_s < 999.995e6 ? fmt::format("{:.2f} M", per_s / 1e6) : fmt::format("{:.2f} G", per_s / 1e9);
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 999.5) return fmt::format("{:.0f} B", bytes);
  size_t unit = 0;
  for (bytes /= 1e3; bytes >= 999.95 && unit + 1 < kUnits.size(); bytes /= 1e3) ++unit;
  return fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

}  // namespace leat::cli
