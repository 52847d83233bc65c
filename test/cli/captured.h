// captured.h: runs a whole command line of `leat`, or a piece of a command, in this process and keeps what it wrote.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"
#include "core/base/clock.h"

namespace leat::test {

struct Captured {
  int exit_code;
  std::string out;
  std::string errors;
};

// `input` is what standard input holds. So much time passes, as the command sees it, each time that it asks: a bench of
// one second ends after a thousand looks at the clock. What the client waits for takes its real time.
Captured run_leat(const std::vector<std::string>& arguments, std::string_view input = "", Millis step = Millis(1));
Captured run_in_session(const std::function<int(cli::Session&)>& action);

bool contains(const std::string& text, std::string_view part);  // of what was written

}  // namespace leat::test
