// log.cpp: see log.h. spdlog's headers are heavy: this file alone includes them.
#include "server/log.h"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>

namespace leat {

namespace {

constexpr size_t kQueuedLinesMax = 512;  // spdlog allocates them all at once, half a kilobyte each

struct Log {
  std::shared_ptr<spdlog::details::thread_pool> thread;
  std::shared_ptr<spdlog::async_logger> logger;
  std::atomic<size_t> lost_told{0};
};

// The one place of process-wide state in server/: a line may come from any thread and any room's error path, and
// handing a logger to each of them would say nothing that this does not. Set before the first thread starts, taken down
// after the last.
std::unique_ptr<Log> the_log;
std::atomic<LogLevel> the_level{LogLevel::kOff};

spdlog::level::level_enum to_spdlog(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

// Says how many lines were dropped since it was last said.
void tell_lost(Log& log) {
  const size_t lost = log.thread->overrun_counter();
  const size_t told = log.lost_told.exchange(lost);
  if (lost > told) log.logger->warn("{} log lines were dropped: stderr is too slow", lost - told);
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view name) noexcept {
  if (name == "debug") return LogLevel::kDebug;
  if (name == "info") return LogLevel::kInfo;
  if (name == "warn") return LogLevel::kWarn;
  if (name == "error") return LogLevel::kError;
  if (name == "off") return LogLevel::kOff;
  return std::nullopt;
}

void start_log(LogLevel level) {
  auto log = std::make_unique<Log>();
  log->thread = std::make_shared<spdlog::details::thread_pool>(kQueuedLinesMax, 1);
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>();
  log->logger = std::make_shared<spdlog::async_logger>("leatd", std::move(sink), log->thread,
                                                       spdlog::async_overflow_policy::overrun_oldest);
  log->logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%-5l%$ %v");
  log->logger->set_level(spdlog::level::debug);  // log_enabled() decides
  log->logger->flush_on(spdlog::level::warn);
  the_log = std::move(log);
  the_level = level;
}

void stop_log() noexcept {
  the_level = LogLevel::kOff;
  if (the_log) {
    tell_lost(*the_log);
    the_log.reset();  // the thread writes what is queued and ends
  }
}

bool log_enabled(LogLevel level) noexcept { return level >= the_level.load(std::memory_order_relaxed); }

void log_line(LogLevel level, std::string_view line) noexcept {
  if (!log_enabled(level) || !the_log) return;
  tell_lost(*the_log);
  the_log->logger->log(to_spdlog(level), "{}", line);
}

std::string printable(std::string_view text) {
  constexpr size_t kCharactersMax = 100;
  std::string safe;
  for (const char character : text.substr(0, kCharactersMax)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f || character == '"' || character == '\\') {
      safe += fmt::format("\\x{:02x}", byte);
    } else {
      safe += character;
    }
  }
  if (text.size() > kCharactersMax) safe += "...";
  return safe;
}

bool RateLimitedLog::admit() noexcept {
  const Nanos now = clock_.monotonic();
  if (!period_begin_ || now - *period_begin_ >= period_) {
    period_begin_ = now;
    lines_ = 0;
  }
  if (lines_ < lines_max_) {
    ++lines_;
    return true;
  }
  ++left_out_;
  return false;
}

void RateLimitedLog::write(LogLevel level, std::string line) {
  if (left_out_ > 0) {
    line += fmt::format(" ({} more such lines were left out)", left_out_);
    left_out_ = 0;
  }
  log_line(level, line);
}

}  // namespace leat
