// error.cpp: names of the codes, and errno's meaning for us.
#include "core/base/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace leat {

std::string_view to_string(Errc code) noexcept {
  switch (code) {
    case Errc::kIo:
      return "I/O error";
    case Errc::kNoSpace:
      return "no space";
    case Errc::kNotFound:
      return "not found";
    case Errc::kAlreadyExists:
      return "already exists";
    case Errc::kLocked:
      return "locked";
    case Errc::kOffline:
      return "log directory offline";
    case Errc::kCorrupt:
      return "corrupt data";
    case Errc::kCancelled:
      return "cancelled";
    case Errc::kTimedOut:
      return "timed out";
    case Errc::kUnsupported:
      return "unsupported";
    case Errc::kLimit:
      return "limit reached";
    case Errc::kInvalidArgument:
      return "invalid argument";
    case Errc::kProtocol:
      return "protocol error";
    case Errc::kCorruptBatch:
      return "corrupt batch";
    case Errc::kInvalidRecord:
      return "invalid record";
    case Errc::kInvalidTimestamp:
      return "invalid timestamp";
    case Errc::kMessageTooLarge:
      return "message too large";
    case Errc::kUnsupportedFormat:
      return "unsupported message format";
    case Errc::kUnsupportedCodec:
      return "unsupported compression codec";
    case Errc::kOffsetOutOfRange:
      return "offset out of range";
    case Errc::kOutOfOrderSequence:
      return "out of order sequence";
    case Errc::kDuplicateSequence:
      return "duplicate sequence";
    case Errc::kInvalidProducerEpoch:
      return "invalid producer epoch";
    case Errc::kUnknownProducerId:
      return "unknown producer id";
    case Errc::kPolicyViolation:
      return "policy violation";
  }
  return "unknown error";
}

Error error_from_errno(int error_number, std::string_view context) {
  Errc code = Errc::kIo;
  if (error_number == ENOSPC || error_number == EDQUOT) code = Errc::kNoSpace;
  if (error_number == ENOENT) code = Errc::kNotFound;
  if (error_number == EEXIST || error_number == ENOTEMPTY) code = Errc::kAlreadyExists;
  return {code, fmt::format("{}: {}", context, std::generic_category().message(error_number))};
}

}  // namespace leat
