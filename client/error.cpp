// error.cpp: which codes of Kafka's stand for the client's own errors, and the words of all.
#include <leat/error.h>
#include <leat/result.h>

#include <fmt/format.h>

#include "core/base/check.h"
#include "net/protocol/error_code.h"

namespace leat::client {
namespace {

ErrorCode code_of(Cause cause) noexcept {
  switch (cause) {
    case Cause::kNetwork:
      return ErrorCode::kNetworkException;
    case Cause::kUnreachable:
      return ErrorCode::kBrokerNotAvailable;
    case Cause::kTimedOut:
      return ErrorCode::kRequestTimedOut;
    case Cause::kUnsupported:
      return ErrorCode::kUnsupportedVersion;
    case Cause::kTooLarge:
      return ErrorCode::kMessageTooLarge;
    case Cause::kDamaged:
      return ErrorCode::kCorruptMessage;
    case Cause::kBroker:
    case Cause::kQueueFull:
    case Cause::kClosed:
    case Cause::kInvalidArgument:
    case Cause::kProtocol:
      return ErrorCode::kUnknownServerError;
  }
  return ErrorCode::kUnknownServerError;
}

bool may_pass(Cause cause) noexcept {
  return cause == Cause::kNetwork || cause == Cause::kUnreachable || cause == Cause::kTimedOut ||
         cause == Cause::kQueueFull;
}

}  // namespace

std::string_view to_string(Cause cause) noexcept {
  switch (cause) {
    case Cause::kBroker:
      return "BROKER";
    case Cause::kNetwork:
      return "NETWORK";
    case Cause::kUnreachable:
      return "UNREACHABLE";
    case Cause::kTimedOut:
      return "TIMED_OUT";
    case Cause::kQueueFull:
      return "QUEUE_FULL";
    case Cause::kClosed:
      return "CLOSED";
    case Cause::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case Cause::kUnsupported:
      return "UNSUPPORTED";
    case Cause::kProtocol:
      return "PROTOCOL";
    case Cause::kTooLarge:
      return "TOO_LARGE";
    case Cause::kDamaged:
      return "DAMAGED";
  }
  return "UNKNOWN";
}

Error::Error(Cause cause, std::string message) : Error(cause, code_of(cause), std::move(message)) {
  retriable_ = may_pass(cause);
}

Error::Error(Cause cause, ErrorCode code, std::string message)
    : cause_(cause), retriable_(leat::is_retriable(code)), code_(code), message_(std::move(message)) {}

Error Error::from_broker(ErrorCode code, std::string_view what, const std::optional<std::string>& words) {
  const std::string_view own = words && !words->empty() ? std::string_view(*words) : error_message(code);
  return {Cause::kBroker, code, fmt::format("{}: {}: {}", what, error_name(code), own)};
}

std::string_view Error::name() const noexcept {
  return code_ == ErrorCode::kUnknownServerError && cause_ != Cause::kBroker ? to_string(cause_) : error_name(code_);
}

namespace detail {

void no_value(const Error& error) noexcept {
  ENSURE(false, "the value of a Result was taken that is an error: {}: {}", error.name(), error.message());
  __builtin_unreachable();
}
void no_error() noexcept {
  ENSURE(false, "the error of a Result was taken that is a value");
  __builtin_unreachable();
}

}  // namespace detail
}  // namespace leat::client
