// standard_streams_test.cpp: whichever of the three streams a process is started without, none of its later files is
// one of them.
#include "core/base/standard_streams.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "core/base/hangup.h"
#include "test/support/catch.h"

namespace leat {
namespace {

template <class Action>
int exit_code_in_child(const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(action());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// 0, or what is wrong. `closed` has a bit for each of the three.
int look_without(unsigned closed) {
  const auto is_closed = [closed](int descriptor) { return ((closed >> descriptor) & 1U) != 0; };
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (is_closed(descriptor)) ::close(descriptor);
  }
  fill_standard_streams();
  if (::open("/dev/null", O_RDONLY) <= STDERR_FILENO) return 1;
  char byte = 0;
  if (is_closed(STDIN_FILENO) && ::read(STDIN_FILENO, &byte, 1) != 0) return 2;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    if (!is_closed(descriptor)) continue;
    if (::write(descriptor, "x", 1) != -1 || errno != EBADF) return 3;
  }
  return 0;
}

TEST_CASE("standard streams: what is closed is filled, with nothing that could be read or written", "[base]") {
  fill_standard_streams();  // also of this process
  for (unsigned closed = 0; closed < 8; ++closed) {
    INFO("closed: " << closed);
    CHECK(exit_code_in_child([closed] { return look_without(closed); }) == 0);
  }
}

TEST_CASE("hangup: whether it is ignored", "[base]") {
  CHECK(exit_code_in_child([] {
          (void)std::signal(SIGHUP, SIG_IGN);
          const bool ignored = hangup_is_ignored();
          (void)std::signal(SIGHUP, SIG_DFL);
          return ignored && !hangup_is_ignored() ? 0 : 1;
        }) == 0);
}

}  // namespace
}  // namespace leat
