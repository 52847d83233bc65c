// log_progress.cpp: see log_progress.h.
#include "cli/log_progress.h"

#include <fmt/format.h>

#include <utility>

#include "cli/amount_text.h"

namespace leat::cli {

LogProgress::LogProgress(Session& session, FileSystem& files)
    : line_(session), files_(files, [this](size_t bytes) { on_read(bytes); }) {}

void LogProgress::begin(std::string name) {
  name_ = std::move(name);
  ++begun_count_;
}

void LogProgress::on_read(size_t bytes) {
  read_bytes_ += static_cast<int64_t>(bytes);
  if (begun_count_ > 0 && line_.is_due()) line_.show(line());
}

std::string LogProgress::line() const {
  return fmt::format("{} of {}: {}, {} read, {}/s", begun_count_, expected_count_, name_,
                     bytes_text(static_cast<double>(read_bytes_)), bytes_text(line_.per_second(read_bytes_)));
}

}  // namespace leat::cli
