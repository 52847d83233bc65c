// moment.cpp: the calendar is std::chrono's; times are UTC.
#include "cli/moment.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include "core/base/parse_int.h"

namespace leat::cli {
namespace {

std::optional<int64_t> unit_ms(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1'000;
  if (unit == "m") return 60'000;
  if (unit == "h") return 3'600'000;
  if (unit == "d") return 86'400'000;
  return std::nullopt;
}

std::optional<int64_t> parse_date(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int used = 0;
  const int date = std::sscanf(text.c_str(), "%4d-%2u-%2u%n", &year, &month, &day, &used);
  if (date != 3) return std::nullopt;
  std::string_view rest = std::string_view(text).substr(static_cast<size_t>(used));
  if (!rest.empty()) {
    if (rest[0] != 'T' && rest[0] != ' ') return std::nullopt;
    const std::string time(rest.substr(1));
    if (std::sscanf(time.c_str(), "%2d:%2d:%2d%n", &hour, &minute, &second, &used) != 3) return std::nullopt;
    const std::string_view zone = std::string_view(time).substr(static_cast<size_t>(used));
    if (!zone.empty() && zone != "Z") return std::nullopt;
  }
  const std::chrono::year_month_day ymd{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!ymd.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const int64_t days = std::chrono::sys_days(ymd).time_since_epoch().count();
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000;
}

}  // namespace

Result<int64_t> parse_moment(std::string_view text, int64_t now_ms) {
  std::string_view rest = text;
  const std::optional<int64_t> number = take_int<int64_t>(rest);
  if (number && *number >= 0) {
    if (rest.empty()) return *number;
    const std::optional<int64_t> unit = unit_ms(rest);
    if (unit && *number <= now_ms / *unit) return now_ms - *number * *unit;
  }
  if (const std::optional<int64_t> date = parse_date(std::string(text))) return *date;
  return fail(
      Errc::kInvalidArgument,
      fmt::format("'{}' is no time: give milliseconds since 1970, 2026-01-31T12:00:00Z, or how long ago: 10m, 2h, 1d",
                  text));
}

std::string format_moment(int64_t timestamp_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(timestamp_ms)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day ymd(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(ymd.year()),
                     static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

}  // namespace leat::cli
