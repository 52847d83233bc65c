// hangup.cpp: see hangup.h.
#include "core/base/hangup.h"

#include <csignal>

namespace leat {

bool hangup_is_ignored() noexcept {
  struct sigaction present {};
  return ::sigaction(SIGHUP, nullptr, &present) == 0 && present.sa_handler == SIG_IGN;
}

}  // namespace leat
