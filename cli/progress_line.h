// progress_line.h: how far long work has come: one line on the error stream that overwrites itself, where that is a
// terminal. It comes when the work has taken a moment, and then some times a second; with --quiet never. Thread: the
// session's.
#pragma once

#include <string_view>

#include "cli/session.h"

namespace leat::cli {

class ProgressLine {
 public:
  explicit ProgressLine(Session& session) noexcept;
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Ask before making the line: most steps of the work are too short to be told of.
  bool is_due() const noexcept;
  void show(std::string_view line);
  Nanos elapsed() const noexcept;  // since the work began
  // Of an amount that grew from 0 meanwhile.
  double per_second(int64_t amount) const noexcept;

 private:
  Session& session_;
  Nanos begun_;
  Nanos next_;
};

}  // namespace leat::cli
