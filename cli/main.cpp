// main.cpp: the `leat` program.
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "core/base/standard_streams.h"

int main(int argc, char** argv) {
  leat::fill_standard_streams();
  (void)std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen by the write
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const leat::SystemClock clock;
  leat::cli::Console console(STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO);
  return leat::cli::run_command_line(arguments, console, clock);
}
