// session.h: what every command is given: the console, the flags that all commands share, and a client that connects
// when it is first needed. Thread: one.
#pragma once

#include <optional>
#include <string>

#include "cli/console.h"
#include "client/simple_client.h"
#include "core/base/clock.h"
#include "core/base/result.h"

namespace leat::cli {

// Exit codes, as documented in `leat --help`.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;       // the broker said no, or verify found damage
inline constexpr int kExitUsage = 2;        // the command line is wrong
inline constexpr int kExitUnreachable = 3;  // no broker, or no answer in time

struct GlobalOptions {
  std::string bootstrap_server = "localhost:9092";
  bool json = false;
  bool quiet = false;
  int64_t timeout_ms = 30'000;
};

class Session {
 public:
  Session(Console& session_console, const Clock& session_clock) noexcept
      : console(session_console), clock(session_clock) {}

  Result<SimpleClient*> client();
  ConnectionOptions connection_options() const;
  Result<std::vector<HostPort>> bootstrap() const { return parse_host_ports(options.bootstrap_server); }

  void out(std::string_view text) { console.out(text); }
  void say(std::string_view line);                                          // what was done; not with --quiet or --json
  bool broker_unreachable() const noexcept { return broker_unreachable_; }  // client() failed to connect
  bool output_closed() const noexcept { return console.output_state() == OutputState::kClosed; }

  Console& console;
  const Clock& clock;
  GlobalOptions options;

 private:
  std::optional<SimpleClient> client_;
  bool broker_unreachable_ = false;
};

// Set by SIGINT and SIGTERM once catch_interrupts was called: commands that run on end in order.
void catch_interrupts() noexcept;
bool interrupted() noexcept;

}  // namespace leat::cli
