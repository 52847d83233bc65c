// captured.h: runs a whole command line of `leat` in this process and keeps what it wrote.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace leat::test {

struct Captured {
  int exit_code;
  std::string out;
  std::string errors;
};

// `input` is what standard input holds.
Captured run_leat(std::initializer_list<std::string> arguments, std::string_view input = "");

}  // namespace leat::test
