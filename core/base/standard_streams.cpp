// standard_streams.cpp: see standard_streams.h.
#include "core/base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace leat {

void fill_standard_streams() noexcept {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // What is opened gets the lowest number that is free: this one, for those below it are there by now.
    int opened = ::open("/dev/null", O_RDONLY);
    if (opened < 0) opened = ::open("/", O_RDONLY);  // a jail without devices
    if (opened < 0) return;
  }
}

}  // namespace leat
