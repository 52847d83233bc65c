// program.h: a program that is run to its end, for what it says. Thread: the caller's, which waits.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace leat::bench {

// Its stdout; stderr is ours. kIo: it could not be run, or ended with another status than 0.
Result<std::string> run_program(const std::string& path, const std::vector<std::string>& arguments);

// The folder of the program that runs, by its argv[0]; "." where it was found by PATH.
std::string folder_of(const std::string& program);
bool can_be_run(const std::string& path) noexcept;

}  // namespace leat::bench
