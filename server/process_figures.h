// process_figures.h: what the operating system says of this process. Asked by the admin HTTP listener on its own
// thread: these are calls and files of the kernel, which are not for the loop.
#pragma once

#include <cstdint>

namespace leat {

struct ProcessFigures {
  int64_t resident_bytes = 0;  // 0: unknown
  double cpu_seconds = 0;      // of all threads, user and system
  int64_t open_descriptors = 0;
  int64_t descriptors_max = 0;
};

ProcessFigures process_figures() noexcept;

}  // namespace leat
