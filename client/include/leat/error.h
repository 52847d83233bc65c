// error.h: what went wrong, as a value: Kafka's code, what to do about it, and words for a person. No exception crosses
// the client's interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace leat {
// Kafka's error codes; the enumerators are in <leat/error_code.h>.
enum class ErrorCode : int16_t;
}  // namespace leat

namespace leat::client {

enum class Cause : uint8_t {
  kBroker,           // a broker answered with an error; kafka_code() says which
  kNetwork,          // the connection broke: whether the request was carried out is not known
  kUnreachable,      // no connection to the broker could be made: the request was not carried out
  kTimedOut,         // within the time that the caller or the settings gave
  kQueueFull,        // the producer's memory bound is reached: wait for room
  kClosed,           // the client, producer or consumer was closed
  kInvalidArgument,  // a setting or a parameter
  kUnsupported,      // the broker does not speak what this needs
  kProtocol,         // bytes that no Kafka broker sends
  kTooLarge,         // the record does not fit in a request
  kDamaged,          // a batch that was fetched does not hold together: its CRC, its records
};
std::string_view to_string(Cause cause) noexcept;

enum class Fatality : uint8_t { kNo, kYes };

// Whether the client has had an answer of the broker at an address before: one that is gone is told from one that never
// was there, or is only said to be.
enum class AnsweredBefore : uint8_t { kNo, kYes };

class Error {
 public:
  Error(Cause cause, std::string message);
  // "<what>: <NAME>: <the broker's own words, or Kafka's>"
  static Error from_broker(ErrorCode code, std::string_view what,
                           const std::optional<std::string>& words = std::nullopt);

  Cause cause() const noexcept { return cause_; }
  // Kafka's code; of errors of the client's own the one that Kafka's own client uses (REQUEST_TIMED_OUT,
  // NETWORK_EXCEPTION, ...), or UNKNOWN_SERVER_ERROR (-1).
  ErrorCode kafka_code() const noexcept { return code_; }
  std::string_view name() const noexcept;  // "NOT_LEADER_OR_FOLLOWER"; of a cause without a code "CLOSED", "QUEUE_FULL"
  bool is_retriable() const noexcept { return retriable_; }               // the same call may succeed later
  bool is_fatal() const noexcept { return fatality_ == Fatality::kYes; }  // who gave it cannot go on: make a new one
  const std::string& message() const noexcept { return message_; }        // what happened, to what, and what to do
  // Of kTimedOut: what a broker answered last, each time that this was tried again; none: no broker said no.
  std::optional<ErrorCode> last_refusal() const noexcept { return last_refusal_; }
  // Of kNetwork, kUnreachable and kTimedOut: "host:port" of the broker that it is about; empty: of none in particular.
  const std::string& broker() const noexcept { return broker_; }
  AnsweredBefore answered_before() const noexcept { return answered_before_; }  // that broker

  Error&& as_fatal() && noexcept {
    fatality_ = Fatality::kYes;
    retriable_ = false;
    return std::move(*this);
  }
  Error&& after_refusal(ErrorCode code) && {
    last_refusal_ = code;
    return std::move(*this);
  }
  Error&& about_broker(std::string address, AnsweredBefore answered_before) && {
    broker_ = std::move(address);
    answered_before_ = answered_before;
    return std::move(*this);
  }

 private:
  Error(Cause cause, ErrorCode code, std::string message);

  Cause cause_;
  Fatality fatality_ = Fatality::kNo;
  AnsweredBefore answered_before_ = AnsweredBefore::kNo;
  bool retriable_;
  ErrorCode code_;
  std::optional<ErrorCode> last_refusal_;
  std::string message_;
  std::string broker_;
};

}  // namespace leat::client
