// session.cpp: connecting, telling errors, and the signals that end a command.
#include "cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "cli/json_text.h"
#include "cli/suggest.h"
#include "client/host_port.h"
#include "core/base/hangup.h"
#include "core/storage/posix_file_system.h"
#include "net/protocol/error_code.h"

namespace leat::cli {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

void on_signal(int /*number*/) noexcept { interrupt_seen = 1; }

Errc errc_of(client::Cause cause) noexcept {
  switch (cause) {
    case client::Cause::kBroker:
    case client::Cause::kNetwork:
    case client::Cause::kUnreachable:
      return Errc::kIo;
    case client::Cause::kTimedOut:
      return Errc::kTimedOut;
    case client::Cause::kClosed:
      return Errc::kCancelled;
    case client::Cause::kInvalidArgument:
      return Errc::kInvalidArgument;
    case client::Cause::kUnsupported:
      return Errc::kUnsupported;
    case client::Cause::kProtocol:
      return Errc::kProtocol;
    case client::Cause::kDamaged:
      return Errc::kCorrupt;
    case client::Cause::kTooLarge:
      return Errc::kMessageTooLarge;
    case client::Cause::kQueueFull:
      return Errc::kLimit;
  }
  return Errc::kIo;
}

bool means_no_broker(client::Cause cause) noexcept {
  return cause == client::Cause::kUnreachable || cause == client::Cause::kNetwork;
}

// As leatd takes it: the first address, whole.
std::string first_address(std::string_view bootstrap_servers) {
  const std::string_view first = bootstrap_servers.substr(0, bootstrap_servers.find(','));
  const Result<HostPort> address = parse_host_port(first);
  return address ? address->to_string() : std::string(first);
}

std::string bootstrap_advice(const client::ClientSettings& settings) {
  return fmt::format("Is leatd running there? Start it with: leatd --listen {}; or name another broker: -b HOST:PORT",
                     first_address(settings.bootstrap_servers));
}

bool is_given(const std::string& address, const std::string& bootstrap_servers) {
  const Result<std::vector<HostPort>> given = parse_host_ports(bootstrap_servers);
  return given && std::any_of(given->begin(), given->end(),
                              [&address](const HostPort& one) { return one.to_string() == address; });
}

}  // namespace

Result<client::ClientSettings> Session::client_settings() const {
  constexpr int64_t kConnectTimeoutMaxMs = 5'000;
  PosixFileSystem files;
  TRY(chosen, choose_address(options.address, files));
  client::ClientSettings settings;
  settings.bootstrap_servers = chosen.bootstrap_servers;
  settings.client_id = "leat-cli";
  settings.connect_timeout_ms = std::min(options.timeout_ms, kConnectTimeoutMaxMs);
  settings.request_timeout_ms = options.timeout_ms;
  settings.reconnect_backoff_ms = 20;  // who waits for a broker to start goes on as soon as it has
  settings.reconnect_backoff_max_ms = 100;
  settings.when_unreachable = client::WhenUnreachable::kFail;
  settings.response_bytes_max = size_t{1} << 30;  // what --max-bytes may ask for
  return settings;
}

// An attempt waits for the pause after the one before, so that this loop needs none of its own.
Result<client::Client*> Session::client() {
  if (client_) return client_.get();
  TRY(settings, client_settings());
  TRY(made, checked(client::Client::create(settings)));
  const Nanos give_up = clock.monotonic() + Millis(options.wait_ms);
  for (;;) {
    const client::Result<> reached = made->connect().wait();
    if (reached) break;
    const client::Error& why = reached.error();
    if (why.is_retriable() && clock.monotonic() < give_up) continue;
    if (!means_no_broker(why.cause())) return fail(failure(why));
    return fail(failure(why, with_hint(why.message(), bootstrap_advice(settings))));
  }
  client_ = std::move(made);
  return client_.get();
}

