// command_line.h: from the words of a command line to an exit code: parse, say what is wrong and what was probably
// meant, run.
#pragma once

#include <span>
#include <string>

#include "cli/console.h"
#include "core/base/clock.h"

namespace leat::cli {

// `arguments` without the program's name. Errors are told on the console's error stream, with --json anywhere among the
// arguments as JSON, those of the parse, too (Session::tell).
int run_command_line(std::span<const std::string> arguments, Console& console, const Clock& clock);

}  // namespace leat::cli
