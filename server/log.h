// log.h: one line an event on stderr: time, level, message, which names the topic partition or the peer it is about.
// Lines are written by a thread of their own, so that a slow terminal or a full pipe never blocks the loop; when that
// thread lags behind, the oldest lines are dropped and counted, and the count is logged. Lines that a peer can cause go
// through a RateLimitedLog. start_log() once, in main, before the first line; without it nothing is written (tests).
// Thread: any.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/clock.h"

namespace leat {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError, kOff };

std::optional<LogLevel> parse_log_level(std::string_view name) noexcept;  // debug, info, warn, error, off

void start_log(LogLevel level);
void stop_log() noexcept;  // writes what is queued
void log_line(LogLevel level, std::string_view line) noexcept;
bool log_enabled(LogLevel level) noexcept;

template <class... Values>
void log_debug(fmt::format_string<Values...> format, Values&&... values) {
  if (log_enabled(LogLevel::kDebug)) log_line(LogLevel::kDebug, fmt::format(format, std::forward<Values>(values)...));
}
template <class... Values>
void log_info(fmt::format_string<Values...> format, Values&&... values) {
  if (log_enabled(LogLevel::kInfo)) log_line(LogLevel::kInfo, fmt::format(format, std::forward<Values>(values)...));
}
template <class... Values>
void log_warn(fmt::format_string<Values...> format, Values&&... values) {
  if (log_enabled(LogLevel::kWarn)) log_line(LogLevel::kWarn, fmt::format(format, std::forward<Values>(values)...));
}
template <class... Values>
void log_error(fmt::format_string<Values...> format, Values&&... values) {
  if (log_enabled(LogLevel::kError)) log_line(LogLevel::kError, fmt::format(format, std::forward<Values>(values)...));
}

// What a peer could say as often as it likes, safe to stand in a line: cut, control characters and quotes escaped.
std::string printable(std::string_view text);

// At most `lines_max` lines in each period; the first line after a silence says how many were left out. One for each
// kind of line. Thread: the loop.
class RateLimitedLog {
 public:
  explicit RateLimitedLog(const Clock& clock, int lines_max = 10, Millis period = Millis(10'000)) noexcept
      : clock_(clock), period_(period), lines_max_(lines_max) {}

  template <class... Values>
  void warn(fmt::format_string<Values...> format, Values&&... values) {
    if (admit()) write(LogLevel::kWarn, fmt::format(format, std::forward<Values>(values)...));
  }
  template <class... Values>
  void error(fmt::format_string<Values...> format, Values&&... values) {
    if (admit()) write(LogLevel::kError, fmt::format(format, std::forward<Values>(values)...));
  }
  bool admit() noexcept;  // counts; true when the line may be written
  int64_t left_out() const noexcept { return left_out_; }

 private:
  void write(LogLevel level, std::string line);

  const Clock& clock_;
  const Nanos period_;
  const int lines_max_;
  std::optional<Nanos> period_begin_;
  int lines_ = 0;
  int64_t left_out_ = 0;
};

}  // namespace leat