Error Session::failure(const client::Error& error) {
  const bool late = (error.cause() == client::Cause::kTimedOut && !error.last_refusal()) ||
                    error.kafka_code() == ErrorCode::kThrottlingQuotaExceeded;
  return failure(error, late ? error.message() + " (--timeout waits longer)" : error.message());
}

// A broker that said no until the time was over has said no.
Error Session::failure(const client::Error& error, std::string words) {
  if (error.last_refusal()) return refusal(*error.last_refusal(), std::move(words));
  std::string_view kind;
  if (error.cause() == client::Cause::kBroker) kind = error.name();
  if (means_no_broker(error.cause())) kind = kUnreachableKind;
  keep({.words = words,
        .kind = kind,
        .cause = error.cause(),
        .broker = error.broker(),
        .answered_before = error.answered_before()});
  return {errc_of(error.cause()), std::move(words)};
}

Error Session::refusal(ErrorCode code, std::string words) {
  keep({.words = words, .kind = error_name(code), .cause = client::Cause::kBroker});
  return {Errc::kIo, std::move(words)};
}

void Session::keep(Kept kept) {
  constexpr size_t kKeptMax = 8;  // more than one command has under way before it tells of them
  if (kept_.size() == kKeptMax) kept_.erase(kept_.begin());
  kept_.push_back(std::move(kept));
}

const Session::Kept* Session::kept_of(const Error& error) const {
  const auto found =
      std::find_if(kept_.rbegin(), kept_.rend(), [&error](const Kept& kept) { return kept.words == error.context; });
  return found == kept_.rend() ? nullptr : &*found;
}

bool Session::is_unreachable(const Error& error) const {
  const Kept* const kept = kept_of(error);
  return kept != nullptr && means_no_broker(kept->cause);
}

bool Session::is_refusal(const Error& error) const {
  const Kept* const kept = kept_of(error);
  return kept != nullptr && kept->cause == client::Cause::kBroker;
}

// Either the broker that was named has gone, or it names others (or itself) by addresses that lead nowhere from here.
Error Session::advised(const Error& error) {
  const Kept* const kept = kept_of(error);
  if (!client_ || kept == nullptr || !means_no_broker(kept->cause)) return error;
  Kept better = *kept;
  const Result<client::ClientSettings> settings = client_settings();
  if (!settings) return error;
  const client::Result<> there = client_->connect().wait();
  // Else it is an address that brokers tell and nobody reaches.
  const bool is_known = better.cause == client::Cause::kNetwork ||
                        better.answered_before == client::AnsweredBefore::kYes ||
                        is_given(better.broker, settings->bootstrap_servers);
  if (there && is_known) return error;
  better.words = with_hint(
      error.context,
      !there ? bootstrap_advice(*settings)
             : fmt::format("This address is what broker {} tells its clients: give it one that is reached from here, "
                           "with advertised.listeners",
                           first_address(settings->bootstrap_servers)));
  keep(better);
  return {error.code, std::move(better.words)};
}

void Session::say(std::string_view line) {
  if (options.quiet || options.json) return;
  console.out(std::string(line) + "\n");
}

void Session::tell(const Error& error) {
  if (!options.json) return console.warn("leat: " + error.context);
  const Kept* const kept = kept_of(error);
  const std::string_view kind = kept != nullptr && !kept->kind.empty() ? kept->kind : to_string(error.code);
  const JsonObject details{{"kind", kind}, {"message", error.context}};
  const std::string line = json_line({{"error", details.raw()}});
  console.warn(std::string_view(line).substr(0, line.size() - 1));
}

int Session::exit_code_of(const Error& error) const {
  if (error.code == Errc::kTimedOut || is_unreachable(error)) return kExitUnreachable;
  return error.code == Errc::kInvalidArgument ? kExitUsage : kExitFailed;
}

// A second signal ends the process at once.
void catch_interrupts() noexcept {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  (void)::sigaction(SIGINT, &action, nullptr);
  (void)::sigaction(SIGTERM, &action, nullptr);
  if (!hangup_is_ignored()) (void)::sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() noexcept { return interrupt_seen != 0; }

}  // namespace leat::cli
