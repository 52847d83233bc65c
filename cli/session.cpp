// session.cpp: connecting, telling errors, and the signals that end a command.
#include "cli/session.h"

#include <algorithm>
#include <csignal>

#include "cli/json_text.h"

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

// A port that answers, but not as a broker does, will not become one.
Result<SimpleClient> Session::connect(const std::vector<HostPort>& addresses) const {
  constexpr Millis kPause{20};
  const Nanos give_up = clock.monotonic() + Millis(options.wait_ms);
  for (;;) {
    Result<SimpleClient> connected = SimpleClient::connect(addresses, connection_options());
    if (connected) return connected;
    const Errc why = connected.error().code;
    const bool may_come = why == Errc::kIo || why == Errc::kTimedOut;
    if (!may_come || clock.monotonic() >= give_up) return connected;
    pause_for(kPause);
  }
}

bool Session::broker_unreachable() const noexcept {
  return broker_unreachable_ || (client_ && client_->lost_a_broker());
}

Result<SimpleClient*> Session::client() {
  if (!client_) {
    TRY(addresses, bootstrap());
    Result<SimpleClient> connected = connect(addresses);
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

void Session::tell(const Error& error) {
  if (!options.json) return console.warn("leat: " + error.context);
  std::string_view kind = refusal_name(error.context);
  if (kind.empty()) kind = broker_unreachable() ? "unreachable" : to_string(error.code);
  const JsonObject details{{"kind", kind}, {"message", error.context}};
  const std::string line = json_line({{"error", details.raw()}});
  console.warn(std::string_view(line).substr(0, line.size() - 1));
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
