// check.cpp: the end of a process whose invariant broke.
#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace leat {

void check_failed(const char* file, int line, const char* condition, const std::string& state) noexcept {
  std::fprintf(stderr, "%s:%d: ENSURE failed: %s%s%s\n", file, line, condition, state.empty() ? "" : ": ",
               state.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace leat
