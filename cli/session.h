// session.h: what every command is given: the console, the flags that all commands share, a client that connects when
// it is first needed, and the one way in which errors are told. Thread: one.
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
inline constexpr int kExitTornTail = 4;     // verify found a torn tail, and nothing else

struct GlobalOptions {
  std::string bootstrap_server = "localhost:9092";
  bool json = false;
  bool quiet = false;
  int64_t timeout_ms = 30'000;
  int64_t wait_ms = 0;  // for a broker that is still starting
};

class Session {
 public:
  Session(Console& session_console, const Clock& session_clock) noexcept
      : console(session_console), clock(session_clock) {}

  Result<SimpleClient*> client();  // the same each time; waits as --wait says
  ConnectionOptions connection_options() const;
  Result<std::vector<HostPort>> bootstrap() const { return parse_host_ports(options.bootstrap_server); }

  void out(std::string_view text) { console.out(text); }
  void say(std::string_view line);  // what was done; not with --quiet or --json
  // To the error stream: "leat: MESSAGE", or with --json {"error":{"kind":KIND,"message":MESSAGE}}. The kind is Kafka's
  // name of the error when a broker refused; else leat's own, in lower case.
  void tell(const Error& error);
  bool broker_unreachable() const noexcept;  // the last attempt to connect to one failed
  bool output_closed() const noexcept { return console.output_state() == OutputState::kClosed; }

  Console& console;
  const Clock& clock;
  GlobalOptions options;

 private:
  Result<SimpleClient> connect(const std::vector<HostPort>& addresses) const;

  std::optional<SimpleClient> client_;
  bool broker_unreachable_ = false;
};

// Set by SIGINT and SIGTERM once catch_interrupts was called: commands that run on end in order.
void catch_interrupts() noexcept;
bool interrupted() noexcept;

}  // namespace leat::cli
