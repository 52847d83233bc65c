// session.cpp: connecting, and the signals that end a command.
#include "cli/session.h"

#include <algorithm>
#include <csignal>

namespace leat::cli {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

void on_signal(int /*number*/) noexcept { interrupt_seen = 1; }

}  // namespace

ConnectionOptions Session::connection_options() const {
  return {.client_id = "leat-cli",
          .connect_timeout = Millis(std::min<int64_t>(options.timeout_ms, 5'000)),
          .request_timeout = Millis(options.timeout_ms)};
}

Result<SimpleClient*> Session::client() {
  if (!client_) {
    TRY(addresses, bootstrap());
    Result<SimpleClient> connected = SimpleClient::connect(addresses, connection_options());
    broker_unreachable_ = !connected;
    if (!connected) return fail(std::move(connected).error());
    client_ = *std::move(connected);
  }
  return &*client_;
}

void Session::say(std::string_view line) {
  if (options.quiet || options.json) return;
  console.out(std::string(line) + "\n");
}

// A second signal ends the process at once.
void catch_interrupts() noexcept {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  (void)::sigaction(SIGINT, &action, nullptr);
  (void)::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() noexcept { return interrupt_seen != 0; }

}  // namespace leat::cli
