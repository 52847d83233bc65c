// progress_line.cpp: see progress_line.h.
#include "cli/progress_line.h"

#include <algorithm>
#include <chrono>

namespace leat::cli {
namespace {

constexpr Millis kPatience{500};
constexpr Millis kBetween{200};

}  // namespace

ProgressLine::ProgressLine(Session& session) noexcept
    : session_(session), begun_(session.clock.monotonic()), next_(begun_ + kPatience) {}

ProgressLine::~ProgressLine() { session_.console.end_progress(); }

bool ProgressLine::is_due() const noexcept { return !session_.options.quiet && session_.clock.monotonic() >= next_; }

void ProgressLine::show(std::string_view line) {
  session_.console.progress(line);
  next_ = session_.clock.monotonic() + kBetween;
}

Nanos ProgressLine::elapsed() const noexcept { return session_.clock.monotonic() - begun_; }

double ProgressLine::per_second(int64_t amount) const noexcept {
  const double seconds = std::max(std::chrono::duration<double>(elapsed()).count(), 1e-9);
  return static_cast<double>(amount) / seconds;
}

}  // namespace leat::cli
