// check.h: ENSURE(condition, "format", values...): an invariant of ours, tested in release builds too. A failed one
// prints where, what and the given state, and aborts: going on with broken state would put users' data at risk. Never
// for input from the network, the disk, settings, or for memory pressure: those are Results. (Not CHECK: Catch2's macro
// has that name, and tests see both.)
#pragma once

#include <fmt/format.h>

#include <string>

namespace leat {

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& state) noexcept;

}  // namespace leat

#define ENSURE(condition, ...)                                                                                     \
  do {                                                                                                             \
    if (!(condition)) [[unlikely]] {                                                                               \
      ::leat::check_failed(__FILE__, __LINE__, #condition, std::string() __VA_OPT__(+::fmt::format(__VA_ARGS__))); \
    }                                                                                                              \
  } while (false)
