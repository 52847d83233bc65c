// command_line.h: from the words of a command line to an exit code: parse, say what is wrong and what was probably
// meant, run.
#pragma once

#include <span>
#include <string>

#include "cli/console.h"
#include "core/base/clock.h"

namespace leat::cli {

// `arguments` without the program's name. Errors are told on the console.
int run_command_line(std::span<const std::string> arguments, Console& console, const Clock& clock);

}  // namespace leat::cli
