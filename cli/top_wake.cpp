// top_wake.cpp: neither end ever waits: a pipe that is full wakes as well.
#include "cli/top_wake.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace leat::cli {

Result<std::shared_ptr<WakePipe>> WakePipe::create() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return fail(error_from_errno(errno, "pipe"));
  auto made = std::make_shared<WakePipe>(ends[0], ends[1]);
  for (const int end : ends) {
    const bool is_set = ::fcntl(end, F_SETFL, O_NONBLOCK) == 0 && ::fcntl(end, F_SETFD, FD_CLOEXEC) == 0;
    if (!is_set) return fail(error_from_errno(errno, "pipe"));
  }
  return made;
}

WakePipe::~WakePipe() {
  (void)::close(read_end_);
  (void)::close(write_end_);
}

void WakePipe::wake(int write_end) noexcept {
  const char byte = 'w';
  [[maybe_unused]] const ssize_t written = ::write(write_end, &byte, 1);
}

void WakePipe::drain() noexcept {
  std::array<char, 256> bytes{};
  while (::read(read_end_, bytes.data(), bytes.size()) > 0) {
  }
}

}  // namespace leat::cli
