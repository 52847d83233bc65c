// session.h: what every command is given: the console, the flags that all commands share, a client that connects when
// it is first needed, and the one way in which errors are told. An Error has no room for what a broker called its
// refusal, so the session keeps that of the last ones it made. Thread: one at a time.
#pragma once

#include <leat/client.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/console.h"
#include "cli/contexts_address.h"
#include "core/base/clock.h"
#include "core/base/result.h"

namespace leat::cli {

// Exit codes, as documented in `leat --help`.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;       // the broker said no, or verify found damage
inline constexpr int kExitUsage = 2;        // the command line is wrong
inline constexpr int kExitUnreachable = 3;  // no broker, or no answer in time
inline constexpr int kExitTornTail = 4;     // verify found a torn tail, and nothing else

inline constexpr std::string_view kUnreachableKind = "unreachable";  // of errors with --json

struct GlobalOptions {
  AddressFlags address;
  bool json = false;
  bool quiet = false;
  int64_t timeout_ms = 30'000;
  int64_t wait_ms = 0;  // for a broker that is still starting
};

class Session {
 public:
  Session(Console& session_console, const Clock& session_clock) noexcept
      : console(session_console), clock(session_clock) {}

  // Has reached a broker when it is first given, which waits as --wait says; the same each time.
  Result<client::Client*> client();
  // For clients beside that one. By flags, environment and contexts (contexts_address.h).
  Result<client::ClientSettings> client_settings() const;

  // The client's answer as one to give on.
  template <class T>
  Result<T> checked(client::Result<T> answer) {
    if (!answer) return fail(failure(answer.error()));
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return *std::move(answer);
    }
  }
  // Waits for the answer of a call; not in the thread of the client's loop.
  template <class T>
  Result<T> wait(client::Pending<T> pending) {
    return checked(std::move(pending).wait());
  }
  // An error of the client's as one to give on: in its words, or in words of ours.
  Error failure(const client::Error& error);
  Error failure(const client::Error& error, std::string words);
  // What we refuse before a broker does, under Kafka's name.
  Error refusal(ErrorCode code, std::string words);
  // The same error, when it says that a broker is not reached, with what to do about it.
  Error advised(const Error& error);

  void out(std::string_view text) { console.out(text); }
  void say(std::string_view line);  // what was done; not with --quiet or --json
  // To the error stream: "leat: MESSAGE", or with --json {"error":{"kind":KIND,"message":MESSAGE}}. The kind is Kafka's
  // name of the error when a broker refused; else leat's own, in lower case.
  void tell(const Error& error);
  int exit_code_of(const Error& error) const;
  // A broker said no to what was asked; other names may fare better.
  bool is_refusal(const Error& error) const;
  bool output_closed() const noexcept { return console.output_state() == OutputState::kClosed; }

  Console& console;
  const Clock& clock;
  GlobalOptions options;

 private:
  struct Kept {  // of an error that failure() or refusal() made
    std::string words;
    std::string_view kind;  // none of ours: Kafka's name, or "unreachable"; else empty
    client::Cause cause;
    std::string broker = {};  // that it is about
    client::AnsweredBefore answered_before = client::AnsweredBefore::kNo;
  };
  void keep(Kept kept);
  const Kept* kept_of(const Error& error) const;
  bool is_unreachable(const Error& error) const;

  std::unique_ptr<client::Client> client_;
  std::vector<Kept> kept_;  // the last few
};

// Set by SIGINT, SIGTERM, and SIGHUP where nobody has it ignored, once catch_interrupts was called: commands that run
// on end in order.
void catch_interrupts() noexcept;
bool interrupted() noexcept;

}  // namespace leat::cli
