// captured.h: runs a whole command line of `leat` in this process and keeps what it wrote.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leat::test {

struct Captured {
  int exit_code;
  std::string out;
  std::string errors;
};

// `input` is what standard input holds.
Captured run_leat(const std::vector<std::string>& arguments, std::string_view input = "");

}  // namespace leat::test
